package decider

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

func unreachableMessage(d *comparator.Difference) string {
	var unread *comparator.UnreadError
	switch {
	case d.Cause == nil:
		return "its location is unreachable"
	case errors.As(d.Cause, &unread):
		return "it could not be read: " + unread.Why
	}
	return "its location or kind is unreachable: " + d.Cause.Error()
}

func conflictMessage(d *comparator.Difference) string {
	if d.Cause != nil {
		return d.Cause.Error()
	}
	return "it exists and is unmanaged"
}

// suggestion tells an operator what to do about a difference on which ovi does not act.
func suggestion(d *comparator.Difference, k resource.Kind) string {
	if d.Advice != "" {
		return d.Advice
	}
	var rename *comparator.RenameError
	if errors.As(d.Cause, &rename) {
		return rename.Suggestion()
	}
	if d.Type == comparator.Conflict || d.Type == comparator.Unmanaged && d.Cause != nil {
		return conflictSuggestion(d, k)
	}
	if given(d) {
		return fmt.Sprintf("apply stack %s with a block %s, or run `ovi move %s %s`", d.GivenTo.Stack, d.GivenTo.Short(),
			d.Ref.ShortInStack(), d.GivenTo.ShortInStack())
	}
	return ""
}

// conflictSuggestion tells an operator how to resolve a conflict.
func conflictSuggestion(d *comparator.Difference, k resource.Kind) string {
	if d.Observed == nil {
		return ""
	}
	name := d.Ref.Short()
	adopt := fmt.Sprintf("run `ovi adopt %s --id %s` if it is yours", name, d.Observed.ID)
	switch d.Observed.Ownership {
	case resource.Proven:
		if k.Identifier != "" && d.Observed.Ref.Stack != d.Ref.Stack {
			return fmt.Sprintf("set another %s, or options.identifier for the whole stack, or run `ovi move` in stack %s",
				k.Identifier, d.Observed.Ref.Stack)
		}
		return fmt.Sprintf("rename it, or run `ovi move` in stack %s", d.Observed.Ref.Stack)
	case resource.Disputed, resource.Copied, resource.Unproven, resource.Former:
		return fmt.Sprintf("%s, or `ovi forget %s --id %s` if it is not: the next apply creates another one", adopt, name,
			d.Observed.ID)
	case resource.Attested:
		return "run `ovi adopt --marked` to take all such resources, or `ovi adopt " + name + " --id " + d.Observed.ID + "`"
	}
	return fmt.Sprintf("rename it, or run `ovi adopt %s`", name)
}

func unmanagedMessage(d *comparator.Difference) string {
	if d.Observed != nil && !d.Observed.Reported() {
		return d.Observed.Message
	}
	if d.Cause != nil {
		return d.Cause.Error()
	}
	return "it is unmanaged"
}

func unwantedMessage(*comparator.Difference) string { return "not in the configuration" }

func missingMessage(*comparator.Difference) string { return "it does not exist" }

func resumesMessage(d *comparator.Difference) string {
	if d.Replacing.Used && d.New.Health == resource.Failing {
		return fmt.Sprintf("the replacement of %s by %s cannot go back, because other resources refer to %s already",
			d.Observed.ID, d.New.ID, d.New.ID)
	}
	return fmt.Sprintf("the replacement of %s by %s was interrupted", d.Observed.ID, d.New.ID)
}

func endsMessage(d *comparator.Difference) string {
	return fmt.Sprintf("%s replaced %s, and the end of the replacement is not recorded", d.Observed.ID, d.Replacing.Old)
}

func revertsMessage(d *comparator.Difference) string {
	old := d.Observed.ID
	switch {
	case d.New == nil && d.Observed.Aside():
		return fmt.Sprintf("the replacement of %s was interrupted; %s is restored", old, old)
	case d.New == nil:
		return fmt.Sprintf("the replacement of %s was interrupted before it changed anything", old)
	case d.New.Health == resource.Failing && d.New.Message != "":
		return fmt.Sprintf("%s, which was to replace %s, is failing: %s", d.New.ID, old, d.New.Message)
	case d.New.Health == resource.Failing:
		return fmt.Sprintf("%s, which was to replace %s, is failing", d.New.ID, old)
	case d.Replacing.Reverting:
		return fmt.Sprintf("the return from %s to %s was interrupted", d.New.ID, old)
	}
	return fmt.Sprintf("%s was to replace %s, and the configuration has changed since", d.New.ID, old)
}

func followsMessage(d *comparator.Difference) string {
	var refs []resource.Ref
	for _, c := range d.Changes {
		if c.Effect == resource.Replace && c.KnownAfterApply {
			refs = resource.AppendRefs(refs, c.To)
		}
	}
	if len(refs) == 0 {
		return "a resource that it depends on is replaced"
	}
	return fmt.Sprintf("%s is replaced", refs[0].Short())
}

func requestedMessage(*comparator.Difference) string { return "because --replace" }

func failingMessage(d *comparator.Difference) string {
	return "it is failing: " + cmp.Or(d.Observed.Message, "its system does not say why")
}

func conditionMessage(d *comparator.Difference) string {
	return "it is " + string(d.Observed.Condition) + ": " + cmp.Or(d.Observed.Message, "a part of it is missing")
}

func immutableMessage(d *comparator.Difference) string {
	return paths(d.Changes, resource.Replace) + " cannot be changed in place"
}

func stateMessage(d *comparator.Difference) string {
	if d.Desired.State == resource.StateStopped {
		return "it is configured as stopped, and is not"
	}
	text := "it is " + string(d.Observed.Health)
	if d.Observed.Message != "" {
		text += ": " + d.Observed.Message
	}
	return text
}

func restartMessage(d *comparator.Difference) string {
	return "changing " + paths(d.Changes, resource.Restart) + " restarts it"
}

func changedMessage(d *comparator.Difference) string {
	all := paths(d.Changes, resource.InPlace)
	if len(d.Changes) == 1 {
		return all + " differs"
	}
	return all + " differ"
}

// paths lists the changes with one effect: the first two, and the number of others.
func paths(changes []resource.Change, e resource.Effect) string {
	var names []string
	for _, c := range changes {
		if c.Effect == e {
			names = append(names, c.Name())
		}
	}
	switch n := len(names); {
	case n <= 2:
		return strings.Join(names, " and ")
	default:
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], n-2)
	}
}

// short is the short form of a ref: "ec2/web-0".
