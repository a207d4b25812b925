package engine_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
)

// formerly configures a resource under a new name.
func formerly(d resource.Desired, name string) resource.Desired {
	d.Was = ref(d.Ref.Kind, name)
	return d
}

// TestARenameInTheConfigurationKeepsTheResource: nothing is deleted or created, and the record of the resource is under
// the new name, also after the store is rebuilt.
func TestARenameInTheConfigurationKeepsTheResource(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	was, err := b.ledger.Binding(t.Context(), ref("disk", "one"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.ledger.Record(t.Context(), event.LastGood{Ref: ref("disk", "one"), Desired: "d"},
		event.Blessed{Ref: ref("disk", "one"), On: true, Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	intents := wants(formerly(disk("two", 20), "one"))
	p := b.plan(intents)
	if len(p.Plan.Decisions) != 1 || p.Plan.Decisions[0].Action != decider.Update || p.Plan.Decisions[0].Reason != decider.ReasonRenamed {
		t.Fatalf("plan: %+v", p.Plan.Decisions)
	}
	res := b.apply(intents)
	if len(res.Outcomes) != 1 || res.Outcomes[0].Status != engine.Done || res.Outcomes[0].ID != was.ID {
		t.Errorf("outcomes: %+v", res.Outcomes)
	}
	now, err := b.ledger.Binding(t.Context(), ref("disk", "two"))
	if err != nil || now.ID != was.ID {
		t.Errorf("disk/two is bound to %s, want %s: %v", now.ID, was.ID, err)
	}
	if applied, known, err := b.ledger.Applied(t.Context(), ref("disk", "two"), 0); err != nil || !known || applied.Desired == "" {
		t.Errorf("applied: %+v %v %v", applied, known, err)
	}
	good, _, err := b.ledger.Reader().LastGoodOf(t.Context(), ref("disk", "two"))
	if err != nil || good.Ref != ref("disk", "two") || good.Desired != "d" {
		t.Errorf("the last good configuration: %+v %v", good, err)
	}
	blessed, err := b.ledger.Blessings(t.Context())
	if err != nil || len(blessed) != 1 || blessed[0].Ref != ref("disk", "two") {
		t.Errorf("blessed: %+v %v", blessed, err)
	}
	b.settled(intents)
	b.replays()
}

// TestARenamedResourceIsStillProvenToBeOurs: a replacement under the new name deletes the resource by the record that
// created it.
func TestARenamedResourceIsStillProvenToBeOurs(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	created, err := b.ledger.Binding(t.Context(), ref("disk", "one"))
	if err != nil {
		t.Fatal(err)
	}
	intents := wants(formerly(disk("two", 10), "one"))
	p := b.plan(intents)
	if d, _ := decisionOn(p, ref("disk", "two")); d.Proposed.Destroys() && (d.Origin == nil || d.Origin.Record != created.Seq) {
		t.Errorf("the origin is %+v, want record %d", d.Origin, created.Seq)
	}
	b.apply(intents)
	b.settled(intents)
}

// TestAMovedResourceAndTheUneditedFile: until the new name is configured, nothing of either name is done; with the
// edited file nothing is left to do.
func TestAMovedResourceAndTheUneditedFile(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	if err := b.engine.Move(t.Context(), ref("disk", "one"), ref("disk", "two"), ann); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		res := b.apply(wants(disk("one", 20)))
		if len(res.Outcomes) != 0 || res.Counts.Conflict != 2 {
			t.Errorf("apply of the unedited file: %+v %+v", res.Outcomes, res.Counts)
		}
	}
	b.settled(wants(disk("two", 20)))
	b.settled(wants(formerly(disk("two", 20), "one")))
	res := b.apply(wants(disk("one", 20), disk("two", 20))) // the name is used again
	if res.Counts.Create != 1 || res.Counts.Delete != 0 {
		t.Errorf("the old name again: %+v", res.Counts)
	}
	b.replays()
}

// TestARenameThatIsReverted: who reverts the commit with `was` gets a conflict, and no second resource.
func TestARenameThatIsReverted(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	b.apply(wants(formerly(disk("two", 20), "one")))
	res := b.apply(wants(disk("one", 20)))
	if len(res.Outcomes) != 0 || res.Counts.Conflict != 2 {
		t.Errorf("%+v %+v", res.Outcomes, res.Counts)
	}
	b.apply(wants(formerly(disk("one", 20), "two")))
	b.settled(wants(disk("one", 20)))
}

// TestARenameCountsOnce: a former name that stays in the configuration renames nothing more, however often its name is
// used again.
func TestARenameCountsOnce(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	two := formerly(disk("two", 20), "one")
	b.apply(wants(two))
	b.apply(wants(two, disk("one", 30)))
	b.settled(wants(two, disk("one", 30)))
	three := formerly(disk("three", 30), "one")
	b.apply(wants(two, three))
	b.apply(wants(two, three, disk("one", 40)))
	b.settled(wants(two, three, disk("one", 40)))
	if got := b.events(event.TypeMoved); len(got) != 2 {
		t.Errorf("renames: %v", got)
	}
	b.replays()
}

// TestMovedResourcesKeepTheirPlaces: the list of a source renames as a former name in a block does, and may stay.
func TestMovedResourcesKeepTheirPlaces(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	moved := func(all ...resource.Desired) []resource.Intent {
		in := wants(all...)
		in[0].Moved = []resource.Move{
			{From: ref("disk", "one"), To: ref("disk", "two")}, {From: ref("disk", "two"), To: ref("disk", "three")},
		}
		return in
	}
	res := b.apply(moved(disk("three", 20)))
	if res.Counts.Rename != 1 || res.Counts.Create+res.Counts.Delete != 0 {
		t.Errorf("%+v", res.Counts)
	}
	b.settled(moved(disk("three", 20)))
	if res := b.apply(moved()); res.Counts.Delete != 1 {
		t.Errorf("no longer configured: %+v", res.Counts)
	}
}

// TestABlockedRenameIsNotRecorded: by a target, or by an approval that is missing.
func TestABlockedRenameIsNotRecorded(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20), disk("other", 20)))
	intents := wants(formerly(disk("two", 20), "one"), disk("other", 20))
	p, err := b.engine.Plan(t.Context(), intents, engine.PlanOptions{Mode: event.ForApply, Excludes: []string{"disk/two"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := b.events(event.TypeMoved); len(got) != 0 {
		t.Errorf("recorded: %v", got)
	}
}

// TestANameIsFreeBeforeItIsUsedAgain: in a chain of renames, each is recorded after the one that frees its name.
func TestANameIsFreeBeforeItIsUsedAgain(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("a", 20), disk("b", 30), disk("c", 40)))
	ids := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		bound, err := b.ledger.Binding(t.Context(), ref("disk", name))
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = bound.ID
	}
	intents := wants(formerly(disk("b", 20), "a"), formerly(disk("c", 30), "b"), formerly(disk("d", 40), "c"))
	p := b.plan(intents)
	if len(p.Plan.Renames) != 3 {
		t.Fatalf("%+v", p.Plan.Renames)
	}
	b.apply(intents)
	b.settled(intents)
	got := map[string]string{}
	for now, was := range map[string]string{"b": "a", "c": "b", "d": "c"} {
		bound, err := b.ledger.Binding(t.Context(), ref("disk", now))
		if err != nil {
			t.Fatal(err)
		}
		if got[was] = bound.ID; bound.ID != ids[was] {
			t.Errorf("disk/%s is %s, want %s", now, bound.ID, ids[was])
		}
	}
	if d := cmp.Diff(ids, got); d != "" {
		t.Error(d)
	}
	drifted := wants(formerly(disk("b", 25), "a"), formerly(disk("c", 35), "b"), formerly(disk("d", 45), "c"))
	if res := b.apply(drifted); res.Counts.Update != 3 || res.Counts.Conflict != 0 {
		t.Errorf("former names that are done hold up updates: %+v", res.Counts)
	}
	b.replays()
	if diff := b.plan(drifted).Plan.Decisions; len(diff) != 0 && diff[0].Difference != comparator.Unmanaged {
		t.Errorf("%+v", diff)
	}
}

