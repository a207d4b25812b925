package chart

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
)

// readSpec turns spec into attributes: the same, with the names of the schema.
func (m *manifest) readSpec(n *source.Node) source.Node {
	out := source.Node{Shape: source.Object, Line: m.n.Line, Column: m.n.Column, File: m.n.File}
	if n == nil || n.IsNull() {
		n = &out
	}
	out.Line, out.Column, out.File = n.Line, n.Column, n.File
	m.foreign(n)
	out.Kids = m.object("spec", m.kind.Attrs, n).Kids
	return out
}

// object gives the keys of an object the names of the schema. A key that no attribute has is a
// problem.
func (m *manifest) object(path string, attrs []resource.Attribute, n *source.Node) source.Node {
	out := *n
	out.Kids = make([]source.Node, 0, len(n.Kids))
	for i := 0; i+1 < len(n.Kids); i += 2 {
		key, v := n.Kids[i], &n.Kids[i+1]
		at := slices.IndexFunc(attrs, func(a resource.Attribute) bool { return camel(a.Name) == key.Text })
		if at < 0 || path == "spec" && attrs[at].Name == labels {
			at = m.unknownField(path, attrs, &n.Kids[i])
			if at < 0 || n.Get(camel(attrs[at].Name)) != nil {
				continue
			}
		}
		a := &attrs[at]
		key.Text = a.Name
		out.Kids = append(out.Kids, key, m.value(path+"."+camel(a.Name), a, v))
	}
	return out
}

// unknownField reports a field that does not exist, and returns the one that was probably meant;
// -1 if there is none.
func (m *manifest) unknownField(path string, attrs []resource.Attribute, key *source.Node) (meant int) {
	if path == "spec" && key.Text == "namespace" {
		m.noNamespace(key)
		return -1
	}
	names := []string{}
	for i := range attrs {
		if !attrs[i].Computed && !(path == "spec" && attrs[i].Name == labels) {
			names = append(names, camel(attrs[i].Name))
		}
	}
	if path == "spec" {
		names = append(names, m.foreignKeys()...)
	}
	hint := "use one of " + strings.Join(names, ", ")
	switch {
	case path == "spec" && key.Text == labels:
		hint = "move it to metadata.labels"
	case path == "spec" && slices.Contains(metadataKeys(), key.Text):
		hint = "move it to metadata." + key.Text
	case len(names) > 16:
		hint = "see `ovi kinds " + m.kind.Name + "`"
	}
	m.wrong(key, "unknown field "+source.Quote(path+"."+key.Text), page.NearestOr(key.Text, names, hint))
	near, _ := resource.Nearest(key.Text, names)
	return slices.IndexFunc(attrs, func(a resource.Attribute) bool { return camel(a.Name) == near })
}

// value gives a value the names of the schema, and expands ${…}.
func (m *manifest) value(path string, a *resource.Attribute, n *source.Node) source.Node {
	switch {
	case n.Shape == source.Object && a.Type == resource.TObject:
		return m.object(path, a.Fields, n)
	case n.Shape == source.Object && a.Type == resource.TMap:
		elem := a.Elem
		if elem == nil {
			elem = &resource.Attribute{Type: resource.TString}
		}
		out := *n
		out.Kids = slices.Clone(n.Kids)
		for i := 0; i+1 < len(out.Kids); i += 2 {
			out.Kids[i+1] = m.value(path+"."+out.Kids[i].Text, elem, &n.Kids[i+1])
		}
		return out
	case n.Shape == source.List && a.Elem != nil:
		out := *n
		out.Kids = slices.Clone(n.Kids)
		for i := range out.Kids {
			out.Kids[i] = m.value(path, a.Elem, &n.Kids[i])
		}
		return out
	case n.Shape == source.Scalar && n.Type == source.String && source.HasParts(n.Text):
		return m.expand(a, n)
	}
	return *n
}

// hostNames is the attribute of kinds whose resources are found by name on a network.
const hostNames = "network_aliases"

// expand expands ${…} in a string. A reference to a resource that has a name on the network is
// that name, and a dependency: replacing what it refers to changes no string.
func (m *manifest) expand(a *resource.Attribute, n *source.Node) source.Node {
	out := *n
	parts, unclosed, ok := source.Expand(n.Text,
		func(from, name string) (source.Part, bool) { return m.outside(n, from, name) })
	if unclosed != "" {
		m.wrong(n, "a ${ without its }", "use ${KIND/NAME}; $${ is a literal ${")
	}
	for i, p := range parts {
		kind, name, found := strings.Cut(p.Text, "/")
		k, known := m.kinds[manifestKind(kind)]
		if !p.Reference || !found || !known || a.RefKind != "" || strings.ContainsAny(name, "./") || name == "" ||
			!slices.ContainsFunc(k.Attrs, func(a resource.Attribute) bool { return a.Name == hostNames }) {
			continue
		}
		parts[i] = source.Part{Text: name}
		m.r.DependsOn, m.dependsOn = append(m.r.DependsOn, p.Text), append(m.dependsOn, n)
	}
	out.Parts, out.Bad = &parts, !ok
	return out
}
