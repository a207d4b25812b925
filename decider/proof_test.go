package decider_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// TestLaw10_ProofBeforeDestruction: the policy blocks changes to what is not proven, even if the
// comparator reports a difference; destroying needs the proof of the audit log now.
func TestLaw10_ProofBeforeDestruction(t *testing.T) {
	t.Parallel()
	ref := parse("a/disk/d")
	proven := resource.Observed{Ref: ref, ID: "d-1", Ownership: resource.Proven}
	denied := errors.New("record 8 does not prove that d-1 was created")
	proof := func(*resource.Observed) (decider.Origin, error) { return decider.Origin{Record: 8}, nil }
	noProof := func(*resource.Observed) (decider.Origin, error) { return decider.Origin{}, denied }
	for name, c := range map[string]struct {
		ownership resource.Ownership
		unwanted  bool
		origin    func(*resource.Observed) (decider.Origin, error)
		blocked   bool
	}{
		"a proven one is deleted":                    {resource.Proven, true, proof, false},
		"a row of the store does not prove":          {resource.Proven, true, noProof, true},
		"without a log nothing is destroyed":         {resource.Proven, true, nil, true},
		"an update needs the binding, not the proof": {resource.Proven, false, nil, false},
		"one that could not be read":                 {resource.Proven, true, proof, true},
		"attested, updated":                          {resource.Attested, false, proof, true},
		"copied, deleted":                            {resource.Copied, true, proof, true},
		"unproven, deleted":                          {resource.Unproven, true, proof, true},
		"former, updated":                            {resource.Former, false, proof, true},
		"unmanaged, updated":                         {resource.Unmanaged, false, proof, true},
	} {
		o := proven
		o.Ownership = c.ownership
		if strings.Contains(name, "could not be read") {
			o.SetUnreadable("access denied")
		}
		d := comparator.Difference{Type: comparator.Drifted, Ref: ref, Observed: &o, Desired: &resource.Desired{Ref: ref}, Changes: []resource.Change{{Path: "label"}}}
		if c.unwanted {
			d = comparator.Difference{Type: comparator.Unwanted, Ref: ref, Observed: &o}
		}
		p, err := decider.Decide(comparator.Result{Differences: []comparator.Difference{d}}, kinds, decider.Facts{Origin: c.origin}, decider.Proof{})
		if err != nil {
			t.Fatal(err)
		}
		if got := !p.Decisions[0].Action.Executes(); got != c.blocked {
			t.Errorf("%s: blocked %v: %+v", name, got, p.Decisions[0].Blockers)
		}
		if !c.blocked && c.unwanted && (p.Decisions[0].Origin == nil || p.Decisions[0].Origin.Record != 8) {
			t.Errorf("%s: the plan does not name the record that proves it", name)
		}
	}
}

// TestLaw1_AbsenceNeedsACompleteRead_DependenciesOfTheUnreadStay: a disk that a server may hold is not deleted
// while the servers could not be read.
func TestLaw1_AbsenceNeedsACompleteRead_DependenciesOfTheUnreadStay(t *testing.T) {
	t.Parallel()
	old := ours("a/network/n", "n-1", "")
	s := sceneOf(configured{desired("a/disk/d", "")}, old)
	snapshot := s.liveState.Scopes[old.Ref.Scope()]
	snapshot.Unreachable = map[string]error{"server": errors.New("access denied")}
	s.liveState.Scopes[old.Ref.Scope()] = snapshot
	held := ours("a/server/s", "s-1", "network n-1")
	facts := func(unread ...resource.Observed) decider.Facts {
		return decider.Facts{Unread: unread, UnreachableKinds: map[resource.Scope]map[string]error{old.Ref.Scope(): snapshot.Unreachable}}
	}
	if d := cmp.Diff(map[string]string{"n": "unreachable"}, blocked(s.plan(t, facts(held), decider.Unreachable{Kinds: kinds}))); d != "" {
		t.Errorf("as last observed (-want +got):\n%s", d)
	}
	if got := blocked(s.plan(t, facts(ours("a/server/s", "s-1", "network n-2")), decider.Unreachable{Kinds: kinds})); len(got) > 0 {
		t.Errorf("another network is blocked: %v", got)
	}
	s = sceneOf(configured{desired("a/server/s", "network @a/network/n"), desired("a/network/n", "range 2")}, ours("a/network/n", "n-1", "range 1"))
	s.liveState.Scopes[old.Ref.Scope()] = resource.Snapshot{Scope: old.Ref.Scope(), Resources: s.liveState.Scopes[old.Ref.Scope()].Resources, Unreachable: snapshot.Unreachable}
	p := s.plan(t, facts(), decider.Unreachable{Kinds: kinds})
	if d := cmp.Diff(map[string]string{"n": "unreachable"}, blocked(p)); d != "" {
		t.Errorf("by configuration (-want +got):\n%s", d)
	}
}

// TestWhatIsInsideDoesNotKeepWhatItIsIn: what an interrupted creation left is replaced, although nothing is known of
// what is configured inside.
func TestWhatIsInsideDoesNotKeepWhatItIsIn(t *testing.T) {
	t.Parallel()
	opens := func(provider, name string) (resource.Kind, bool) {
		k, ok := kinds(provider, name)
		if name == "network" {
			k.Opens = func(resource.Ref) resource.Scope { return resource.Scope{Provider: provider, Location: "b"} }
		}
		return k, ok
	}
	inner := desired("b/server/s", "")
	inner.DependsOn = []resource.Ref{parse("a/network/n")}
	s := sceneOf(configured{desired("a/network/n", "range 2"), inner}, ours("a/network/n", "n-1", "range 1")).unreachable("b")
	if d := cmp.Diff(map[string]string{}, blocked(s.plan(t, decider.Facts{}, decider.Unreachable{Kinds: opens}))); d != "" {
		t.Errorf("inside (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]string{"n": "unreachable"}, blocked(s.plan(t, decider.Facts{}, decider.Unreachable{Kinds: kinds}))); d != "" {
		t.Errorf("beside (-want +got):\n%s", d)
	}
}
