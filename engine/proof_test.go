package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

var ann = engine.OperatorAction{Who: "ann"}

// TestLaw10_ProofBeforeDestruction_ForgedTagsDeleteNothing: forged tags neither delete nor change a
// resource. On a configured name they are a conflict.
func TestLaw10_ProofBeforeDestruction_ForgedTagsDeleteNothing(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	forged := b.cloud.Put(resource.Observed{
		Ref: ref("disk", "db"), ID: "theirs", Attrs: attrs("size", resource.Int(500)),
		Marks: resource.Marks{Ref: ref("disk", "old"), Owner: "ovi", Key: "x", Blessed: true},
	})
	before := b.calls()
	r := b.apply(wants(disk("d", 20)))
	if b.calls() != before || r.Counts.Delete != 0 {
		t.Errorf("%d calls, counts %+v", b.calls()-before, r.Counts)
	}
	p := b.plan(wants(disk("d", 20), disk("old", 500)))
	d, _ := decisionOn(p, ref("disk", "old"))
	if d.Reason != decider.ReasonConflict || d.Observed.ID != forged.ID || !strings.Contains(d.Suggestion, "ovi adopt disk/old --id theirs") {
		t.Errorf("under its name: %+v", d)
	}
	if p.Counts.Conflict != 1 || p.Counts.Unchanged != 1 {
		t.Errorf("counts: %+v", p.Counts)
	}
}

// TestLostMarksAreRepairedAndNothingIsCreatedTwice: without its tags a resource is still proven.
func TestLostMarksAreRepairedAndNothingIsCreatedTwice(t *testing.T) {
	b := newBench(t)
	want := wants(disk("d", 20))
	b.apply(want)
	o, _, _ := b.cloud.Find(ref("disk", "d"))
	key := o.Marks.Key
	o.Marks = resource.Marks{}
	b.cloud.Put(o)
	if d := cmp.Diff([]string{"update disk/d"}, brief(b.plan(want))); d != "" {
		t.Fatalf("plan (-want +got):\n%s", d)
	}
	b.apply(want)
	got, ok, err := b.cloud.Find(ref("disk", "d"))
	if !ok || err != nil || got.ID != o.ID || got.Marks.Key != key || got.Marks.Ref.Stack != stack {
		t.Errorf("repaired: %+v, %v", got, err)
	}
	b.settled(want)
	got.Marks.Owner = "bob"
	b.cloud.Put(got)
	want[0].Resources[0].Attrs = attrs("size", resource.Int(30))
	p := b.plan(want)
	d, _ := decisionOn(p, ref("disk", "d"))
	if len(d.Changes) != 1 || d.Changes[0].On != resource.OnMark || d.Changes[0].Path != "owner" {
		t.Errorf("with another owner's mark: %+v", d.Changes)
	}
}

// TestACopyBlocksNothingUntilTheOriginalVanishes: a snapshot that is restored outside ovi has the
// tags of the original.
func TestACopyBlocksNothingUntilTheOriginalVanishes(t *testing.T) {
	b := newBench(t)
	want := wants(disk("d", 20))
	b.apply(want)
	o, _, _ := b.cloud.Find(ref("disk", "d"))
	restored := o
	restored.ID = "restored"
	b.cloud.Put(restored)
	b.settled(want)
	b.cloud.Remove(here, o.ID)
	p := b.plan(want)
	d, _ := decisionOn(p, ref("disk", "d"))
	if d.Reason != decider.ReasonConflict || d.Observed.ID != "restored" {
		t.Fatalf("after the original was deleted: %+v", d)
	}
	if _, err := b.engine.Adopt(t.Context(), want, engine.Adoption{OperatorAction: ann, Ref: ref("disk", "d"), ID: "restored"}); err != nil {
		t.Fatal(err)
	}
	b.settled(want)
	if rest := b.cloud.Resources(here); len(rest) != 1 {
		t.Errorf("%+v remain", rest)
	}
}

