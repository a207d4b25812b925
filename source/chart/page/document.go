package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/syntax"
)

// document is one document of a text.
type document struct {
	text  *Text
	start int // in the text
	body  string
	lines []int
}

// split cuts a text into documents. A line that starts with --- always ends one: YAML allows it
// nowhere else, not even in a quoted string, and a block scalar is indented. So a document that
// cannot be read costs no other one.
func split(t *Text) []*document {
	var out []*document
	start, offset, started := 0, 0, false
	for line := range strings.Lines(t.Body) {
		if isMark(line) && started {
			out = append(out, &document{text: t, start: start, body: t.Body[start:offset]})
			start = offset
		}
		word := strings.TrimSpace(line)
		started = started || isMark(line) || word != "" && word[0] != '#' && word[0] != '%'
		offset += len(line)
	}
	return append(out, &document{text: t, start: start, body: t.Body[start:]})
}

func isMark(line string) bool {
	rest, ok := strings.CutPrefix(line, "---")
	return ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n"))
}

// offset is where a line and column of the document are in the text.
func (d *document) offset(line, col int32) int {
	if d.lines == nil {
		d.lines = LineStarts(d.body)
	}
	i := min(max(int(line), 1), len(d.lines)) - 1
	at := d.lines[i]
	for range max(col, 1) - 1 {
		if at >= len(d.body) || d.body[at] == '\n' {
			break
		}
		at++
		for at < len(d.body) && d.body[at]&0xC0 == 0x80 {
			at++
		}
	}
	return d.start + at
}

// place is the position in the template of a line and column of the document.
func (d *document) place(line, col int32) (at position.Position, exact bool) {
	f, offset, exact := d.text.locate(d.offset(line, col))
	l, c := f.Position(offset)
	return position.Position{File: f.Name, Line: int(l), Column: int(c)}, exact
}

// Nodes reads all documents of a text. What cannot be read is reported.
func (r *Reader) Nodes(t *Text) []source.Node {
	var out []source.Node
	for _, d := range split(t) {
		docs, err := syntax.Parse(strings.NewReader(d.body))
		if err != nil {
			e := syntax.FromYAML(d.body, 0, err)
			r.unreadable(d, e.Line, e.Col, e.Msg, e.Suggestion)
			continue
		}
		for _, doc := range docs {
			c := syntax.NewConverter(&r.repeats, 0, func(line, col int32, summary, suggestion string) {
				r.unreadable(d, line, col, summary, suggestion)
			})
			n := c.Node(doc, 0)
			r.move(d, &n)
			out = append(out, n)
		}
	}
	return out
}

// unreadable reports a document that cannot be read. Its resources are not known.
func (r *Reader) unreadable(d *document, line, col int32, summary, suggestion string) {
	at, exact := d.place(line, col)
	p := source.Problem{At: at, Summary: summary, Suggestion: suggestion}
	if !exact {
		rendered, _ := (&File{Text: d.text.Body}).Position(d.offset(line, col))
		p.Detail = fmt.Sprintf("in line %d of the rendered template", rendered)
	}
	r.Draft.Problem(p)
	r.lost(at)
}

// move gives a node and those below it their positions in the template.
func (r *Reader) move(d *document, n *source.Node) {
	at, _ := d.place(n.Line, n.Column)
	n.Line, n.Column, n.File = int32(at.Line), int32(at.Column), r.FileOf(d.text, at.File)
	for i := range n.Kids {
		r.move(d, &n.Kids[i])
	}
}

// FileOf is the number of a file in a node of a text.
func (r *Reader) FileOf(t *Text, name string) int32 {
	if name == t.From.Name {
		return 0
	}
	i := slices.Index(r.Files, name)
	if i < 0 {
		i, r.Files = len(r.Files), append(r.Files, name)
	}
	return int32(i) + 1
}