// TestARemovedResourceStays: with an entry of `removed`, a resource is forgotten and not deleted, once. That is no destroy
// for a budget, needs no provider, and what is misspelled deletes nothing.
func TestARemovedResourceStays(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20), disk("two", 30)))
	without := func(keep bool, name string, all ...resource.Desired) []resource.Intent {
		in := wants(all...)
		in[0].Rules.MaxDestroy = rules.Budget{Set: true}
		if keep {
			in[0].Removed = []resource.Move{{From: ref("disk", name)}}
		}
		return in
	}
	if res := b.apply(without(true, "oen", disk("two", 30))); res.Counts.Conflict != 1 || len(res.Outcomes) != 0 {
		t.Errorf("misspelled: %+v", res.Counts)
	}
	if res := b.apply(without(false, "one", disk("two", 30))); res.Counts.Blocked != 1 {
		t.Errorf("without keep it is a delete: %+v", res.Counts)
	}
	intents := without(true, "one", disk("two", 30))
	p := b.plan(intents)
	d, _ := decisionOn(p, ref("disk", "one"))
	if d.Action != decider.Forget || p.Counts.Forget != 1 || d.DataLoss != "" {
		t.Errorf("plan: %+v, %+v", d, p.Counts)
	}
	destroys := without(true, "nothing", disk("two", 30))
	destroys[0].Removed = nil
	if b.plan(destroys).Plan.Digest() == p.Plan.Digest() {
		t.Error("an approval of the one covers the other")
	}
	res := b.apply(intents)
	if res.Counts.Forget != 1 || res.Counts.Delete != 0 {
		t.Errorf("%+v %+v", res.Outcomes, res.Counts)
	}
	if have, _, err := b.cloud.Find(ref("disk", "one")); err != nil || have.ID == "" {
		t.Error("the disk was deleted")
	}
	if _, err := b.ledger.Binding(t.Context(), ref("disk", "one")); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("it is still bound: %v", err)
	}
	for range 2 {
		if res := b.apply(intents); res.Counts.Forget+res.Counts.Conflict+res.Counts.Delete != 0 {
			t.Errorf("again: %+v", res.Counts)
		}
	}
	gone := without(true, "one")
	gone[0].Rules.MaxDestroy = rules.Budget{}
	if res := b.apply(gone); res.Counts.Delete != 1 {
		t.Errorf("an entry that is done holds up other deletes: %+v", res.Counts)
	}
	b.replays()
}

