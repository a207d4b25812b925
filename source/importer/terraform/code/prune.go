package code

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/source"
)

// maxRounds is the maximum number of loads of a result. Each one but the last removes all parts with errors.
const maxRounds = 100

// prune loads the result, and omits and lists each part that is not valid, until all of it is.
func (c *converter) prune(docs map[string]*yaml.Node, out *Result) error {
	for range maxRounds {
		places := map[string]*yaml.Node{}
		for name, doc := range docs {
			var b bytes.Buffer
			e := yaml.NewEncoder(&b)
			e.SetIndent(2)
			if err := e.Encode(doc); err != nil {
				return fmt.Errorf("write the configuration: %w", err)
			}
			out.Files[name] = b.String()
			var read yaml.Node
			if err := yaml.Unmarshal(b.Bytes(), &read); err != nil {
				return fmt.Errorf("the converted configuration cannot be read: %w", err)
			}
			places[name] = read.Content[0]
		}
		removed, left := c.round(docs, places, out)
		switch {
		case removed:
		case left != nil:
			return fmt.Errorf("the converted configuration is not valid, and nothing is written: %s", oneLine(left.String()))
		default:
			return nil
		}
	}
	return fmt.Errorf("the converted configuration has errors after %d corrections, and nothing is written", maxRounds)
}

// round loads the result in each environment, until one has problems, and omits the parts that have them. left is a
// problem that belongs to no part.
func (c *converter) round(docs, places map[string]*yaml.Node, out *Result) (removed bool, left *source.Problem) {
	envs := out.Environments
	if len(envs) == 0 {
		envs = []string{""}
	}
	for _, env := range envs {
		var parts []invalid
		for _, p := range c.in.Load(out.Files, env, c.examples(out, env)) {
			doc := docs[p.At.File]
			if doc == nil || p.At.Line == 0 {
				left = &p
				continue
			}
			x, ok := c.invalidAt(doc, places[p.At.File], p)
			switch {
			case !ok:
				left = &p
			case !c.isExample(x.value, out):
				parts = append(parts, x)
			}
		}
		for _, x := range parts {
			removed = x.remove(c.notes) || removed
		}
		if removed || left != nil {
			return removed, left
		}
	}
	return false, nil
}

// invalid is a value that is not valid, in a mapping or a list.
type invalid struct {
	in, value *yaml.Node
	at        hcl.Range
	what      string
	advice    string
}

// remove omits and lists a part. It returns false for a part that is omitted already.
func (x *invalid) remove(n *notes) bool {
	i := slices.Index(x.in.Content, x.value)
	if i < 0 {
		return false
	}
	n.at(x.at, x.what, x.advice)
	if x.in.Kind == yaml.MappingNode {
		x.in.Content = slices.Delete(x.in.Content, i-1, i+1)
		return true
	}
	x.in.Content = slices.Delete(x.in.Content, i, i+1)
	return true
}

// examples are values of the variables that have none, with which the result is loaded.
func (c *converter) examples(out *Result, env string) []string {
	var all []string
	for _, name := range out.Missing {
		v := out.root.vars[name]
		if slices.Contains(v.given, env) {
			continue
		}
		value := "example"
		switch typ := v.typ; {
		case v.refers != "" && v.many || strings.HasPrefix(typ, "list("):
			value = "[]"
		case typ == "int" || typ == "number":
			value = "1"
		case typ == "bool":
			value = "true"
		case strings.HasPrefix(typ, "map(") || typ == "object":
			value = "{}"
		case strings.Contains(name, "cidr"):
			value = "10.0.0.0/16"
		case strings.Contains(name, c.in.Word) && c.in.Location != "":
			value = c.in.Location
		}
		all = append(all, name+"="+value)
	}
	return all
}

// step is a value on the way to a problem: its place in the collection.
type step struct {
	of    *yaml.Node
	index int // of the key, or of the element
}

// keyOf is the key of a step in a mapping.
func (s step) keyOf() string { return s.of.Content[s.index].Value }

// valueOf is the value that a step leads to.
func (s step) valueOf() *yaml.Node {
	if s.of.Kind == yaml.MappingNode {
		return s.of.Content[s.index+1]
	}
	return s.of.Content[s.index]
}

