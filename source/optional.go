package source

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// Absent tells that a resource, or the group that it names, is not configured, because the condition at its position is
// false. A reference to it is a problem with this reason, unless the reference is optional.
func (d *Draft) Absent(r *Resource) {
	ref := resource.Ref{
		Provider: r.Provider, Location: cmp.Or(r.Location, d.opts.LocationOf(r.Provider).Default, DefaultLocation),
		Kind: r.Kind, Name: cmp.Or(r.Group, r.Name, r.Kind),
	}
	if d.absent == nil {
		d.absent = map[resource.Ref]position.Position{}
	}
	d.absent[ref] = r.At
}

// reasons returns, by the name of a block, why a resource that it configured before is no longer configured. A name
// that ends with "-*" stands for all members of a for_each. A component that is used has an empty reason.
func reasons(d *Draft) map[resource.Ref]string {
	if len(d.absent)+len(d.counted)+len(d.groups) == 0 {
		return nil
	}
	out := make(map[resource.Ref]string, len(d.absent)+len(d.counted))
	at := func(p position.Position) string {
		if d.Decides == nil {
			return ", " + p.String()
		}
		return ", " + p.String() + d.Decides(p)
	}
	for ref, g := range d.counted {
		ref.Stack = d.Stack
		out[ref] = "count is " + strconv.Itoa(g.count) + at(d.entries[g.entry].at)
	}
	for ref, g := range d.groups {
		if ref.Kind == ofUnit { // without a reason: the component is used
			out[resource.Ref{Stack: d.Stack, Kind: ofUnit, Name: ref.Name}] = ""
		}
		if ref.Kind == ofUnit || strings.HasPrefix(ref.Name, "use/") {
			continue
		}
		ref.Stack, ref.Name = d.Stack, ref.Name+"-*"
		out[ref] = "no key of for_each makes it" + at(g.at)
	}
	for ref, p := range d.absent {
		ref.Stack = d.Stack
		out[ref] = "when is false" + at(p)
	}
	return out
}

// omit reports whether an optional reference has no value, because its resource is not configured. This is known only
// once all names are.
func (r *reading) omit(ref resource.Ref) bool {
	r.open.optional = true
	g := r.groups[ref]
	r.omitted = r.known != nil && !r.known[ref] && (g == nil || len(g.refs) == 0) && !isBroken(r.broken, ref.Name)
	return r.omitted
}

// isOmitted reports, once, whether the value that was read last has no value.
func (r *reading) isOmitted() bool {
	omitted := r.omitted
	r.omitted = false
	return omitted
}

// withoutReferences returns a text whose references are all omitted.
func (r *reading) withoutReferences(path string, a *resource.Attribute, n *Node) resource.Value {
	var rest Parts
	for _, p := range *n.Parts {
		if !p.Reference {
			rest = append(rest, p)
		}
	}
	s, _ := rest.text()
	switch {
	case len(rest) == 0:
		r.omitted = true
		return nil
	case a.Secret && rest.FromOutside(), a.Secret && a.SecretInFile:
		return r.sealed(path, a, n, s)
	case a.Secret:
		r.wrong(r.at(n, path), path+" is a secret and must not be written in the configuration",
			"use "+path+": ${env:NAME} or ${file:PATH}")
		return nil
	case rest.FromOutside():
		return r.outsideValue(path, a, n, s)
	}
	return r.word(path, a, s)
}
