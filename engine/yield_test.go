package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// because returns the first cycle with a reason.
func (d *diary) because(why string) (found loop.Cycle) {
	for _, c := range d.all() {
		if c.Why == why {
			return c
		}
	}
	return found
}

// commits is a configuration that changes while a loop runs.
type commits struct {
	mu      sync.Mutex
	version int
	intents []resource.Intent
}

// commit makes another configuration the newest.
func (s *commits) commit(resources ...resource.Desired) { s.commitIn(nil, resources...) }

// commitIn does, with more scopes.
func (s *commits) commitIn(scopes []resource.Scope, resources ...resource.Desired) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.intents = wants(resources...)
	s.intents[0].Scopes = append(s.intents[0].Scopes, scopes...)
	s.intents[0].Version = fmt.Sprint("v", s.version)
}

func (s *commits) load(context.Context) ([]resource.Intent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.intents, nil
}

func (s *commits) mark() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.version)
}

func (s *commits) stacks() []loop.Stack {
	return []loop.Stack{{Name: stack, Load: s.load, Mark: s.mark}}
}

// sizeOf is the size of a disk; 0 if it does not exist.
func sizeOf(o resource.Observed) resource.Int {
	size, _ := o.Attrs.Get("size")
	n, _ := size.(resource.Int)
	return n
}

// slowly makes calls on resources take times: "create disk/a".
func slowly(times map[string]time.Duration) fake.Faults {
	return fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
		select {
		case <-time.After(times[fmt.Sprintf("%s %s/%s", c.Verb, c.Ref.Kind, c.Ref.Name)]):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}}
}

// times returns when actions started or finished since a time, in seconds: "started disk/a".
func (b *bench) times(since time.Time) map[string]int {
	b.t.Helper()
	out := map[string]int{}
	types := []string{event.TypeStarted, event.TypeFinished}
	for r, err := range history.New(b.ledger.Reader()).LogRecords(b.t.Context(), history.Filter{Types: types}) {
		if err != nil {
			b.t.Fatal(err)
		}
		ref := r.Event.About()
		key := fmt.Sprintf("%s %s/%s", r.Event.Type(), ref.Kind, ref.Name)
		if _, twice := out[key]; twice && r.At.Before(since) {
			b.t.Errorf("%s twice", key)
		}
		out[key] = int(r.At.Sub(since).Round(time.Second).Seconds())
	}
	return out
}

// TestLaw12_TheLoopNeverWaits: while an action takes ten minutes, a commit is applied within seconds, and what
// breaks is repaired within an interval.
func TestLaw12_TheLoopNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		var s commits
		start := time.Now()
		s.commit(disk("slow", 10), disk("edge", 10), disk("steady", 10))
		b.cloud.Break(slowly(map[string]time.Duration{"create disk/slow": 10 * time.Minute}))
		stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell})
		time.Sleep(8 * time.Second)
		s.commit(disk("slow", 10), disk("edge", 20), disk("steady", 10))
		time.Sleep(3 * time.Second)
		if o, _, _ := b.cloud.Find(ref("disk", "edge")); sizeOf(o) != 20 {
			t.Errorf("the commit is not applied after 3 s: %v", o.Attrs)
		}
		gone, _, _ := b.cloud.Find(ref("disk", "steady"))
		b.cloud.Remove(here, gone.ID)
		time.Sleep(70 * time.Second)
		if n := len(b.cloud.Resources(here)); n != 2 {
			t.Errorf("%d resources, want 2: the drift is not repaired after an interval", n)
		}
		for _, c := range d.all() {
			for _, a := range c.Alerts {
				if a.Type != loop.Slow {
					t.Errorf("alert: %+v", a)
				}
			}
		}
		time.Sleep(10 * time.Minute)
		if n := len(b.cloud.Resources(here)); n != 3 {
			t.Errorf("%d resources at the end, want 3", n)
		}
		creates := 0
		for _, c := range b.cloud.Calls() {
			if c.Verb == fake.Create && c.Ref.Name == "slow" {
				creates++
			}
		}
		if got := b.times(start); creates != 1 || got["finished disk/slow"] != 600 {
			t.Errorf("%d creates of the slow one: %v", creates, got)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestNothingOfAnOlderConfigurationStarts: a first apply of many resources yields to a commit in its middle.
func TestNothingOfAnOlderConfigurationStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		var s commits
		times := map[string]time.Duration{}
		var all []resource.Desired
		for i := range 50 {
			name := fmt.Sprintf("d-%02d", i)
			times["create disk/"+name] = 10 * time.Second
			all = append(all, disk(name, 10))
		}
		b.cloud.Break(slowly(times))
		s.commit(all...)
		stop := b.loops(s.stacks(), loop.RunOptions{
			Interval: time.Minute, Apply: true, Tell: d.tell, Do: engine.ApplyOptions{Parallelism: 2},
		})
		time.Sleep(25 * time.Second)
		s.commit(all[:4]...)
		time.Sleep(3 * time.Minute)
		if got, want := b.events(event.TypeStarted), 6+2; len(got) != want { // six creates and two deletes
			t.Errorf("%d actions started, want %d: %v", len(got), want, got)
		}
		if n := len(b.cloud.Resources(here)); n != 4 {
			t.Errorf("%d resources, want 4", n)
		}
		if diff := cmp.Diff([]string{"yielded"}, b.events(event.TypeYielded, event.TypeNotStarted)); diff != "" {
			t.Errorf("recorded (-want +got):\n%s", diff)
		}
		if first := d.because("start"); first.Result == nil || !first.Result.Yielded || first.Result.Counts.NotStarted != 44 {
			t.Errorf("the first cycle: %+v", first.Result)
		}
		_ = stop()
	})
}

