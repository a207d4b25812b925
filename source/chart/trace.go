package chart

import (
	"errors"
	"sort"
	"strings"
	"unicode/utf8"
)

// file is a file in memory.
type file struct {
	name  string // as on the command line: for users
	text  string
	lines []int // where each line starts; nil until asked for
}

// position is the line and column of an offset, counted from 1, in characters.
func (f *file) position(offset int) (line, col int32) {
	if f.lines == nil {
		f.lines = lineStarts(f.text)
	}
	offset = min(offset, len(f.text))
	i := sort.SearchInts(f.lines, offset+1) - 1
	return int32(i + 1), int32(utf8.RuneCountInString(f.text[f.lines[i]:offset]) + 1)
}

func lineStarts(s string) []int {
	out := []int{0}
	for i := range len(s) {
		if s[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// text is what a template was rendered to, or a plain file, with where each piece comes from.
type text struct {
	from  *file // the template
	body  string
	spans []span
}

// span is a piece of a text: where it starts, and where that is in a template. The text of a
// template is exact: each byte of it is in the template. What an action printed is all at the
// action.
type span struct {
	start int
	mark
}

// mark is a position in a template.
type mark struct {
	file   *file
	offset int
	exact  bool
}

func plainText(f *file) *text {
	return &text{from: f, body: f.text, spans: []span{{0, mark{f, 0, true}}}}
}

func (t *text) name() string { return t.from.name }

// locate finds where a byte of the text comes from.
func (t *text) locate(offset int) (f *file, at int, exact bool) {
	i := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].start > offset }) - 1
	if i < 0 {
		return t.from, 0, false
	}
	s := t.spans[i]
	if s.exact {
		return s.file, s.offset + offset - s.start, true
	}
	return s.file, s.offset, false
}

// maxRendered bounds what a template can be rendered to.
const maxRendered = 4 << 20

var errTooLong = errors.New("the template renders to more than 4 MiB")

// tracer is the output of a template that is rendered: the marks between its nodes tell where
// what is written next comes from.
type tracer struct {
	out   strings.Builder
	now   mark
	spans []span
}

// Write implements io.Writer. text/template writes each node with one call.
func (t *tracer) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if t.out.Len()+len(p) > maxRendered {
		return 0, errTooLong
	}
	t.spans = append(t.spans, span{t.out.Len(), t.now})
	return t.out.Write(p)
}
