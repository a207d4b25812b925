package observer_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/observer"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

func scope(location string) resource.Scope {
	return resource.Scope{Provider: "fake", Location: location}
}

func filled(locations ...string) *fake.Cloud {
	c := fake.New("fake")
	for _, p := range locations {
		c.Fill(p, "web", 3)
	}
	return c
}

func observe(t *testing.T, c provider.Provider, o observer.Observer, scopes ...resource.Scope) resource.LiveState {
	t.Helper()
	o.Providers = provider.Set{"fake": c}
	var requests []provider.ObserveRequest
	for _, s := range scopes {
		requests = append(requests, provider.ObserveRequest{Scope: s})
	}
	return o.Observe(t.Context(), requests)
}

func TestLaw1_AbsenceNeedsACompleteRead_EveryScopeIsReadOrUnreachable(t *testing.T) {
	c := filled("a", "b", "c")
	c.Break(fake.Faults{Before: fake.Unreachable(scope("b"), fake.ErrThrottled)})
	unknown := resource.Scope{Provider: "unknown", Location: "x"}
	w := observe(t, c, observer.Observer{}, scope("a"), scope("b"), scope("c"), scope("a"), unknown)
	if len(w.Scopes) != 2 || len(w.Unreachable) != 2 {
		t.Fatalf("%d read, unreachable: %v", len(w.Scopes), w.Unreachable)
	}
	if !errors.Is(w.Unreachable[scope("b")], fake.ErrThrottled) || !strings.Contains(w.Unreachable[scope("b")].Error(), "fake/b") {
		t.Errorf("b is unreachable: %v", w.Unreachable[scope("b")])
	}
	if w.Unreachable[unknown] == nil || len(w.Scopes[scope("a")].Resources) != 3 {
		t.Errorf("unknown: %v, a: %+v", w.Unreachable[unknown], w.Scopes[scope("a")])
	}
	if n := len(c.Calls()); n != 3 {
		t.Errorf("%d calls, want one for each location", n)
	}
}

func TestAPanicAffectsItsOwnScope(t *testing.T) {
	c := filled("a", "b")
	c.Break(fake.Faults{Before: func(_ context.Context, call fake.Call) error {
		if call.Scope == scope("a") {
			panic("a defect")
		}
		return nil
	}})
	w := observe(t, c, observer.Observer{}, scope("a"), scope("b"))
	if err := w.Unreachable[scope("a")]; err == nil || !strings.Contains(err.Error(), "a defect") || len(w.Scopes) != 1 {
		t.Errorf("unreachable %v, %d read", w.Unreachable, len(w.Scopes))
	}
}

// TestAProviderThatIgnoresItsContextTimesOut: a call that never returns affects its own scope.
func TestAProviderThatIgnoresItsContextTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filled("a", "b")
		release, returned := make(chan struct{}), make(chan struct{})
		c.Break(fake.Faults{Before: func(_ context.Context, call fake.Call) error {
			if call.Scope == scope("a") {
				<-release
				close(returned)
			}
			return nil
		}})
		begin := time.Now()
		w := observe(t, c, observer.Observer{Timeout: time.Minute}, scope("a"), scope("b"))
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("took %s", took)
		}
		if err := w.Unreachable[scope("a")]; err == nil || !strings.Contains(err.Error(), "1m0s") || len(w.Scopes) != 1 {
			t.Errorf("unreachable %v, observed %d", w.Unreachable, len(w.Scopes))
		}
		close(release) // the goroutine ends with the call
		<-returned
		synctest.Wait()
		if _, late := w.Scopes[scope("a")]; late {
			t.Error("an answer after the timeout was used")
		}
	})
}

func TestAnObservationThatHangsTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filled("a", "b")
		c.Break(fake.Faults{Before: func(ctx context.Context, call fake.Call) error {
			if call.Scope == scope("a") {
				<-ctx.Done()
			}
			return nil // success after the deadline does not count
		}})
		begin := time.Now()
		w := observe(t, c, observer.Observer{Timeout: time.Minute}, scope("a"), scope("b"))
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("took %s", took)
		}
		if err := w.Unreachable[scope("a")]; err == nil || !strings.Contains(err.Error(), "1m0s") || len(w.Scopes) != 1 {
			t.Errorf("unreachable %v, %d read", w.Unreachable, len(w.Scopes))
		}
	})
}

func TestObservationsRunInParallelAndBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var locations []string
		var scopes []resource.Scope
		for i := range 10 {
			locations = append(locations, fmt.Sprint("p", i))
			scopes = append(scopes, scope(locations[i]))
		}
		c := filled(locations...)
		var now, most atomic.Int64
		c.Break(fake.Faults{Before: func(context.Context, fake.Call) error {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return nil
		}})
		begin := time.Now()
		w := observe(t, c, observer.Observer{Parallel: 5}, scopes...)
		if took := time.Since(begin); took != 2*time.Second || most.Load() != 5 || len(w.Scopes) != 10 {
			t.Errorf("took %s, %d in parallel, %d read", took, most.Load(), len(w.Scopes))
		}
	})
}

// shuffled is a provider that does not sort its resources.
type shuffled struct {
	provider.Provider
	resources []resource.Observed
}

func (s shuffled) Observe(context.Context, provider.ObserveRequest) (resource.Snapshot, error) {
	return resource.Snapshot{Resources: s.resources}, nil
}

func named(kind, name string) resource.Observed {
	return resource.Observed{Ref: resource.Ref{Provider: "fake", Location: "a", Kind: kind, Name: name}, ID: name}
}

func TestSnapshotsAreSortedAndTheirRefsValid(t *testing.T) {
	w := observe(t, shuffled{resources: []resource.Observed{named("disk", "b"), named("disk", "a"), named("disk", "b")}}, observer.Observer{}, scope("a"))
	var got []string
	for _, o := range w.Scopes[scope("a")].Resources {
		got = append(got, o.Ref.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "b"}, got); diff != "" || w.Scopes[scope("a")].Scope != scope("a") {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	for _, bad := range []resource.Observed{named("disk", "a/b"), named("", "a"), named("disk", "")} {
		w := observe(t, shuffled{resources: []resource.Observed{bad}}, observer.Observer{}, scope("a"))
		if w.Unreachable[scope("a")] == nil {
			t.Errorf("the invalid ref %q is accepted", bad.Ref)
		}
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	c := filled("a", "b")
	before := runtime.NumGoroutine()
	for range 20 {
		observe(t, c, observer.Observer{}, scope("a"), scope("b"))
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}