// TestWhatWasTakenDownComesBack: an apply that yields between the delete and the create of a replacement still
// creates, and so does all that the create waits for.
func TestWhatWasTakenDownComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		var s commits
		want := wants(network("main"), server("a", "main"), disk("x", 10))
		b.apply(want)
		moved := network("main")
		moved.Attrs = attrs("range", resource.String("10.9.0.0/16"))
		s.commit(moved, server("a", "main"), disk("x", 10))
		b.cloud.Break(slowly(map[string]time.Duration{"delete server/a": 30 * time.Second, "delete network/main": 30 * time.Second}))
		start := time.Now()
		stop := b.loops(s.stacks(), loop.RunOptions{Interval: 10 * time.Minute, Apply: true, Tell: d.tell})
		time.Sleep(45 * time.Second) // the server is deleted, the network is being deleted
		s.commit(moved, server("a", "main"), disk("x", 40))
		time.Sleep(3 * time.Second)
		if o, _, _ := b.cloud.Find(ref("disk", "x")); sizeOf(o) != 40 {
			t.Errorf("the commit waits: %v", o.Attrs)
		}
		time.Sleep(time.Minute)
		if n := len(b.cloud.Resources(here)); n != 3 {
			t.Errorf("%d resources, want 3: %v\n%v", n, b.times(start), b.events(event.TypeStarted, event.TypeFinished))
		}
		_ = stop()
	})
}

// TestWhatDependsOnAFlightWaitsForItsEnd: neither a new dependent nor the deletion of what the flight needs starts
// before its end, and both start right after it.
func TestWhatDependsOnAFlightWaitsForItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		var s commits
		b.apply(wants(network("old")))
		s.commit(network("old"), network("new"), server("a", "old"))
		b.cloud.Break(slowly(map[string]time.Duration{"create network/new": 2 * time.Minute, "create server/a": 3 * time.Minute}))
		start := time.Now()
		stop := b.loops(s.stacks(), loop.RunOptions{
			Interval: 10 * time.Minute, Apply: true, Tell: d.tell,
			Plan: engine.PlanOptions{},
		})
		time.Sleep(10 * time.Second)
		s.commit(network("new"), server("b", "new")) // the server in the old network goes, with the network
		time.Sleep(time.Minute)
		got := b.times(start)
		for _, early := range []string{"started server/b"} {
			if at, is := got[early]; is {
				t.Errorf("%s at %d s, before what it depends on", early, at)
			}
		}
		if n := len(b.cloud.Resources(here)); n != 1 {
			t.Errorf("%d resources, want the old network alone", n)
		}
		time.Sleep(10 * time.Minute)
		got = b.times(start)
		if at := got["started server/b"]; at < 120 || at > 123 {
			t.Errorf("server/b started at %d s, want 120: %v", at, got)
		}
		if all := b.cloud.Resources(here); len(all) != 2 {
			t.Errorf("at the end: %+v", all)
		}
		_ = stop()
	})
}

// TestAStoppedLoopGivesFlightsAGrace: after it their calls are canceled, and the next start finds what they did.
func TestAStoppedLoopGivesFlightsAGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		b.cloud.Break(slowly(map[string]time.Duration{"create disk/short": 40 * time.Second, "create disk/long": time.Hour}))
		want := wants(disk("short", 10), disk("long", 10), disk("third", 10))
		stop := b.loops(stackOf(want), loop.RunOptions{
			Apply: true, Tell: d.tell, StopGrace: time.Minute, Do: engine.ApplyOptions{Parallelism: 2},
		})
		time.Sleep(10 * time.Second)
		start := time.Now()
		if err := stop(); err != nil || time.Since(start) != time.Minute {
			t.Errorf("stopped after %s: %v", time.Since(start), err)
		}
		c := d.last()
		status := map[string]engine.Status{}
		for _, o := range c.Result.Outcomes {
			status[o.Ref.Name] = o.Status
		}
		if diff := cmp.Diff(map[string]engine.Status{
			"long": engine.Uncertain, "short": engine.Done, "third": engine.Interrupted,
		}, status); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		b.cloud.Break(fake.Faults{})
		b.apply(want)
		b.settled(want)
	})
}

// TestAFlightIsNamedInPlans: what the running apply works on is left to it, by name.
func TestAFlightIsNamedInPlans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		var s commits
		s.commit(disk("slow", 10))
		b.cloud.Break(slowly(map[string]time.Duration{"create disk/slow": 10 * time.Minute}))
		stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell})
		time.Sleep(90 * time.Second)
		c := d.last()
		if c.Planned == nil || len(c.Planned.Plan.Decisions) != 1 {
			t.Fatalf("%+v", c)
		}
		blockers := c.Planned.Plan.Decisions[0].Blockers
		if len(blockers) == 0 || blockers[0].Policy != engine.BusyPolicy ||
			!strings.Contains(blockers[0].Reason, "create has been running since") {
			t.Errorf("blockers: %+v", blockers)
		}
		if got := b.events(event.TypeBlocked); len(got) > 0 {
			t.Errorf("recorded as blocked: %v", got)
		}
		time.Sleep(10 * time.Minute)
		_ = stop()
	})
}
