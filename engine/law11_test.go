package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// slots is a provider whose disks have a slot, which is their weight: two disks cannot have one slot.
type slots struct {
	*fake.Cloud
	refuses map[string]error
}

func (s slots) Kinds() []resource.Kind {
	all := slices.Clone(s.Cloud.Kinds())
	for i := range all {
		if all[i].Name == "disk" {
			all[i].HoldsDoc = "its weight, as a slot"
			all[i].Holds = func(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
				w, ok := a.Get("weight")
				if !ok {
					return nil
				}
				return []resource.Hold{{What: "slot", Name: string(resource.AppendJSON(nil, w))}}
			}
		}
	}
	return all
}

func (s slots) Check(_ context.Context, r provider.Request) error {
	return s.refuses[r.Desired.Ref.Name]
}

func (b *bench) withSlots(refuses map[string]error) {
	b.engine = engine.New(engine.Config{
		Providers: provider.Set{"fake": slots{b.cloud, refuses}}, Ledger: b.ledger, Claims: b.claims,
	})
}

func slot(name string, weight float64) resource.Desired {
	d := disk(name, 20)
	d.Attrs = d.Attrs.With("weight", resource.Float(weight))
	return d
}

func failsToCreate(name string) fake.Fault {
	return func(_ context.Context, c fake.Call) error {
		if c.Verb == fake.Create && c.Ref.Name == name {
			return errRefused
		}
		return nil
	}
}

var errRefused = &provider.Error{Op: "check", Cause: provider.Configuration, Err: errors.New("the size is not allowed")}

// TestLaw11_WhoeverLosesItsPlaceHasASuccessor: the delete that makes room comes last, and is named as an outage until
// the successor is up.
func TestLaw11_WhoeverLosesItsPlaceHasASuccessor(t *testing.T) {
	b := newBench(t)
	b.withSlots(nil)
	b.apply(wants(slot("old", 1)))
	b.cloud.Break(fake.Faults{Before: failsToCreate("new")})
	next := wants(slot("new", 1))
	r := b.apply(next)
	if got := statuses(r); got["disk/old"] != engine.Done || got["disk/new"] != engine.Failed {
		t.Fatalf("outcomes: %v", got)
	}
	if len(r.Outages) != 1 || r.Outages[0].Freed != ref("disk", "old") || r.Outages[0].For != ref("disk", "new") {
		t.Errorf("outages of the apply: %+v", r.Outages)
	}
	if all, err := b.ledger.Reader().Names(t.Context(), 0); err != nil || len(all.Outages[ref("disk", "new")]) != 1 {
		t.Errorf("recorded outages: %+v %v", all, err)
	}
	b.replays()
	b.cloud.Break(fake.Faults{})
	if r = b.apply(next); len(r.Outages) != 0 {
		t.Errorf("outages: %+v", r.Outages)
	}
	if all, err := b.ledger.Reader().Names(t.Context(), 0); err != nil || len(all.Outages) != 0 {
		t.Errorf("outages that ended: %+v %v", all, err)
	}
	b.settled(next)
	b.replays()
}

// TestAnOutageEndsWithItsSuccessor: it ends when an applied configuration no longer has the successor, and not by a plan
// or while the part that had it cannot be read.
func TestAnOutageEndsWithItsSuccessor(t *testing.T) {
	b := newBench(t)
	b.withSlots(nil)
	b.apply(wants(slot("old", 1), network("main")))
	b.cloud.Break(fake.Faults{Before: failsToCreate("new")})
	b.apply(wants(slot("new", 1), network("main")))
	left := func(name string, want int) {
		t.Helper()
		all, err := b.ledger.Reader().Names(t.Context(), 0)
		if err != nil || len(all.Outages) != want {
			t.Errorf("%s: %+v %v", name, all.Outages, err)
		}
	}
	apply := func(in []resource.Intent) {
		t.Helper()
		p, err := b.engine.Plan(t.Context(), in, engine.PlanOptions{Mode: event.ForApply})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	unread := wants(network("main"))
	unread[0].Parts = []resource.UnreadPart{{Name: "b.yaml", Why: "b.yaml:1", Refs: []resource.Ref{ref("disk", "new")}}}
	apply(unread)
	left("its part cannot be read", 1)
	if _, err := b.engine.Plan(t.Context(), wants(network("main")), engine.PlanOptions{Mode: event.ForPlan}); err != nil {
		t.Fatal(err)
	}
	left("only planned", 1)
	apply(wants(network("main")))
	left("applied", 0)
	b.replays()
}

// TestAnOutageFollowsARename asserts that the outage of a resource that gets another name goes on under that name, and
// ends once the resource has its place.
func TestAnOutageFollowsARename(t *testing.T) {
	for _, again := range []bool{false, true} { // the update under the new name fails too
		outageFollows(t, newBench(t), again)
	}
}

func outageFollows(t *testing.T, b *bench, again bool) {
	t.Helper()
	b.withSlots(nil)
	b.apply(wants(slot("old", 1), slot("x", 2)))
	b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
		if c.Verb == fake.Update {
			return errRefused
		}
		return nil
	}})
	b.apply(wants(slot("x", 1)))
	outages := func(when string, want ...resource.Ref) {
		t.Helper()
		all, err := b.ledger.Reader().Names(t.Context(), 0)
		if err != nil || len(all.Outages) != len(want) || len(want) > 0 && len(all.Outages[want[0]]) != 1 {
			t.Errorf("%s: %+v %v", when, all.Outages, err)
		}
	}
	outages("the update failed", ref("disk", "x"))
	next := wants(formerly(slot("y", 1), "x"))
	if again {
		b.apply(next)
		outages("renamed, and failed again", ref("disk", "y"))
		b.replays()
	}
	b.cloud.Break(fake.Faults{})
	b.apply(next)
	outages("in its place")
	b.replays()
}

