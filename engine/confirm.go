package engine

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
// counts as missing, it is read again, by ID if the provider can, after these pauses.
const youngFor = 10 * time.Minute

func youngPauses() []time.Duration { return []time.Duration{500 * time.Millisecond, time.Second} }

// confirmOptions describe the observation that confirm gets.
type confirmOptions struct {
	since    storage.Revision // of the store when the observation started
	before   []event.Event    // to record before it
	opens    []openAction     // as of its start
	requests []provider.ObserveRequest
	inside   []provider.ObserveRequest // of deeper levels
	absent   map[resource.Scope]bool   // inside of what surely does not exist: there is nothing to read again
}

// confirmed is recorded live state with its ownership.
type confirmed struct {
	live      resource.LiveState
	bindings  []resource.Binding
	recovered []event.Recovered
	open      map[resource.Ref]ledger.OpenAction // still without a result
}

// confirm turns the answers of providers into live state that a plan may use: it reads young
// resources that are missing again, determines ownership, records the observation and recovers
// open actions. Every observation passes through it, those of plans and those of loops.
func (e *Engine) confirm(ctx context.Context, raw resource.LiveState, o confirmOptions) (*confirmed, error) {
	young := youngFor
	for _, pause := range append(youngPauses(), 0) {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("stopped while observing: %w", context.Cause(ctx))
		}
		if pause == 0 {
			young = 0
		}
		acted, err := e.keepActed(ctx, raw)
		if err != nil {
			return nil, err
		}
		c, running, err := e.boundState(ctx, raw)
		if err != nil {
			return nil, err
		}
		c.acted = acted
		good, err := e.becameGood(ctx, c.live, o.opens)
		if err != nil {
			return nil, err
		}
		observed, err := e.cfg.Ledger.RecordObservation(ctx, c.live, ledger.ObservationOptions{Since: o.since, Young: young, Before: slices.Concat(o.before, c.lost, good)})
		var missed *ledger.YoungError
		if err == nil {
			done, err := e.recoverIn(ctx, c, o, observed.Revision)
			if err == nil {
				e.leaveOut(done.live, running)
			}
			return done, err
		}
		if !errors.As(err, &missed) {
			return nil, fmt.Errorf("record what was observed: %w", err)
		}
		refs := slices.DeleteFunc(missed.Refs, func(r resource.Ref) bool { return o.absent[r.Scope()] })
		if len(refs) == 0 {
			young = 0
			continue
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		again := e.observer.Observe(ctx, again(o.requests, refs, c.bindings))
		for s, err := range again.Unreachable {
			delete(raw.Scopes, s)
			raw.Unreachable[s] = err
		}
		maps.Copy(raw.Scopes, again.Scopes)
	}
	return nil, errors.New("observe: young resources were read again without a result") // unreachable: the last round has none
}

// Observing are observations that begin now, each of one location. Several share what is read of the store.
type Observing struct {
	engine *Engine
	since  storage.Revision
	opens  map[resource.Scope][]openAction
	err    error
}

// Observing reads what is on record before observations begin.
func (e *Engine) Observing(ctx context.Context) *Observing {
	o := &Observing{engine: e, opens: map[resource.Scope][]openAction{}}
	var all []openAction
	if o.since, o.err = e.cfg.Ledger.Revision(ctx); o.err == nil {
		all, o.err = e.openActions(ctx)
	}
	for _, x := range all {
		o.opens[x.Ref.Scope()] = append(o.opens[x.Ref.Scope()], x)
	}
	return o
}

// Read reads one location. The result is not confirmed: record does that, so that plans can use it.
func (o *Observing) Read(ctx context.Context, r provider.ObserveRequest) (raw resource.LiveState, record func(context.Context) error) {
	if o.err != nil {
		raw.Unreachable = map[resource.Scope]error{r.Scope: fmt.Errorf("read the store: %w", o.err)}
		return raw, func(context.Context) error { return o.err }
	}
	raw = o.engine.observer.Observe(ctx, []provider.ObserveRequest{r})
	return raw, func(ctx context.Context) error {
		_, err := o.engine.confirm(ctx, raw, confirmOptions{since: o.since, opens: o.opens[r.Scope], requests: []provider.ObserveRequest{r}})
		return err
	}
}

