package code

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// linesIn matches the positions of a cycle in the file that is written, which no one has yet.
var linesIn = regexp.MustCompile(` \([^()]*\)`)

// closes returns the way to the attribute that refers to the next resource of a dependency cycle, so that the rest of
// its block is kept. Any other problem, and a cycle in which no attribute is found, keeps its way.
func (c *converter) closes(path []step, depth int, p *source.Problem) ([]step, int) {
	text, is := strings.CutPrefix(p.Summary, "dependency cycle: ")
	if !is || depth != 2 || len(path) < 2 {
		return path, depth
	}
	text = linesIn.ReplaceAllString(text, "")
	p.Summary = "dependency cycle: " + text
	next, name, ok := strings.Cut(strings.Split(text, " -> ")[1], "/")
	block := path[1].of.Content[path[1].index]
	kind, known := c.in.Kind(textAt(block, "type"))
	if !ok || !known {
		return path, depth
	}
	for i := 0; i+1 < len(block.Content); i += 2 {
		a := resource.Attribute{Elem: &resource.Attribute{RefKind: next}} // of depends_on
		if key := block.Content[i].Value; key != "depends_on" {
			if a, known = schema(kind.Attrs, key); !known || isStructural(key) {
				continue
			}
		}
		if refersTo(block.Content[i+1], &a, next, name) {
			return append(slices.Clone(path[:2]), step{block, i}), 3
		}
	}
	return path, depth
}

// refersTo reports whether the value of an attribute refers to a resource, as a name or in a text.
func refersTo(v *yaml.Node, a *resource.Attribute, kind, name string) bool {
	switch {
	case v.Kind == yaml.ScalarNode:
		ref := kind + "/" + name
		return strings.Contains(v.Value, "${"+ref+".") || strings.Contains(v.Value, "${"+ref+"}") ||
			v.Value == name && a.RefKind == kind || v.Value == ref
	case v.Kind == yaml.SequenceNode:
		return slices.ContainsFunc(v.Content, func(x *yaml.Node) bool { return refersTo(x, elemOf(*a), kind, name) })
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		of, ok := schema(a.Fields, v.Content[i].Value)
		if !ok {
			of = *elemOf(*a)
		}
		if refersTo(v.Content[i+1], &of, kind, name) {
			return true
		}
	}
	return false
}
