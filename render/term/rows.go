package term

import "strings"

// Row is one attribute of a decision.
type Row struct {
	Path     string
	Text     string   // the value, or current -> configured
	Elements []string // of a list: "- x" and "+ y", a line each
	Lines    []string // of a document, below the path
	Notes    []string
	Implied  bool // the value implies its note, which is omitted where it needs a line of its own
}

func (r Row) note() string {
	if len(r.Notes) == 0 {
		return ""
	}
	return "# " + OneLine(strings.Join(r.Notes, "; "))
}

// widestPath is the longest path with which others are aligned.
const widestPath = 28

// Rows writes attributes with their values and notes aligned.
func (p *Writer) Rows(rows []Row) { p.RowsAt(DetailIndent, rows) }

// RowsAt writes attributes as Rows does, under an indent.
func (p *Writer) RowsAt(indent int, rows []Row) {
	path, text := 0, 0
	for _, r := range rows {
		if n := Columns(r.Path); n <= widestPath {
			path = max(path, n)
		}
	}
	for _, r := range rows {
		if note := r.note(); note != "" && r.Text != "" && p.fits(indent+max(path, Columns(r.Path))+2, r.Text, note) {
			text = max(text, Columns(r.Text))
		}
	}
	for _, r := range rows {
		p.row(indent, r, path, text)
	}
}

// fits says that a value and its note fit into one line behind a column.
func (p *Writer) fits(used int, text, note string) bool {
	return used+Columns(text)+2+Columns(note) <= p.Columns()
}

// Row writes one attribute. A value that is too long is wrapped at its spaces, below itself.
func (p *Writer) row(indent int, r Row, path, text int) {
	used := indent + max(path, Columns(r.Path)) + 2
	note := r.note()
	if r.Text == "" { // a list or a document
		p.WriteString(Spaces(indent) + r.Path)
		if note != "" {
			p.WriteString(Spaces(path-Columns(r.Path)) + "  " + p.In(Dim, note))
		}
		p.WriteString("\n")
		for _, e := range r.Elements {
			p.element(indent+2, e)
		}
		for _, line := range r.Lines {
			words := strings.TrimLeft(line, " ")
			at := indent + 2 + len(line) - len(words) // a line of a document is wrapped under its own indent
			p.WriteString(Spaces(at) + strings.Join(WrapValue(OneLine(words), p.Room(at+2)), "\n"+Spaces(at+2)) + "\n")
		}
		return
	}
	p.WriteString(Spaces(indent) + Pad(r.Path, path))
	if used > p.Columns()/2 {
		used = indent + 4
		p.WriteString("\n" + Spaces(used))
	} else {
		p.WriteString("  ")
	}
	lines := WrapValue(r.Text, p.Room(used))
	p.WriteString(strings.Join(lines, "\n"+Spaces(used)))
	last := lines[len(lines)-1]
	switch {
	case note == "":
	case len(lines) == 1 && p.fits(used, Pad(last, text), note):
		p.WriteString(Spaces(text-Columns(last)) + "  " + p.In(Dim, note))
	case p.fits(used, last, note):
		p.WriteString("  " + p.In(Dim, note))
	case r.Implied:
	default:
		p.WriteString("\n" + Spaces(used) + p.In(Dim, note))
	}
	p.WriteString("\n")
}

// element writes one element of a list with its sign.
func (p *Writer) element(indent int, e string) {
	value, note, noted := strings.Cut(e, NoteMark)
	sign, value, _ := strings.Cut(value, " ")
	lines := WrapValue(value, p.Room(indent+2))
	p.WriteString(Spaces(indent) + p.In(PaintOf(sign), sign) + " " +
		strings.Join(lines, "\n"+Spaces(indent+2)))
	if noted {
		note = "# " + note
		if last := lines[len(lines)-1]; p.fits(indent+2, last, note) {
			p.WriteString("  " + p.In(Dim, note))
		} else {
			p.WriteString("\n" + Spaces(indent+2) + p.In(Dim, note))
		}
	}
	p.WriteString("\n")
}

// NoteMark parts an element from its note; no printable text contains it.
const NoteMark = "\x00"
