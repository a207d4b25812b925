package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// stepped is a provider on a host whose clock is wrong.
type stepped struct {
	provider.Provider
	clock func() time.Time
}

// Observe implements provider.Provider.
func (s stepped) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	snapshot, err := s.Provider.Observe(ctx, r)
	snapshot.At = s.clock().UTC()
	return snapshot, err
}

// on is another instance on the same store, on a host whose clock is off by a duration.
func (b *bench) on(name string, off time.Duration) *bench {
	b.t.Helper()
	clock := func() time.Time { return time.Now().Add(off) }
	l, err := ledger.Open(b.t.Context(), ledger.Config{Dir: b.dir, Store: b.store, User: name, Clock: clock, LogOptions: []wal.Option{wal.WithFS(b.disk)}})
	if err != nil {
		b.t.Fatal(err)
	}
	c := coordinator.New(b.store, coordinator.Identity{Instance: l.Instance() + name, User: name, Host: name, Run: l.Run()})
	e := engine.New(engine.Config{Providers: provider.Set{"fake": stepped{b.cloud, clock}}, Ledger: l, Claims: c, Clock: clock})
	return &bench{t: b.t, dir: b.dir, disk: b.disk, store: b.store, cloud: b.cloud, ledger: l, claims: c, engine: e}
}

// TestNoActionTakesNegativeTime: while the clock of the host goes back, neither a call, nor a step of a replacement, nor
// an apply, nor a cycle has a negative duration.
func TestNoActionTakesNegativeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := started(t, resource.Swap, fate{})
		y.open(&crasher{})
		defer y.stop()
		begun, asked := time.Now(), atomic.Int64{}
		back := func() time.Time { // each time it is asked
			return begun.Add(-time.Duration(asked.Add(1)) * time.Second)
		}
		y.engine = engine.New(engine.Config{Providers: provider.Set{"box": denying{y.boxes, y}}, Ledger: y.ledger, Claims: y.claims, Clock: back})
		in := boxed("box", "web:2", resource.Swap)
		more := boxed("pod", "web:2", resource.CreateFirst)[0].Resources
		in[0].Resources = append(in[0].Resources, more[0])
		r := y.apply(in)
		if r.Took < 0 || r.Counts.Replace != 1 || r.Counts.Create != 1 {
			t.Errorf("the apply took %s: %+v", r.Took, r.Counts)
		}
		for _, o := range r.Outcomes {
			if o.Seconds < 0 {
				t.Errorf("%s took %gs", o.Ref, o.Seconds)
			}
		}
		for x, err := range history.New(y.ledger.Reader()).LogRecords(t.Context(), history.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := x.Event.(event.Finished); ok && e.Seconds < 0 {
				t.Errorf("%s %s %s is recorded with %gs", e.Action, e.Step, e.Ref, e.Seconds)
			}
		}
	})
}

// TestHelpersGoOnWhenTheNextLeadersClockIsBehind: the observations of the next leader have earlier
// times than those of the last one, and still count as new.
func TestHelpersGoOnWhenTheNextLeadersClockIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.stop()
		ahead, one, two := b.on("ahead", time.Hour), b.on("one", 0), b.on("two", 0)
		defer ahead.stop()
		defer one.stop()
		defer two.stop()
		want := stackOf(wants(network("main")))
		var first, second, third diary
		leave := ahead.loops(want, loop.RunOptions{Apply: true, Tell: first.tell})
		time.Sleep(5 * time.Second)
		stops := []func() error{
			one.loops(want, loop.RunOptions{Apply: true, Tell: second.tell}),
			two.loops(want, loop.RunOptions{Apply: true, Tell: third.tell}),
		}
		time.Sleep(3 * time.Minute)
		_ = leave()
		time.Sleep(time.Minute)
		helps := len(second.all()) + len(third.all()) - led(&second) - led(&third)
		time.Sleep(10 * time.Minute)
		if n := len(second.all()) + len(third.all()) - led(&second) - led(&third) - helps; n < 8 {
			t.Errorf("the helper helped %d times in ten minutes, with one observation a minute", n)
		}
		for _, stop := range stops {
			_ = stop()
		}
	})
}

func led(d *diary) (n int) {
	for _, c := range d.all() {
		if c.Led {
			n++
		}
	}
	return n
}
