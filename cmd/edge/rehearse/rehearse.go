// Package rehearse goes through a rollout of a site before it is pushed: the orchestrator's own engine, provider and
// record, on virtual nodes and virtual time. Hours of waves, pauses and windows take seconds.
package rehearse

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/observer"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// Options describe a rehearsal.
type Options struct {
	From, To []resource.Intent // what the nodes run when it begins, and what is then configured; From may be empty
	Start    time.Time         // of virtual time
	Most     time.Duration     // of virtual time, after which it ends
	Interval time.Duration     // of the orchestrator
	Rules    rules.Rules       // for every stack, besides its own

	Takes   time.Duration // of a request on a node; each takes up to a quarter less or more
	Fail    int           // on how many nodes what is new fails
	Offline int           // how many nodes are offline when it begins
	Away    time.Duration // until when; 0 means that they do not come back
	Seed    uint64        // of what is left to chance: the same seed, the same rehearsal

	// Tell hears of each record that tells of a rollout, after how long. Nil means that nothing does.
	Tell func(after time.Duration, e event.Event)
}

// Result is how a rehearsal ended.
type Result struct {
	After    time.Duration // of virtual time, until the last request was done
	Requests int           // that the nodes had
	AtRest   bool          // nothing is left to do, or what is left waits for an operator
	Nodes    []NodeResult  // in order
	Left     []Left        // what is not as configured
}

// NodeResult is one deployment on one node, at the end.
type NodeResult struct {
	Ref     resource.Ref
	Version string        // that runs; "" means none
	Wanted  bool          // it is the one that is configured
	Offline bool          // the node is
	Failing bool          // it is not healthy
	After   time.Duration // when it came to run; 0 means that it ran before the start
}

// Left is what is not done, and why.
type Left struct {
	Ref resource.Ref
	Why string
}

// rehearsal is one that runs.
type rehearsal struct {
	Options
	engine   *engine.Engine
	provider *edge.Provider
	nodes    []*node
	now      atomic.Int64 // since Start, in nanoseconds
	last     time.Time    // when a request was done last
	requests int
	mu       sync.Mutex
	reported map[resource.Scope]bool
	observer observer.Observer
}

// Run goes through a rehearsal; what it records is in l, whose clock must be the one that is given to open. It
// returns when nothing is left to do, when what is left waits for an operator, or when Most is over.
func Run(ctx context.Context, o Options, open func(clock func() time.Time) (*ledger.Ledger, error)) (_ *Result,
	err error,
) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &rehearsal{Options: o, reported: map[resource.Scope]bool{}}
	l, err := open(r.clock)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	claims := coordinator.New(l.Claims(), coordinator.Identity{Instance: l.Instance(), Run: l.Run()})
	defer func() { err = errors.Join(err, claims.Close(context.WithoutCancel(ctx))) }()
	r.provider = edge.New(edge.Options{Clock: r.clock, Changed: r.changed})
	providers := provider.Set{edge.Name: r.provider}
	r.observer = observer.Observer{Providers: providers}
	r.engine = engine.New(engine.Config{Providers: providers, Ledger: l, Claims: claims, Clock: r.clock})
	var streams sync.WaitGroup
	defer streams.Wait()
	defer stop()
	if err := r.dial(ctx, &streams); err != nil {
		return nil, err
	}
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	defer l.Listen(func(e event.Record) { r.tell(e.Event) })()
	atRest, left, err := r.reconcile(ctx, r.To, r.Rules, r.Start.Add(r.Most))
	if err != nil {
		return nil, err
	}
	return r.result(atRest, left), nil
}

// before is how long before Start the nodes come to run what they run when it begins.
const before = time.Hour

// clock is virtual time. It never stands still, so that what follows is later.
func (r *rehearsal) clock() time.Time {
	return r.Start.Add(time.Duration(r.now.Add(int64(time.Microsecond))))
}

func (r *rehearsal) changed(s resource.Scope) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reported[s] = true
}

// Observe implements engine.AsyncObserver: it reads what is asked, at once.
func (r *rehearsal) Observe(ctx context.Context, q []provider.ObserveRequest) resource.LiveState {
	return r.observer.Observe(ctx, q)
}

// TakeRecorded implements engine.AsyncObserver.
func (*rehearsal) TakeRecorded(resource.Scope) []string { return nil }

// TakeReported implements engine.AsyncObserver.
func (r *rehearsal) TakeReported(s resource.Scope) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	is := r.reported[s]
	delete(r.reported, s)
	return is
}

// Assists implements engine.AsyncObserver.
func (*rehearsal) Assists() bool { return false }

// dial lets all nodes dial.
func (r *rehearsal) dial(ctx context.Context, streams *sync.WaitGroup) error {
	r.now.Store(int64(-before))
	scopes := map[resource.Scope]bool{}
	for _, in := range slices.Concat(r.From, r.To) {
		for _, s := range in.Scopes {
			scopes[s] = true
		}
	}
	for s := range scopes {
		r.nodes = append(r.nodes, newNode(s))
	}
	slices.SortFunc(r.nodes, func(a, b *node) int { return a.scope.Compare(b.scope) })
	for i, n := range r.nodes {
		n.chance = rand.New(rand.NewPCG(r.Seed, uint64(i)))
		streams.Go(func() { n.serve(ctx, r.provider) })
		if err := n.taken(); err != nil {
			return err
		}
	}
	return nil
}

