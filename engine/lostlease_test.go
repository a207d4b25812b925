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

// TestALostLeaseStartsNothingBesideADeafCall: the claims of an instance are lost during a call that does not end with
// its context. However free the resource looks in the store, no action on it starts before that call has returned, and
// everything else goes on.
func TestALostLeaseStartsNothingBesideADeafCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var now, most atomic.Int64
		b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
			if c.Verb == fake.Create && c.Ref.Name == "deaf" {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				time.Sleep(10 * time.Minute)
			}
			return nil
		}})
		var s commits
		s.commit(disk("deaf", 10))
		stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true})
		time.Sleep(30 * time.Second)
		if n := b.revoke(func(string) bool { return true }); n != 2 {
			t.Fatalf("%d claims, want the lead and the resource", n)
		}
		s.commit(disk("deaf", 10), disk("edge", 10))
		time.Sleep(2 * time.Minute)
		if n := len(b.cloud.Resources(here)); n != 1 {
			t.Errorf("%d resources, want the new one", n)
		}
		time.Sleep(20 * time.Minute)
		if n := len(b.cloud.Resources(here)); n != 2 || most.Load() != 1 || b.creates("deaf") != 1 {
			t.Errorf("%d resources, %d calls at once, %d in all", n, most.Load(), b.creates("deaf"))
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		b.cloud.Break(fake.Faults{})
		b.settled(s.intents)
	})
}

// TestAHelperLeadsBesideItsFlights: a helper takes the lead from a killed leader while an action of its own runs, and
// applies a new commit next to it.
func TestAHelperLeadsBesideItsFlights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := blank(t)
		one, two := b.elsewhere("host-0"), b.elsewhere("host-1")
		defer one.stop()
		defer two.stop()
		b.cloud.Break(slowly(map[string]time.Duration{"create disk/slow-0": time.Hour, "create disk/slow-1": time.Hour}))
		var s commits
		var d diary
		s.commit(disk("slow-0", 10), disk("slow-1", 10))
		o := loop.RunOptions{Interval: time.Minute, Apply: true, Do: engine.ApplyOptions{Parallelism: 1}}
		hard, kill := context.WithCancel(t.Context())
		o.Do.Hard = hard
		leave := one.loops(s.stacks(), o)
		time.Sleep(10 * time.Second)
		o.Tell, o.Do.Hard = d.tell, nil
		stop := two.loops(s.stacks(), o)
		time.Sleep(90 * time.Second)
		if n := two.startsOf("slow-0") + two.startsOf("slow-1"); n != 1 {
			t.Fatalf("the helper started %d actions, want 1", n)
		}
		kill()
		_ = leave()
		s.commit(disk("slow-0", 10), disk("slow-1", 10), disk("edge", 10))
		time.Sleep(70 * time.Second)
		if c := d.last(); !c.Led {
			t.Errorf("the helper does not lead: %+v", c)
		}
		if o, _, _ := b.cloud.Find(ref("disk", "edge")); sizeOf(o) != 10 {
			t.Errorf("the commit waits: %v", o.Attrs)
		}
		b.cloud.Break(fake.Faults{})
		_ = stop()
	})
}