// way returns the values that contain a line and column, from the outside to the inside.
func way(doc, read *yaml.Node, line, column int) []step {
	var out []step
	for {
		best := -1
		stride := 1
		if doc.Kind == yaml.MappingNode {
			stride = 2
		}
		if doc.Kind == yaml.ScalarNode || len(doc.Content) != len(read.Content) {
			return out
		}
		for i := 0; i < len(read.Content); i += stride {
			if n := read.Content[i]; n.Line < line || n.Line == line && n.Column <= column {
				best = i
			}
		}
		if best < 0 {
			return out
		}
		out = append(out, step{doc, best})
		doc, read = doc.Content[best+stride-1], read.Content[best+stride-1]
	}
}

// isStructural reports whether a block has another meaning without a key.
func isStructural(key string) bool {
	keys := []string{"type", "name", "use", "when", "for_each", "count", "group", "lookup", "location"}
	return slices.Contains(keys, key)
}

// invalidAt returns the part that a problem is in: an attribute, or a block if the problem is about all of it.
func (c *converter) invalidAt(doc, read *yaml.Node, p source.Problem) (invalid, bool) {
	path := way(doc, read, p.At.Line, p.At.Column)
	if len(path) == 0 {
		return invalid{}, false
	}
	depth := depthOf(path, read, p.At.Line)
	if depth == 0 || depth > len(path) && depth <= 2 {
		return invalid{}, false
	}
	depth = min(depth, len(path))
	if path, depth = c.closes(path, depth, &p); depth == 0 {
		return invalid{}, false
	}
	last := path[depth-1]
	name := path[0].keyOf()
	if name == "resources" && len(path) > 1 {
		block := path[1].of.Content[path[1].index]
		name = textAt(block, "type") + textAt(block, "use") + "/" + textAt(block, "name")
	}
	if last.of.Kind == yaml.MappingNode && depth > 1 {
		name += "." + last.keyOf()
	}
	text := p.Summary
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	return invalid{
		in: last.of, value: last.valueOf(), at: c.origin(path[:depth], last.valueOf()),
		what: name + " is omitted: " + oneLine(text), advice: cmp.Or(p.Suggestion, "write it by hand"),
	}, true
}

// depthOf returns the depth of the part that is omitted. 0 means that nothing can be.
func depthOf(path []step, read *yaml.Node, line int) int {
	switch path[0].keyOf() {
	case "resources":
		if len(path) < 3 || isStructural(path[2].keyOf()) {
			return 2
		}
		block := path[1].of.Content[path[1].index]
		switch {
		case line == startLine(read, path) && block.Style != yaml.FlowStyle:
			return 2
		case path[2].keyOf() == "vars" && len(path) > 3:
			return 4
		}
		return 3
	case "vars", "locals", "outputs", "moved":
		return 2
	case "environments":
		return 4
	case "version", "provider", "stack":
		return 0
	}
	return 1
}

// startLine is the first line of a block of resources.
func startLine(read *yaml.Node, path []step) int {
	for i := 0; i+1 < len(read.Content); i += 2 {
		if read.Content[i].Value == "resources" {
			return read.Content[i+1].Content[path[1].index].Line
		}
	}
	return 0
}

func textAt(n *yaml.Node, key string) string {
	if v := valueAt(n, key); v != nil {
		return v.Value
	}
	return ""
}

// isExample reports whether a value depends on a variable that has only an example value.
func (c *converter) isExample(v *yaml.Node, out *Result) bool {
	for _, name := range out.Missing {
		if strings.Contains(v.Value, field("vars", name)) {
			return true
		}
	}
	return slices.ContainsFunc(v.Content, func(x *yaml.Node) bool { return c.isExample(x, out) })
}

// origin is the place in Terraform's code that a value comes from.
func (c *converter) origin(path []step, v *yaml.Node) hcl.Range {
	if r, ok := c.marks[v]; ok {
		return r
	}
	for _, s := range slices.Backward(path) {
		for _, n := range []*yaml.Node{s.valueOf(), s.of} {
			if r, ok := c.marks[n]; ok {
				return r
			}
		}
	}
	return hcl.Range{}
}

// Paths are the files of a result, sorted.
func (r *Result) Paths() []string { return slices.Sorted(maps.Keys(r.Files)) }
