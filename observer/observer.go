package observer

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Observer observes scopes. Its fields must not change once it is used.
type Observer struct {
	Providers provider.Set
	Parallel  int           // scopes observed at the same time; 0: 8
	Timeout   time.Duration // for one scope; 0: 10 minutes
	// Conceal returns an error without the credentials of the process. It may be nil.
	Conceal func(error) error
}

// Defaults of an Observer.
const (
	defaultParallel = 8
	defaultTimeout  = 10 * time.Minute
)

// Observe reads each scope once. Every requested scope is in Scopes or in Unreachable. It returns
// when all reads have ended or timed out, also where a provider ignores its context; a canceled
// context makes the rest fail.
func (o Observer) Observe(ctx context.Context, requests []provider.ObserveRequest) resource.LiveState {
	w := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
	parallel := o.Parallel
	if parallel <= 0 {
		parallel = defaultParallel
	}
	slots := make(chan struct{}, parallel)
	var mu sync.Mutex
	var wait sync.WaitGroup
	// The first request of each scope counts.
	sorted := slices.SortedStableFunc(slices.Values(requests),
		func(a, b provider.ObserveRequest) int { return a.Scope.Compare(b.Scope) })
	distinct := slices.CompactFunc(sorted, func(a, b provider.ObserveRequest) bool { return a.Scope == b.Scope })
	for _, r := range distinct {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			snapshot, err := o.observe(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				w.Unreachable[r.Scope] = err
				return
			}
			w.Scopes[r.Scope] = snapshot
		})
	}
	wait.Wait()
	return w
}

// observe reads one scope within its time.
func (o Observer) observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	p, ok := o.Providers[r.Scope.Provider]
	if !ok {
		return resource.Snapshot{}, fmt.Errorf("observe %s: unknown provider %q", r.Scope, r.Scope.Provider)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout(), fmt.Errorf("no answer within %s", o.timeout()))
	defer cancel()
	if r.Patience == 0 { // so that a kind that hangs does not cost the whole scope
		r.Patience = o.timeout() - o.timeout()/10
	}
	if r.Late != nil {
		r.Late = tidied(r.Late, r.Scope)
	}
	snapshot, err := safely(ctx, p, r)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx) // the answer may be incomplete
	}
	if err != nil {
		return resource.Snapshot{}, o.conceal(fmt.Errorf("observe %s: %w", r.Scope, err))
	}
	for kind, err := range snapshot.Unreachable {
		snapshot.Unreachable[kind] = o.conceal(err)
	}
	return tidy(snapshot, r.Scope)
}

func (o Observer) conceal(err error) error {
	if o.Conceal == nil {
		return err
	}
	return o.Conceal(err)
}

// answer is what one call of a provider returned.
type answer struct {
	snapshot resource.Snapshot
	err      error
}

// safely calls the provider and turns its panic into an error. It returns when ctx ends, even if
// the provider ignores its context: that call continues until it returns, and its answer is
// dropped. Only such a provider leaves a goroutine running.
func safely(ctx context.Context, p provider.Provider, r provider.ObserveRequest) (resource.Snapshot, error) {
	answers := make(chan answer, 1) // so that the call never waits for a reader
	go func() {
		var a answer
		defer func() {
			if x := recover(); x != nil {
				a = answer{err: fmt.Errorf("the provider panicked: %v\n%s", x, debug.Stack())}
			}
			answers <- a
		}()
		a.snapshot, a.err = p.Observe(ctx, r)
	}()
	select {
	case a := <-answers:
		return a.snapshot, a.err
	case <-ctx.Done():
		return resource.Snapshot{}, context.Cause(ctx)
	}
}

// tidy enforces the contract of Observe: the snapshot is of this scope, sorted by ref, and every
// ref can be parsed again. Several resources with one ref are left to the comparator.
func tidy(snapshot resource.Snapshot, s resource.Scope) (resource.Snapshot, error) {
	snapshot.Scope = s
	byRef := func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) }
	if !slices.IsSortedFunc(snapshot.Resources, byRef) {
		snapshot.Resources = slices.SortedStableFunc(slices.Values(snapshot.Resources), byRef)
	}
	for i := range snapshot.Resources {
		if r := snapshot.Resources[i].Ref; r.Kind == "" || r.Name == "" || strings.Contains(r.Kind, "/") ||
			strings.Contains(r.Name, "/") {
			return snapshot, fmt.Errorf("observe %s: the provider reports %s with the invalid ref %q, which is a defect of "+
				"the provider", s, snapshot.Resources[i].ID, r)
		}
	}
	return snapshot, nil
}

// tidied enforces the contract for kinds that are delivered late.
func tidied(l *provider.Late, s resource.Scope) *provider.Late {
	out := *l
	out.Deliver = func(x provider.Listing, since time.Time) {
		snapshot, err := tidy(resource.Snapshot{Resources: x.Resources}, s)
		if x.Resources = snapshot.Resources; err != nil {
			x.Err = err
		}
		l.Deliver(x, since)
	}
	return &out
}

func (o Observer) timeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return defaultTimeout
}
