package comparator

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// DuplicateError is the Cause of a conflict where the audit log binds several resources to one ref.
type DuplicateError struct {
	Ref resource.Ref
	IDs []string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%d resources are bound to it: %s", len(e.IDs), strings.Join(e.IDs, ", "))
}

// OwnershipError is the Cause of a conflict, and of an unmanaged resource with marks: the audit log
// does not prove that it is the stack's.
type OwnershipError struct {
	Have resource.Observed
	Want resource.Ref // what is configured, if Have is recorded under another name; else zero
}

func (e *OwnershipError) Error() string {
	id := e.Have.ID
	switch e.Have.Ownership {
	case resource.Proven:
		return fmt.Sprintf("%s exists and is owned by stack %s", id, e.Have.Ref.Stack)
	case resource.Disputed:
		if !e.Want.IsZero() {
			return fmt.Sprintf("%s has its tags, but is recorded as %s of stack %s", id, e.Have.Ref.Short(), e.Have.Ref.Stack)
		}
		if m := e.Have.Marks; m.IsZero() || m.Ref == e.Have.Ref {
			return id + " has the recorded ID, but not the recorded key: it was deleted and created again outside ovi, or " +
				"its tags were changed"
		}
		return fmt.Sprintf("%s is recorded under this name, but its tags name %s of stack %s", id, e.Have.Marks.Ref.Short(),
			e.Have.Marks.Ref.Stack)
	case resource.Copied:
		return fmt.Sprintf("%s carries the tags of %s, which is recorded as another resource: the tags were copied, or "+
			"it was restored outside ovi", id, e.Have.Marks.Ref.Short())
	case resource.Attested:
		return fmt.Sprintf("%s was created by ovi as %s of stack %s, but this data directory has no record of it", id,
			e.Have.Marks.Ref.Short(), e.Have.Marks.Ref.Stack)
	case resource.Unproven:
		return fmt.Sprintf("%s carries the tags of %s of stack %s, but no record proves that ovi created it", id,
			e.Have.Marks.Ref.Short(), e.Have.Marks.Ref.Stack)
	case resource.Former:
		return id + " was managed under this name before, and was forgotten, replaced or deleted since: `ovi history " +
			e.Have.Ref.Short() + "` tells"
	}
	return id + " exists and is unmanaged"
}

// UnreadError is the Cause of an unreachable difference where one resource could not be read.
type UnreadError struct {
	Ref     resource.Ref
	ID, Why string
}

func (e *UnreadError) Error() string { return fmt.Sprintf("%s could not be read: %s", e.ID, e.Why) }

func duplicate(ref resource.Ref, group []resource.Observed) error {
	e := &DuplicateError{Ref: ref}
	for i := range group {
		e.IDs = append(e.IDs, group[i].ID)
	}
	return e
}

// RenameError is the Cause of a conflict between names: the configuration and the record do not tell which
// resource a name means.
type RenameError struct {
	New, Old []resource.Ref
	Why      string
	Advice   string
}

func (e *RenameError) Error() string { return e.Why }

// Suggestion returns what a user can do about it.
func (e *RenameError) Suggestion() string { return e.Advice }

// InFlightError is the reason for a scope inside a resource on which an action runs. The scope is read after the end of
// the action. That is not a failure.
type InFlightError struct {
	Of     resource.Ref
	Action string
}

func (e *InFlightError) Error() string {
	return fmt.Sprintf("%s is read after the end of its running %s", e.Of.Short(), e.Action)
}

// InFlight reports whether a scope could not be read because of a running action.
func InFlight(err error) bool {
	var e *InFlightError
	return errors.As(err, &e)
}