// TestLaw11_WhoeverLosesItsPlaceHasASuccessor_NotForARefusedOne: nothing is deleted for a resource that the check
// refuses, whose dependency fails, or that a policy blocks.
func TestLaw11_WhoeverLosesItsPlaceHasASuccessor_NotForARefusedOne(t *testing.T) {
	for name, c := range map[string]struct {
		refuses map[string]error
		fault   fake.Fault
		needs   bool // the successor depends on another resource
		exclude []string
	}{
		"refused by its check":        {refuses: map[string]error{"new": errRefused}},
		"what it depends on failed":   {fault: failsToCreate("base"), needs: true},
		"excluded from the apply":     {exclude: []string{"disk/new"}},
		"its dependency is refused":   {refuses: map[string]error{"base": errRefused}, needs: true},
		"its dependency is excluded ": {exclude: []string{"network/base"}, needs: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.withSlots(c.refuses)
			b.apply(wants(slot("old", 1)))
			b.cloud.Break(fake.Faults{Before: c.fault})
			want := wants(slot("new", 1))
			if c.needs {
				heir := slot("new", 1)
				heir.DependsOn = []resource.Ref{ref("network", "base")}
				want = wants(network("base"), heir)
				b.cloud.ChecksFirst("network")
			}
			p, err := b.engine.Plan(t.Context(), want, engine.PlanOptions{Mode: event.ForApply, Excludes: c.exclude})
			if err != nil {
				t.Fatal(err)
			}
			r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.ledger.Binding(t.Context(), ref("disk", "old")); err != nil {
				t.Errorf("disk/old was deleted: %v %v", statuses(r), err)
			}
			if len(r.Outages) != 0 {
				t.Errorf("outages: %+v", r.Outages)
			}
		})
	}
}

// TestExchangedThingsConverge: updates that wait for each other are made by replacing the fewest.
func TestExchangedThingsConverge(t *testing.T) {
	b := newBench(t)
	b.withSlots(nil)
	b.apply(wants(slot("a", 1), slot("b", 2), slot("c", 3)))
	next := wants(slot("a", 2), slot("b", 3), slot("c", 1))
	p := b.plan(next)
	replaced := 0
	for _, d := range p.Plan.Decisions {
		if d.Proposed.Destroys() {
			replaced++
		}
	}
	if replaced != 1 {
		t.Errorf("%d are replaced, want 1: %v", replaced, brief(p))
	}
	if r := b.apply(next); r.Counts.Failed > 0 || r.Counts.NotStarted > 0 {
		t.Errorf("%+v", r.Counts)
	}
	b.settled(next)
	b.replays()
}

// TestAThingThatStaysWithAnotherResource blocks the decision, by name and with what to do.
func TestAThingThatStaysWithAnotherResource(t *testing.T) {
	b := newBench(t)
	b.withSlots(nil)
	b.apply(wants(slot("a", 1)))
	p := b.plan(wants(slot("a", 1), slot("b", 1)))
	d, _ := decisionOn(p, ref("disk", "b"))
	if d.Action.Executes() || len(d.Blockers) != 1 || !strings.Contains(d.Blockers[0].Reason, "slot 1.0 belongs to disk/a") {
		t.Errorf("%s: %+v", d.Action, d.Blockers)
	}
}
