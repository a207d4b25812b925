package comparator

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// ErrNotObserved is the Cause of an unknown difference in a scope nobody looked at.
var ErrNotObserved = errors.New("this place was not looked at")

// DuplicateError is the Cause of a foreign difference where several things carry one ref.
type DuplicateError struct {
	Ref resource.Ref
	IDs []string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%d things carry the name %s: %s; take the marks off all but one",
		len(e.IDs), e.Ref, strings.Join(e.IDs, ", "))
}

// MisplacedError is the Cause of a foreign difference where a thing carries the ref of
// another place than the one it stands in.
type MisplacedError struct {
	Ref   resource.Ref
	ID    string
	Scope resource.Scope
}

func (e *MisplacedError) Error() string {
	return fmt.Sprintf("%s stands in %s and carries the name %s: take its marks off, they were copied",
		e.ID, e.Scope, e.Ref)
}

func duplicate(ref resource.Ref, group []resource.Observed) error {
	e := &DuplicateError{Ref: ref}
	_, n := marked(group)
	for i := range group {
		if group[i].Managed || n == 0 {
			e.IDs = append(e.IDs, group[i].ID)
		}
	}
	return e
}
