package code

import (
	"errors"

	"github.com/hashicorp/hcl/v2"

	"github.com/ovi-project/ovi/resource/position"
)

// Note is a part of a module that is not converted, or not in the same way.
type Note struct {
	At         position.Position
	What       string
	Suggestion string
}

// notes collects what is not converted. A part of a file is listed once.
type notes struct{ all []Note }

func (n *notes) add(at position.Position, what, suggestion string) {
	x := Note{at, what, suggestion}
	for _, o := range n.all {
		if o == x {
			return
		}
	}
	n.all = append(n.all, x)
}

func (n *notes) at(r hcl.Range, what, suggestion string) { n.add(place(r), what, suggestion) }

// unsupported is an expression that has no counterpart.
type unsupported struct {
	at               hcl.Range
	what, suggestion string
}

func (e *unsupported) Error() string { return e.what }

// failed lists an attribute whose expression has no counterpart.
func (n *notes) failed(name string, r hcl.Range, err error) {
	var u *unsupported
	if errors.As(err, &u) {
		if u.at.Filename == "" {
			u.at = r
		}
		n.at(u.at, name+": "+u.what, u.suggestion)
		return
	}
	n.at(r, name+": "+err.Error(), "write it by hand")
}

// byHand lists a part of an attribute whose expression has no counterpart, with the next step.
func (n *notes) byHand(name string, r hcl.Range, err error, suggestion string) {
	var u *unsupported
	if errors.As(err, &u) && u.at.Filename != "" {
		r = u.at
	}
	n.at(r, name+": "+err.Error(), suggestion)
}
