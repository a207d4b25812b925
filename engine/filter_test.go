package engine_test

import (
	"slices"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
)

// filteringBench has one managed disk on a provider that honors filters.
func filteringBench(t *testing.T) (b *bench, own resource.Observed) {
	t.Helper()
	b = newBench(t)
	b.cloud.Filter()
	b.apply(wants(disk("a", 20)))
	own, ok, err := b.cloud.Find(ref("disk", "a"))
	if !ok || err != nil {
		t.Fatalf("nothing was created: %v", err)
	}
	return b, own
}

func (b *bench) strip(o resource.Observed) {
	o.Marks = resource.Marks{}
	b.cloud.Put(o)
}

// TestLaw1_AbsenceNeedsACompleteRead_WithAFilter: what lost its marks is found by its ID, and gets them
// back; it is neither missing nor created a second time.
func TestLaw1_AbsenceNeedsACompleteRead_WithAFilter(t *testing.T) {
	b, own := filteringBench(t)
	b.strip(own)
	r := b.apply(wants(disk("a", 20)))
	if all := b.cloud.Resources(here); len(all) != 1 || all[0].Marks.Ref != ref("disk", "a") {
		t.Errorf("after %+v: %+v", r.Outcomes, all)
	}
	b.settled(wants(disk("a", 20)))
	now, _, _ := b.cloud.Find(ref("disk", "a"))
	b.cloud.Remove(here, now.ID)
	p := b.plan(wants(disk("a", 20)))
	if d := p.Plan.Decisions; len(d) != 1 || d[0].Action != decider.Create {
		t.Errorf("what was deleted is not created: %+v", d)
	}
}

// TestAFilterShowsWhatIsInTheWay: a resource that was forgotten and lost its marks too, and one with
// copied marks.
func TestAFilterShowsWhatIsInTheWay(t *testing.T) {
	b, own := filteringBench(t)
	b.cloud.Put(resource.Observed{Ref: ref("disk", "twin"), ID: "disk-copy", Marks: own.Marks})
	p := b.plan(wants(disk("a", 20)))
	if !slices.ContainsFunc(p.Plan.Decisions, func(d decider.Decision) bool {
		return d.Difference == comparator.Unmanaged && d.Observed.ID == "disk-copy" && d.Observed.Ownership == resource.Copied
	}) {
		t.Errorf("a copy is not listed: %+v", p.Plan.Decisions)
	}
	b.cloud.Remove(here, "disk-copy")
	if _, err := b.engine.Forget(t.Context(), ref("disk", "a"), "", ann); err != nil {
		t.Fatal(err)
	}
	b.strip(own)
	p = b.plan(wants(disk("a", 20)))
	if d := p.Plan.Decisions; len(d) != 1 || d[0].Difference != comparator.Conflict {
		t.Errorf("a forgotten resource is not in the way: %+v", d)
	}
	r := b.apply(wants(disk("a", 20)))
	if n := len(b.cloud.Resources(here)); n != 1 {
		t.Errorf("%d resources after %+v", n, r.Outcomes)
	}
}

// TestAFilterConcludesNothingOfOthers: what an inventory has found stays on record, with its age, until
// the next one; plans count it.
func TestAFilterConcludesNothingOfOthers(t *testing.T) {
	b, _ := filteringBench(t)
	b.cloud.Put(resource.Observed{Ref: ref("disk", "by-hand"), ID: "disk-hand"})
	unmanaged := func() []history.Unmanaged {
		all, err := history.New(b.ledger.Reader()).Unmanaged(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if p := b.plan(wants(disk("a", 20))); p.Plan.Unlisted != 0 || len(unmanaged()) != 0 {
		t.Fatalf("%d are unmanaged, %d on record, before the first inventory", p.Plan.Unlisted, len(unmanaged()))
	}
	if _, err := b.engine.Inventory(t.Context(), wants(disk("a", 20)), 0); err != nil {
		t.Fatal(err)
	}
	before := unmanaged()
	b.cloud.Remove(here, "disk-hand")
	p := b.plan(wants(disk("a", 20)))
	if now := unmanaged(); p.Plan.Unlisted != 1 || len(now) != 1 || !now[0].Seen.Equal(before[0].Seen) || !now[0].Before {
		t.Errorf("%d are unmanaged; on record %+v, before %+v", p.Plan.Unlisted, now, before)
	}
	whole, err := b.engine.Plan(t.Context(), wants(disk("a", 20)), engine.PlanOptions{AllKinds: true})
	if err != nil || whole.Plan.Unlisted != 0 || len(unmanaged()) != 0 {
		t.Errorf("%v, %d are unmanaged and %+v on record, after a plan that reads all", err, whole.Plan.Unlisted, unmanaged())
	}
}
