package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// TestProtectionSurvivesItsConfigurationAndItsMark: in Terraform, prevent_destroy is lost with the
// block that sets it (hashicorp/terraform#17599).
func TestProtectionSurvivesItsConfigurationAndItsMark(t *testing.T) {
	b := newBench(t)
	precious := disk("d", 20)
	precious.Blessed, precious.At = true, position.Position{File: "ovi.yaml", Line: 7}
	b.apply(wants(precious))
	b.settled(wants(precious))
	blessings, err := b.ledger.Blessings(t.Context())
	if err != nil || len(blessings) != 1 {
		t.Fatalf("blessings %+v %v", blessings, err)
	}
	if got := blessings[0]; got.Who != "ann" || got.At.IsZero() || !strings.Contains(got.Reason, "ovi.yaml:7") {
		t.Errorf("who, when and why: %+v", got)
	}
	blocked := []string{"notify disk/d (delete blocked by blessed)"}
	if diff := cmp.Diff(blocked, brief(b.plan(wants()))); diff != "" {
		t.Errorf("without the configuration (-want +got):\n%s", diff)
	}
	o, _, _ := b.cloud.Find(ref("disk", "d"))
	o.Marks.Blessed = false
	b.cloud.Put(o)
	if diff := cmp.Diff(blocked, brief(b.plan(wants()))); diff != "" {
		t.Errorf("without the configuration and the mark (-want +got):\n%s", diff)
	}
	b.stop()
	b.start()
	b.apply(wants())
	if _, ok, _ := b.cloud.Find(ref("disk", "d")); !ok {
		t.Fatal("it was destroyed")
	}
}

func TestUnblessingIsRecorded(t *testing.T) {
	b := newBench(t)
	precious := disk("d", 20)
	precious.Blessed = true
	b.apply(wants(precious))
	if err := b.engine.Unbless(t.Context(), ref("disk", "d"), engine.OperatorAction{Who: "bob", Reason: "copied elsewhere"}); err != nil {
		t.Fatal(err)
	}
	var facts []string
	for r, err := range history.New(b.ledger.Reader()).LogRecords(t.Context(), history.Filter{Types: []string{event.TypeBlessed}}) {
		if err != nil {
			t.Fatal(err)
		}
		e := r.Event.(event.Blessed)
		facts = append(facts, map[bool]string{true: "blessed", false: "unblessed"}[e.On]+" by "+e.Who+": "+e.Reason)
	}
	if diff := cmp.Diff([]string{"blessed by ann: configured as blessed", "unblessed by bob: copied elsewhere"}, facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	b.apply(wants())
	if _, ok, _ := b.cloud.Find(ref("disk", "d")); ok {
		t.Error("it is still protected")
	}
}

// A resource that has the blessed mark when it is adopted is blessed from then on.
func TestAdoptingABlessedResourceKeepsItBlessed(t *testing.T) {
	b := newBench(t)
	marks := resource.Marks{Ref: ref("disk", "d"), Owner: "ovi", Blessed: true}
	b.cloud.Put(resource.Observed{Ref: ref("disk", "found"), ID: "d-1", Marks: marks, Attrs: attrs("size", resource.Int(20))})
	if _, err := b.engine.Adopt(t.Context(), wants(disk("d", 20)), engine.Adoption{OperatorAction: engine.OperatorAction{Who: "ann"}, Ref: ref("disk", "d"), ID: "d-1"}); err != nil {
		t.Fatal(err)
	}
	if got := b.events(event.TypeBlessed); len(got) != 1 {
		t.Errorf("facts: %v", got)
	}
	if diff := cmp.Diff([]string{"notify disk/d (delete blocked by blessed)"}, brief(b.plan(wants()))); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}
