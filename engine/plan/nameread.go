package plan

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/lookup"
	"github.com/ovi-project/ovi/resource"
)

// named is a name in a configuration that no resource of the stack has, and that the system may have: key_name: ops.
type named struct {
	by   resource.Ref
	path string
	ref  resource.Ref // the resource that the name would be, in the stack that has the name
	attr string       // an attribute that lists more names
}

// hasNames reports whether a kind has attributes with such names.
func hasNames(schema []resource.Attribute) bool {
	return slices.ContainsFunc(schema, func(a resource.Attribute) bool {
		return a.AnyName || hasNames(a.Fields) || a.Elem != nil && hasNames([]resource.Attribute{*a.Elem})
	})
}

// nameReading collects the names in the attributes of one resource.
type nameReading struct {
	by  resource.Ref
	out []named
}

func (r *nameReading) attrs(path string, schema []resource.Attribute, in resource.Attrs) {
	for i := range schema {
		a := &schema[i]
		if v, ok := in.Get(a.Name); ok {
			r.value(path+a.Name, a, v)
		}
	}
}

func (r *nameReading) value(path string, a *resource.Attribute, v resource.Value) {
	switch v := v.(type) {
	case resource.Attrs:
		r.attrs(path+".", a.Fields, v)
	case resource.List:
		for i := range v {
			r.value(path+"["+strconv.Itoa(i)+"]", cmp.Or(a.Elem, a), v[i])
		}
	case resource.String:
		if !a.AnyName || ofSystem(a, string(v)) {
			return
		}
		ref := r.by
		ref.Kind, ref.Name = a.RefKind, string(v)
		r.out = append(r.out, named{r.by, path, ref, a.NamesAttr})
	}
}

// ofSystem reports whether the system itself has a name.
func ofSystem(a *resource.Attribute, name string) bool {
	if a.SystemNames == "" {
		return false
	}
	fits, err := regexp.MatchString(`\A(?:`+a.SystemNames+`)\z`, name)
	return fits && err == nil
}

// LookupPolicy is the name of the policy that blocks resources that refer to a lookup without a result.
const LookupPolicy = "lookup"

// NotFound is a resource of others that could not be looked up.
type NotFound = lookup.NotFound

// nameMissing is a name that cannot be used.
type nameMissing struct {
	named
	NotFound
	reason string
}

// namePolicy blocks the actions that would use a name for the first time which is neither configured nor looked up.
type namePolicy struct{ missing []nameMissing }

// Name implements decider.Policy.
func (namePolicy) Name() string { return LookupPolicy }

// Review implements decider.Policy.
func (l namePolicy) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		for k := range l.missing {
			m := &l.missing[k]
			if _, blocked := out[i]; !blocked && m.usedBy(&p.Decisions[i]) {
				out[i] = decider.Blocker{Reason: m.reason, Suggestion: m.NotFound.Suggestion}
			}
		}
	}
	return out, nil
}

// usedBy reports whether a decision gives a resource the name: what has it already goes on with it.
func (m *nameMissing) usedBy(d *decider.Decision) bool {
	if d.Ref != m.by || d.Desired == nil || !d.Proposed.Executes() {
		return false
	}
	if d.Proposed == decider.Create || d.Proposed == decider.Replace {
		return true
	}
	return slices.ContainsFunc(d.Changes, func(c resource.Change) bool { return c.Path == m.path })
}
