package term

import (
	"io"
	"strings"
)

// Table is rows under a head, in columns as wide as they must be. No cell is truncated.
type Table struct {
	Head []string
	Rows [][]string
	// Flexible is the column whose cells are wrapped when the rows are wider than the terminal:
	// the one with text. In a pipe each row is one line.
	Flexible int
	// Below is the column whose longest cells get a line of their own, below their row, when the rows are wider than
	// the terminal: the one with identifiers. 0 means none.
	Below int
}

// Gap is the number of spaces between two columns.
const Gap = 2

const (
	narrowest    = 12 // of the flexible column, before rows are folded
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
		for _, line := range t.lines(row, widths, folded) {
			if i == 0 {
				line = s.In(Bold, line)
			}
			b.WriteString(line + "\n")
		}
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
			widths[i] = max(widths[i], Columns(OneLine(cell)))
		}
	}
	total := Gap * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	over := total - s.Width
	if s.Width == 0 || over <= 0 {
		return widths, false
	}
	if t.Below > 0 {
		over -= t.moveBelow(widths, over)
		if over <= 0 {
			return widths, false
		}
	}
	if t.Flexible > 0 && widths[t.Flexible]-over >= narrowest {
		widths[t.Flexible] -= over
		return widths, false
	}
	if folded = widths[0] >= worthFolding; folded {
		over += foldIndent - widths[0] - Gap
	}
	if over > 0 && t.Flexible > 0 {
		widths[t.Flexible] = max(widths[t.Flexible]-over, narrowest)
	}
	return widths, folded
}

// moveBelow narrows the column Below to its cells that fit, and returns by how much. Longer cells are written below.
func (t Table) moveBelow(widths []int, over int) int {
	spare := 0
	if t.Flexible > 0 {
		spare = max(widths[t.Flexible]-narrowest, 0)
	}
	allowed, fits := widths[t.Below]-max(over-spare, 0), Columns(t.Head[t.Below])
	for _, row := range t.Rows {
		if n := Columns(OneLine(row[t.Below])); n <= allowed {
			fits = max(fits, n)
		}
	}
	saved := widths[t.Below] - fits
	widths[t.Below] = fits
	return saved
}

// lines are a row: the flexible cell is wrapped below itself, and a folded row has its first
// cell above the others.
func (t Table) lines(row []string, widths []int, folded bool) []string {
	flexible := []string{""}
	if t.Flexible > 0 {
		flexible = Wrap(row[t.Flexible], widths[t.Flexible])
	}
	var out, below []string
	if k := t.Below; k > 0 && Columns(OneLine(row[k])) > widths[k] {
		below = []string{Spaces(foldIndent) + OneLine(row[k])}
	}
	for i, part := range flexible {
		cells := make([]string, len(row))
		for k, cell := range row {
			switch {
			case k == t.Flexible && k > 0:
				cell = part
			case i > 0, k == t.Below && below != nil:
				cell = ""
			}
			cells[k] = Pad(OneLine(cell), widths[k])
		}
		if folded {
			if i == 0 {
				out = append(out, OneLine(row[0]))
			}
			out = append(out, strings.TrimRight(Spaces(foldIndent)+strings.Join(cells[1:], Spaces(Gap)), " "))
			continue
		}
		out = append(out, strings.TrimRight(strings.Join(cells, Spaces(Gap)), " "))
	}
	return append(out, below...)
}
