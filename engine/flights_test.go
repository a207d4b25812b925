package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/provider/toys/nest"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// behind starts to apply a plan in another goroutine. The returned function waits for the result.
func (b *bench) behind(p *engine.Planned) (wait func() *engine.Result) {
	ended := make(chan *engine.Result, 1)
	go func() {
		r, err := b.engine.Apply(b.t.Context(), p, engine.ApplyOptions{})
		if err != nil {
			b.t.Error(err)
		}
		ended <- r
	}()
	return func() *engine.Result { return <-ended }
}

// blockers returns the first blocker of each decision of a plan.
func blockers(p *engine.Planned) map[string]string {
	out := map[string]string{}
	for _, d := range p.Plan.Decisions {
		if len(d.Blockers) > 0 {
			out[string(d.Proposed)+" "+d.Ref.Short()] = d.Blockers[0].Policy + ": " + d.Blockers[0].Reason
		}
	}
	return out
}

// TestAnActionInProgressIsNotAChangeOutside: what a running update has changed already, another plan does not call a
// change made outside ovi.
func TestAnActionInProgressIsNotAChangeOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := blank(t)
		one, two := b.elsewhere("one"), b.elsewhere("two")
		defer one.stop()
		defer two.stop()
		one.apply(wants(disk("x", 10)))
		b.cloud.Break(fake.Faults{After: func(_ context.Context, c fake.Call) error {
			if c.Verb == fake.Update {
				time.Sleep(3 * time.Minute)
			}
			return nil
		}})
		wait := one.behind(one.plan(wants(disk("x", 20))))
		time.Sleep(time.Minute)
		d, ok := decisionOn(two.plan(wants(disk("x", 10))), ref("disk", "x"))
		if !ok || len(d.Changes) != 1 || d.Changes[0].Note != "" {
			t.Errorf("during the update: %+v", d)
		}
		drift, err := two.engine.Plan(t.Context(), wants(disk("x", 10)), engine.PlanOptions{Mode: event.ForDrift})
		if err != nil || len(drift.Plan.Decisions) != 0 || !drift.Changing(ref("disk", "x")) {
			t.Errorf("drift during the update: %+v %v", drift.Plan.Decisions, err)
		}
		wait()
		b.cloud.Break(fake.Faults{})
		two.apply(wants(disk("x", 10)))
		o, _, _ := b.cloud.Find(ref("disk", "x"))
		o.Attrs = o.Attrs.With("size", resource.Int(30))
		b.cloud.Put(o)
		d, _ = decisionOn(two.plan(wants(disk("x", 10))), ref("disk", "x"))
		if len(d.Changes) != 1 || d.Changes[0].Note != resource.NoteOutside {
			t.Errorf("after it: %+v", d)
		}
	})
}

// TestLaw12_APlanKnowsTheFlightsOfOtherInstances: a create of another instance keeps its dependency, its dependents
// wait for it, and other resources are changed at once.
func TestLaw12_APlanKnowsTheFlightsOfOtherInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := blank(t)
		one, two := b.elsewhere("one"), b.elsewhere("two")
		defer one.stop()
		defer two.stop()
		one.apply(wants(network("old"), disk("x", 10)))
		b.cloud.Break(slowly(map[string]time.Duration{"create server/a": 3 * time.Minute}))
		start := time.Now().UTC().Format(time.RFC3339)
		wait := one.behind(one.plan(wants(network("old"), server("a", "old"), disk("x", 10))))
		time.Sleep(time.Minute)
		p := two.plan(wants(disk("x", 20))) // the network and the server are no longer configured
		want := map[string]string{
			"delete network/old": "in_progress: server/a depends on it: its create has been running since " + start + ", by one@one",
		}
		if diff := cmp.Diff(want, blockers(p)); diff != "" {
			t.Errorf("blockers (-want +got):\n%s", diff)
		}
		if len(p.Flights) != 1 || p.Flights[0].Ref != ref("server", "a") || p.Flights[0].By != "one@one" {
			t.Errorf("flights: %+v", p.Flights)
		}
		if r, err := two.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil || r.Counts.Update != 1 || r.Counts.Failed != 0 {
			t.Errorf("%+v, %v", r.Counts, err)
		}
		p = two.plan(wants(network("old"), server("a", "old"), disk("x", 20)))
		if got := blockers(p)["create server/a"]; !strings.HasPrefix(got, "in_progress") {
			t.Errorf("a second create is planned: %v", blockers(p))
		}
		if r := wait(); r.Counts.Create != 1 {
			t.Errorf("%+v", r.Outcomes)
		}
		two.settled(wants(network("old"), server("a", "old"), disk("x", 20)))
	})
}

