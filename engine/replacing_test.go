package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

func createFirst(c *fake.Cloud) { c.Replaces("server", resource.CreateFirst, resource.DestroyFirst) }

func image(s resource.Desired, name string) resource.Desired {
	s.Attrs = s.Attrs.With("image", resource.String(name))
	return s
}

// verbs are the calls that change something, by verb and id where they have one.
func verbs(c *fake.Cloud) []string {
	var out []string
	for _, call := range c.Calls() {
		if call.Verb != fake.Observe {
			out = append(out, fmt.Sprintf("%s %s", call.Verb, call.Ref.Name))
		}
	}
	return out
}

func TestCreateFirstCreatesThenDeletes(t *testing.T) {
	b := newBench(t)
	createFirst(b.cloud)
	b.apply(wants(network("main"), image(server("a", "main"), "linux-1")))
	old, _, _ := b.cloud.Find(ref("server", "a"))
	before := len(verbs(b.cloud))
	r := b.apply(wants(network("main"), image(server("a", "main"), "linux-2")))
	if r.Counts.Replace != 1 || r.Counts.Failed != 0 {
		t.Errorf("counts: %+v, %+v", r.Counts, r.Outcomes)
	}
	if d := cmp.Diff([]string{"create a", "delete a"}, verbs(b.cloud)[before:]); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	now, ok, err := b.cloud.Find(ref("server", "a"))
	if !ok || err != nil || now.ID == old.ID {
		t.Fatalf("left is %+v, %v", now, err)
	}
	b.settled(wants(network("main"), image(server("a", "main"), "linux-2")))
	if d := cmp.Diff([]string{"replace_started server/a", "replace_finished server/a"}, b.events(event.TypeReplaceStarted, event.TypeReplaceFinished)); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
	if open, err := b.ledger.Replacements(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("open replacements: %v, %v", open, err)
	}
	b.replays()
}

// TestAFailedCreateLeavesTheOldOne: in create-first nothing is deleted for a new resource that
// could not be created.
func TestAFailedCreateLeavesTheOldOne(t *testing.T) {
	b := newBench(t)
	createFirst(b.cloud)
	b.apply(wants(network("main"), image(server("a", "main"), "linux-1")))
	old, _, _ := b.cloud.Find(ref("server", "a"))
	b.cloud.Break(fake.Faults{Before: fake.Every(fake.Create, ref("server", "a"), fake.ErrPermanent)})
	r := b.apply(wants(network("main"), image(server("a", "main"), "typo")))
	if r.Counts.Failed != 1 || r.Counts.Replace != 0 {
		t.Errorf("counts: %+v", r.Counts)
	}
	b.cloud.Break(fake.Faults{})
	if now, ok, err := b.cloud.Find(ref("server", "a")); !ok || err != nil || now.ID != old.ID {
		t.Errorf("left is %+v, %v", now, err)
	}
	b.apply(wants(network("main"), image(server("a", "main"), "linux-1")))
	b.settled(wants(network("main"), image(server("a", "main"), "linux-1")))
}

// refusing is a provider whose check refuses.
type refusing struct {
	*fake.Cloud
	why error
}

func (r refusing) Check(context.Context, provider.Request) error { return r.why }

// TestNothingIsDestroyedForWhatTheCheckRefuses: a typo in an image leaves the old server
// running, in destroy-first too.
func TestNothingIsDestroyedForWhatTheCheckRefuses(t *testing.T) {
	b := newBench(t)
	was := wants(network("main"), image(server("a", "main"), "linux-1"))
	b.apply(was)
	b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": refusing{b.cloud, errors.New("there is no image typo")}}, Ledger: b.ledger, Claims: b.claims})
	old, _, _ := b.cloud.Find(ref("server", "a"))
	before := len(verbs(b.cloud))
	r := b.apply(wants(network("main"), image(server("a", "main"), "typo")))
	if o := r.Outcomes[0]; o.Status != engine.Refused || r.Counts.Failed != 1 || r.Counts.Delete != 0 {
		t.Errorf("outcome %+v, counts %+v", o, r.Counts)
	}
	if got := verbs(b.cloud)[before:]; len(got) != 0 {
		t.Errorf("calls: %v", got)
	}
	if now, ok, _ := b.cloud.Find(ref("server", "a")); !ok || now.ID != old.ID {
		t.Errorf("left is %+v", now)
	}
	if got := b.events(event.TypeNotStarted); len(got) != 1 {
		t.Errorf("records: %v", got)
	}
}

// TestAHalfDoneReplaceIsCountedAsWhatItIs: the old one is deleted, the new one is not created.
func TestAHalfDoneReplaceIsCountedAsWhatItIs(t *testing.T) {
	b := newBench(t)
	b.apply(wants(network("main"), image(server("a", "main"), "linux-1")))
	b.cloud.Break(fake.Faults{Before: fake.Every(fake.Create, ref("server", "a"), fake.ErrPermanent)})
	r := b.apply(wants(network("main"), image(server("a", "main"), "typo")))
	if r.Counts.Delete != 1 || r.Counts.Failed != 1 || r.Counts.Replace != 0 {
		t.Errorf("counts: %+v", r.Counts)
	}
}

// TestEveryCrashOfAReplacementConverges: whatever the strategy and wherever the process dies,
// after one more apply one resource of the right configuration is left, created once.
func TestEveryCrashOfAReplacementConverges(t *testing.T) {
	was := wants(network("main"), image(server("a", "main"), "linux-1"))
	want := wants(network("main"), image(server("a", "main"), "linux-2"))
	for _, strategy := range []resource.Strategy{resource.DestroyFirst, resource.CreateFirst} {
		setup := func(c *fake.Cloud) { c.Replaces("server", strategy) }
		for _, when := range []string{"before", "after"} {
			for _, step := range []string{"claim", "log started", "store began", "call", "log finished", "store ended", "release"} {
				t.Run(fmt.Sprint(strategy, " ", when, " ", step), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						c := crash(t, when+" "+step, 0, was, want, setup)
						defer c.stop()
						c.sound(want)
						o, _, _ := c.cloud.Find(ref("server", "a"))
						if v, _ := o.Attrs.Get("image"); v != resource.String("linux-2") {
							t.Errorf("left is %+v", o)
						}
					})
				})
			}
		}
	}
}

// TestAReplacementThatDoesNotFitGoesBack: the configuration changed while a new resource stood
// beside the old one: the new one is deleted, which no budget counts, and the next plan goes on.
func TestAReplacementThatDoesNotFitGoesBack(t *testing.T) {
	b := newBench(t)
	createFirst(b.cloud)
	b.apply(wants(network("main"), image(server("a", "main"), "linux-1")))
	old, _, _ := b.cloud.Find(ref("server", "a"))
	b.cloud.Break(fake.Faults{Before: fake.Every(fake.Delete, ref("server", "a"), fake.ErrPermanent)})
	b.apply(wants(network("main"), image(server("a", "main"), "linux-2")))
	b.cloud.Break(fake.Faults{})
	back := wants(network("main"), image(server("a", "main"), "linux-1"))
	p, err := b.engine.Plan(t.Context(), back, engine.PlanOptions{MaxDestroy: resource.Budget{Set: true}})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := decisionOn(p, ref("server", "a"))
	if d.Reason != decider.ReasonReverts || !d.Action.Executes() || d.Observed.ID == old.ID {
		t.Fatalf("the plan: %+v", d)
	}
	if _, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if now, ok, err := b.cloud.Find(ref("server", "a")); !ok || err != nil || now.ID != old.ID {
		t.Errorf("left is %+v, %v", now, err)
	}
	b.settled(back)
	b.replays()
}
