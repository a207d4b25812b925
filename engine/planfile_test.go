package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// saved is a plan that was saved to a file and loaded.
func (b *bench) saved(intents []resource.Intent) *engine.Planned {
	b.t.Helper()
	p := b.plan(intents)
	var file bytes.Buffer
	if err := p.Save(&file); err != nil {
		b.t.Fatal(err)
	}
	text := file.String()
	back, err := engine.Load(&file)
	if err != nil {
		b.t.Fatal(err)
	}
	if diff := cmp.Diff(brief(p), brief(back)); diff != "" || back.Hash != p.Hash || back.ID != p.ID {
		b.t.Errorf("saving changes the plan (-saved +loaded):\n%s", diff)
	}
	if strings.Contains(text, "hunter2") {
		b.t.Errorf("the plan file contains a secret")
	}
	return back
}

func (b *bench) refresh(saved *engine.Planned, intents []resource.Intent) *engine.Planned {
	b.t.Helper()
	p, err := b.engine.Refresh(b.t.Context(), saved, intents, engine.PlanOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

func TestASavedPlanIsAppliedIfNothingChanged(t *testing.T) {
	b := newBench(t)
	secret := server("a", "main")
	secret.Attrs = secret.Attrs.With("password", resource.NewSecret("hunter2", "digest-1"))
	want := wants(network("main"), secret, disk("d", 20))
	p := b.refresh(b.saved(want), want)
	if _, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	b.settled(want)
}

func TestChangedResourcesOfASavedPlanAreStale(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("a", 20), disk("b", 20), disk("c", 20), disk("e", 20)))
	want := wants(disk("a", 30), disk("b", 30), disk("c", 20), disk("d", 20), disk("e", 30), disk("f", 20))
	saved := b.saved(want)
	outside := func(name string, size int64) {
		o, _, _ := b.cloud.Find(ref("disk", name))
		o.Attrs = attrs("size", resource.Int(size))
		b.cloud.Put(o)
	}
	outside("b", 25)                                                                                       // in the plan, and changed since
	outside("c", 25)                                                                                       // not in the plan
	outside("e", 30)                                                                                       // in the plan, and as configured now
	now := wants(disk("a", 30), disk("b", 30), disk("c", 20), disk("d", 20), disk("e", 30), disk("f", 40)) // f was 20
	p := b.refresh(saved, now)
	got := map[string]string{}
	for _, d := range p.Plan.Decisions {
		got[d.Ref.Name] = string(d.Action)
		if d.Action != d.Proposed {
			got[d.Ref.Name] += " " + d.Blockers[0].Policy
		}
	}
	expect := map[string]string{
		"a": "update", "b": "notify stale", "c": "notify not_in_plan", "d": "create", "f": "notify stale",
	}
	if diff := cmp.Diff(expect, got); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if len(p.Already) != 1 || p.Already[0] != ref("disk", "e") {
		t.Errorf("already done: %v", p.Already)
	}
	r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{})
	if err != nil || len(r.Outcomes) != 2 || r.Counts.Update != 1 || r.Counts.Create != 1 {
		t.Errorf("result %+v: %v", r, err)
	}
}

// TestASavedPlanThatWasAppliedHasNothingToDo: what is as configured is unchanged, and counts once;
// what cannot be done any more is stale.
func TestASavedPlanThatWasAppliedHasNothingToDo(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("old", 20)))
	want := wants(disk("a", 20), disk("b", 20))
	saved := b.saved(want)
	if _, err := b.engine.Apply(t.Context(), b.refresh(saved, want), engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	p := b.refresh(saved, want)
	if d := cmp.Diff(event.Counts{Unchanged: 2}, p.Counts); d != "" || !p.Plan.Empty() || len(p.Already) != 3 {
		t.Errorf("%v, already done %v, counts (-want +got):\n%s", brief(p), p.Already, d)
	}
	o, _, _ := b.cloud.Find(ref("disk", "b"))
	b.cloud.Remove(here, o.ID)
	p = b.refresh(saved, wants(disk("a", 20)))
	if d, ok := decisionOn(p, ref("disk", "b")); !ok || d.Action != decider.Notify || d.Blockers[0].Policy != "stale" || p.Counts.Blocked != 1 || p.Counts.Unchanged != 1 {
		t.Errorf("%v, counts %+v", brief(p), p.Counts)
	}
}

func TestASecretThatChangedSinceThePlanIsStale(t *testing.T) {
	b := newBench(t)
	with := func(digest resource.Digest) []resource.Intent {
		s := server("a", "main")
		s.Attrs = s.Attrs.With("password", resource.NewSecret("hunter2", digest))
		return wants(network("main"), s)
	}
	p := b.refresh(b.saved(with("one")), with("two"))
	d, _ := decisionOn(p, ref("server", "a"))
	if d.Action != decider.Notify || len(d.Blockers) == 0 || !strings.Contains(d.Blockers[0].Reason, "its configuration has changed") {
		t.Errorf("decision %+v", d)
	}
}

func TestInvalidPlanFilesAreRefused(t *testing.T) {
	b := newBench(t)
	p := b.plan(wants(disk("a", 20)))
	var file bytes.Buffer
	if err := p.Save(&file); err != nil {
		t.Fatal(err)
	}
	good := file.String()
	for name, text := range map[string]string{
		"edited":        strings.Replace(good, `"action":"create"`, `"action":"delete"`, 1),
		"cut off":       good[:len(good)/2],
		"newer":         strings.Replace(good, `"format":2`, `"format":3`, 1),
		"unknown field": strings.Replace(good, `"format":2`, `"format":2,"else":2`, 1),
		"not a plan":    `{"type":"something"}`,
		"not JSON":      "resources:",
		"empty":         "",
	} {
		if _, err := engine.Load(strings.NewReader(text)); err == nil {
			t.Errorf("%s: it was loaded", name)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"type":"ovi-plan","format":2,"id":"x","at":"2026-01-01T00:00:00Z","mode":"plan","revision":1,"hash":"","stacks":["web"],"counts":{},"observations":[],"decisions":[]}`))
	f.Add([]byte(`{"type":"ovi-plan","format":2,"decisions":[{"decision":{"ref":"a/b/c/d","action":"create","changes":[{"path":"x","to":{"$ref":"a/b/c/e"}}]},"desired":"w"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := engine.Load(bytes.NewReader(b))
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := p.Save(&file); err != nil {
			t.Fatalf("a loaded plan cannot be saved: %v", err)
		}
	})
}