// assisting reads nothing: the plan of an instance that helps uses the record.
type assisting struct{}

func (assisting) Observe(context.Context, []provider.ObserveRequest) resource.LiveState {
	return resource.LiveState{}
}
func (assisting) TakeRecorded(resource.Scope) []string { return nil }
func (assisting) TakeReported(resource.Scope) bool     { return false }
func (assisting) Assists() bool                        { return true }

// TestARecordedObservationMakesNoConflict: a plan from the record, while another instance creates a resource that was
// deleted outside ovi, reports no conflict.
func TestARecordedObservationMakesNoConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := blank(t)
		one, two, three := b.elsewhere("one"), b.elsewhere("two"), b.elsewhere("three")
		for _, x := range []*bench{one, two, three} {
			defer x.stop()
		}
		want := wants(disk("a", 10))
		one.apply(want)
		gone, _, _ := b.cloud.Find(ref("disk", "a"))
		b.cloud.Remove(here, gone.ID)
		time.Sleep(time.Hour)
		p := one.plan(want)
		b.cloud.Break(fake.Faults{After: func(_ context.Context, c fake.Call) error {
			if c.Verb == fake.Create {
				time.Sleep(time.Minute)
			}
			return nil
		}})
		wait := one.behind(p)
		time.Sleep(10 * time.Second)
		three.plan(want) // records the resource that is half made
		p, err := two.engine.Plan(t.Context(), want, engine.PlanOptions{MaxAge: time.Hour, Observe: assisting{}})
		if err != nil || p.Counts.Conflict != 0 || len(p.Plan.Decisions) != 1 {
			t.Fatalf("%v %v", brief(p), err)
		}
		if got := blockers(p)["create disk/a"]; !strings.Contains(got, "its create has been running since") {
			t.Errorf("blockers: %v", blockers(p))
		}
		wait()
		two.settled(want)
	})
}

// TestOfTwoActionsThatExcludeEachOtherTheLaterTurnsBack: their plans were made at the same time, so that neither knew
// of the other.
func TestOfTwoActionsThatExcludeEachOtherTheLaterTurnsBack(t *testing.T) {
	for name, first := range map[string]int{"the create is first": 0, "the delete is first": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := blank(t)
				one, two := b.elsewhere("one"), b.elsewhere("two")
				defer one.stop()
				defer two.stop()
				one.apply(wants(network("main")))
				benches := []*bench{one, two}
				plans := []*engine.Planned{one.plan(wants(network("main"), server("a", "main"))), two.plan(wants())}
				b.cloud.Break(slowly(map[string]time.Duration{"create server/a": time.Minute, "delete network/main": time.Minute}))
				wait := benches[first].behind(plans[first])
				time.Sleep(time.Second)
				r, err := benches[1-first].engine.Apply(t.Context(), plans[1-first], engine.ApplyOptions{})
				if err != nil {
					t.Fatal(err)
				}
				o := r.Outcomes[0]
				if o.Status != engine.Claimed || o.ClaimedBy != benches[first].ledger.User() || !strings.Contains(o.Detail, "has been running since") {
					t.Errorf("%+v", o)
				}
				if r := wait(); r.Outcomes[0].Status != engine.Done {
					t.Errorf("%+v", r.Outcomes)
				}
				if open, err := one.ledger.OpenActions(t.Context()); err != nil || len(open) != 0 {
					t.Errorf("open actions: %+v, %v", open, err)
				}
			})
		})
	}
}

// TestFlightsCountInTheLimitOfDestroys.
func TestFlightsCountInTheLimitOfDestroys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, one, two := pair(t)
		one.apply(wants(disks(4)...))
		one.cloud.Break(slowly(map[string]time.Duration{"delete disk/d00": time.Minute}))
		limit := engine.PlanOptions{MaxDestroy: rules.Budget{Set: true, Count: 1}}
		plan := func(x *bench, n int) *engine.Planned {
			p, err := x.engine.Plan(t.Context(), wants(disks(4)[n:]...), limit)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		wait := one.behind(plan(one, 1))
		time.Sleep(time.Second)
		if got := blockers(plan(two, 2))["delete disk/d01"]; !strings.Contains(got, "and 1 are being destroyed; the limit is 1") {
			t.Errorf("a second delete is allowed: %s", got)
		}
		wait()
		if got := blockers(plan(two, 2)); len(got) != 0 {
			t.Errorf("after the first: %v", got)
		}
	})
}