// begin brings the nodes to what they run when the rehearsal begins, all at once, and lets some fail or go offline
// from then on.
func (r *rehearsal) begin(ctx context.Context) error {
	from := slices.Clone(r.From)
	for i := range from {
		from[i].Rules = rules.Rules{DestroyAuto: true}
	}
	takes := r.Takes
	r.Takes = 0
	if len(from) > 0 {
		if _, left, err := r.reconcile(ctx, from, rules.Rules{}, r.Start); err != nil || len(left) > 0 {
			return errors.Join(err, leftError(left))
		}
	}
	r.Takes, r.requests, r.last = takes, 0, r.Start
	r.now.Store(0)
	order := rand.New(rand.NewPCG(r.Seed, uint64(len(r.nodes)))).Perm(len(r.nodes))
	for i, k := range order {
		n := r.nodes[k]
		for _, x := range n.items { // what it runs is not new here
			n.old[x.Name] = x.Spec
		}
		n.fails = i < r.Fail
		if i >= len(order)-r.Offline {
			n.away = r.Start.Add(r.Most + before)
			if r.Away > 0 {
				n.away = r.Start.Add(r.Away)
			}
		}
	}
	return nil
}

func leftError(left []Left) error {
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("what the nodes are to run first cannot be brought about: %s: %s", left[0].Ref.Short(), left[0].Why)
}

// reconcile reconciles until nothing is left to do, or until a time.
func (r *rehearsal) reconcile(ctx context.Context, intents []resource.Intent, also rules.Rules,
	end time.Time,
) (atRest bool, left []Left, err error) {
	for quiet := false; ; {
		if err := r.report(); err != nil {
			return false, nil, err
		}
		p, err := r.engine.Plan(ctx, intents, engine.PlanOptions{
			Mode: event.ForApply, BackOff: &decider.BackOff{}, Rules: also, MaxAge: r.Interval, Observe: r,
		})
		if err != nil {
			return false, nil, err
		}
		if !p.Plan.Empty() {
			if _, err := r.engine.Apply(ctx, p, engine.ApplyOptions{Tries: 1}); err != nil {
				return false, nil, err
			}
		}
		now, started := r.clock(), 0
		for _, n := range r.nodes {
			started += n.start(now, r.Takes)
		}
		r.requests += started
		next, more := r.next(p)
		switch {
		case !more && quiet:
			return true, leftOf(p), nil
		case !more: // what was accepted is recorded as done by one more plan
			next = r.clock().Add(r.Interval)
		}
		quiet = started == 0 && !more
		if !next.Before(end) {
			return false, leftOf(p), nil
		}
		r.now.Store(int64(next.Sub(r.Start)))
	}
}

// report lets the nodes that are online report.
func (r *rehearsal) report() error {
	now := r.clock()
	for _, n := range r.nodes {
		if now.Before(n.away) {
			continue
		}
		if !n.away.IsZero() {
			n.away, n.told = time.Time{}, false
			r.changed(n.scope)
		}
		tasks := len(n.tasks)
		if err := n.report(now); err != nil {
			return err
		}
		if len(n.tasks) < tasks {
			r.last = now
		}
	}
	return nil
}

// wake is how soon after a cycle the next one is, at the earliest: what is done meanwhile is taken together.
const wake = time.Second

// next is when something may change: a node has done something, is back, or a time has come that the plan waits for.
func (r *rehearsal) next(p *engine.Planned) (next time.Time, more bool) {
	now := r.clock()
	at := func(t time.Time) {
		if t.After(now) && (!more || t.Before(next)) {
			next, more = t, true
		}
	}
	for _, n := range r.nodes {
		switch t, is := n.next(); {
		case now.Before(n.away):
			if n.away.Before(r.Start.Add(r.Most)) {
				at(n.away)
			}
		case is:
			at(later(t, now.Add(wake)))
		case !n.told:
			at(now.Add(wake))
		}
	}
	for i := range p.Plan.Decisions {
		if t, waits := p.Plan.Decisions[i].DeferredUntil(); waits {
			at(later(t, now.Add(wake)))
		}
	}
	return next, more
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// tell tells what a record says of a rollout.
func (r *rehearsal) tell(e event.Event) {
	if r.Tell == nil {
		return
	}
	switch e.(type) {
	case event.Wave, event.Exhausted:
		r.Tell(time.Duration(r.now.Load()), e)
	}
}

// leftOf is what a plan does not do, and why.
func leftOf(p *engine.Planned) (left []Left) {
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		if d.Action.Executes() || !d.Proposed.Executes() {
			continue
		}
		left = append(left, Left{d.Ref, why(d)})
	}
	return left
}