// TestABlessedResourceIsNotForgotten by the configuration, as it is not deleted.
func TestABlessedResourceIsNotForgotten(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	if _, err := b.ledger.Record(t.Context(), event.Blessed{Ref: ref("disk", "one"), On: true, Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	in := wants()
	in[0].Removed = []resource.Move{{From: ref("disk", "one")}}
	if res := b.apply(in); res.Counts.Blocked != 1 || len(b.events(event.TypeDisowned)) != 0 {
		t.Errorf("%+v", res.Counts)
	}
}

// TestARenameThatWaitsOrIsRefused: until a rename is approved, and if a rule denies it, nothing is recorded, and the
// resource stays what it was. The commit can be reverted without a trace.
func TestARenameThatWaitsOrIsRefused(t *testing.T) {
	for name, limit := range map[string]rules.Rules{
		"waits":  {Approvals: []rules.Approval{{Actions: []string{"update"}, Approvers: 1}}},
		"denied": {Expressions: []rules.Expression{{Name: "no", When: "decision.action == 'update'", Effect: "deny"}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.apply(wants(disk("one", 20)))
			was, err := b.ledger.Binding(t.Context(), ref("disk", "one"))
			if err != nil {
				t.Fatal(err)
			}
			limited := func(all ...resource.Desired) []resource.Intent {
				in := wants(all...)
				in[0].Rules = limit
				return in
			}
			renamed := limited(formerly(disk("two", 20), "one"))
			for range 2 {
				if res := b.apply(renamed); res.Counts.Blocked != 1 || len(b.events(event.TypeMoved)) != 0 {
					t.Errorf("%+v", res.Counts)
				}
			}
			b.settled(limited(disk("one", 20))) // the commit is reverted
			if now, err := b.ledger.Binding(t.Context(), ref("disk", "one")); err != nil || now.ID != was.ID {
				t.Errorf("disk/one is %s, was %s: %v", now.ID, was.ID, err)
			}
			b.apply(wants(formerly(disk("two", 20), "one")))
			b.settled(renamed)
			b.replays()
		})
	}
}

// TestLaw10_ProofBeforeDestruction_ARenameWithoutProofIsStale: the store was edited between plan and apply, so that nothing
// proves the resource any more. Nothing is recorded, and the outcome names the cause and no system that cannot be reached.
func TestLaw10_ProofBeforeDestruction_ARenameWithoutProofIsStale(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	p := b.plan(wants(formerly(disk("two", 20), "one")))
	var ops []storage.Op
	entries, _, err := b.store.Range(t.Context(), rows.BindingsOf(ref("disk", "one")), storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range entries {
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, storage.Op{Key: e.Key, Value: bytes.Replace(e.Value, []byte(`"generation":1`), []byte(`"generation":2`), 1)})
		if bytes.Equal(ops[0].Value, e.Value) {
			t.Fatalf("nothing to change in %s", e.Value)
		}
	}
	if _, err := b.store.Commit(t.Context(), storage.Tx{Ops: ops}); err != nil {
		t.Fatal(err)
	}
	r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{})
	if err != nil || len(r.Outcomes) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if o := r.Outcomes[0]; o.Status != engine.Stale || o.Passes || !strings.Contains(o.Detail, "not proven any more") {
		t.Errorf("%s, passes %v: %s", o.Status, o.Passes, o.Detail)
	}
	if moved := b.events(event.TypeMoved); len(moved) > 0 {
		t.Errorf("recorded %+v", moved)
	}
}

// TestANameThatIsUsedAgainWhileItsFormerOwnerKeepsIt: in one plan, the old name is a new resource, and the old resource
// has the new name. Neither is lost, made twice or taken by the other.
func TestANameThatIsUsedAgainWhileItsFormerOwnerKeepsIt(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	was, err := b.ledger.Binding(t.Context(), ref("disk", "one"))
	if err != nil {
		t.Fatal(err)
	}
	again := wants(formerly(disk("two", 20), "one"), disk("one", 30))
	if res := b.apply(again); res.Counts.Conflict != 2 || len(res.Outcomes) != 0 {
		t.Errorf("a name that is configured, with its old block: %+v", res.Counts) // a merge may have left that
	}
	b.apply(wants(formerly(disk("two", 20), "one")))
	b.apply(again)
	b.settled(again)
	two, err2 := b.ledger.Binding(t.Context(), ref("disk", "two"))
	one, err1 := b.ledger.Binding(t.Context(), ref("disk", "one"))
	if err1 != nil || err2 != nil || two.ID != was.ID || one.ID == was.ID {
		t.Errorf("one is %s and two is %s, was %s: %v %v", one.ID, two.ID, was.ID, err1, err2)
	}
	res := b.apply(wants(formerly(disk("two", 20), "one")))
	if res.Counts.Delete != 1 || res.Outcomes[0].ID != one.ID {
		t.Errorf("the new owner of the name is removed: %+v", res.Outcomes)
	}
	b.replays()
}