// again returns the requests to repeat, with the IDs of the missing resources.
func again(requests []provider.ObserveRequest, missed []resource.Ref, bindings []resource.Binding) []provider.ObserveRequest {
	var out []provider.ObserveRequest
	for _, ref := range missed {
		i := slices.IndexFunc(out, func(r provider.ObserveRequest) bool { return r.Scope == ref.Scope() })
		if i < 0 {
			r := provider.ObserveRequest{Scope: ref.Scope()}
			if k := slices.IndexFunc(requests, func(r provider.ObserveRequest) bool { return r.Scope == ref.Scope() }); k >= 0 {
				r.Kinds, r.Known, r.Filter = requests[k].Kinds, slices.Clone(requests[k].Known), requests[k].Filter
			}
			i, out = len(out), append(out, r)
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
func (e *Engine) boundState(ctx context.Context, live resource.LiveState) (*bound, []ledger.OpenAction, error) {
	b, err := e.bindAll(ctx, live)
	if err != nil || !e.anyMade(live) {
		return b, nil, err
	}
	running, err := e.runningCreates(ctx)
	if err != nil {
		return nil, nil, err
	}
	b, err = e.bindAll(ctx, live)
	return b, running, err
}

// anyMade reports whether a resource without a binding may be what a create in progress has made.
func (e *Engine) anyMade(live resource.LiveState) bool {
	for _, s := range live.Scopes {
		for i := range s.Resources {
			o := &s.Resources[i]
			if o.Managed() {
				continue
			}
			if k, _ := e.cfg.Providers.Kind(o.Ref.Provider, o.Ref.Kind); o.Marks.Key != "" || k.Carrier == resource.NoMarks {
				return true
			}
		}
	}
	return false
}

// bindAll changes live state in place, and may do so again.
func (e *Engine) bindAll(ctx context.Context, live resource.LiveState) (*bound, error) {
	b := &bound{live: live}
	known, err := e.cfg.Ledger.BindingsIn(ctx, slices.Collect(maps.Keys(live.Scopes)))
	if err != nil {
		return nil, err
	}
	for s, snapshot := range live.Scopes {
		b.bindings = joined(b.bindings, known[s])
		for _, x := range e.bind(snapshot, known[s]) {
			b.lost = append(b.lost, event.Lost{Ref: x.Ref, ID: x.ID, UID: x.UID, Now: uidOf(snapshot, x)})
		}
	}
	return b, nil
}

// joined adds the bindings of one more scope. Those of the first are not copied: a large scope has as many
// bindings as resources.
func joined(all, more []resource.Binding) []resource.Binding {
	if all == nil {
		return slices.Clip(more) // the ledger's: nothing is appended in its memory
	}
	return append(all, more...)
}

// bind determines the ownership of a snapshot's resources, and returns the bindings that it ends.
func (e *Engine) bind(s resource.Snapshot, bindings []resource.Binding) []resource.Binding {
	return comparator.Bind(s, comparator.Evidence{Bindings: bindings, Owner: e.cfg.Owner, Kinds: e.cfg.Providers.Kind})
}

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
func (e *Engine) recoverIn(ctx context.Context, b *bound, o confirmOptions, observed storage.Revision) (*confirmed, error) {
	r, err := e.recoverAll(ctx, o.opens, b.live, b.acted)
	if err != nil {
		return nil, err
	}
	c := &confirmed{live: b.live, bindings: b.bindings, recovered: r.results, open: r.open}
	if len(c.recovered) == 0 && len(b.lost) == 0 {
		return c, nil
	}
	now, err := e.bindAll(ctx, b.live)
	if err != nil {
		return nil, err
	}
	if _, err := e.cfg.Ledger.RecordObservation(ctx, now.live, ledger.ObservationOptions{Since: o.since, Own: []storage.Revision{observed, r.at}}); err != nil {
		return nil, fmt.Errorf("record what was observed: %w", err)
	}
	c.live, c.bindings = now.live, now.bindings
	return c, nil
}

// runningCreates are the creates of other runs that have no result yet.
func (e *Engine) runningCreates(ctx context.Context) ([]ledger.OpenAction, error) {
	opens, err := e.openActions(ctx)
	if err != nil {
		return nil, err
	}
	var out []ledger.OpenAction
	for _, o := range opens {
		if o.running && (o.Action == decider.Create || o.Phase == event.PhaseCreate) {
			out = append(out, o.OpenAction)
		}
	}
	return out, nil
}

// leaveOut removes what running creates have just made from the live state. The resource has its
// marks, but no binding until its run records the result; it is not a conflict. For the plan it
// does not exist yet: the claim of that run keeps a second create away, and under its own claim an
// apply finds the binding.
func (e *Engine) leaveOut(live resource.LiveState, running []ledger.OpenAction) {
	for _, o := range running {
		s, ok := live.Scopes[o.Ref.Scope()]
		if !ok {
			continue
		}
		made := e.carriers(o, s)
		s.Resources = slices.DeleteFunc(slices.Clone(s.Resources), func(x resource.Observed) bool {
			return !x.Managed() && slices.ContainsFunc(made, func(m *resource.Observed) bool { return m.ID == x.ID && m.Ref.Kind == x.Ref.Kind })
		})
		live.Scopes[o.Ref.Scope()] = s
	}
}
