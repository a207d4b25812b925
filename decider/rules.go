package decider

import (
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// rule proposes an action for the differences it matches.
type rule struct {
	diff    comparator.DifferenceType
	when    func(*comparator.Difference) bool // nil means always
	action  Action
	reason  Reason
	message func(*comparator.Difference) string
}

// decisionTable has the rules in order. The first rule that matches decides: differences on which ovi does not act
// come first, and drift is ordered by the heaviest effect.
func decisionTable() []rule {
	return []rule{
		{comparator.Unreachable, nil, Notify, ReasonUnreachable, unreachableMessage},
		{comparator.Conflict, nil, Notify, ReasonConflict, conflictMessage},
		{comparator.Unmanaged, nil, Notify, ReasonUnmanaged, unmanagedMessage},
		{comparator.Unwanted, given, Notify, ReasonKept, givenMessage},
		{comparator.Unwanted, stays, Forget, ReasonRemoved, staysMessage},
		{comparator.Unwanted, nil, Delete, ReasonUnwanted, unwantedMessage},
		{comparator.Missing, nil, Create, ReasonMissing, missingMessage},
		{comparator.Drifted, reverts, Revert, ReasonReverts, revertsMessage},
		{comparator.Drifted, resumes, Replace, ReasonResumes, resumesMessage},
		{comparator.Drifted, ends, Update, ReasonResumes, endsMessage},
		{comparator.Drifted, onlyRenamed, Update, ReasonRenamed, renamedMessage},
		{comparator.Drifted, requested, Replace, ReasonRequested, requestedMessage},
		{comparator.Drifted, broken, Notify, ReasonBroken, conditionMessage},
		{comparator.Drifted, failing, Notify, ReasonFailing, failingMessage},
		{comparator.Drifted, unfinished, Replace, ReasonUnfinished, conditionMessage},
		{comparator.Drifted, follows, Replace, ReasonFollows, followsMessage},
		{comparator.Drifted, worst(resource.Replace), Replace, ReasonImmutable, immutableMessage},
		{comparator.Drifted, onlyState, Restart, ReasonState, stateMessage},
		{comparator.Drifted, worst(resource.Restart), Restart, ReasonRestart, restartMessage},
		{comparator.Drifted, nil, Update, ReasonChanged, changedMessage},
	}
}

// propose makes the decision for a difference by the first rule that matches.
func propose(table []rule, d *comparator.Difference, kinds Kinds) (Decision, error) {
	k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
	for _, r := range table {
		if r.diff != d.Type || r.when != nil && !r.when(d) {
			continue
		}
		out := Decision{
			Ref: d.Ref, Difference: d.Type,
			Action: r.action, Proposed: r.action, Reason: r.reason, Message: r.message(d),
			Changes: d.Changes, Desired: d.Desired, Observed: d.Observed, New: d.New,
			Suggestion: suggestion(d, k), Renamed: d.Renamed, Takes: d.Takes,
		}
		if d.Replacing != nil {
			out.Strategy = d.Replacing.Strategy
		}
		if out.Proposed == Revert { // nothing is applied
			out.Changes, out.Desired = nil, nil
		}
		return out, nil
	}
	return Decision{}, fmt.Errorf("decider: %s: no rule for a difference of type %q", d.Ref, d.Type)
}

// reverts reports whether a replacement in progress goes back.
func reverts(d *comparator.Difference) bool { return d.Reverts }

// resumes reports whether a replacement in progress goes on: its new resource exists.
func resumes(d *comparator.Difference) bool { return d.Replacing != nil && d.New != nil }

// ends reports whether only the end of a replacement is not recorded.
func ends(d *comparator.Difference) bool { return d.Replacing != nil }

// onlyRenamed reports whether a resource differs only in its name in the configuration.
func onlyRenamed(d *comparator.Difference) bool {
	return !d.Renamed.IsZero() && !d.Requested && (len(d.Changes) == 0 || onlyMarks(d.Changes))
}

func renamedMessage(d *comparator.Difference) string {
	return "it is recorded as " + formerName(d.Renamed, d.Ref)
}

// formerName is the short form of a former name, with its stack if that is another one.
func formerName(was, now resource.Ref) string {
	switch {
	case was.Stack != now.Stack:
		return was.Stack + ":" + was.Short()
	case was.Location != now.Location:
		return was.Bare().String()
	}
	return was.Short()
}

// stays reports whether the configuration says that a resource stays which it no longer has.
func stays(d *comparator.Difference) bool { return d.Forget }

func staysMessage(*comparator.Difference) string {
	return "it stays and is no longer managed, as `removed` in the configuration says"
}

// given reports whether another stack gets a resource, and has not configured it yet.
func given(d *comparator.Difference) bool { return !d.GivenTo.IsZero() }

func givenMessage(d *comparator.Difference) string {
	return fmt.Sprintf("it is given to %s, which stack %s has not configured yet", formerName(d.GivenTo, d.Ref),
		d.GivenTo.Stack)
}

// requested reports whether an operator asked for the replacement.
func requested(d *comparator.Difference) bool { return d.Requested }

// broken reports whether only a replacement makes a broken resource whole again. It may be in use, so that an
// operator must name it.
func broken(d *comparator.Difference) bool {
	return d.Observed.Condition == resource.Broken && worst(resource.Replace)(d)
}

// failing reports whether a resource only fails, in a state that no action ends.
func failing(d *comparator.Difference) bool { return d.Advice != "" }

// unfinished reports whether the creation of a resource stopped.
func unfinished(d *comparator.Difference) bool { return d.Observed.Condition == resource.Unfinished }

// onlyState reports whether a resource differs only in that it does not run, or stop, as configured.
func onlyState(d *comparator.Difference) bool {
	return len(d.Changes) == 1 && d.Changes[0].On == resource.OnState
}

func worst(e resource.Effect) func(*comparator.Difference) bool {
	return func(d *comparator.Difference) bool { return resource.Worst(d.Changes) == e }
}

// follows reports whether a resource is replaced only because one that it depends on is: every
// immutable change is a reference that is known after apply.
func follows(d *comparator.Difference) bool {
	found := false
	for _, c := range d.Changes {
		if c.Effect == resource.Replace {
			if !c.KnownAfterApply {
				return false
			}
			found = true
		}
	}
	return found
}