// TestAFreshDataDirectoryDestroysNothing: another data directory, the same stack and owner.
func TestAFreshDataDirectoryDestroysNothing(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20), disk("e", 20)))
	fresh := blank(t)
	fresh.cloud = b.cloud
	fresh.start()
	defer fresh.stop()
	want := wants(disk("d", 30))
	before := b.calls()
	if p := fresh.plan(want); !strings.Contains(strings.Join(brief(p), "; "), "notify disk/d") {
		t.Errorf("plan: %v", brief(p))
	}
	fresh.apply(want)
	if b.calls() != before {
		t.Errorf("%d calls", b.calls()-before)
	}
	marked, err := fresh.engine.Marked(t.Context(), want, false)
	if err != nil || len(marked) != 2 {
		t.Fatalf("marked: %+v, %v", marked, err)
	}
	if n, err := fresh.engine.AdoptAll(t.Context(), want, marked, ann, false); n != 2 || err != nil {
		t.Fatalf("adopted %d: %v", n, err)
	}
	if d := cmp.Diff([]string{"update disk/d", "delete disk/e"}, brief(fresh.plan(want))); d != "" {
		t.Errorf("plan after (-want +got):\n%s", d)
	}
}

// inStack is a configuration of another stack with the same names.
func inStack(name string, intents []resource.Intent) []resource.Intent {
	in := intents[0]
	in.Stack, in.Resources = name, slices.Clone(in.Resources)
	for i := range in.Resources {
		d := &in.Resources[i]
		d.Ref = d.Ref.In(name)
		d.Attrs, _ = resource.MapRefs(d.Attrs, func(r resource.Reference) resource.Value {
			return resource.Reference{Ref: r.Ref.In(name), Path: r.Path}
		}).(resource.Attrs)
	}
	return []resource.Intent{in}
}

// TestTwoStacksMayUseTheSameNames in one location, each with its own data directory.
func TestTwoStacksMayUseTheSameNames(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("data", 20)))
	o, _, _ := b.cloud.Find(ref("disk", "data"))
	o.Ref.Name = o.ID // a system without names
	b.cloud.Put(o)
	other := blank(t)
	other.cloud = b.cloud
	other.start()
	defer other.stop()
	want := inStack("shop", wants(disk("data", 40)))
	other.apply(want)
	other.settled(want)
	b.settled(wants(disk("data", 20)))
	if rest := b.cloud.Resources(here); len(rest) != 2 {
		t.Errorf("%+v remain", rest)
	}
}

func TestForgottenResourcesAreNotChanged(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	if _, err := b.engine.Forget(t.Context(), ref("disk", "d"), "", ann); err != nil {
		t.Fatal(err)
	}
	before := b.calls()
	b.apply(wants())
	if b.calls() != before {
		t.Errorf("%d calls on a forgotten resource", b.calls()-before)
	}
	p := b.plan(wants(disk("d", 20)))
	if d, _ := decisionOn(p, ref("disk", "d")); d.Reason != decider.ReasonConflict {
		t.Errorf("configured again: %+v", d)
	}
	copied := b.cloud.Put(resource.Observed{Ref: ref("disk", "asg"), ID: "copied", Marks: resource.Marks{Ref: ref("disk", "x"), Owner: "ovi"}, Attrs: attrs("size", resource.Int(1))})
	if _, err := b.engine.Forget(t.Context(), ref("disk", "x"), copied.ID, ann); err != nil {
		t.Fatal(err)
	}
	b.apply(wants(disk("x", 20)))
	if got, ok, err := b.cloud.Find(ref("disk", "x")); err == nil && ok && got.ID == copied.ID {
		t.Error("a dismissed resource blocks the create")
	}
}

func TestMoveChangesTheBindingAndTheMarks(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("old", 20)))
	o, _, _ := b.cloud.Find(ref("disk", "old"))
	if err := b.engine.Move(t.Context(), ref("disk", "old"), ref("disk", "new"), ann); err != nil {
		t.Fatal(err)
	}
	got, ok, _ := b.cloud.Find(ref("disk", "new"))
	if !ok || got.ID != o.ID {
		t.Fatalf("moved: %+v", got)
	}
	b.settled(wants(disk("new", 20)))
	if p := b.plan(wants(disk("old", 20), disk("new", 20))); len(p.Plan.Decisions) != 1 || p.Plan.Decisions[0].Action != decider.Create {
		t.Errorf("the old name is not free: %v", brief(p))
	}
	if got := b.events(event.TypeMoved); len(got) != 1 {
		t.Errorf("records: %v", got)
	}
	b.replays()
}

