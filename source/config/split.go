package config

import (
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/syntax"
)

// cut is a document cut in three: what is above the blocks of resources, the blocks, and what
// is below them.
type cut struct {
	head, blocks, tail string
	line               int32 // of resources:
	first              int32 // of the blocks
	below              int32 // of the tail
	indent             int   // of the blocks' dashes
}

// split cuts a YAML text at its resources, if the pieces certainly mean the same as the whole:
// one document, no anchors, no line ends that only YAML knows, and all dashes in one column.
// Quotes and brackets over several lines need no search: a piece that is cut inside of one
// cannot be read, and then the whole is read instead.
func split(s string) (c cut, ok bool) {
	const word = "resources:"
	body := strings.TrimPrefix(s, "---")
	if anchored(s) || tabbed(s) || strings.HasPrefix(body, "%") || strings.HasPrefix(body, "...") {
		return c, false
	}
	for _, mark := range []string{"\n---", "\n...", "\n%", "\u0085", "\u2028", "\u2029"} {
		if strings.Contains(body, mark) {
			return c, false
		}
	}
	at := strings.Index(s, "\n"+word) + 1
	if at == 0 && !strings.HasPrefix(s, word) || strings.Contains(s[at+1:], "\n"+word) {
		return c, false
	}
	end := strings.IndexByte(s[at:], '\n')
	if end < 0 || !ended(strings.TrimSuffix(s[at+len(word):at+end], "\r")) {
		return c, false
	}
	c.head, c.blocks = s[:at], s[at+end+1:]
	c.line = int32(strings.Count(c.head, "\n")) + 1
	return c.blocksEnd()
}

