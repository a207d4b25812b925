package source

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/units"
)

// groups are names of several resources, such as all of a for_each.
type groups map[resource.Ref]*members

// members are the resources of a group, which may have none.
type members struct {
	at   position.Position
	refs []resource.Ref
}

// inList returns the members of a group that an element of a list names.
func (g groups) inList(r resource.Reference) (refs []resource.Ref, is bool) {
	if r.Path != "" {
		return nil, false
	}
	m := g[r.Ref]
	if m == nil || len(m.refs) == 0 {
		return nil, false
	}
	return m.refs, true
}

// spread replaces the names of groups in lists by all their members.
func (g groups) spread(v resource.Value) resource.Value {
	switch v := v.(type) {
	case resource.List:
		out := make(resource.List, 0, len(v))
		for _, x := range v {
			if ref, is := x.(resource.Reference); is {
				if refs, group := g.inList(ref); group {
					for _, r := range refs {
						out = append(out, resource.Reference{Ref: r})
					}
					continue
				}
			}
			out = append(out, g.spread(x))
		}
		return out
	case resource.Attrs:
		out := make(resource.Attrs, len(v))
		for i := range v {
			out[i] = resource.Attr{Name: v[i].Name, Value: g.spread(v[i].Value)}
		}
		return out
	}
	return v
}

// hint explains why the name of a group cannot be used. An empty summary means that the name is no group.
func (g groups) hint(r resource.Ref, path string) (summary, suggestion string) {
	m := g[r]
	unit, isUnit := strings.CutPrefix(r.Name, "use/")
	switch {
	case m == nil && r.Kind == ofUnit:
		return "use/" + r.Name + " has no resources, or no use block has this name",
			cmp.Or(Suggest("use/"+r.Name, g.units()), "check the name of the use block")
	case m == nil && isUnit && g[resource.Ref{Kind: ofUnit, Name: unit}] != nil:
		return r.Name + " has no resource of kind " + r.Kind, "remove it, or write " + r.Name + "? where it may have none"
	case m == nil && isUnit:
		return g.hint(resource.Ref{Kind: ofUnit, Name: unit}, path)
	case m == nil:
		return "", ""
	case len(m.refs) == 0:
		return r.Short() + " is a group without members", "give it a member, or write " + r.Name + "? where it may be empty"
	}
	names := make([]string, 0, 4)
	for _, x := range m.refs[:min(len(m.refs), 4)] {
		names = append(names, x.Name)
	}
	return r.Short() + " is a group, and " + path + " refers to one resource", "use one of " + strings.Join(names, ", ")
}

// ofUnit is the kind in the name of a component: use/NAME. No kind of a provider has this name.
const ofUnit = units.Kind

// Inside returns a name as the component with this prefix means it: NAME, KIND/NAME or use/NAME of its own.
func Inside(prefix, name string) string {
	i := strings.LastIndexByte(name, '/') + 1
	return name[:i] + prefix + name[i:]
}

// FormerInside returns a former name as the component with this prefix means it. A name in another stack is complete.
func FormerInside(prefix, name string) string {
	if stack, _, elsewhere := resource.CutStack(name); elsewhere && stack != "" {
		return name
	}
	return Inside(prefix, name)
}

// join adds resources to the groups of components: use/NAME means all resources, and KIND/use/NAME those of a kind.
func (g groups) join(units []string, of resource.Ref, refs []resource.Ref) {
	for _, unit := range units {
		of.Name = "use/" + unit
		for _, key := range []resource.Ref{{Kind: ofUnit, Name: unit}, of} {
			if g[key] == nil {
				g[key] = &members{}
			}
			g[key].refs = append(g[key].refs, refs...)
		}
	}
}

// units returns the names of all components, sorted.
func (g groups) units() (out []string) {
	for ref := range g {
		if ref.Kind == ofUnit {
			out = append(out, "use/"+ref.Name)
		}
	}
	slices.Sort(out)
	return out
}
