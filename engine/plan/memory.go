package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/cel"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/engine/plan/handover"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// memory holds what a plan reads from the ledger besides live state. Functions in it read when they are asked,
// and keep their first error, since a policy or the comparator cannot return it.
type memory struct {
	applied    func(resource.Ref) (event.Applied, bool)
	resets     bool         // what is not verified is compared as missing, so that it is set
	appliedErr func() error // the first error of applied
	blessed    map[resource.Ref]bool
	tries      map[resource.Ref]ledger.ResourceTries
	down       map[resource.Ref]rows.Down // what is not healthy, since when
	restarts   map[resource.Ref]rows.Restarts
	fights     map[resource.Ref]rows.Fights
	rollouts   *follow.Facts // nil if no stack asks for it
	names      query.Names   // renames and outages
	others     *handover.Others
	stacks     int     // the number of recorded stacks
	known      wal.Seq // the last record of the audit log that this includes
	// origin proves a resource that the plan will destroy; unread are resources that could not be read now,
	// as last observed.
	origin func(*resource.Observed) (decider.Origin, error)
	unread []resource.Observed

	confirmed   func(ref resource.Ref, id string) error         // a binding that may be ended
	recoverable func(ledger.OpenAction) error                   // whose result this instance may record
	seen        func(resource.Ref) ([]resource.Observed, error) // the states of a resource since the last action on it
	past        func(resource.Ref) []decider.Past
	pastErr     func() error // the first error of past
	approvalsOn func(digest string) ([]ledger.Approval, error)
	approvalErr error
	seenErr     error
}

// loadMemory reads the memory as of a revision; attempts are always the current ones. Reads that
// only some plans need are made when they are asked for. known is the last record of the log now,
// so that the history of a plan can be reproduced from the log later.
func loadMemory(ctx context.Context, l *ledger.Ledger, at storage.Revision) (m *memory, err error) {
	m = &memory{blessed: map[resource.Ref]bool{}}
	m.applied, m.appliedErr = l.AllApplied(ctx, at)
	if m.tries, err = l.Attempts(ctx); err != nil {
		return nil, fmt.Errorf("read the attempts: %w", err)
	}
	if m.down, err = l.Reader().Down(ctx, at); err != nil {
		return nil, fmt.Errorf("read what is not healthy: %w", err)
	}
	if m.restarts, err = l.Reader().Restarts(ctx); err != nil {
		return nil, fmt.Errorf("read the restarts: %w", err)
	}
	if m.fights, err = l.Reader().Fights(ctx); err != nil {
		return nil, fmt.Errorf("read which values are set back: %w", err)
	}
	if m.names, err = l.Reader().Names(ctx, at); err != nil {
		return nil, fmt.Errorf("read the renames and outages: %w", err)
	}
	loaded, err := l.Loaded(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the recorded stacks: %w", err)
	}
	m.stacks, m.others = len(loaded), handover.New(ctx, l.Reader(), at)
	var blessings []ledger.Blessing
	if at == storage.Now {
		blessings, err = l.Blessings(ctx) // that the audit log proves
	} else {
		blessings, err = l.BlessingsAt(ctx, at) // as the store had them
	}
	if err != nil {
		return nil, fmt.Errorf("read what is blessed: %w", err)
	}
	for _, b := range blessings {
		m.blessed[b.Ref] = true
	}
	m.origin = func(o *resource.Observed) (decider.Origin, error) {
		b, err := l.Proof(ctx, o.Ref, o.ID)
		from := decider.Origin{Adopted: b.Adopted}
		if from.Record, from.At, from.Instance = b.Started(); from.Instance == l.Instance() {
			from.Instance = ""
		}
		return from, err
	}
	m.confirmed = func(ref resource.Ref, id string) error {
		if _, err := l.Proof(ctx, ref, id); err != nil {
			if errors.Is(err, ledger.ErrUnproven) {
				return nil // another policy blocks what is not proven
			}
			return err
		}
		return l.Confirmed(ctx, ref, id)
	}
	m.recoverable = func(o ledger.OpenAction) error { return l.Recoverable(ctx, o) }
	m.seen = func(ref resource.Ref) ([]resource.Observed, error) {
		return history.New(l.Reader()).SeenSinceAction(ctx, ref)
	}
	m.known = l.Log().Frontier().Seq
	m.past, m.pastErr = history.New(l.Reader()).Pasts(ctx, m.known, cel.HistoryLimit)
	m.approvalsOn = func(digest string) ([]ledger.Approval, error) { return l.Approvals(ctx, digest) }
	return m, nil
}

// With resets every attribute that is not verified is removed, so that it is a difference and is
// set.
func (m *memory) appliedTo(ref resource.Ref) (comparator.Applied, bool) {
	a, ok := m.applied(ref)
	if m.resets {
		for _, name := range a.Unverified {
			a.Attrs = a.Attrs.Without(name)
		}
		return comparator.Applied{Attrs: a.Attrs, Tags: a.Tags}, true
	}
	return comparator.Applied{Attrs: a.Attrs, Tags: a.Tags, Unverified: a.Unverified, Recovered: a.Recovered}, ok
}

func (m *memory) lastConfigured(ref resource.Ref) resource.Attrs {
	a, _ := m.applied(ref)
	return a.Attrs
}

// ended reports whether the last action on a resource is recorded to have ended well.
func (m *memory) ended(ref resource.Ref) bool {
	a, ok := m.applied(ref)
	return ok && !a.Recovered && len(m.tries[ref]) == 0
}

