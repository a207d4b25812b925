package engine_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/storage"
)

// publishing is a configuration with outputs.
func publishing(values resource.Attrs, resources ...resource.Desired) []resource.Intent {
	in := wants(resources...)
	in[0].Outputs = values
	return in
}

// published lists the recorded outputs of a stack as words, with the numbers of their records.
func (b *bench) published() (out []string, records map[string]uint64) {
	b.t.Helper()
	all, err := query.Outputs(b.t.Context(), b.ledger.Reader(), stack, storage.Now)
	if err != nil {
		b.t.Fatal(err)
	}
	records = map[string]uint64{}
	for _, o := range all {
		out = append(out, o.Name+"="+string(outputs.Plain(o.Value)))
		records[o.Name] = o.Record
	}
	return out, records
}

func (b *bench) publishes(want ...string) {
	b.t.Helper()
	if got, _ := b.published(); !slices.Equal(got, want) {
		b.t.Errorf("recorded %v, want %v", got, want)
	}
}

// TestOutputsAreRecordedAfterTheActions: with the values that the resources have then, once, and without an action.
func TestOutputsAreRecordedAfterTheActions(t *testing.T) {
	b := newBench(t)
	net := resource.Reference{Ref: ref("network", "main"), Path: "range"}
	values := attrs("net", net, "text", resource.Text{resource.String("at "), net}, "n", resource.Int(1))
	want := publishing(values, network("main"), server("a", "main"))
	p := b.plan(want)
	if len(p.Plan.Outputs) != 3 || !p.Plan.Outputs[1].Late || p.Plan.Outputs[0].Late {
		t.Errorf("%+v", p.Plan.Outputs)
	}
	b.publishes()
	b.apply(want)
	b.publishes("n=1", `net="10.0.0.0/16"`, `text="at 10.0.0.0/16"`)
	b.settled(want)
	_, first := b.published()

	calls := b.calls()
	want[0].Outputs = values.With("n", resource.Int(2)).Without("text")
	p = b.plan(want)
	if p.Plan.Empty() || len(p.Plan.Decisions) > 0 {
		t.Errorf("%v %+v", brief(p), p.Plan.Outputs)
	}
	if r := b.apply(want); len(r.Outputs) != 2 || len(r.Outcomes) != 0 {
		t.Errorf("%+v", r.Outputs)
	}
	b.publishes("n=2", `net="10.0.0.0/16"`)
	b.settled(want)
	if _, now := b.published(); now["net"] != first["net"] || now["n"] <= first["n"] {
		t.Errorf("records %v, then %v: an unchanged output keeps its number", first, now)
	}
	if b.calls() != calls {
		t.Error("the provider was called")
	}

	// Of a source that was not read in full, no output is removed.
	partial := publishing(nil, network("main"), server("a", "main"))
	partial[0].Partial = true
	b.apply(partial)
	b.publishes("n=2", `net="10.0.0.0/16"`)

	p, err := b.engine.Plan(t.Context(), want, engine.PlanOptions{Mode: event.ForApply, Destroy: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	b.publishes()
}

// TestAnOutputOfAFailedActionKeepsItsRecord: the others are recorded.
func TestAnOutputOfAFailedActionKeepsItsRecord(t *testing.T) {
	b := newBench(t)
	size := resource.Reference{Ref: ref("disk", "d"), Path: "size"}
	b.apply(publishing(attrs("size", size), disk("d", 8)))
	b.publishes("size=8")
	b.cloud.Break(fake.Faults{Before: fake.Every(fake.Update, ref("disk", "d"), fake.ErrConfiguration)})
	b.apply(publishing(attrs("size", size, "more", resource.Bool(true)), disk("d", 16)))
	b.publishes("more=true", "size=8")
}

// TestALoopRecordsOutputsOnce: they are a change without an action, and no change afterwards.
func TestALoopRecordsOutputsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		d := &diary{}
		want := publishing(attrs("n", resource.Int(1)), network("main"))
		b.apply(wants(network("main")))
		stop := b.loops(stackOf(want), loop.RunOptions{Apply: true, Interval: time.Minute, Tell: d.tell})
		time.Sleep(10 * time.Minute)
		if err := stop(); err != nil {
			t.Error(err)
		}
		b.publishes("n=1")
		if got := strings.Join(b.events(event.TypeOutputsChanged, event.TypeApproved), " "); got != "approved outputs_changed" {
			t.Errorf("recorded %s", got)
		}
	})
}

// TestOutputsOfAnotherStackAreReadFromTheRecord: they have the type of their attribute, and a saved plan has their
// records.
func TestOutputsOfAnotherStackAreReadFromTheRecord(t *testing.T) {
	b := newBench(t)
	net := resource.Intent{Stack: "net.eu", Scopes: []resource.Scope{here}, Outputs: attrs("size", resource.Int(16), "list", resource.List{})}
	refer := func(name, text string) resource.Desired {
		return resource.Desired{Ref: ref("disk", name), Attrs: attrs("size", outputs.Refer(text))}
	}
	want := wants(refer("a", "net.eu.size"), refer("b", "net.eu.list"), refer("c", "net.eu.none"), disk("d", 8))
	want[0].Outputs = attrs("copy", resource.Text{resource.String("x"), outputs.Refer("net.eu.size")})
	if p := b.plan(want); len(p.NotFound) != 3 || len(p.Plan.StackPins) != 0 {
		t.Errorf("before it was applied: %+v", p.NotFound)
	}
	b.apply([]resource.Intent{net})
	p := b.plan(want)
	if got := strings.Join(brief(p), ", "); got != "create disk/a, notify disk/b (create blocked by lookup), "+
		"notify disk/c (create blocked by lookup), create disk/d" {
		t.Error(got)
	}
	if len(p.Plan.StackPins) != 2 || len(p.NotFound) != 2 || !p.NotFound[0].Unfit || p.NotFound[1].Unfit {
		t.Errorf("%+v %+v", p.Plan.StackPins, p.NotFound)
	}
	saved := &bytes.Buffer{}
	if err := p.Save(saved); err != nil {
		t.Fatal(err)
	}
	digest := p.Plan.Digest()
	net.Outputs = net.Outputs.With("size", resource.Int(32))
	b.apply([]resource.Intent{net})
	if b.plan(want).Plan.Digest() == digest {
		t.Error("another record has the same digest")
	}
	loaded, err := engine.Load(saved)
	if err != nil || loaded.Plan.Digest() != digest {
		t.Fatal(err)
	}
	fresh, err := b.engine.Refresh(t.Context(), loaded, want, engine.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(fresh.NotFound, func(n engine.NotFound) bool { return n.Stale }); i < 0 {
		t.Errorf("%+v", fresh.NotFound)
	}
	if d, ok := decisionOn(fresh, ref("disk", "a")); !ok || d.Action.Executes() {
		t.Errorf("%+v", d)
	}
	if d, ok := decisionOn(fresh, ref("disk", "d")); !ok || !d.Action.Executes() {
		t.Errorf("%+v", d)
	}
	b.apply(want)
	if a, _, _ := b.cloud.Find(ref("disk", "a")); !slices.Equal(a.Attrs, attrs("size", resource.Int(32))) && a.ID == "" {
		t.Errorf("%+v", a.Attrs)
	}
	b.publishes(`copy="x32"`)
}
