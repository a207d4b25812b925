package config

import (
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// The bounds of what a document may nest and repeat, so that a few lines of aliases can't
// become a tree that fills the memory.
const (
	maxDepth    = 64
	maxExpanded = 200_000
)

// parseYAML reads all documents of a text.
func parseYAML(text io.Reader) ([]*yaml.Node, error) {
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

// decodeYAML is the one place that calls the library's parser. The recover keeps a fault of
// its own from ending a run that a bad file should merely fail.
func decodeYAML(d *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			n, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	n = new(yaml.Node)
	return n, d.Decode(n)
}

// converter turns the library's nodes into ours: aliases and merge keys are resolved, and
// lines shifted by where in the file the text began.
type converter struct {
	shift    int32
	expanded int // nodes that came through aliases
	stopped  bool
	open     map[*yaml.Node]bool // anchored nodes that are being read
	fail     func(line, col int32, summary, suggestion string)
}

func (c *converter) node(y *yaml.Node, depth int, aliased bool) node {
	n := node{line: int32(y.Line) + c.shift, col: int32(y.Column)}
	if c.tooMuch(&n, depth, aliased) {
		n.typ = nullT
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
		c.fail(n.line, n.col, "the YAML tag "+quote(y.Tag)+" is not understood here", "leave the tag out; quote a value that must be text")
	}
	switch y.Kind {
	case yaml.DocumentNode:
		return c.node(y.Content[0], depth+1, aliased)
	case yaml.AliasNode:
		if c.open[y.Alias] {
			c.fail(n.line, n.col, "the alias *"+y.Value+" stands inside its own anchor", "take the alias out of the block that &"+y.Value+" names")
			n.typ = nullT
			return n
		}
		return c.node(y.Alias, depth+1, true)
	case yaml.SequenceNode:
		n.shape = list
		n.kids = make([]node, len(y.Content))
		for i, k := range y.Content {
			n.kids[i] = c.node(k, depth+1, aliased)
		}
	case yaml.MappingNode:
		n.shape = object
		c.mapping(&n, y, depth, aliased)
	case yaml.ScalarNode:
		n.text, n.quoted = y.Value, y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
		n.typ = typeOf(y.Tag)
	}
	return n
}

// tooMuch says once that a document goes too deep or repeats too much, and then stops.
func (c *converter) tooMuch(n *node, depth int, aliased bool) bool {
	if aliased {
		c.expanded++
	}
	switch {
	case c.stopped:
	case depth > maxDepth:
		c.fail(n.line, n.col, fmt.Sprintf("nested more than %d levels deep", maxDepth), "nothing that a config says needs so many")
		c.stopped = true
	case c.expanded > maxExpanded:
		c.fail(n.line, n.col, "aliases repeat too much of the file", "write less with anchors")
		c.stopped = true
	}
	return c.stopped
}

// mapping reads the pairs, and puts what merge keys bring behind them: a key that is written
// wins over one that is merged, an earlier merge over a later.
func (c *converter) mapping(n *node, y *yaml.Node, depth int, aliased bool) {
	n.kids = make([]node, 0, len(y.Content))
	var merged []node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.Tag == "!!merge" {
			merged = append(merged, c.node(v, depth+1, true))
			continue
		}
		key := c.node(k, depth+1, aliased)
		if key.shape != scalar || key.typ == nullT {
			if !c.stopped {
				c.fail(key.line, key.col, "a key must be a word, and this is "+key.what(), "write KEY: VALUE")
			}
			continue
		}
		n.kids = append(n.kids, key, c.node(v, depth+1, aliased))
	}
	for i := range merged {
		c.merge(n, &merged[i])
	}
}

func (c *converter) merge(n, from *node) {
	switch from.shape {
	case list:
		for i := range from.kids {
			c.merge(n, &from.kids[i])
		}
	case object:
		for i := 0; i+1 < len(from.kids); i += 2 {
			if n.get(from.kids[i].text) == nil {
				n.kids = append(n.kids, from.kids[i], from.kids[i+1])
			}
		}
	default:
		c.fail(from.line, from.col, "<< wants an alias of a block of keys, not "+from.what(), "write <<: *NAME")
	}
}

// typeOf maps the library's tags. A date is text to us.
func typeOf(tag string) typ {
	switch tag {
	case "!!int":
		return intT
	case "!!float":
		return floatT
	case "!!bool":
		return boolT
	case "!!null":
		return nullT
	}
	return strT
}
