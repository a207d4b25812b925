package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// another is a second process on the same data directory and cloud.
func (b *bench) another(wait time.Duration) *bench {
	b.t.Helper()
	l, err := ledger.Open(b.t.Context(), ledger.Config{Dir: b.dir, Store: b.store, User: "ben", LogOptions: []wal.Option{wal.WithFS(b.disk)}})
	if err != nil {
		b.t.Fatal(err)
	}
	c := coordinator.New(b.store, coordinator.Identity{Instance: l.Instance() + "-2", User: "ben", Host: "host", Run: l.Run()}, coordinator.WithLockTimeout(wait))
	e := engine.New(engine.Config{Providers: provider.Set{"fake": b.cloud}, Ledger: l, Claims: c})
	return &bench{t: b.t, dir: b.dir, disk: b.disk, store: b.store, cloud: b.cloud, ledger: l, claims: c, engine: e}
}

// pair is two engines on one cloud and one data directory.
func pair(t *testing.T) (b, one, two *bench) {
	t.Helper()
	b = newBench(t)
	b.stop()
	one, two = b.another(0), b.another(0)
	t.Cleanup(one.stop)
	t.Cleanup(two.stop)
	return b, one, two
}

// disks is n disks, from d00 on.
func disks(n int) (want []resource.Desired) {
	for i := range n {
		want = append(want, disk(fmt.Sprintf("d%02d", i), 20))
	}
	return want
}

func TestParallelAppliesCreateNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.stop()
		one, two := b.another(time.Minute), b.another(time.Minute)
		defer one.stop()
		defer two.stop()
		want := wants(network("main"))
		for i := range 6 {
			want[0].Resources = append(want[0].Resources, server(fmt.Sprint("s", i), "main"))
		}
		b.cloud.Break(fake.Faults{Delay: 200 * time.Millisecond})
		plans := []*engine.Planned{one.plan(want), two.plan(want)} // both create everything
		results := make([]*engine.Result, 2)
		var wait sync.WaitGroup
		for i, x := range []*bench{one, two} {
			wait.Go(func() {
				r, err := x.engine.Apply(t.Context(), plans[i], engine.ApplyOptions{Parallelism: 3})
				if err != nil {
					t.Error(err)
				}
				results[i] = r
			})
		}
		wait.Wait()
		if n := len(b.cloud.Resources(here)); n != 7 {
			t.Errorf("%d resources, want 7", n)
		}
		created := map[string]int{}
		for _, r := range results {
			for _, o := range r.Outcomes {
				switch o.Status {
				case engine.Done:
					created[o.Ref.Name]++
				case engine.ByOther:
				default:
					t.Errorf("%s: %s %s", o.Ref, o.Status, o.Detail)
				}
			}
		}
		for name, n := range created {
			if n != 1 {
				t.Errorf("%s was created %d times", name, n)
			}
		}
		one.settled(want)
		one.replays()
	})
}

