package syntax

import (
	"iter"
	"runtime"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/source"
)

// Cut is a document cut in two: a long list, and what is around it. The list is read in pieces, on
// all cores.
type Cut struct {
	key    string
	around string // the text with empty lines instead of the list
	list   string
	line   int32  // of the key
	first  int32  // of the list
	dash   string // how the line of an item starts
}

// NewCut cuts a text at the list of a key in the first column, if the whole is one document with all
// dashes of the list in one column. Whether the parts mean the same as the whole is known once they
// are read: a part that is cut inside of a quote or a bracket cannot be read.
func NewCut(text, key string) (c Cut, ok bool) {
	at := strings.Index("\n"+text, "\n"+key+":")
	body := strings.TrimPrefix(text, "---")
	if at < 0 || strings.HasPrefix(body, "%") || strings.HasPrefix(body, "...") {
		return c, false
	}
	// The last three are line ends that only YAML knows.
	for _, mark := range []string{"\n---", "\n...", "\n%", "\u0085", "\u2028", "\u2029"} {
		if strings.Contains(body, mark) {
			return c, false
		}
	}
	head, below, _ := strings.Cut(text[at:], "\n")
	head = text[:at] + head + "\n"
	c.key, c.line = key, int32(strings.Count(head, "\n"))
	from, to, indent := listIn(below)
	if from == to {
		return c, false
	}
	above := strings.Count(below[:from], "\n")
	c.list, c.dash, c.first = below[from:to], strings.Repeat(" ", indent)+"-", c.line+int32(above)+1
	c.around = head + strings.Repeat("\n", above+strings.Count(c.list, "\n")) + below[to:]
	return c, true
}

// listIn finds the list that a text starts with, and the column of its dashes. It ends at the first
// line without indentation. Nothing is found where a line may belong to the list or to what is below it.
func listIn(s string) (from, to, indent int) {
	found := false
	for start, end := 0, 0; start < len(s); start = end {
		end = len(s)
		if i := strings.IndexByte(s[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		body := strings.TrimLeft(s[start:end], " ")
		column := end - start - len(body)
		switch {
		case strings.HasPrefix(body, "\t"): // may be an error, by what is above it
			return 0, 0, 0
		case body == "" || strings.IndexByte("\r\n#", body[0]) >= 0:
		case !found && strings.HasPrefix(body, "- "):
			from, indent, found = start, column, true
		case !found || column > 0 && column < indent:
			return 0, 0, 0
		case column < indent || column == indent && body[0] != '-':
			if column > 0 {
				return 0, 0, 0
			}
			return from, start, indent
		}
	}
	if !found {
		return 0, 0, 0
	}
	return from, len(s), indent
}

// Around reads what is around the list, which is in it as an empty list. False: the text must be read as
// a whole.
func (c Cut) Around() (n source.Node, ok bool) {
	docs, err := Parse(strings.NewReader(c.around))
	if err != nil || len(docs) != 1 {
		return n, false
	}
	root := docs[0].Content[0]
	if root.Kind != yaml.MappingNode || root.Style&(yaml.FlowStyle|yaml.TaggedStyle) != 0 {
		return n, false
	}
	lists := 0
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		if k.Kind != yaml.ScalarNode || k.Value != c.key {
			continue
		}
		lists++
		if int32(k.Line) != c.line || k.Column != 1 || v.Kind != yaml.ScalarNode || v.Tag != "!!null" || v.Value != "" ||
			v.Anchor != "" || v.Style != 0 {
			return n, false
		}
		*v = yaml.Node{Kind: yaml.SequenceNode, Line: int(c.first), Column: len(c.dash)}
	}
	ok = lists == 1
	n = NewConverter(nil, 0, func(int32, int32, string, string) { ok = false }).Node(docs[0], 0)
	return n, ok
}

// Len is about how many items the list has.
func (c Cut) Len() int { return 1 + strings.Count(c.list, "\n"+c.dash+" ") }

// Items yields the items of the list. It ends early, with ok false, at one that cannot be read without
// the rest: then the text must be read as a whole. Pieces of that many bytes or a little more are read
// ahead, side by side.
func (c Cut) Items(piece int, ok *bool) iter.Seq[*source.Node] {
	return func(yield func(*source.Node) bool) {
		var ahead []chan []source.Node
		next, stop := iter.Pull2(c.pieces(piece))
		defer stop()
		for {
			for len(ahead) <= runtime.GOMAXPROCS(0) {
				text, line, more := next()
				if !more {
					break
				}
				out := make(chan []source.Node, 1)
				ahead = append(ahead, out)
				go func() { out <- c.read(text, line) }()
			}
			if len(ahead) == 0 {
				return
			}
			items := <-ahead[0]
			ahead = ahead[1:]
			if *ok = items != nil; !*ok {
				return
			}
			for i := range items {
				if !yield(&items[i]) {
					return
				}
			}
		}
	}
}

// pieces yields the list in pieces of that size or a little more, each with the line that it starts on.
func (c Cut) pieces(size int) iter.Seq2[string, int32] {
	return func(yield func(string, int32) bool) {
		line := c.first
		for rest := c.list; rest != ""; {
			end := len(rest)
			if size < end {
				if i := strings.Index(rest[size:], "\n"+c.dash); i >= 0 {
					end = size + i + 1
				}
			}
			if !yield(rest[:end], line) {
				return
			}
			line += int32(strings.Count(rest[:end], "\n"))
			rest = rest[end:]
		}
	}
}

// read reads one piece; nil means that it cannot be read by itself, has an anchor or has a problem.
func (c Cut) read(text string, line int32) []source.Node {
	docs, err := Parse(strings.NewReader(text))
	if err != nil || len(docs) != 1 {
		return nil
	}
	list := docs[0].Content[0]
	if list.Kind != yaml.SequenceNode || list.Column != len(c.dash) || list.Style&(yaml.FlowStyle|yaml.TaggedStyle) != 0 {
		return nil
	}
	fine := true
	k := NewConverter(nil, line-1, func(int32, int32, string, string) { fine = false })
	items := k.node(list, 1, false).Kids
	if !fine || k.open != nil || k.expanded > 0 {
		return nil
	}
	return items
}

// Failure locates an error of the YAML library in a text, in the item of a list if that is where it is.
func Failure(text, key string, err error) *Error {
	if i := strings.Index(text, "\n"+key+":"); i > 0 { // what is before the list comes first
		if _, bad := Parse(strings.NewReader(text[:i+1])); bad != nil {
			return FromYAML(text[:i+1], 0, bad)
		}
	}
	if c, ok := NewCut(text, key); ok {
		for item, line := range c.pieces(0) {
			if _, bad := Parse(strings.NewReader(item)); bad != nil {
				return FromYAML(item, int(line)-1, bad)
			}
		}
	}
	return FromYAML(text, 0, err)
}
