package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
)

// Head is what a configuration says once for all its resources.
type Head struct {
	Stack    string // "" means the name of the folder
	Provider string
	// Word and Location set the location; with an empty Location the file has none.
	Word, Location string
}

// Note is what the configuration does not have of a resource.
type Note struct {
	Item Item
	Path string // of the attribute
	Text string
}

// Write returns a configuration of resources of one location, and what it could not say of them. Attributes that
// equal their defaults, that are read-only and that are secret are not written: a later plan does not compare what
// the file of an adopted resource does not mention. An ID of another imported resource is written as its name.
func Write(h Head, schemas Schemas, items []Item) ([]byte, []Note, error) {
	w := writer{schemas: schemas, names: map[kindID]string{}, refers: map[kindID][]kindID{}}
	for _, i := range items {
		w.names[kindID{i.Resource.Ref.Kind, i.Resource.ID}] = i.Name
	}
	head := &yaml.Node{Kind: yaml.MappingNode}
	set(head, "version", text("v1"))
	if h.Stack != "" {
		set(head, "stack", text(h.Stack))
	}
	set(head, "provider", text(h.Provider))
	if h.Location != "" {
		set(head, h.Word, text(h.Location))
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	// A resource that others refer to is before them, by kind.
	ordered := slices.Clone(items)
	slices.SortStableFunc(ordered, func(a, b Item) int {
		return w.depth(a.Resource.Ref, nil) - w.depth(b.Resource.Ref, nil)
	})
	for _, i := range ordered {
		block, err := w.block(i)
		if err != nil {
			return nil, nil, err
		}
		list.Content = append(list.Content, block)
	}
	set(head, "resources", list)
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(head); err != nil {
		return nil, nil, fmt.Errorf("write the configuration: %w", err)
	}
	return b.Bytes(), w.notes, nil
}

// depth is how many kinds one after the other the resources of a kind may refer to.
func (w *writer) depth(of resource.Ref, through []string) (n int) {
	if slices.Contains(through, of.Kind) {
		return 0
	}
	k, _ := w.schemas.Kind(of.Provider, of.Kind)
	through = append(through, of.Kind)
	for _, a := range k.Attrs {
		for elem := &a; elem != nil; elem = elem.Elem {
			if elem.RefKind != "" {
				n = max(n, 1+w.depth(resource.Ref{Provider: of.Provider, Kind: elem.RefKind}, through))
			}
		}
	}
	return n
}

type kindID struct{ kind, id string }

type writer struct {
	schemas Schemas
	names   map[kindID]string
	refers  map[kindID][]kindID // by name, to others and not to itself
	at      kindID              // the resource that is written
	notes   []Note
}

// name is the name by which the resource that is written may refer to another. Resources that name each other are
// refused, so the last of them keeps the ID, which is not a dependency.
func (w *writer) name(of kindID) (string, bool) {
	name, ok := w.names[of]
	if !ok || of == w.at || w.reaches(of, w.at, map[kindID]bool{}) {
		return "", false
	}
	w.refers[w.at] = append(w.refers[w.at], of)
	return name, true
}

func (w *writer) reaches(from, to kindID, seen map[kindID]bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	return slices.ContainsFunc(w.refers[from], func(next kindID) bool { return !seen[next] && w.reaches(next, to, seen) })
}

// block is one resource.
func (w *writer) block(i Item) (*yaml.Node, error) {
	o := &i.Resource
	k, ok := w.schemas.Kind(o.Ref.Provider, o.Ref.Kind)
	if !ok {
		return nil, fmt.Errorf("import %s: provider %s has no kind %s", o.ID, o.Ref.Provider, o.Ref.Kind)
	}
	w.at = kindID{k.Name, o.ID}
	n := &yaml.Node{Kind: yaml.MappingNode}
	set(n, "type", text(k.Name))
	set(n, "name", text(i.Name))
	if k.State == resource.StateRunning && o.Health == resource.Stopped {
		set(n, "state", text(string(resource.StateStopped)))
	}
	written, problems := known(k, o)
	for _, p := range problems {
		w.notes = append(w.notes, Note{i, p.Path, p.Summary})
	}
	for _, a := range k.Attrs {
		if v, ok := written.Get(a.Name); ok && (a.Name != k.Identifier || v != resource.String(i.Name)) {
			set(n, a.Name, w.value(a, v, true))
		}
	}
	tags := &yaml.Node{Kind: yaml.MappingNode}
	for _, t := range o.Tags {
		if t.Key != k.NameTag || t.Value != i.Name { // ovi sets it from the name
			set(tags, t.Key, text(t.Value))
		}
	}
	if len(tags.Content) > 0 && !k.NoTags {
		set(n, "tags", tags)
	}
	return n, nil
}

// known are the attributes that are written, and what is wrong with them. An attribute that the kind's own check
// refuses, because another one says it already, is omitted.
func known(k resource.Kind, o *resource.Observed) (resource.Attrs, []resource.Problem) {
	out := keep(k.Attrs, o.Attrs)
	for {
		_, problems := resource.Check(k, out)
		before := len(out)
		for _, p := range problems {
			out = out.Without(p.Path[:strings.IndexAny(p.Path+".", ".[")])
		}
		if len(out) == before {
			return out, problems
		}
	}
}

// keep is what a configuration says of observed attributes.
func keep(schema []resource.Attribute, all resource.Attrs) resource.Attrs {
	var out []resource.Attr
	for _, a := range schema {
		v, ok := all.Get(a.Name)
		if !ok || a.Computed || a.Secret || v == nil || a.Omit != nil && a.Omit(v) {
			continue
		}
		if nested, is := v.(resource.Attrs); is && len(a.Fields) > 0 {
			if nested = keep(a.Fields, nested); len(nested) == 0 {
				continue
			}
			v = nested
		}
		if !a.Required && (same(v, a.Default) || same(v, a.CreateDefault) || isEmpty(v) && a.Default == nil) {
			continue
		}
		out = append(out, resource.Attr{Name: a.Name, Value: elements(a, v)})
	}
	return resource.SortAttrs(out)
}

// elements omits the defaults in the objects of a list. Objects of a list are compared as a whole, so that only what
// means the same when it is omitted can be: what is read-only stays, and the check of the kind refuses it.
func elements(a resource.Attribute, v resource.Value) resource.Value {
	list, is := v.(resource.List)
	if !is || a.Elem == nil || len(a.Elem.Fields) == 0 {
		return v
	}
	out := make(resource.List, 0, len(list))
	for _, e := range list {
		if object, is := e.(resource.Attrs); is {
			var kept []resource.Attr
			for _, x := range object {
				f := field(a.Elem.Fields, x.Name)
				if f.Required || !same(x.Value, f.Default) && (f.Omit == nil || !f.Omit(x.Value)) {
					kept = append(kept, resource.Attr{Name: x.Name, Value: elements(f, x.Value)})
				}
			}
			e = resource.SortAttrs(kept)
		}
		out = append(out, e)
	}
	return out
}

func same(v, d resource.Value) bool { return d != nil && resource.Equal(v, d) }

func isEmpty(v resource.Value) bool {
	switch v := v.(type) {
	case resource.List:
		return len(v) == 0
	case resource.Attrs:
		return len(v) == 0
	}
	return v == resource.String("")
}

// value is an attribute as a configuration has it. A collection inside another is written on one line.
func (w *writer) value(a resource.Attribute, v resource.Value, outer bool) *yaml.Node {
	switch v := v.(type) {
	case resource.List:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		elem := resource.Attribute{}
		if a.Elem != nil {
			elem = *a.Elem
		}
		for _, x := range v {
			n.Content = append(n.Content, w.value(elem, x, false))
		}
		if !outer || !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return c.Kind != yaml.ScalarNode }) {
			n.Style = yaml.FlowStyle
		}
		return n
	case resource.Attrs:
		n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		for _, x := range v {
			set(n, x.Name, w.value(field(a.Fields, x.Name), x.Value, false))
		}
		return n
	case resource.String:
		if name, ok := w.name(kindID{a.RefKind, string(v)}); ok {
			return text(name)
		}
		return text(string(v))
	}
	return scalar(v)
}

func field(fields []resource.Attribute, name string) resource.Attribute {
	i := slices.IndexFunc(fields, func(a resource.Attribute) bool { return a.Name == name })
	if i < 0 {
		return resource.Attribute{}
	}
	return fields[i]
}

// text is a string as a configuration has it: ${ starts a reference there.
func text(s string) *yaml.Node { return scalar(strings.ReplaceAll(s, "${", "$${")) }

// scalar is a string, number or boolean as YAML has it. Encoding quotes what would be read as something else.
func scalar(v any) *yaml.Node {
	var n yaml.Node
	if err := n.Encode(v); err != nil { // of other values only
		n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: fmt.Sprint(v)}
	}
	return &n
}

func set(n *yaml.Node, key string, v *yaml.Node) {
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, v)
}