func TestClaimedResourcesAreSkipped(t *testing.T) {
	b := newBench(t)
	other := b.another(0)
	defer other.stop()
	want := wants(disk("a", 20), disk("b", 20))
	p := b.plan(want)
	err := other.claims.Hold(t.Context(), ref("disk", "a").String(), func(context.Context, engine.Claim) error {
		r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{})
		if err != nil {
			return err
		}
		got := statuses(r)
		if got["disk/a"] != engine.Claimed || got["disk/b"] != engine.Done {
			t.Errorf("outcomes %v", got)
		}
		for _, o := range r.Outcomes {
			var claimed *coordinator.ClaimedError
			if o.Status == engine.Claimed && (o.ClaimedBy != "ben@host" || !errors.As(o.Err, &claimed)) {
				t.Errorf("claimed by %q, error %v", o.ClaimedBy, o.Err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestResourcesThatAnotherRunChangedAreStale(t *testing.T) {
	b := newBench(t)
	other := b.another(0)
	defer other.stop()
	b.apply(wants(disk("a", 20), disk("b", 20), disk("c", 20)))
	p := b.plan(wants(disk("a", 30), disk("b", 20))) // update a, delete c
	other.apply(wants(disk("a", 40), disk("b", 20)))
	r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := statuses(r); got["disk/a"] != engine.Stale || got["disk/c"] != engine.ByOther {
		t.Errorf("outcomes %v: want a stale, c deleted by the other", got)
	}
	if o, _, _ := b.cloud.Find(ref("disk", "a")); o.Attrs.Equal(attrs("size", resource.Int(30))) {
		t.Errorf("an older plan overwrote a newer one: %+v", o.Attrs)
	}
}

// TestLaw7_OutcomesAreFenced_AfterAPause: the claim is revoked during the call.
func TestLaw7_OutcomesAreFenced_AfterAPause(t *testing.T) {
	b := newBench(t)
	want := wants(disk("a", 20))
	p := b.plan(want)
	b.cloud.Break(fake.Faults{After: func(ctx context.Context, c fake.Call) error {
		if c.Verb != fake.Create {
			return nil
		}
		_, err := b.claims.Revoke(context.WithoutCancel(ctx), c.Ref.String(), 0)
		return err
	}})
	r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := statuses(r)["disk/a"]; got != engine.Uncertain {
		t.Errorf("outcome %s, want uncertain", got)
	}
	b.cloud.Break(fake.Faults{})
	if got := b.events(event.TypeRefused); len(got) != 1 {
		t.Errorf("recorded refusals: %v", got)
	}
	if p := b.plan(want); !p.Plan.Empty() || len(p.Recovered) != 1 || p.Recovered[0].Finding != event.FoundDone {
		t.Errorf("plan %v, recovered %+v", brief(p), p.Recovered)
	}
	b.replays()
}

// TestARunningActionIsNotRecovered plans during another run's call.
func TestARunningActionIsNotRecovered(t *testing.T) {
	b := newBench(t)
	other := b.another(0)
	defer other.stop()
	want := wants(disk("a", 20))
	var during *engine.Planned
	b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
		if c.Verb == fake.Create {
			during = other.plan(want)
		}
		return nil
	}})
	b.apply(want)
	if len(during.Recovered) != 0 {
		t.Errorf("a plan recovered a running action: %+v", during.Recovered)
	}
	b.cloud.Break(fake.Faults{})
	d := during.Plan.Decisions
	if len(d) != 1 || len(d[0].Blockers) == 0 || d[0].Blockers[0].Policy != engine.BusyPolicy ||
		!strings.HasSuffix(d[0].Blockers[0].Reason, ", by ann@host") || len(during.Flights) != 1 {
		t.Errorf("the running create is not named: %+v", d)
	}
	r, err := other.engine.Apply(t.Context(), during, engine.ApplyOptions{})
	if err != nil || len(r.Outcomes) != 0 {
		t.Errorf("outcomes %v: %v", statuses(r), err)
	}
	b.settled(want)
}

// TestWhatARunningCreateMadeIsNoConflict plans when another run has created a resource and has not
// recorded the result: the resource has its marks, and no binding proves it yet.
func TestWhatARunningCreateMadeIsNoConflict(t *testing.T) {
	b := newBench(t)
	other := b.another(0)
	defer other.stop()
	want := wants(disk("a", 20))
	var during *engine.Planned
	b.cloud.Break(fake.Faults{After: func(_ context.Context, c fake.Call) error {
		if c.Verb == fake.Create {
			during = other.plan(want)
		}
		return nil
	}})
	b.apply(want)
	b.cloud.Break(fake.Faults{})
	if d := during.Plan.Decisions; len(d) != 1 || d[0].Proposed != decider.Create || len(during.Recovered) != 0 ||
		d[0].Blockers[0].Policy != engine.BusyPolicy {
		t.Errorf("plan %v, recovered %+v", brief(during), during.Recovered)
	}
	b.settled(want)
}

// losing loses the first claim before anything is done under it.
type losing struct {
	engine.Claims
	once sync.Once
}

// Hold implements engine.Claims.
func (l *losing) Hold(ctx context.Context, ref string, do func(context.Context, engine.Claim) error) error {
	return l.Claims.Hold(ctx, ref, func(ctx context.Context, c engine.Claim) error {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		l.once.Do(func() { cancel(fmt.Errorf("%w: for a test", coordinator.ErrLost)) })
		return do(ctx, c)
	})
}

// TestALostClaimStopsItsActionAlone: a read of the ledger that is canceled because the claim is
// lost does not stop the apply.
func TestALostClaimStopsItsActionAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		defer b.stop()
		e := engine.New(engine.Config{Providers: provider.Set{"fake": b.cloud}, Ledger: b.ledger, Claims: &losing{Claims: b.claims}})
		p, err := e.Plan(t.Context(), wants(network("one"), network("two")), engine.PlanOptions{Mode: event.ForApply})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Apply(t.Context(), p, engine.ApplyOptions{Parallelism: 1})
		if err != nil {
			t.Fatalf("the apply stopped: %v", err)
		}
		got := map[engine.Status]int{}
		for _, o := range r.Outcomes {
			got[o.Status]++
		}
		if got[engine.Claimed] != 1 || got[engine.Done] != 1 {
			t.Errorf("outcomes %v, want one claimed and one done", got)
		}
	})
}
