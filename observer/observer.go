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

// Observer looks at scopes. Its fields are not changed once it is used.
type Observer struct {
	Providers provider.Set
	Parallel  int           // scopes looked at side by side; 0: 8
	Timeout   time.Duration // for one scope; 0: 10 minutes
}

// Defaults of an Observer.
const (
	defaultParallel = 8
	defaultTimeout  = 10 * time.Minute
)

// Observe looks at each scope once. Every scope asked for is either in Seen or in Failed.
// It returns when all looks have ended; a cancelled context makes the rest fail.
func (o Observer) Observe(ctx context.Context, scopes []resource.Scope) resource.LiveState {
	w := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
	slots := make(chan struct{}, o.parallel())
	var mu sync.Mutex
	var wait sync.WaitGroup
	for _, s := range distinct(scopes) {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			snapshot, err := o.look(ctx, s)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				w.Unreachable[s] = err
				return
			}
			w.Scopes[s] = snapshot
		})
	}
	wait.Wait()
	return w
}

// look observes one scope within its time.
func (o Observer) look(ctx context.Context, s resource.Scope) (resource.Snapshot, error) {
	p, ok := o.Providers[s.Provider]
	if !ok {
		return resource.Snapshot{}, fmt.Errorf("observe %s: no provider is called %q", s, s.Provider)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout(), fmt.Errorf("not seen within %s", o.timeout()))
	defer cancel()
	snapshot, err := safely(ctx, p, s)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx) // whatever came back, it may be a part
	}
	if err != nil {
		return resource.Snapshot{}, fmt.Errorf("observe %s: %w", s, err)
	}
	return tidy(snapshot, s)
}

// safely turns a panic of the provider into an error.
func safely(ctx context.Context, p provider.Provider, s resource.Scope) (snapshot resource.Snapshot, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the provider panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return p.Observe(ctx, s)
}

// tidy holds the snapshot to what the contract says: of this scope, sorted, and each ref
// one that can be read again. Several things with one ref are for the comparator to judge.
func tidy(snapshot resource.Snapshot, s resource.Scope) (resource.Snapshot, error) {
	snapshot.Scope = s
	byRef := func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) }
	if !slices.IsSortedFunc(snapshot.Resources, byRef) {
		snapshot.Resources = slices.SortedStableFunc(slices.Values(snapshot.Resources), byRef)
	}
	for i := range snapshot.Resources {
		if r := snapshot.Resources[i].Ref; r.Kind == "" || r.Name == "" || strings.Contains(r.Kind, "/") || strings.Contains(r.Name, "/") {
			return snapshot, fmt.Errorf("observe %s: the provider calls %s %q, which is no ref: this is a defect of the provider", s, snapshot.Resources[i].ID, r)
		}
	}
	return snapshot, nil
}

func distinct(scopes []resource.Scope) []resource.Scope {
	sorted := slices.SortedFunc(slices.Values(scopes), resource.Scope.Compare)
	return slices.Compact(sorted)
}

func (o Observer) parallel() int {
	if o.Parallel > 0 {
		return o.Parallel
	}
	return defaultParallel
}

func (o Observer) timeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return defaultTimeout
}
