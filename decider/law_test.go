package decider_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
)

// These properties were tried with mutants made by hand. Each was killed by the tests named, with
// 100 drawn cases; other tests killed some of them as well:
//
//	the rest of a failed scope is compared       TestLaw1
//	an unreachable scope counts as missing       TestLaw1, TestSecondPlanIsEmpty
//	references into unreachable scopes differ    TestLaw1
//	another stack's resource counts as drifted   TestOtherOwnersResourcesAreNotChanged
//	the input is never sorted                    TestLaw4, TestLaw6
//	policies get the plan itself, not a copy     TestLaw5
//	a policy that fails blocks nothing           TestLaw5
//	dependents do not follow a replace           TestSecondPlanIsEmpty
//	blocked decisions block no others            TestSecondPlanIsEmpty, TestBlockedDecisionsBlockDependents
//	dependencies of blocked decisions go         TestBlockedDecisionsBlockDependents
//	creates, or deletes, in any order            TestSecondPlanIsEmpty
//	creates before deletes                       TestSecondPlanIsEmpty
//	no step waits for a release                  TestSecondPlanIsEmpty

func TestLaw1_AbsenceNeedsACompleteRead(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		location := rapid.SampledFrom(locations).Draw(t, "failed")
		unreachable := s.unreachable(location)
		if rapid.Bool().Draw(t, "not observed") {
			unreachable = s.notObserved(location)
		}
		whole, part := s.plan(t, decider.Facts{}), unreachable.plan(t, decider.Facts{})
		acts := map[resource.Ref]bool{}
		for _, d := range whole.Decisions {
			if d.Proposed.Executes() {
				acts[d.Ref] = true
			}
		}
		for _, d := range part.Decisions {
			if d.Ref.Location == location && (d.Proposed.Executes() || d.Difference != comparator.Unreachable) {
				t.Errorf("%s: %s, %s in an unreachable scope", d.Ref, d.Difference, d.Proposed)
			}
			if d.Proposed.Executes() && !acts[d.Ref] {
				t.Errorf("%s: %s only because %s is unreachable", d.Ref, d.Proposed, location)
			}
		}
		if len(unreachable.intents[0].Resources)+len(unreachable.intents[1].Resources) > 0 && len(part.Unreachable) == 0 {
			for _, in := range unreachable.intents {
				for _, w := range in.Resources {
					if w.Ref.Location == location {
						t.Errorf("%s is configured in an unreachable scope, which the plan does not report", w.Ref)
					}
				}
			}
		}
	})
}

// TestLaw1_AbsenceNeedsACompleteRead_OfKindsAndContents: without one kind, or the content of one
// resource, a plan does what the whole one does, minus what it could not read; and nothing to that.
func TestLaw1_AbsenceNeedsACompleteRead_OfKindsAndContents(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		location := rapid.SampledFrom(locations).Draw(t, "location")
		kind := rapid.SampledFrom(kindNames).Draw(t, "kind")
		part := s.kindUnread(location, kind)
		listed := map[resource.Ref]bool{} // what was listed before the list failed is known
		for _, o := range part.liveState.Scopes[resource.Scope{Provider: "fake", Location: location}].Resources {
			listed[o.Ref] = true
		}
		unread := func(r resource.Ref) bool { return r.Location == location && r.Kind == kind && !listed[r] }
		if rapid.Bool().Draw(t, "one content") {
			var one resource.Ref
			part, one = s.oneUnread(location, rapid.IntRange(0, 9).Draw(t, "which"))
			unread = func(r resource.Ref) bool { return !one.IsZero() && r == one }
		}
		proposed := map[resource.Ref]decider.Action{}
		for _, d := range s.plan(t, decider.Facts{}).Decisions {
			if d.Proposed.Executes() {
				proposed[d.Ref] = d.Proposed
			}
		}
		for _, d := range part.plan(t, decider.Facts{}).Decisions {
			switch {
			case !d.Proposed.Executes():
			case unread(d.Ref):
				t.Errorf("%s: %s, %s, and it could not be read", d.Ref, d.Difference, d.Proposed)
			case proposed[d.Ref] == "":
				t.Errorf("%s: %s only because something could not be read", d.Ref, d.Proposed)
			}
		}
	})
}

func TestLaw4_TheCoreIsPure_SameInputSameBytes(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		want := bytesOf(t, s.plan(t, decider.Facts{}, decider.Blessed{}, decider.MaxDestroy{Limit: rules.Budget{Set: true, Count: 2}}))
		other := scene{rapid.Permutation(s.intents).Draw(t, "intents"), resource.LiveState{Unreachable: s.liveState.Unreachable, Scopes: map[resource.Scope]resource.Snapshot{}}}
		for i := range other.intents {
			other.intents[i].Resources = rapid.Permutation(other.intents[i].Resources).Draw(t, "configured")
		}
		for scope, snap := range s.liveState.Scopes {
			snap.Resources = rapid.Permutation(snap.Resources).Draw(t, "observed")
			other.liveState.Scopes[scope] = snap
		}
		got := bytesOf(t, other.plan(t, decider.Facts{}, decider.Blessed{}, decider.MaxDestroy{Limit: rules.Budget{Set: true, Count: 2}}))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the plan depends on the order of the input (-want +got):\n%s", d)
		}
	})
}

// lawless is a policy that breaks the contract: it writes into the plan it gets.
type lawless struct {
	blockers map[int]decider.Blocker
	err      error
}

func (lawless) Name() string { return "lawless" }

