package decider_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// TestLaw10_ProofBeforeDestruction: the policy stands behind the comparator: whatever found a
// difference, what is not proven is not changed, and destroying needs the record to say so now.
func TestLaw10_ProofBeforeDestruction(t *testing.T) {
	t.Parallel()
	ref := parse("a/disk/d")
	proven := resource.Observed{Ref: ref, ID: "d-1", Ownership: resource.Proven, Stack: "web"}
	denied := errors.New("record 8 does not say that d-1 was created")
	said := func(*resource.Observed) (decider.Origin, error) { return decider.Origin{Record: 8}, nil }
	silent := func(*resource.Observed) (decider.Origin, error) { return decider.Origin{}, denied }
	for name, c := range map[string]struct {
		ownership resource.Ownership
		unwanted  bool
		origin    func(*resource.Observed) (decider.Origin, error)
		blocked   bool
	}{
		"a proven one is deleted":                    {resource.Proven, true, said, false},
		"a row of the store is no proof":             {resource.Proven, true, silent, true},
		"without a record nothing is destroyed":      {resource.Proven, true, nil, true},
		"an update needs the binding, not the proof": {resource.Proven, false, nil, false},
		"attested, updated":                          {resource.Attested, false, said, true},
		"copied, deleted":                            {resource.Copied, true, said, true},
		"unproven, deleted":                          {resource.Unproven, true, said, true},
		"former, updated":                            {resource.Former, false, said, true},
		"unmanaged, updated":                         {resource.Unmanaged, false, said, true},
	} {
		o := proven
		o.Ownership = c.ownership
		d := comparator.Difference{Type: comparator.Drifted, Ref: ref, Stack: "web", Observed: &o, Desired: &resource.Desired{Ref: ref}, Changes: []resource.Change{{Path: "label"}}}
		if c.unwanted {
			d = comparator.Difference{Type: comparator.Unwanted, Ref: ref, Stack: "web", Observed: &o}
		}
		p, err := decider.Decide(comparator.Result{Differences: []comparator.Difference{d}}, kinds, decider.Facts{Origin: c.origin}, decider.Proof{})
		if err != nil {
			t.Fatal(err)
		}
		if got := !p.Decisions[0].Action.Executes(); got != c.blocked {
			t.Errorf("%s: blocked %v: %+v", name, got, p.Decisions[0].Blockers)
		}
		if !c.blocked && c.unwanted && (p.Decisions[0].Origin == nil || p.Decisions[0].Origin.Record != 8) {
			t.Errorf("%s: the plan does not name the record that allows it", name)
		}
	}
}

// TestLaw1_AbsenceNeedsACompleteRead_DependenciesOfTheUnreadStay: a disk that a server may hold is not deleted
// while the servers could not be read.
func TestLaw1_AbsenceNeedsACompleteRead_DependenciesOfTheUnreadStay(t *testing.T) {
	t.Parallel()
	old := ours("a/network/n", "n-1", "")
	s := sceneOf(configured{want("a/disk/d", "")}, old)
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
	s = sceneOf(configured{want("a/server/s", "network @a/network/n"), want("a/network/n", "range 2")}, ours("a/network/n", "n-1", "range 1"))
	s.liveState.Scopes[old.Ref.Scope()] = resource.Snapshot{Scope: old.Ref.Scope(), Resources: s.liveState.Scopes[old.Ref.Scope()].Resources, Unreachable: snapshot.Unreachable}
	p := s.plan(t, facts(), decider.Unreachable{Kinds: kinds})
	if d := cmp.Diff(map[string]string{"n": "unreachable"}, blocked(p)); d != "" {
		t.Errorf("by configuration (-want +got):\n%s", d)
	}
}