// unreachable is a provider that cannot be reached.
type unreachable struct{ *fake.Cloud }

var errOffline = errors.New("the network is down")

func (unreachable) Locate(context.Context, string) (string, error) { return "", errOffline }

// TestMaxAgeNeedsNoProvider: a plan with MaxAge does not resolve locations at the provider.
func TestMaxAgeNeedsNoProvider(t *testing.T) {
	b := newBench(t)
	want := wants(disk("d", 20))
	b.apply(want)
	b.plan(want)
	e := engine.New(engine.Config{Providers: provider.Set{"fake": unreachable{b.cloud}}, Ledger: b.ledger, Claims: b.claims})
	p, err := e.Plan(t.Context(), want, engine.PlanOptions{MaxAge: time.Hour})
	if err != nil || p.Counts.Unchanged != 1 || p.Counts.Unreachable != 0 {
		t.Errorf("%+v, %v", p.Counts, err)
	}
	if p, err = e.Plan(t.Context(), want, engine.PlanOptions{}); err != nil || p.Counts.Unreachable != 1 {
		t.Errorf("without MaxAge: %+v, %v", p.Counts, err)
	}
}

// TestUnreadResourcesAreNotEvaluated: a plan that configures none of them counts those that it could
// not read, of one kind or of a whole location, and destroys nothing that they depend on.
func TestUnreadResourcesAreNotEvaluated(t *testing.T) {
	b := newBench(t)
	b.apply(wants(network("main"), server("a", "main"), disk("d", 20)))
	denied := func(unread func(s *resource.Snapshot)) *engine.Planned {
		e := engine.New(engine.Config{Providers: provider.Set{"fake": partial{b.cloud, unread}}, Ledger: b.ledger, Claims: b.claims})
		p, err := e.Plan(t.Context(), wants(), engine.PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := denied(func(s *resource.Snapshot) {
		s.Resources = slices.DeleteFunc(s.Resources, func(o resource.Observed) bool { return o.Ref.Kind == "server" })
		s.Unreachable = map[string]error{"server": errors.New("access denied")}
	})
	want := []string{"notify server/a", "delete disk/d", "notify network/main (delete blocked by unreachable)"}
	got := brief(p)
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" || p.Counts.Unreachable != 1 {
		t.Errorf("without the servers (-want +got):\n%s%+v", d, p.Counts)
	}
	p = denied(nil)
	if p.Counts.Unreachable != 3 || p.Counts.Delete != 0 {
		t.Errorf("without the location: %+v", p.Counts)
	}
}

// partial is a provider whose observations lack something; with a nil function all.
type partial struct {
	*fake.Cloud
	unread func(*resource.Snapshot)
}

func (p partial) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	if p.unread == nil {
		return resource.Snapshot{}, errOffline
	}
	s, err := p.Cloud.Observe(ctx, r)
	p.unread(&s)
	return s, err
}

// TestNotVerifiedIsNotUnchanged: a write-only attribute of an adopted resource cannot be compared.
func TestNotVerifiedIsNotUnchanged(t *testing.T) {
	b := newBench(t)
	b.apply(wants(network("main"), server("a", "main")))
	o, _, _ := b.cloud.Find(ref("server", "a"))
	fresh := blank(t)
	fresh.cloud = b.cloud
	fresh.start()
	defer fresh.stop()
	scripted := server("a", "main")
	scripted.Attrs = scripted.Attrs.With("script", resource.String("echo"))
	want := wants(network("main"), scripted)
	for _, r := range []resource.Ref{ref("network", "main"), ref("server", "a")} {
		if _, err := fresh.engine.Adopt(t.Context(), want, engine.Adoption{OperatorAction: ann, Ref: r}); err != nil {
			t.Fatal(err)
		}
	}
	p := fresh.plan(want)
	if p.Counts.NotVerified != 1 || p.Counts.Unchanged != 1 || len(p.Plan.NotVerified) != 1 || p.Plan.NotVerified[0].Paths[0] != "script" {
		t.Errorf("counts %+v, not verified %+v of %s", p.Counts, p.Plan.NotVerified, o.ID)
	}
}

