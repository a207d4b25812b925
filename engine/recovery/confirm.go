package recovery

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// youngFor: a list may not yet show a resource that was created or changed so recently. Before it
// counts as missing, it is read again, by ID if the provider can, after the pauses of Confirm.
const youngFor = 10 * time.Minute

// Options describe the observation that Confirm gets.
type Options struct {
	Since    storage.Revision // the revision of the store when the observation started
	Before   []event.Event    // to record before it
	Opens    []OpenAction     // as of its start
	Requests []provider.ObserveRequest
	// Absent are the scopes inside resources that surely do not exist: nothing is read again there.
	Absent map[resource.Scope]bool
}

// Confirmed is recorded live state with its ownership.
type Confirmed struct {
	Live      resource.LiveState
	Bindings  []resource.Binding
	Recovered []event.Recovered
	Open      map[resource.Ref]ledger.OpenAction // still without a result
}

// Confirm turns the answers of providers into live state that a plan may use: it reads young resources that
// are missing again, determines ownership, records the observation and recovers open actions. Every
// observation of a plan or a loop passes through it.
//
// The ledger refuses an observation in which a young resource is missing. Then the resource is read again
// after each of the pauses, and the last round records it as missing. Ownership is determined again in each
// round, because another process may have recorded its result meanwhile.
func (e *Recovery) Confirm(ctx context.Context, raw resource.LiveState, o Options) (*Confirmed, error) {
	young := youngFor
	for _, pause := range []time.Duration{500 * time.Millisecond, time.Second, 0} {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("stopped while observing: %w", context.Cause(ctx))
		}
		if pause == 0 { // the last round: whatever is missing now does not exist
			young = 0
		}
		// A report can be older than an action. There the record counts, in each round.
		acted, err := e.keepActed(ctx, raw)
		if err != nil {
			return nil, err
		}
		c, running, err := e.boundState(ctx, raw)
		if err != nil {
			return nil, err
		}
		c.acted = acted
		good, err := e.becameGood(ctx, c.live, o.Opens)
		if err != nil {
			return nil, err
		}
		observed, err := e.Ledger.RecordObservation(ctx, c.live, ledger.ObservationOptions{
			Since: o.Since, Young: young, Before: slices.Concat(o.Before, c.lost, good),
		})
		var missed *ledger.YoungError
		if err == nil {
			done, err := e.recoverIn(ctx, c, o, observed.Revision)
			if err == nil {
				e.leaveOut(done.Live, running)
			}
			return done, err
		}
		if !errors.As(err, &missed) {
			return nil, fmt.Errorf("record what was observed: %w", err)
		}
		refs := slices.DeleteFunc(missed.Refs, func(r resource.Ref) bool { return o.Absent[r.Scope()] })
		// Inside an absent resource nothing can be found, so nothing is read again there.
		if len(refs) == 0 {
			young = 0
			continue
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		e.readAgain(ctx, raw, repeat(o.Requests, refs, c.bindings))
	}
	// unreachable: the last round has none
	return nil, errors.New("observe: young resources were read again without a result")
}

// againPatience is the longest time for a kind that is read again.
const againPatience = 30 * time.Second

// readAgain reads kinds of scopes again and replaces them in live state. A scope that cannot be
// read now keeps no older answer for these kinds: they count as unreachable.
func (e *Recovery) readAgain(ctx context.Context, raw resource.LiveState, requests []provider.ObserveRequest) {
	answers := e.Observer.Observe(ctx, requests)
	for _, r := range requests {
		newer, read := answers.Scopes[r.Scope]
		if !read {
			newer = resource.Snapshot{Scope: r.Scope, Complete: []string{}, Unreachable: map[string]error{}}
			for _, kind := range r.Kinds {
				newer.Unreachable[kind] = answers.Unreachable[r.Scope]
			}
		}
		raw.Scopes[r.Scope] = raw.Scopes[r.Scope].Renewed(newer)
	}
}

