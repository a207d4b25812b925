package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// stage observes the resources of a replacement. What could not be read in full has no stage.
func (r *replacement) stage(ctx context.Context) (replace.Stage, error) {
	s := replace.Stage{Moved: r.phase == decider.DeletePhase, Used: r.used()}
	snapshot, err := r.engine.observeRef(ctx, r.d.Ref)
	if err != nil {
		return s, err
	}
	for i := range snapshot.Resources {
		o := &snapshot.Resources[i]
		switch {
		case o.Ref.Kind != r.d.Ref.Kind || o.Ref != r.d.Ref && o.ID != r.Old:
		case !o.Managed() && (o.ID != r.Old || r.d.Action == decider.Update): // it was forgotten before the plan
		case !o.Managed():
			return s, &unprovenError{r.d.Ref, o.ID, fmt.Errorf("its ownership is %s now", o.Ownership)}
		case o.Unread != "":
			return s, fmt.Errorf("%s could not be read: %s", o.ID, o.Unread)
		case o.ID == r.Old:
			s.Old, s.Aside = o, o.Aside()
		default:
			s.New = o
		}
	}
	s.Now = r.engine.cfg.Clock()
	return s, nil
}

// used reports whether something refers to the new resource: as observed by the plan, or because
// this apply has changed what refers to it.
func (r *replacement) used() bool {
	if r.plan.used[r.d.Ref] {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.plan.Plan.Decisions {
		d := &r.plan.Plan.Decisions[i]
		o, done := r.outcomes[stepOf{i, decider.CreatePhase}]
		if done && d.Desired != nil && d.Ref != r.d.Ref && slices.Contains(d.Desired.Refs(), r.d.Ref) && (o.Status.called() || o.Status == ByOther) {
			return true
		}
	}
	return false
}

// observeRef observes the kind of a resource, by the IDs of its bindings too. The caller has its
// claim, so an open action on it is not running and is recovered.
func (e *Engine) observeRef(ctx context.Context, ref resource.Ref) (resource.Snapshot, error) {
	var opens []openAction
	if o, is, err := e.cfg.Ledger.OpenOn(ctx, ref); err != nil {
		return resource.Snapshot{}, err
	} else if is {
		opens = append(opens, openAction{o, false})
	}
	return e.observeKind(ctx, ref, func(r resource.Ref) bool { return r == ref }, opens)
}

// observeKind observes the kind of a resource, with those that are needed by the IDs of their bindings too;
// what is unmanaged may be omitted. Open actions that are given are not running, and are recovered.
func (e *Engine) observeKind(ctx context.Context, ref resource.Ref, needed func(resource.Ref) bool, opens []openAction) (resource.Snapshot, error) {
	since, err := e.cfg.Ledger.Revision(ctx)
	if err != nil {
		return resource.Snapshot{}, err
	}
	bindings, err := e.cfg.Ledger.Bindings(ctx, ref.Scope())
	if err != nil {
		return resource.Snapshot{}, err
	}
	request := provider.ObserveRequest{Scope: ref.Scope(), Kinds: []string{ref.Kind}, Filter: filterOf(ref.Scope(), bindings, nil, opens)}
	for _, b := range bindings {
		if b.Ref.Kind == ref.Kind && b.Live() && needed(b.Ref) {
			request.Known = append(request.Known, provider.Known{Kind: b.Ref.Kind, ID: b.ID})
		}
	}
	raw := e.observer.Observe(ctx, []provider.ObserveRequest{request})
	c, err := e.confirm(ctx, raw, confirmOptions{since: since, opens: opens, requests: []provider.ObserveRequest{request}})
	if err == nil {
		err = c.live.Covers(ref)
	}
	if err != nil {
		return resource.Snapshot{}, err
	}
	for _, open := range opens {
		if o, still := c.open[open.Ref]; still && !o.Accepted {
			return resource.Snapshot{}, fmt.Errorf("the result of a %s is still unknown: plan again", o.Action)
		}
	}
	return c.live.Scopes[ref.Scope()], nil
}

// The pauses between the observations of a replacement that waits: each is twice the one before.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 10 * time.Second
)

// pauses is how long the last pause was.
type pauses struct{ last time.Duration }

// wait pauses. It returns false if a context ends first.
func (p *pauses) wait(ctx, soft context.Context) bool {
	p.last = min(max(2*p.last, firstPause), longestPause)
	select {
	case <-time.After(p.last):
		return true
	case <-ctx.Done():
	case <-soft.Done():
	}
	return false
}