func (l lawless) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	for i := range p.Decisions {
		d := &p.Decisions[i]
		d.Action, d.Proposed, d.Blockers = decider.Delete, decider.Delete, nil
		d.DependsOn = append(d.DependsOn[:0], resource.Ref{Name: "scribble"})
		for k := range d.Changes {
			d.Changes[k].Path = "scribble"
		}
	}
	return l.blockers, l.err
}

func TestLaw5_PoliciesOnlyBlock(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		free := s.plan(t, decider.Facts{})
		n := len(free.Decisions)
		bad := lawless{blockers: map[int]decider.Blocker{}}
		for i := range n {
			if rapid.IntRange(0, 3).Draw(t, "block") == 0 {
				bad.blockers[i] = decider.Blocker{Reason: "no"}
			}
		}
		switch rapid.IntRange(0, 3).Draw(t, "fails") {
		case 0:
			bad.err = errors.New("does not compile")
		case 1:
			bad.blockers[n] = decider.Blocker{Reason: "no"}
		}
		ruled := s.plan(t, decider.Facts{}, bad, decider.Blessed{})
		if len(ruled.Decisions) != n {
			t.Fatalf("%d decisions, %d without policies", len(ruled.Decisions), n)
		}
		for i, d := range ruled.Decisions {
			f := free.Decisions[i]
			if d.Ref != f.Ref || d.Proposed != f.Proposed || d.Reason != f.Reason || !cmp.Equal(d.DependsOn, f.DependsOn) || !cmp.Equal(d.Changes, f.Changes) {
				t.Errorf("%s: a policy changed the proposal %+v to %+v", d.Ref, f, d)
			}
			if d.Action != d.Proposed && d.Action != decider.Notify {
				t.Errorf("%s: %s was proposed, %s is planned", d.Ref, d.Proposed, d.Action)
			}
			if (len(d.Blockers) > 0) != (d.Action != d.Proposed) {
				t.Errorf("%s: %s of %s with Blockers %v", d.Ref, d.Action, d.Proposed, d.Blockers)
			}
			if _, blocked := bad.blockers[i]; blocked && d.Action.Executes() {
				t.Errorf("%s is blocked and executes", d.Ref)
			}
			if (bad.err != nil || bad.blockers[n].Reason != "") && d.Action.Destroys() {
				t.Errorf("%s: %s although a policy failed", d.Ref, d.Action)
			}
			if len(d.Blockers) < len(f.Blockers) {
				t.Errorf("%s lost a Blocker", d.Ref)
			}
		}
	})
}

func TestLaw6_NamesAreStable(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		want := bytesOf(t, s.plan(t, decider.Facts{}))
		moved := scene{liveState: s.liveState}
		for _, in := range s.intents {
			in.Resources = rapid.Permutation(in.Resources).Draw(t, "blocks")
			for i := range in.Resources {
				in.Resources[i].At = position.Position{File: "other.yaml", Line: i}
			}
			moved.intents = append(moved.intents, in)
		}
		if d := cmp.Diff(want, bytesOf(t, moved.plan(t, decider.Facts{}))); d != "" {
			t.Errorf("the plan depends on positions in the file (-want +got):\n%s", d)
		}
	})
}

func TestSecondPlanIsEmpty(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		if rapid.IntRange(0, 2).Draw(t, "unreachable") == 0 {
			s = s.unreachable(rapid.SampledFrom(locations).Draw(t, "failed"))
		}
		first := s.plan(t, decider.Facts{})
		for _, d := range s.do(t, first).plan(t, decider.Facts{}).Decisions {
			if d.Action.Executes() {
				t.Errorf("the second plan has %s %s, %s: %v", d.Action, d.Ref, d.Message, d.Changes)
			}
		}
	})
}

func TestOtherOwnersResourcesAreNotChanged(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		configured := map[resource.Ref]bool{}
		for _, in := range s.intents {
			for _, w := range in.Resources {
				configured[w.Ref] = true
			}
		}
		for _, d := range s.plan(t, decider.Facts{}).Decisions {
			if d.Proposed.Executes() && d.Observed != nil && (!d.Observed.Managed() || d.Observed.Ref.Stack != d.Ref.Stack) {
				t.Errorf("%s %s, which is %s", d.Proposed, d.Ref, d.Observed.Ref)
			}
			if d.Proposed == decider.Delete && configured[d.Ref] {
				t.Errorf("%s is deleted although it is configured", d.Ref)
			}
			if d.Proposed == decider.Create && d.Observed != nil {
				t.Errorf("%s is created although %s exists", d.Ref, d.Observed.ID)
			}
		}
	})
}

// Whatever is blocked, a resource that stays keeps its dependencies, and none is created without
// them.
func TestBlockedDecisionsBlockDependents(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		n := len(s.plan(t, decider.Facts{}).Decisions)
		blockers := map[int]decider.Blocker{}
		for i := range n {
			if rapid.Bool().Draw(t, "block") {
				blockers[i] = decider.Blocker{Reason: "no"}
			}
		}
		p := s.plan(t, decider.Facts{}, lawless{blockers: blockers})
		after := s.do(t, p) // fails where a resource is created without its dependency
		for scope := range after.liveState.Scopes {
			for _, d := range p.Decisions {
				if d.Ref.Scope() != scope || d.Action.Executes() || !d.Proposed.Destroys() {
					continue
				}
				for _, r := range d.DependsOn {
					for _, x := range p.Decisions {
						if x.Ref == r && x.Action.Destroys() && holdsID(d.Observed.Attrs, x.Observed.ID, x.Ref.Kind, d.Ref.Kind) {
							t.Errorf("%s is deleted while %s depends on it and stays: %v", r, d.Ref, d.Blockers)
						}
					}
				}
			}
		}
	})
}
