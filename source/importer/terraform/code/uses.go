package code

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
)

// writeUse writes a use block.
func (m *module) writeUse(u *use) (*yaml.Node, bool) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	m.marks[n] = u.block.Range()
	folder := "./components/" + u.child.name
	if !m.root {
		folder = "../" + u.child.name
	}
	if !m.head(n, folder, &u.repeat, u.block) {
		return nil, false
	}
	s := m.scope(u.mode)
	vars := &yaml.Node{Kind: yaml.MappingNode}
	for _, a := range sortedAttributes(u.block.Body) {
		if slices.Contains([]string{"source", "version", "providers", "count", "for_each", "depends_on"}, a.Name) {
			if a.Name == "providers" {
				m.notes.at(a.SrcRange, label(u.block)+".providers is not converted", "set "+m.in.Word+": in the use block")
			}
			continue
		}
		v := u.child.vars[a.Name]
		name := label(u.block) + "." + a.Name
		switch {
		case v == nil:
			m.notes.at(a.SrcRange, name+": the module has no such variable", "remove it")
			continue
		case v.secret && m.variableIn(a.Expr) == nil:
			m.notes.at(a.SrcRange, name+" is a secret: its value is not written", "set it: ${env:NAME}")
			continue
		}
		attr := resource.Attribute{RefKind: v.refers}
		if v.many {
			attr = resource.Attribute{Elem: &resource.Attribute{RefKind: v.refers}}
		}
		x, err := s.node(a.Expr, attr)
		if err != nil {
			m.notes.failed(name, a.SrcRange, err)
			continue
		}
		m.marks[x] = a.SrcRange
		set(vars, a.Name, x)
	}
	if len(vars.Content) > 0 {
		set(n, "vars", vars)
	}
	m.dependsOn(n, s, u.block)
	return n, true
}

// NameOf is the name that the configuration gives a resource of a state: KIND/NAME. index is its key or number; empty
// if it has none. path are the modules: their names and keys. It returns an empty text for a resource that is not
// converted.
func (r *Result) NameOf(path [][2]string, typ, name, index, id string) string {
	m, prefix := r.root, ""
	for _, step := range path {
		u := m.uses[step[0]]
		if u == nil || strings.Contains(u.group, "${") {
			return ""
		}
		prefix += u.group + "-"
		if step[1] != "" && u.mode != when {
			prefix += step[1] + "-"
		}
		m = u.child.module
	}
	x := m.resources[typ+"."+name]
	if x == nil || x.skipped || x.known.Kind == "" {
		return ""
	}
	own := x.group
	if index != "" && x.mode != when {
		own += "-" + index
	}
	if x.hasNameOfSystem() {
		switch {
		case prefix != "":
			return "" // the name in its system is another one here
		case strings.ContainsAny(id, "/:"): // an ARN
		case strings.Contains(own, "${"):
			own = id
		case own != id:
			return ""
		}
	}
	if strings.Contains(own, "${") {
		return ""
	}
	return x.kind.Name + "/" + prefix + own
}
