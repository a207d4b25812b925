package render

import (
	"strings"

	"github.com/ovi-project/ovi/render/term"
)

// row is one attribute of a decision.
type row struct {
	path     string
	text     string   // the value, or current -> configured
	elements []string // of a list: "- x" and "+ y", a line each
	notes    []string
}

func (r row) note() string {
	if len(r.notes) == 0 {
		return ""
	}
	return "# " + term.OneLine(strings.Join(r.notes, "; "))
}

// widestPath is the longest path with which others are aligned.
const widestPath = 28

// table writes attributes with their values and notes aligned.
func (p *writer) table(rows []row) { p.tableAt(detailIndent, rows) }

func (p *writer) tableAt(indent int, rows []row) {
	path, text := 0, 0
	for _, r := range rows {
		if n := term.Columns(r.path); n <= widestPath {
			path = max(path, n)
		}
	}
	for _, r := range rows {
		if note := r.note(); note != "" && r.text != "" && p.fits(indent+max(path, term.Columns(r.path))+2, r.text, note) {
			text = max(text, term.Columns(r.text))
		}
	}
	for _, r := range rows {
		p.row(indent, r, path, text)
	}
}

// fits says that a value and its note fit into one line behind a column.
func (p *writer) fits(used int, text, note string) bool {
	return used+term.Columns(text)+2+term.Columns(note) <= p.Columns()
}

// row writes one attribute. A value that is too long is wrapped at its spaces, below itself.
func (p *writer) row(indent int, r row, path, text int) {
	used := indent + max(path, term.Columns(r.path)) + 2
	note := r.note()
	if r.text == "" { // a list
		p.WriteString(term.Spaces(indent) + r.path)
		if note != "" {
			p.WriteString(term.Spaces(path-term.Columns(r.path)) + "  " + p.In(term.Dim, note))
		}
		p.WriteString("\n")
		for _, e := range r.elements {
			p.element(indent+2, e)
		}
		return
	}
	p.WriteString(term.Spaces(indent) + term.Pad(r.path, path))
	if used > p.Columns()/2 {
		used = indent + 4
		p.WriteString("\n" + term.Spaces(used))
	} else {
		p.WriteString("  ")
	}
	lines := term.WrapValue(r.text, p.Room(used))
	p.WriteString(strings.Join(lines, "\n"+term.Spaces(used)))
	last := lines[len(lines)-1]
	switch {
	case note == "":
	case len(lines) == 1 && p.fits(used, term.Pad(last, text), note):
		p.WriteString(term.Spaces(text-term.Columns(last)) + "  " + p.In(term.Dim, note))
	case p.fits(used, last, note):
		p.WriteString("  " + p.In(term.Dim, note))
	default:
		p.WriteString("\n" + term.Spaces(used) + p.In(term.Dim, note))
	}
	p.WriteString("\n")
}

// element writes one element of a list with its sign.
func (p *writer) element(indent int, e string) {
	value, note, noted := strings.Cut(e, noteMark)
	sign, value, _ := strings.Cut(value, " ")
	lines := term.WrapValue(value, p.Room(indent+2))
	p.WriteString(term.Spaces(indent) + p.In(term.PaintOf(sign), sign) + " " +
		strings.Join(lines, "\n"+term.Spaces(indent+2)))
	if noted {
		note = "# " + note
		if last := lines[len(lines)-1]; p.fits(indent+2, last, note) {
			p.WriteString("  " + p.In(term.Dim, note))
		} else {
			p.WriteString("\n" + term.Spaces(indent+2) + p.In(term.Dim, note))
		}
	}
	p.WriteString("\n")
}

// noteMark parts an element from its note; it cannot be in what is printable.
const noteMark = "\x00"
