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
	// Cell is the place in a file that has no lines: "row dev, column http_port".
	Cell string `json:"cell,omitempty"`
	// Used is the place that uses the component which the file belongs to: "ovi.yaml:12".
	Used string `json:"used_at,omitempty"`
}

// String returns the file and the line, as in "ovi.yaml:38", or the file and the cell; the file
// alone if neither is known. The place that uses a component follows.
func (p Position) String() string {
	switch {
	case p.Used != "":
		return Position{File: p.File, Line: p.Line, Cell: p.Cell}.String() + ", used at " + p.Used
	case p.Line > 0:
		return p.File + ":" + strconv.Itoa(p.Line)
	case p.Cell != "":
		return p.File + ", " + p.Cell
	}
	return p.File
}

// Inside reports whether more than the file is known.
func (p Position) Inside() bool { return p.Line > 0 || p.Cell != "" }

// Compare orders by file, line, column and cell.
func (p Position) Compare(o Position) int {
	return cmp.Or(cmp.Compare(p.File, o.File), cmp.Compare(p.Line, o.Line), cmp.Compare(p.Column, o.Column),
		cmp.Compare(p.Cell, o.Cell), cmp.Compare(p.Used, o.Used))
}
