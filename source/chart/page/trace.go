package page

import (
	"errors"
	"sort"
	"strings"
	"unicode/utf8"
)

// File is a file in memory.
type File struct {
	Name  string // as on the command line: for users
	Text  string
	Lines []int // where each line starts; nil until asked for
}

// Position is the line and column of an offset, counted from 1, in characters.
func (f *File) Position(offset int) (line, col int32) {
	if f.Lines == nil {
		f.Lines = LineStarts(f.Text)
	}
	offset = min(offset, len(f.Text))
	i := sort.SearchInts(f.Lines, offset+1) - 1
	return int32(i + 1), int32(utf8.RuneCountInString(f.Text[f.Lines[i]:offset]) + 1)
}

// LineStarts lists where each line of a text starts.
func LineStarts(s string) []int {
	out := []int{0}
	for i := range len(s) {
		if s[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// Text is what a template was rendered to, or a plain file, with where each piece comes from.
type Text struct {
	From  *File // the template
	Body  string
	Spans []span
}

// span is a piece of a text: where it starts, and where that is in a template. The text of a
// template is exact: each byte of it is in the template. What an action printed is all at the
// action.
type span struct {
	start int
	Mark
}

// Mark is a position in a template.
type Mark struct {
	File   *File
	Offset int
	Exact  bool
}

// PlainText is a file that is no template.
func PlainText(f *File) *Text {
	return &Text{From: f, Body: f.Text, Spans: []span{{0, Mark{f, 0, true}}}}
}

// Name is the name of the file that it comes from.
func (t *Text) Name() string { return t.From.Name }

// locate finds where a byte of the text comes from.
func (t *Text) locate(offset int) (f *File, at int, exact bool) {
	i := sort.Search(len(t.Spans), func(i int) bool { return t.Spans[i].start > offset }) - 1
	if i < 0 {
		return t.From, 0, false
	}
	s := t.Spans[i]
	if s.Exact {
		return s.File, s.Offset + offset - s.start, true
	}
	return s.File, s.Offset, false
}

// MaxRendered bounds what a template can be rendered to.
const MaxRendered = 4 << 20

// ErrTooLong is the error of a template whose output is too long.
var ErrTooLong = errors.New("the template renders to more than 4 MiB")

// Tracer is the output of a template that is rendered: the marks between its nodes tell where
// what is written next comes from.
type Tracer struct {
	Out   strings.Builder
	Now   Mark
	Spans []span
}

// Write implements io.Writer. text/template writes each node with one call.
func (t *Tracer) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if t.Out.Len()+len(p) > MaxRendered {
		return 0, ErrTooLong
	}
	t.Spans = append(t.Spans, span{t.Out.Len(), t.Now})
	return t.Out.Write(p)
}
