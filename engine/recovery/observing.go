package recovery

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Observing are observations that begin now, each of one location. Several share what is read of the store.
type Observing struct {
	engine *Recovery
	since  storage.Revision
	opens  map[resource.Scope][]OpenAction
	err    error
}

// Observing reads the records that must precede the observations. A failed read is kept and
// returned by each observation, so that no location is taken for read.
func (e *Recovery) Observing(ctx context.Context) *Observing {
	o := &Observing{engine: e, opens: map[resource.Scope][]OpenAction{}}
	var all []OpenAction
	if o.since, o.err = e.Ledger.Revision(ctx); o.err == nil {
		all, o.err = e.OpenActions(ctx)
	}
	for _, x := range all {
		o.opens[x.Ref.Scope()] = append(o.opens[x.Ref.Scope()], x)
	}
	return o
}

// Read reads one location. The result is not confirmed: record does that, so that plans can use it.
func (o *Observing) Read(
	ctx context.Context, r provider.ObserveRequest,
) (raw resource.LiveState, record func(context.Context) error) {
	if o.err != nil {
		// Without the records nothing may be concluded from the location, so it counts as unreachable.
		raw.Unreachable = map[resource.Scope]error{r.Scope: fmt.Errorf("read the store: %w", o.err)}
		return raw, func(context.Context) error { return o.err }
	}
	raw = o.engine.Observer.Observe(ctx, []provider.ObserveRequest{r})
	r.Patience, r.Late = 0, nil // what is read again for a confirmation is waited for
	return raw, func(ctx context.Context) error { return o.confirm(ctx, raw, r) }
}

// Record records kinds of a location that were read after Read had returned. Nothing else of the location is
// concluded from them.
func (o *Observing) Record(ctx context.Context, s resource.Snapshot, r provider.ObserveRequest) error {
	if o.err != nil {
		return o.err
	}
	r.Kinds, r.Patience, r.Late = s.Complete, 0, nil
	return o.confirm(ctx, resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{s.Scope: s}}, r)
}

func (o *Observing) confirm(ctx context.Context, raw resource.LiveState, r provider.ObserveRequest) error {
	_, err := o.engine.Confirm(ctx, raw, Options{
		Since: o.since, Opens: o.opens[r.Scope], Requests: []provider.ObserveRequest{r},
	})
	return err
}

// ObserveRef observes the kind of a resource, by the IDs of its bindings too. The caller has its
// claim, so an open action on it is not running and is recovered. A result of the open action that
// is still unknown is an error.
func (e *Recovery) ObserveRef(ctx context.Context, ref resource.Ref) (resource.Snapshot, error) {
	var opens []OpenAction
	if o, is, err := e.Ledger.OpenOn(ctx, ref); err != nil {
		return resource.Snapshot{}, err
	} else if is {
		opens = append(opens, OpenAction{OpenAction: o})
	}
	return e.ObserveKind(ctx, ref, func(r resource.Ref) bool { return r == ref }, opens)
}

// ObserveKind observes the kind of a resource, with those that are needed by the IDs of their bindings too;
// what is unmanaged may be omitted. Open actions that are given are not running, and are recovered.
func (e *Recovery) ObserveKind(
	ctx context.Context, ref resource.Ref, needed func(resource.Ref) bool, opens []OpenAction,
) (resource.Snapshot, error) {
	// The revision is read first, so that everything that is recorded after it counts as newer than the observation.
	since, err := e.Ledger.Revision(ctx)
	if err != nil {
		return resource.Snapshot{}, err
	}
	bindings, err := e.Ledger.Bindings(ctx, ref.Scope())
	if err != nil {
		return resource.Snapshot{}, err
	}
	request := provider.ObserveRequest{
		Scope: ref.Scope(), Kinds: []string{ref.Kind}, Filter: FilterOf(ref.Scope(), bindings, nil, opens),
	}
	for _, b := range bindings {
		if b.Ref.Kind == ref.Kind && b.Live() && needed(b.Ref) {
			request.Known = append(request.Known, provider.Known{Kind: b.Ref.Kind, ID: b.ID})
		}
	}
	raw := e.Observer.Observe(ctx, []provider.ObserveRequest{request})
	c, err := e.Confirm(ctx, raw, Options{Since: since, Opens: opens, Requests: []provider.ObserveRequest{request}})
	if err == nil {
		err = c.Live.Covers(ref)
	}
	if err != nil {
		return resource.Snapshot{}, err
	}
	for _, open := range opens {
		// An accepted action stays open while the system works on it.
		if o, still := c.Open[open.Ref]; still && !o.Accepted {
			return resource.Snapshot{}, fmt.Errorf("the result of a %s is still unknown: plan again", o.Action)
		}
	}
	return c.Live.Scopes[ref.Scope()], nil
}
