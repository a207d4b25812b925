package render

import (
	"io"
	"strings"
)

// Table is rows under a head, in columns as wide as they must be.
type Table struct {
	Head []string
	Rows [][]string
	// Flexible is the column that is cut when the rows are wider than the terminal: the one
	// with prose in it. The first column, with its refs, never is.
	Flexible int
}

const (
	gap          = 2
	narrowest    = 8 // of the flexible column, before rows are folded
	worthFolding = 16
	foldIndent   = 4
)

// Write writes the table; nothing for no rows.
func (t Table) Write(w io.Writer, s Style) error {
	if len(t.Rows) == 0 {
		return nil
	}
	widths, folded := t.widths(s)
	var b strings.Builder
	for i, row := range append([][]string{t.Head}, t.Rows...) {
		text := t.line(row, widths)
		if folded {
			text = t.fold(row, widths)
		}
		if i == 0 {
			text = s.in(bold, text)
		}
		b.WriteString(text + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// widths measures the columns, and takes what is too much from the flexible one. Where that is
// not enough the rows are folded: the first column gets a line of its own.
func (t Table) widths(s Style) (widths []int, folded bool) {
	widths = make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(printable(cell)))
		}
	}
	total := gap * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	over := total - s.Width
	if s.Width == 0 || over <= 0 {
		return widths, false
	}
	if t.Flexible > 0 && widths[t.Flexible]-over >= narrowest {
		widths[t.Flexible] -= over
		return widths, false
	}
	if folded = widths[0] >= worthFolding; folded {
		over += foldIndent - widths[0] - gap
	}
	if over > 0 && t.Flexible > 0 {
		widths[t.Flexible] = max(widths[t.Flexible]-over, narrowest)
	}
	return widths, folded
}

// fold is a row whose first column stands above the others.
func (t Table) fold(row []string, widths []int) string {
	cells := t.cells(row, widths)
	return printable(row[0]) + "\n" + strings.TrimRight(spaces(foldIndent)+strings.Join(cells[1:], spaces(gap)), " ")
}

func (t Table) line(row []string, widths []int) string {
	return strings.TrimRight(strings.Join(t.cells(row, widths), spaces(gap)), " ")
}

func (t Table) cells(row []string, widths []int) []string {
	cells := make([]string, len(row))
	for i, cell := range row {
		cell = printable(cell)
		if i > 0 && i == t.Flexible {
			cell = truncate(cell, widths[i])
		}
		cells[i] = pad(cell, widths[i])
	}
	return cells
}