// TestNotVerifiedStaysSoUntilItIsSet: an update of something else verifies nothing; a new value is
// set, and verified by that.
func TestNotVerifiedStaysSoUntilItIsSet(t *testing.T) {
	b := newBench(t)
	b.apply(wants(network("main"), server("a", "main")))
	fresh := blank(t)
	fresh.cloud = b.cloud
	fresh.start()
	defer fresh.stop()
	scripted := func(script string, tags resource.Tags) []resource.Intent {
		s := server("a", "main")
		s.Attrs, s.Tags = s.Attrs.With("script", resource.String(script)), tags
		return wants(network("main"), s)
	}
	tagged := resource.TagsOf(map[string]string{"team": "x"})
	want := scripted("one", nil)
	for _, r := range []resource.Ref{ref("network", "main"), ref("server", "a")} {
		if _, err := fresh.engine.Adopt(t.Context(), want, engine.Adoption{OperatorAction: ann, Ref: r}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		want        []resource.Intent
		notVerified int
	}{
		{scripted("one", nil), 1}, {scripted("one", tagged), 1}, {scripted("one", nil), 1}, {scripted("two", nil), 0}, {scripted("two", tagged), 0},
	} {
		fresh.apply(c.want)
		if p := fresh.plan(c.want); !p.Plan.Empty() || p.Counts.NotVerified != c.notVerified {
			t.Errorf("%v: plan %v, %d not verified, want %d", c.want[0].Resources[1].Tags, brief(p), p.Counts.NotVerified, c.notVerified)
		}
	}
}

// TestAnAdoptedResourceHasNoRecordOfAnother: what was applied to a resource that another one of its
// name replaces is not what the other one has; and a value that is changed after the adoption is set.
func TestAnAdoptedResourceHasNoRecordOfAnother(t *testing.T) {
	b := newBench(t)
	scripted := func(script string) []resource.Intent {
		s := server("a", "main")
		s.Attrs = s.Attrs.With("script", resource.String(script))
		return wants(network("main"), s)
	}
	b.apply(scripted("one"))
	o, _, _ := b.cloud.Find(ref("server", "a"))
	restored := o
	restored.ID, restored.UID = "restored", "another"
	b.cloud.Put(restored)
	b.cloud.Remove(here, o.ID)
	b.plan(scripted("one"))
	if _, err := b.engine.Adopt(t.Context(), scripted("one"), engine.Adoption{OperatorAction: ann, Ref: ref("server", "a"), ID: "restored"}); err != nil {
		t.Fatal(err)
	}
	if p := b.plan(scripted("one")); p.Counts.NotVerified != 1 || !p.Plan.Empty() {
		t.Errorf("plan %v, counts %+v", brief(p), p.Counts)
	}
	p := b.plan(scripted("two"))
	d, _ := decisionOn(p, ref("server", "a"))
	if len(d.Changes) != 1 || d.Changes[0].Path != "script" {
		t.Errorf("another value: %+v", d.Changes)
	}
	b.replays()
}

// TestReferencesFollowTheirValues: the address of one resource in an attribute of another is known
// after apply, is applied in the same run, and differs when the address changes.
func TestReferencesFollowTheirValues(t *testing.T) {
	b := newBench(t)
	address := resource.Text{resource.String("DB="), resource.Reference{Ref: ref("server", "db"), Path: "address"}}
	app := server("app", "main")
	app.Attrs = app.Attrs.With("env", attrs("DB", address))
	want := wants(network("main"), server("db", "main"), app)
	p := b.plan(want)
	d, _ := decisionOn(p, ref("server", "app"))
	if !d.Changes[0].KnownAfterApply {
		t.Errorf("planned: %+v", d.Changes)
	}
	b.apply(want)
	o, _, _ := b.cloud.Find(ref("server", "app"))
	env, _ := o.Attrs.Get("env")
	db, _, _ := b.cloud.Find(ref("server", "db"))
	at, _ := db.Attrs.Get("address")
	if v, _ := env.(resource.Attrs).Get("DB"); v != "DB="+at.(resource.String) {
		t.Errorf("applied %v, the address is %v", v, at)
	}
	b.settled(want)
	db.Attrs = db.Attrs.With("address", resource.String("10.9.9.9"))
	b.cloud.Put(db)
	if d := cmp.Diff([]string{"update server/app"}, brief(b.plan(want))); d != "" {
		t.Errorf("after the address changed (-want +got):\n%s", d)
	}
	b.apply(want)
	b.settled(want)
}