// lastDependsOn are the resources that the configuration applied last depends on.
func (m *memory) lastDependsOn(ref resource.Ref) []resource.Ref {
	a, _ := m.applied(ref)
	return a.DependsOn
}

// recreateOnly lists the paths that the provider could not change in place. It holds for this
// configuration and this resource only.
func (m *memory) recreateOnly(w *resource.Desired, o *resource.Observed) []string {
	if len(m.tries) == 0 {
		return nil
	}
	all := m.tries[w.Ref]
	if len(all) == 0 {
		return nil
	}
	t := all.Of(w.Digest())
	if len(t.RecreateOnly) == 0 || t.ID != o.ID {
		return nil
	}
	return t.RecreateOnly
}

func (m *memory) isBlessed(ref resource.Ref) bool { return m.blessed[ref] }

func (m *memory) attempts(ref resource.Ref, desired string) (decider.Attempts, bool) {
	t := m.tries[ref].Of(desired)
	return t.Attempts, t.Any()
}

// driftOnly keeps the changes made outside ovi: to resources that matched their configuration
// before, while the configuration is the same. A resource whose configuration was never recorded
// as applied counts too, except one that was never created and one that is not configured.
// Conflicts stay: an operator must resolve them. A resource that an action of ovi changes now does not count: the
// action may have made the difference.
func (m *memory) driftOnly(p decider.Plan, changing func(resource.Ref) bool) decider.Plan {
	kept := p
	kept.Decisions = nil
	for _, d := range p.Decisions {
		if d.Difference != comparator.Conflict && changing(d.Ref) {
			continue
		}
		applied, known := m.applied(d.Ref)
		switch d.Difference {
		case comparator.Unmanaged, comparator.Unwanted:
			continue
		case comparator.Missing:
			if !known {
				continue
			}
		case comparator.Drifted:
			if !d.Renamed.IsZero() { // the configuration made the difference
				marks := func(c resource.Change) bool { return c.On == resource.OnMark }
				if d.Changes = slices.DeleteFunc(slices.Clone(d.Changes), marks); len(d.Changes) == 0 {
					continue
				}
			}
			if known && applied.Desired != d.DesiredDigest() {
				if d.Changes = drifted(d.Changes, applied); len(d.Changes) == 0 {
					continue
				}
			}
		}
		kept.Decisions = append(kept.Decisions, d)
	}
	return kept
}

// drifted keeps the changes that the configuration did not make: they lead back to the applied
// values. Marks are in no configuration, and a resource is found by its name. A change that leads
// to another value than the applied one is the configuration's, and is left to a plan that applies
// it.
func drifted(changes []resource.Change, applied event.Applied) []resource.Change {
	var out []resource.Change
	for _, c := range changes {
		before, ok := wasApplied(applied, c)
		switch {
		case c.On == resource.OnMark, c.On == resource.OnName, c.On == resource.OnCondition,
			ok && resource.Equal(c.To, before):
			out = append(out, c)
		}
	}
	return out
}

// wasApplied finds what was applied where a change is.
func wasApplied(a event.Applied, c resource.Change) (resource.Value, bool) {
	if c.On == resource.OnState {
		return resource.String(a.State), a.State != ""
	}
	path := c.Path
	if key, ok := strings.CutPrefix(path, "tags."); ok {
		v, ok := a.Tags.Get(key)
		return resource.String(v), ok
	}
	var v resource.Value = a.Attrs
	for _, name := range strings.Split(path, ".") {
		inner, ok := v.(resource.Attrs)
		if !ok {
			return nil, false
		}
		if v, ok = inner.Get(name); !ok {
			return nil, false
		}
	}
	return v, true
}

// starting returns a function that reports whether a pending resource has not been pending for
// longer than the grace of its kind. Without a recorded time the resource has just become pending.
func (m *memory) starting(kinds decider.Kinds, now time.Time) func(*resource.Observed) bool {
	return func(o *resource.Observed) bool {
		d, known := m.down[o.Ref]
		if !known || d.Health != resource.Pending {
			return true
		}
		k, _ := kinds(o.Ref.Provider, o.Ref.Kind)
		return now.Sub(d.Since) < k.Pends()
	}
}

// restartsOf returns the restarts of a resource because of its state.
func (m *memory) restartsOf(ref resource.Ref) (decider.Restarts, bool) {
	r, ok := m.restarts[ref]
	return decider.Restarts{Desired: r.Desired, At: r.At, Down: m.down[ref].Down}, ok
}

// fight returns the value of a decision that was set back most often.
func (m *memory) fight(d *decider.Decision) (most decider.Fight, is bool) {
	all := m.fights[d.Ref]
	if d.Desired == nil || all.Desired != d.DesiredDigest() {
		return most, false
	}
	for _, c := range d.Changes {
		g, ok := all.Values[c.Name()]
		if found := event.TextOf(c.From); ok && g.Found == found && g.Times >= most.Times {
			most, is = decider.Fight{Path: c.Name(), To: found, Times: g.Times + 1, Last: g.Last}, true
		}
	}
	return most, is
}

// approvals lists the approvals of a digest that have not expired at a time.
func (m *memory) approvals(now time.Time) func(string) []decider.Approval {
	return func(digest string) []decider.Approval {
		all, err := m.approvalsOn(digest)
		m.approvalErr = errors.Join(m.approvalErr, err)
		var out []decider.Approval
		for _, c := range all {
			if c.Holds(now) {
				out = append(out, decider.Approval{Who: c.Who, At: c.At, Used: c.Used != "", Signed: c.Signed})
			}
		}
		return out
	}
}
