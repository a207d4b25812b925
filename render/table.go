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

const gap = 2

// Write writes the table; nothing for no rows.
func (t Table) Write(w io.Writer, s Style) error {
	if len(t.Rows) == 0 {
		return nil
	}
	widths := t.widths(s)
	var b strings.Builder
	b.WriteString(s.in(bold, t.line(t.Head, widths)) + "\n")
	for _, row := range t.Rows {
		b.WriteString(t.line(row, widths) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// widths measures the columns, and takes what is too much from the flexible one.
func (t Table) widths(s Style) []int {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(printable(cell)))
		}
	}
	total := gap * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	if over := total - s.Width; s.Width > 0 && over > 0 && t.Flexible > 0 {
		widths[t.Flexible] = max(widths[t.Flexible]-over, 8)
	}
	return widths
}

func (t Table) line(cells []string, widths []int) string {
	parts := make([]string, len(cells))
	for i, cell := range cells {
		cell = printable(cell)
		if i > 0 && i == t.Flexible {
			cell = truncate(cell, widths[i])
		}
		parts[i] = pad(cell, widths[i])
	}
	return strings.TrimRight(strings.Join(parts, spaces(gap)), " ")
}
