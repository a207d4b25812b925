package syntax

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/source"
)

// MaxDepth bounds nesting. The others bound what comes through aliases, so that a few lines cannot
// become a tree that fills the memory.
const (
	MaxDepth         = 64
	maxRepeated      = 200_000 // nodes of a document
	maxRepeatedInAll = 2_000_000
	maxRepeatedBytes = 256 << 20
)

// Repeats counts what comes through aliases in texts that are read together.
type Repeats struct{ nodes, bytes int }

// Parse reads all documents of a text. It does not panic.
func Parse(text io.Reader) ([]*yaml.Node, error) {
	d := yaml.NewDecoder(text)
	var docs []*yaml.Node
	for {
		n, err := decodeYAML(d)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, n)
	}
}

// decodeYAML calls the library's parser. The recover turns a panic of the library into an error
// of the file.
func decodeYAML(d *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			n, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	n = new(yaml.Node)
	return n, d.Decode(n)
}

// Converter turns the library's nodes into source.Nodes: it resolves aliases and merge keys, and
// shifts lines. One converter is for one document.
type Converter struct {
	shift    int32
	repeats  *Repeats
	expanded int           // nodes that came through aliases
	free     []source.Node // for the next kids: most nodes have few
	stopped  bool
	open     map[*yaml.Node]bool // anchored nodes that are being read
	fail     func(line, col int32, summary, suggestion string)
}

// NewConverter returns a converter of a text that starts below shift lines of its file. Converters with the same
// Repeats share their limits; nil is for one document alone. fail gets what a node cannot express: a tag, a key that
// is no word, a merge of something else.
func NewConverter(r *Repeats, shift int32, fail func(line, col int32, summary, suggestion string)) *Converter {
	if r == nil {
		r = new(Repeats)
	}
	return &Converter{shift: shift, repeats: r, fail: fail}
}

// Node converts a node that is depth levels deep.
func (c *Converter) Node(y *yaml.Node, depth int) source.Node { return c.node(y, depth, false) }

func (c *Converter) node(y *yaml.Node, depth int, aliased bool) source.Node {
	n := source.Node{Line: int32(y.Line) + c.shift, Column: int32(y.Column)}
	if c.tooMuch(&n, y, depth, aliased) {
		n.Type = source.Null
		return n
	}
	if y.Anchor != "" && c.open == nil {
		c.open = map[*yaml.Node]bool{}
	}
	if y.Anchor != "" {
		c.open[y] = true
		defer delete(c.open, y)
	}
	if y.Style&yaml.TaggedStyle != 0 {
		summary, suggestion := "unsupported YAML tag", "remove the tag, or quote a value that starts with !"
		// YAML reads an expression that starts with ! as a tag.
		rest, is := strings.CutPrefix(y.Tag, "!")
		if is && y.Kind == yaml.ScalarNode && strings.ContainsAny(rest, ".(") && !strings.ContainsAny(rest, "!<>") {
			summary = "YAML reads a value that starts with ! as a tag"
			suggestion = `quote the expression: "` + strings.TrimSpace(y.Tag+" "+y.Value) + `"`
		}
		c.fail(n.Line, n.Column, summary, suggestion)
		n.Bad = y.Kind == yaml.ScalarNode
	}
	switch y.Kind {
	case yaml.DocumentNode:
		return c.node(y.Content[0], depth+1, aliased)
	case yaml.AliasNode:
		if c.open[y.Alias] {
			c.fail(n.Line, n.Column, "the alias *"+y.Value+" is inside its own anchor",
				"remove the alias from the block of &"+y.Value)
			n.Type = source.Null
			return n
		}
		return c.node(y.Alias, depth+1, true)
	case yaml.SequenceNode:
		n.Shape = source.List
		n.Kids = c.kids(len(y.Content))[:len(y.Content)]
		for i, k := range y.Content {
			n.Kids[i] = c.node(k, depth+1, aliased)
		}
	case yaml.MappingNode:
		n.Shape = source.Object
		c.mapping(&n, y, depth, aliased)
	case yaml.ScalarNode:
		n.Text, n.Quoted = y.Value, y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
		n.Type = typeOf(y.Tag)
	}
	return n
}

// kids returns room for n nodes.
func (c *Converter) kids(n int) []source.Node {
	if len(c.free) < n {
		c.free = make([]source.Node, max(n, 256))
	}
	out := c.free[:0:n]
	c.free = c.free[n:]
	return out
}

// tooMuch reports once that a document nests too deep or repeats too much, and then stops.
func (c *Converter) tooMuch(n *source.Node, y *yaml.Node, depth int, aliased bool) bool {
	if aliased {
		c.expanded++
		c.repeats.nodes++
		c.repeats.bytes += len(y.Value)
	}
	switch {
	case c.stopped:
	case depth > MaxDepth:
		c.fail(n.Line, n.Column, fmt.Sprintf("nested more than %d levels deep", MaxDepth), "use fewer levels")
		c.stopped = true
	case c.expanded > maxRepeated || aliased && c.repeats.nodes > maxRepeatedInAll:
		c.fail(n.Line, n.Column, "aliases expand to too many values", "use fewer anchors")
		c.stopped = true
	case aliased && c.repeats.bytes > maxRepeatedBytes:
		c.fail(n.Line, n.Column, fmt.Sprintf("aliases expand to more than %d MiB", maxRepeatedBytes>>20), "use fewer anchors")
		c.stopped = true
	}
	return c.stopped
}

// mapping reads the pairs, then what merge keys add: a key of the block wins over a merged
// one, an earlier merge over a later one.
func (c *Converter) mapping(n *source.Node, y *yaml.Node, depth int, aliased bool) {
	n.Kids = c.kids(len(y.Content))
	var merged []source.Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.Tag == "!!merge" {
			merged = append(merged, c.node(v, depth+1, true))
			continue
		}
		key := c.node(k, depth+1, aliased)
		if key.Shape != source.Scalar || key.Type == source.Null {
			if !c.stopped {
				c.fail(key.Line, key.Column, "a key must be a word, got "+key.Form(), "use KEY: VALUE")
			}
			continue
		}
		n.Kids = append(n.Kids, key, c.node(v, depth+1, aliased))
	}
	if len(merged) == 0 {
		return
	}
	have := make(map[string]bool, len(n.Kids)/2)
	for i := 0; i < len(n.Kids); i += 2 {
		have[n.Kids[i].Text] = true
	}
	for i := range merged {
		c.merge(n, &merged[i], have)
	}
}

// merge adds keys that a block does not have.
func (c *Converter) merge(n, from *source.Node, have map[string]bool) {
	switch from.Shape {
	case source.List:
		for i := range from.Kids {
			c.merge(n, &from.Kids[i], have)
		}
	case source.Object:
		for i := 0; i+1 < len(from.Kids); i += 2 {
			if key := from.Kids[i]; !have[key.Text] {
				have[key.Text] = true
				n.Kids = append(n.Kids, key, from.Kids[i+1])
			}
		}
	default:
		c.fail(from.Line, from.Column, "<< needs an alias of a block of keys, got "+from.Form(), "use <<: *NAME")
	}
}

// typeOf maps the library's tags. A date is a string.
func typeOf(tag string) source.Type {
	switch tag {
	case "!!int":
		return source.Int
	case "!!float":
		return source.Float
	case "!!bool":
		return source.Bool
	case "!!null":
		return source.Null
	}
	return source.String
}
