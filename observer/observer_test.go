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

func scope(place string) resource.Scope { return resource.Scope{Provider: "fake", Place: place} }

func filled(places ...string) *fake.Cloud {
	c := fake.New("fake")
	for _, p := range places {
		c.Fill(p, "web", 3)
	}
	return c
}

func look(t *testing.T, c provider.Provider, o observer.Observer, scopes ...resource.Scope) resource.World {
	t.Helper()
	o.Providers = provider.Set{"fake": c}
	return o.Observe(t.Context(), scopes)
}

func TestLaw1_EveryScopeIsSeenOrFailedNeverBoth(t *testing.T) {
	c := filled("a", "b", "c")
	c.Break(fake.Faults{Before: fake.Blind(scope("b"), fake.ErrThrottled)})
	stranger := resource.Scope{Provider: "nobody", Place: "x"}
	w := look(t, c, observer.Observer{}, scope("a"), scope("b"), scope("c"), scope("a"), stranger)
	if len(w.Seen) != 2 || len(w.Failed) != 2 {
		t.Fatalf("seen %d, failed %v", len(w.Seen), w.Failed)
	}
	if !errors.Is(w.Failed[scope("b")], fake.ErrThrottled) || !strings.Contains(w.Failed[scope("b")].Error(), "fake/b") {
		t.Errorf("b failed with %v", w.Failed[scope("b")])
	}
	if w.Failed[stranger] == nil || len(w.Seen[scope("a")].Objects) != 3 {
		t.Errorf("stranger: %v, a: %+v", w.Failed[stranger], w.Seen[scope("a")])
	}
	if n := len(c.Calls()); n != 3 {
		t.Errorf("%d looks, want one for each place", n)
	}
}

func TestAPanicCostsItsOwnScope(t *testing.T) {
	c := filled("a", "b")
	c.Break(fake.Faults{Before: func(_ context.Context, call fake.Call) error {
		if call.Scope == scope("a") {
			panic("a defect")
		}
		return nil
	}})
	w := look(t, c, observer.Observer{}, scope("a"), scope("b"))
	if err := w.Failed[scope("a")]; err == nil || !strings.Contains(err.Error(), "a defect") || len(w.Seen) != 1 {
		t.Errorf("failed %v, seen %d", w.Failed, len(w.Seen))
	}
}

func TestALookThatHangsEndsInItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filled("a", "b")
		c.Break(fake.Faults{Before: func(ctx context.Context, call fake.Call) error {
			if call.Scope == scope("a") {
				<-ctx.Done()
			}
			return nil // as if nothing had happened: still not a look
		}})
		begin := time.Now()
		w := look(t, c, observer.Observer{Timeout: time.Minute}, scope("a"), scope("b"))
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("took %s", took)
		}
		if err := w.Failed[scope("a")]; err == nil || !strings.Contains(err.Error(), "1m0s") || len(w.Seen) != 1 {
			t.Errorf("failed %v, seen %d", w.Failed, len(w.Seen))
		}
	})
}

func TestLooksAreSideBySideAndBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var places []string
		var scopes []resource.Scope
		for i := range 10 {
			places = append(places, fmt.Sprint("p", i))
			scopes = append(scopes, scope(places[i]))
		}
		c := filled(places...)
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
		w := look(t, c, observer.Observer{Parallel: 5}, scopes...)
		if took := time.Since(begin); took != 2*time.Second || most.Load() != 5 || len(w.Seen) != 10 {
			t.Errorf("took %s, %d side by side, %d seen", took, most.Load(), len(w.Seen))
		}
	})
}

// shuffled breaks the order that a provider promises.
type shuffled struct {
	provider.Provider
	objects []resource.Observed
}

func (s shuffled) Observe(context.Context, resource.Scope) (resource.Snapshot, error) {
	return resource.Snapshot{Objects: s.objects}, nil
}

func named(kind, name string) resource.Observed {
	return resource.Observed{Ref: resource.Ref{Provider: "fake", Place: "a", Kind: kind, Name: name}, ID: name}
}

func TestWhatComesBackIsSortedAndNamed(t *testing.T) {
	w := look(t, shuffled{objects: []resource.Observed{named("disk", "b"), named("disk", "a"), named("disk", "b")}}, observer.Observer{}, scope("a"))
	var got []string
	for _, o := range w.Seen[scope("a")].Objects {
		got = append(got, o.Ref.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "b"}, got); diff != "" || w.Seen[scope("a")].Scope != scope("a") {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	for _, bad := range []resource.Observed{named("disk", "a/b"), named("", "a"), named("disk", "")} {
		w := look(t, shuffled{objects: []resource.Observed{bad}}, observer.Observer{}, scope("a"))
		if w.Failed[scope("a")] == nil {
			t.Errorf("%q was taken for a ref", bad.Ref)
		}
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	c := filled("a", "b")
	before := runtime.NumGoroutine()
	for range 20 {
		look(t, c, observer.Observer{}, scope("a"), scope("b"))
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}
