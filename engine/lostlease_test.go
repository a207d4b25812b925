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
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/wal"
)

// revoke revokes the claims that a test picks, and returns how many these are.
func (b *bench) revoke(pick func(ref string) bool) (n int) {
	b.t.Helper()
	all, err := b.claims.List(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range all {
		if !pick(c.Ref) {
			continue
		}
		if _, err := b.claims.Revoke(b.t.Context(), c.Ref, c.Token); err != nil {
			b.t.Fatal(err)
		}
		n++
	}
	return n
}

// startsOf counts the records of starts of a resource.
func (b *bench) startsOf(name string) (n int) {
	b.t.Helper()
	for _, r := range b.recordsOf(event.TypeStarted) {
		if r.Event.About().Name == name {
			n++
		}
	}
	return n
}

// TestARevokedLeadLeavesItsFlights: a running action goes on to its end, and a later commit is applied meanwhile.
func TestARevokedLeadLeavesItsFlights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var s commits
		s.commit(disk("slow", 10))
		b.cloud.Break(slowly(map[string]time.Duration{"create disk/slow": 10 * time.Minute}))
		stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true})
		time.Sleep(30 * time.Second)
		if n := b.revoke(func(ref string) bool { return ref == loop.Lead+stack }); n != 1 {
			t.Fatalf("%d claims of the lead", n)
		}
		s.commit(disk("slow", 10), disk("edge", 20))
		time.Sleep(2 * time.Minute)
		if n := len(b.cloud.Resources(here)); n != 1 {
			t.Errorf("%d resources, want the new one: it waits for an action that runs", n)
		}
		time.Sleep(10 * time.Minute)
		if n := len(b.cloud.Resources(here)); n != 2 || b.startsOf("slow") != 1 {
			t.Errorf("%d resources; the action started %d times", n, b.startsOf("slow"))
		}
		_ = stop()
	})
}

// TestALoopGoesOnAfterItsMachineSlept: the clock jumps by an hour, and all claims of the instance have expired
// meanwhile. The running action is cut off, its result is unknown until an observation, and it runs once at a time.
func TestALoopGoesOnAfterItsMachineSlept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := blank(t)
		var slept atomic.Int64
		clock := func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }
		l, err := ledger.Open(t.Context(), ledger.Config{
			Dir: b.dir, Store: b.store, User: "ann", Clock: clock, LogOptions: []wal.Option{wal.WithFS(b.disk)},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.ledger = l
		b.claims = coordinator.New(b.store, coordinator.Identity{Instance: l.Instance(), Host: "host", User: "ann", Run: l.Run(), PID: 1})
		b.engine = engine.New(engine.Config{
			Providers: provider.Set{"fake": stepped{b.cloud, clock}}, Ledger: l, Claims: b.claims, Clock: clock,
		})
		defer b.stop()
		var now, most atomic.Int64
		b.cloud.Break(fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
			if c.Verb != fake.Create {
				return nil
			}
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			select {
			case <-time.After(5 * time.Minute):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}})
		want := wants(disk("slow", 10))
		var d diary
		stop := b.loops(stackOf(want), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell})
		time.Sleep(30 * time.Second)
		slept.Store(int64(time.Hour))
		if n := b.revoke(func(string) bool { return true }); n != 2 {
			t.Fatalf("%d claims, want the lead and the resource", n)
		}
		time.Sleep(20 * time.Minute)
		if n := len(b.cloud.Resources(here)); n != 1 || most.Load() != 1 || b.startsOf("slow") != 2 {
			t.Errorf("%d resources, %d calls at once, %d starts; want one call after the other", n, most.Load(), b.startsOf("slow"))
		}
		if got := b.events(event.TypeRecovered); len(got) != 1 {
			t.Errorf("recovered: %v", got)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		b.cloud.Break(fake.Faults{})
		b.settled(want)
	})
}
