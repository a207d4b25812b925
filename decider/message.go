package decider

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

func unreachableMessage(d *comparator.Difference) string {
	if d.Cause == nil {
		return d.Ref.Scope().String() + " was not seen, so nothing is known of it"
	}
	return fmt.Sprintf("%s was not seen, so nothing is known of it: %v", d.Ref.Scope(), d.Cause)
}

func conflictMessage(d *comparator.Difference) string {
	switch {
	case d.Cause != nil:
		return d.Cause.Error()
	case d.Observed == nil:
		return "it belongs to somebody else"
	case d.Observed.Managed && d.Observed.Stack != "":
		return fmt.Sprintf("%s already exists and belongs to stack %s: choose another name, or take it over with ovi adopt", d.Observed.ID, d.Observed.Stack)
	}
	return fmt.Sprintf("%s already exists and carries no mark of ovi: choose another name, or take it over with ovi adopt", d.Observed.ID)
}

func unmanagedMessage(*comparator.Difference) string {
	return "it carries no mark of ovi, so it is let be"
}

func unwantedMessage(d *comparator.Difference) string {
	return fmt.Sprintf("it belongs to stack %s and is wanted no more", d.Stack)
}

func missingMessage(*comparator.Difference) string { return "it is wanted and not there" }

func followsMessage(d *comparator.Difference) string {
	var refs []resource.Ref
	for _, c := range d.Changes {
		if c.Effect == resource.Replace && c.KnownAfterApply {
			refs = resource.AppendRefs(refs, c.To)
		}
	}
	if len(refs) == 0 {
		return "what it is built on is made anew"
	}
	return fmt.Sprintf("it is built on %s, which is made anew", short(refs[0]))
}

func immutableMessage(d *comparator.Difference) string {
	return paths(d.Changes, resource.Replace) + " can't be changed on what exists"
}

func restartMessage(d *comparator.Difference) string {
	return "changing " + paths(d.Changes, resource.Restart) + " interrupts it"
}

func changedMessage(d *comparator.Difference) string {
	all := paths(d.Changes, resource.InPlace)
	if len(d.Changes) == 1 {
		return all + " differs"
	}
	return all + " differ"
}

// paths names the changes of one effect: the first two, and how many more.
func paths(changes []resource.Change, e resource.Effect) string {
	var names []string
	for _, c := range changes {
		if c.Effect == e {
			names = append(names, c.Path)
		}
	}
	switch n := len(names); {
	case n <= 2:
		return strings.Join(names, " and ")
	default:
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], n-2)
	}
}

// short is a ref as people say it among things of one place.
func short(r resource.Ref) string { return r.Kind + "/" + r.Name }