// repeat returns requests for the kinds of the missing resources, with the IDs of these.
func repeat(
	requests []provider.ObserveRequest, missed []resource.Ref, bindings []resource.Binding,
) []provider.ObserveRequest {
	var out []provider.ObserveRequest
	for _, ref := range missed {
		i := slices.IndexFunc(out, func(r provider.ObserveRequest) bool { return r.Scope == ref.Scope() })
		if i < 0 {
			r := provider.ObserveRequest{Scope: ref.Scope(), Patience: againPatience}
			// The filter and the known resources stay: without them the new answer would lack what only they list.
			if k := slices.IndexFunc(requests, func(r provider.ObserveRequest) bool { return r.Scope == ref.Scope() }); k >= 0 {
				r.Known, r.Filter = slices.Clone(requests[k].Known), requests[k].Filter
			}
			i, out = len(out), append(out, r)
		}
		if !slices.Contains(out[i].Kinds, ref.Kind) {
			out[i].Kinds = append(out[i].Kinds, ref.Kind)
			slices.Sort(out[i].Kinds)
		}
		for _, b := range bindings {
			if b.Ref == ref && b.Live() {
				out[i].Known = append(out[i].Known, provider.Known{Kind: b.Ref.Kind, ID: b.ID})
			}
		}
	}
	return out
}

// bound is live state with its ownership, and the events for the bindings that it ends.
type bound struct {
	live     resource.LiveState
	bindings []resource.Binding
	lost     []event.Event
	acted    map[resource.Ref]bool // after the report that shows them
}

// boundState determines the ownership of each resource by the bindings that are recorded now, and
// returns the creates in progress that may have made the others. These are listed before the
// bindings are read, so that what they create is either made by one of them or bound; but only if
// there is something that they may have made.
func (e *Recovery) boundState(ctx context.Context, live resource.LiveState) (*bound, []ledger.OpenAction, error) {
	b, err := e.bindAll(ctx, live)
	if err != nil || !e.anyMade(live) {
		return b, nil, err
	}
	running, err := e.openCreates(ctx, func(o OpenAction) bool { return o.Running })
	if err != nil {
		return nil, nil, err
	}
	b, err = e.bindAll(ctx, live)
	return b, running, err
}

// anyMade reports whether a resource without a binding may be what a create in progress has made.
func (e *Recovery) anyMade(live resource.LiveState) bool {
	for _, s := range live.Scopes {
		for i := range s.Resources {
			o := &s.Resources[i]
			if o.Managed() {
				continue
			}
			// A kind without marks shows no key, so any of its resources may be the one.
			if k := e.Kind(o.Ref); o.Marks.Key != "" || k.Carrier == resource.NoMarks {
				return true
			}
		}
	}
	return false
}

// bindAll changes live state in place, and may do so again.
func (e *Recovery) bindAll(ctx context.Context, live resource.LiveState) (*bound, error) {
	b := &bound{live: live}
	known, err := e.Ledger.BindingsIn(ctx, slices.Collect(maps.Keys(live.Scopes)))
	if err != nil {
		return nil, err
	}
	for s, snapshot := range live.Scopes {
		b.bindings = Joined(b.bindings, known[s])
		// The resource of such a binding is gone, or another resource has its ID.
		for _, x := range e.Bind(snapshot, known[s]) {
			b.lost = append(b.lost, event.Lost{Ref: x.Ref, ID: x.ID, UID: x.UID, Now: uidOf(snapshot, x)})
		}
	}
	return b, e.ownedElsewhere(ctx, live)
}

// Joined adds the bindings of one more scope. The bindings of the first are not copied: a large scope has
// as many bindings as resources.
func Joined(all, more []resource.Binding) []resource.Binding {
	if all == nil {
		return slices.Clip(more) // the ledger's: nothing is appended in its memory
	}
	return append(all, more...)
}

// Bind determines the ownership of a snapshot's resources, and returns the bindings that it ends.
func (e *Recovery) Bind(s resource.Snapshot, bindings []resource.Binding) []resource.Binding {
	return comparator.Bind(s, comparator.Evidence{Bindings: bindings, Owner: e.Owner, Kinds: e.Providers.Kind})
}

