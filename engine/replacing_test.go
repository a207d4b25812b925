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
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
)

func createFirst(c *fake.Cloud) { c.Replaces("server", resource.CreateFirst, resource.DestroyFirst) }

func image(s resource.Desired, name string) resource.Desired {
	s.Attrs = s.Attrs.With("image", resource.String(name))
	return s
}

// verbs lists the calls that change resources, by verb and name.
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
		t.Fatalf("%+v remains, %v", now, err)
	}
	b.settled(wants(network("main"), image(server("a", "main"), "linux-2")))
	if d := cmp.Diff([]string{"replace_started server/a", "replace_finished server/a"}, b.events(event.TypeReplaceStarted, event.TypeReplaceFinished)); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
	if open, err := b.ledger.Replacements(t.Context(), storage.Now); err != nil || len(open) != 0 {
		t.Errorf("open replacements: %v, %v", open, err)
	}
	b.replays()
}

// TestAFailedCreateKeepsTheOldResource: create-first deletes nothing if the new resource could not
// be created.
func TestAFailedCreateKeepsTheOldResource(t *testing.T) {
	b := newBench(t)
	createFirst(b.cloud)
	b.apply(wants(network("main"), image(server("a", "main"), "linux-1")))
	old, _, _ := b.cloud.Find(ref("server", "a"))
	b.cloud.Break(fake.Faults{Before: fake.Every(fake.Create, ref("server", "a"), fake.ErrConfiguration)})
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

// TestAFailedCheckDestroysNothing: with a typo in the image the old server keeps running, with
// destroy-first too.
func TestAFailedCheckDestroysNothing(t *testing.T) {
	b := newBench(t)
	was := wants(network("main"), image(server("a", "main"), "linux-1"))
	b.apply(was)
	b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": refusing{b.cloud, errors.New("image typo does not exist")}}, Ledger: b.ledger, Claims: b.claims})
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
		t.Errorf("%+v remains", now)
	}
	if got := b.events(event.TypeNotStarted); len(got) != 1 {
		t.Errorf("records: %v", got)
	}
}

// TestAnIncompleteReplaceCountsWhatWasDone: the old resource is deleted, the new one is not created.
func TestAnIncompleteReplaceCountsWhatWasDone(t *testing.T) {
	b := newBench(t)
	b.apply(wants(network("main"), image(server("a", "main"), "linux-1")))
	b.cloud.Break(fake.Faults{Before: fake.Every(fake.Create, ref("server", "a"), fake.ErrConfiguration)})
	r := b.apply(wants(network("main"), image(server("a", "main"), "typo")))
	if r.Counts.Delete != 1 || r.Counts.Failed != 1 || r.Counts.Replace != 0 {
		t.Errorf("counts: %+v", r.Counts)
	}
}

// TestEveryCrashOfAReplacementConverges: whatever the strategy and wherever the process crashes,
// one more apply leaves one resource with the right configuration, created once.
func TestEveryCrashOfAReplacementConverges(t *testing.T) {
	was := wants(network("main"), image(server("a", "main"), "linux-1"))
	want := wants(network("main"), image(server("a", "main"), "linux-2"))
	for _, strategy := range []resource.Strategy{resource.DestroyFirst, resource.CreateFirst} {
		setup := func(c *fake.Cloud) { c.Replaces("server", strategy) }
		for _, when := range []string{"before", "after"} {
			for _, step := range []string{"claim", "log started", "store started", "call", "log finished", "store finished", "release"} {
				t.Run(fmt.Sprint(strategy, " ", when, " ", step), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						c := crash(t, when+" "+step, 0, was, want, setup)
						defer c.stop()
						c.sound(want)
						o, _, _ := c.cloud.Find(ref("server", "a"))
						if v, _ := o.Attrs.Get("image"); v != resource.String("linux-2") {
							t.Errorf("%+v remains", o)
						}
					})
				})
			}
		}
	}
}

// TestAnOutdatedReplacementIsReverted: the configuration changes while the old and the new resource
// exist. The new one is deleted, which counts in no budget, and the next plan continues.
func TestAnOutdatedReplacementIsReverted(t *testing.T) {
	b := newBench(t)
	createFirst(b.cloud)
	b.apply(wants(network("main"), image(server("a", "main"), "linux-1")))
	old, _, _ := b.cloud.Find(ref("server", "a"))
	b.cloud.Break(fake.Faults{Before: fake.Every(fake.Delete, ref("server", "a"), fake.ErrConfiguration)})
	b.apply(wants(network("main"), image(server("a", "main"), "linux-2")))
	b.cloud.Break(fake.Faults{})
	back := wants(network("main"), image(server("a", "main"), "linux-1"))
	p, err := b.engine.Plan(t.Context(), back, engine.PlanOptions{MaxDestroy: rules.Budget{Set: true}})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := decisionOn(p, ref("server", "a"))
	if d.Action != decider.Revert || d.Observed.ID != old.ID || d.New == nil {
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