// tabbed reports that a line starts with a tab: whether that is an error depends on what is
// above it.
func tabbed(s string) bool {
	for i := strings.IndexByte(s, '\t'); i >= 0; {
		if before := strings.TrimRight(s[:i], " "); before == "" || before[len(before)-1] == '\n' {
			return true
		}
		next := strings.IndexByte(s[i+1:], '\t')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// anchored reports a possible anchor: an ampersand before a name, where a value can start. An
// alias needs no search: its piece cannot be read without the anchor.
func anchored(s string) bool {
	for i := 0; ; i++ {
		next := strings.IndexByte(s[i:], '&')
		if next < 0 {
			return false
		}
		i += next
		before := i == 0 || strings.IndexByte(" \t\r\n[]{},:-?", s[i-1]) >= 0
		after := i+1 < len(s) && (letter(s[i+1]) || s[i+1] >= '0' && s[i+1] <= '9' || s[i+1] == '_' || s[i+1] == '-')
		if before && after {
			return true
		}
	}
}

// blocksEnd finds the column of the dashes and the first line after the blocks.
func (c cut) blocksEnd() (cut, bool) {
	all, found := c.blocks, false
	line := c.line
	for rest := all; rest != ""; {
		start := len(all) - len(rest)
		text, after, _ := strings.Cut(rest, "\n")
		line++
		body := strings.TrimLeft(text, " ")
		ind := len(text) - len(body)
		switch {
		case strings.TrimSpace(body) == "", body[0] == '#':
		case !found:
			if !strings.HasPrefix(body, "- ") {
				return c, false
			}
			c.blocks, c.first, c.indent, found = all[start:], line, ind, true
		case ind < c.indent, ind == c.indent && body[0] != '-':
			if ind > 0 {
				return c, false
			}
			c.blocks = c.blocks[:len(c.blocks)-len(rest)]
			c.tail, c.below = rest, line
			return c, found
		}
		rest = after
	}
	return c, found
}

// each yields the blocks one by one with the line each starts on.
func (c cut) each(yield func(s string, line int32) bool) {
	line, dash := c.first, "\n"+strings.Repeat(" ", c.indent)+"-"
	for rest := c.blocks; rest != ""; {
		end := strings.Index(rest, dash)
		if end < 0 {
			end = len(rest) - 1
		}
		if !yield(rest[:end+1], line) {
			return
		}
		line += int32(strings.Count(rest[:end+1], "\n"))
		rest = rest[end+1:]
	}
}

// cutDocument reads a document in pieces. False: a piece could not be read.
func (l *loader) cutDocument(f *file, c cut) bool {
	root := source.Node{Shape: source.Object, Line: 1, Column: 1}
	if !l.piece(f, c.head, 1, &root) {
		return false
	}
	root.Kids = append(root.Kids, source.Node{Text: "resources", Line: c.line, Column: 1},
		source.Node{Shape: source.List, Line: c.first, Column: int32(c.indent + 1)})
	if !l.piece(f, c.tail, c.below, &root) {
		return false
	}
	root.Line, root.Column = root.Kids[0].Line, root.Kids[0].Column
	blocks := 1 + strings.Count(c.blocks, "\n"+strings.Repeat(" ", c.indent)+"- ")
	l.draft.Grow(blocks)
	ok := true
	l.document(f, &root, l.cutBlocks(f, c, &ok))
	return ok
}

// piece reads the keys above or below the blocks.
func (l *loader) piece(f *file, s string, line int32, root *source.Node) bool {
	if isComment(s) {
		return true
	}
	docs, err := syntax.Parse(strings.NewReader(s))
	if err != nil || len(docs) != 1 {
		return false
	}
	m := docs[0].Content[0]
	if m.Kind != yaml.MappingNode || m.Column != 1 || m.Style&(yaml.FlowStyle|yaml.TaggedStyle) != 0 {
		return false // resources: is not a key of the same block
	}
	n := l.converter(f, line-1).Node(docs[0], 0)
	root.Kids = append(root.Kids, n.Kids...)
	return true
}

// isComment reports that there are only comments, and the line that starts a document.
func isComment(s string) bool {
	for line := range strings.Lines(strings.TrimPrefix(s, "---")) {
		if t := strings.TrimSpace(line); t != "" && t[0] != '#' {
			return false
		}
	}
	return true
}

func (l *loader) converter(f *file, shift int32) *syntax.Converter {
	return syntax.NewConverter(shift, func(line, col int32, summary, suggestion string) {
		l.problem(f.at(line, col), "", summary, suggestion)
	})
}

// cutBlocks reads the blocks, each by itself. It stops with ok false at one that cannot be read.
func (l *loader) cutBlocks(f *file, c cut, ok *bool) iter.Seq[*source.Node] {
	return func(yield func(*source.Node) bool) {
		var r simple
		c.each(func(s string, line int32) bool {
			n, plain := r.block(s, line)
			if !plain {
				docs, err := syntax.Parse(strings.NewReader(s))
				if err != nil || len(docs) != 1 || docs[0].Content[0].Kind != yaml.SequenceNode || len(docs[0].Content[0].Content) != 1 {
					*ok = false
					return false
				}
				n = l.converter(f, line-1).Node(docs[0].Content[0].Content[0], 2)
			}
			return yield(&n)
		})
	}
}

// wholeDocument reads a document of the library. Its blocks become nodes one by one.
func (l *loader) wholeDocument(f *file, d *yaml.Node) {
	c := l.converter(f, 0)
	root := *d.Content[0]
	var blocks []*yaml.Node
	if root.Kind == yaml.MappingNode {
		root.Content = append([]*yaml.Node(nil), root.Content...)
		for i := 0; i+1 < len(root.Content); i += 2 {
			if v := root.Content[i+1]; root.Content[i].Value == "resources" && v.Kind == yaml.SequenceNode && blocks == nil {
				blocks = v.Content
				empty := *v
				empty.Content = nil
				root.Content[i+1] = &empty
			}
		}
	}
	n := c.Node(&root, 1)
	l.document(f, &n, func(yield func(*source.Node) bool) {
		if blocks == nil {
			items(&n)(yield)
			return
		}
		for _, b := range blocks {
			if k := c.Node(b, 2); !yield(&k) {
				return
			}
		}
	})
}