// uidOf returns the UID of the resource that has the ID of a binding; "" if there is no such resource.
func uidOf(s resource.Snapshot, b resource.Binding) string {
	for i := range s.Resources {
		if o := &s.Resources[i]; o.ID == b.ID && o.Ref.Kind == b.Ref.Kind {
			return o.UID
		}
	}
	return ""
}

// recoverIn recovers open actions from the observation, which was recorded at a revision. If one
// created a resource, the observation is bound and recorded again, because the resource is proven
// now. It is as old as before: what others recorded since it started is newer still.
func (e *Recovery) recoverIn(ctx context.Context, b *bound, o Options, observed storage.Revision) (*Confirmed, error) {
	r, err := e.recoverAll(ctx, o.Opens, b.live, b.acted)
	if err != nil {
		return nil, err
	}
	c := &Confirmed{Live: b.live, Bindings: b.bindings, Recovered: r.results, Open: r.open}
	// This observation changed no binding, so its record has the right ownership.
	if len(c.Recovered) == 0 && len(b.lost) == 0 {
		return c, nil
	}
	now, err := e.bindAll(ctx, b.live)
	if err != nil {
		return nil, err
	}
	if _, err := e.Ledger.RecordObservation(ctx, now.live, ledger.ObservationOptions{
		Since: o.Since, Own: []storage.Revision{observed, r.at},
	}); err != nil {
		return nil, fmt.Errorf("record what was observed: %w", err)
	}
	c.Live, c.Bindings = now.live, now.bindings
	return c, nil
}

// openCreates returns the creates without a result that are selected.
func (e *Recovery) openCreates(ctx context.Context, selected func(OpenAction) bool) ([]ledger.OpenAction, error) {
	opens, err := e.OpenActions(ctx)
	if err != nil {
		return nil, err
	}
	var out []ledger.OpenAction
	for _, o := range opens {
		if selected(o) && (o.Action == decider.Create || o.Phase == event.PhaseCreate) {
			out = append(out, o.OpenAction)
		}
	}
	return out, nil
}

// BindRecorded determines the ownership of recorded snapshots, which it changes in place, and returns the bindings by
// scope. It omits resources that an open create may have made: the record of the snapshot can be older than the result
// of that create. The open creates are read before the bindings, as for boundState.
func (e *Recovery) BindRecorded(
	ctx context.Context, recorded map[resource.Scope]resource.Snapshot,
) (map[resource.Scope][]resource.Binding, error) {
	var opens []ledger.OpenAction
	var err error
	if len(recorded) > 0 {
		if opens, err = e.openCreates(ctx, func(OpenAction) bool { return true }); err != nil {
			return nil, err
		}
	}
	bindings, err := e.Ledger.BindingsIn(ctx, slices.Collect(maps.Keys(recorded)))
	if err != nil {
		return nil, err
	}
	for s, snapshot := range recorded {
		e.Bind(snapshot, bindings[s])
	}
	e.leaveOut(resource.LiveState{Scopes: recorded}, opens)
	return bindings, nil
}

// leaveOut removes what running creates have just made from the live state. The resource has its
// marks, but no binding until its run records the result; it is not a conflict. For the plan it
// does not exist yet: the claim of that run keeps a second create away, and under its own claim an
// apply finds the binding.
func (e *Recovery) leaveOut(live resource.LiveState, running []ledger.OpenAction) {
	for _, o := range running {
		s, ok := live.Scopes[o.Ref.Scope()]
		if !ok {
			continue
		}
		made := e.carriers(o, s)
		s.Resources = slices.DeleteFunc(slices.Clone(s.Resources), func(x resource.Observed) bool {
			return !x.Managed() &&
				slices.ContainsFunc(made, func(m *resource.Observed) bool { return m.ID == x.ID && m.Ref.Kind == x.Ref.Kind })
		})
		live.Scopes[o.Ref.Scope()] = s
	}
}