// TestInstancesTakeTurnsTogether: two instances restart different members of a count, and one at most is down.
func TestInstancesTakeTurnsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := blank(t)
		one, two := b.elsewhere("one"), b.elsewhere("two")
		defer one.stop()
		defer two.stop()
		s := newService(one)
		s.lag = 3 * time.Second
		two.engine = s.engine(two)
		one.apply(counted(4, "1", "small", "linux-1"))
		in := counted(4, "1", "large", "linux-1")
		var wait sync.WaitGroup
		for i, x := range []*bench{one, two} {
			p, err := x.engine.Plan(t.Context(), in, engine.PlanOptions{Targets: []string{[]string{"server/s-0", "server/s-1"}[i]}})
			if err != nil {
				t.Fatal(err)
			}
			wait.Go(func() {
				if r, err := x.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil || r.Counts.Restart != 1 {
					t.Errorf("%+v: %v", r.Outcomes, err)
				}
			})
		}
		wait.Wait()
		if s.most != 1 || len(s.order) != 2 {
			t.Errorf("%d were down at one time, in the order %v", s.most, s.order)
		}
	})
}

// TestAReplacementBetweenItsStepsIsAFlight: the new resource is waited for under the claim of the replacement, without
// an open action.
func TestAReplacementBetweenItsStepsIsAFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := started(t, resource.CreateFirst, fate{image: "slow"})
		y.open(&crasher{})
		defer y.stop()
		in := boxed("pod", "slow", resource.CreateFirst)
		ctx, cancel := context.WithCancel(t.Context())
		p := y.plan(in)
		ended := make(chan error, 1)
		go func() { _, err := y.engine.Apply(ctx, p, engine.ApplyOptions{}); ended <- err }()
		time.Sleep(time.Second)
		if open, err := y.ledger.OpenActions(t.Context()); err != nil || len(open) != 0 {
			t.Fatalf("open actions: %+v, %v", open, err)
		}
		d := y.decided(in)
		if len(d.Blockers) == 0 || d.Blockers[0].Policy != engine.BusyPolicy || !strings.Contains(d.Blockers[0].Reason, "its replace has been running since") {
			t.Errorf("%s %s: %+v", d.Proposed, d.Ref, d.Blockers)
		}
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestAnActionThatTurnedBackIsNoAttempt.
func TestAnActionThatTurnedBackIsNoAttempt(t *testing.T) {
	b := newBench(t)
	key := "k"
	_, err := b.ledger.Record(t.Context(), event.Started{Ref: ref("disk", "a"), Key: key, Action: "create"},
		event.Finished{Ref: ref("disk", "a"), Key: key, Action: "create", Outcome: event.NotCalled, Error: "later"})
	if err != nil {
		t.Fatal(err)
	}
	tries, err := b.ledger.Attempts(t.Context())
	open, failed := b.ledger.OpenActions(t.Context())
	if err != nil || failed != nil || len(tries) != 0 || len(open) != 0 {
		t.Errorf("attempts %v, open %v: %v %v", tries, open, err, failed)
	}
	b.replays()
}

// slowNest calls a function during each create.
type slowNest struct {
	*nest.Provider
	creating func()
}

func (n *slowNest) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	n.creating()
	return n.Provider.Create(ctx, r)
}

// TestTheInsideOfAFlightIsNoFailure: while a cluster is being created, plans wait for its inside, and report no part
// as unread.
func TestTheInsideOfAFlightIsNoFailure(t *testing.T) {
	in := nested(true, "shop")
	var during *engine.Planned
	slow := &slowNest{Provider: nest.New()}
	y := newYard(t, provider.Set{"nest": slow})
	slow.creating = func() {
		if during == nil {
			during = y.plan(in)
		}
	}
	y.apply(in)
	if during == nil || len(during.Plan.InFlight) != 1 || during.Plan.Unread() {
		t.Fatalf("%+v", during)
	}
	for s, why := range during.Plan.Unreachable {
		if why != "cluster/dev is read after the end of its running create" {
			t.Errorf("%s: %s", s, why)
		}
	}
	y.settled(in)
}
