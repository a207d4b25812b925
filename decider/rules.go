package decider

import (
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// rule proposes an action for the differences it matches.
type rule struct {
	sort   comparator.Sort
	when   func(*comparator.Difference) bool // nil: always
	action Action
	reason Reason
	detail func(*comparator.Difference) string
}

// rules is the table. The first that matches decides. What is in doubt stands first, and of
// what differs the heaviest effect.
func rules() []rule {
	return []rule{
		{comparator.Unknown, nil, Notify, ReasonUnseen, unseenDetail},
		{comparator.Foreign, nil, Notify, ReasonForeign, foreignDetail},
		{comparator.Unmanaged, nil, Notify, ReasonUnmanaged, unmanagedDetail},
		{comparator.Unwanted, nil, Delete, ReasonUnwanted, unwantedDetail},
		{comparator.Missing, nil, Create, ReasonMissing, missingDetail},
		{comparator.Drifted, follows, Replace, ReasonFollows, followsDetail},
		{comparator.Drifted, worst(resource.Replace), Replace, ReasonImmutable, immutableDetail},
		{comparator.Drifted, worst(resource.Restart), Restart, ReasonInterrupt, interruptDetail},
		{comparator.Drifted, nil, Update, ReasonChanged, changedDetail},
	}
}

// propose finds the rule for a difference.
func propose(table []rule, d *comparator.Difference) (Decision, error) {
	for _, r := range table {
		if r.sort != d.Sort || r.when != nil && !r.when(d) {
			continue
		}
		return Decision{
			Ref: d.Ref, Stack: d.Stack, Difference: d.Sort,
			Action: r.action, Proposed: r.action, Reason: r.reason, Detail: r.detail(d),
			Changes: d.Changes, Wanted: d.Wanted, There: d.There,
		}, nil
	}
	return Decision{}, fmt.Errorf("decider: %s: no rule for a difference of the sort %q", d.Ref, d.Sort)
}

func worst(e resource.Effect) func(*comparator.Difference) bool {
	return func(d *comparator.Difference) bool { return resource.Worst(d.Changes) == e }
}

// follows says that a thing is replaced only because what it is built on is made anew: every
// immutable change is a reference whose id is not known yet.
func follows(d *comparator.Difference) bool {
	found := false
	for _, c := range d.Changes {
		if c.Effect == resource.Replace {
			if !c.Unsettled {
				return false
			}
			found = true
		}
	}
	return found
}
