// Package position says where in a source something is written, for errors and for the user. It
// imports nothing of ovi, so that a resource and a rule can both have a position.
package position

import (
	"cmp"
	"strconv"
)

// Position is a place in a source. The zero Position is not in a file.
type Position struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// String returns the file and the line, as in "ovi.yaml:38"; the file alone if no line is known.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Compare orders by file, line and column.
func (p Position) Compare(o Position) int {
	return cmp.Or(cmp.Compare(p.File, o.File), cmp.Compare(p.Line, o.Line), cmp.Compare(p.Column, o.Column))
}
