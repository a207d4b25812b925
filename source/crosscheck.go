package source

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/position"
	"github.com/ovi-project/ovi/resource"
)

// crossCheck asks each kind for problems between its resources, or with a location, a name or
// tags. Resources that could not be read are not among them.
func (d *Draft) crossCheck() {
	byKind := map[kindName][]*resource.Desired{}
	for i := range d.desired {
		k := kindName{d.desired[i].Ref.Provider, d.desired[i].Ref.Kind}
		byKind[k] = append(byKind[k], &d.desired[i])
	}
	order := slices.SortedFunc(maps.Keys(byKind), func(a, b kindName) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.kind, b.kind))
	})
	var found []resource.Finding
	for _, k := range order {
		if schema, ok := d.opts.Schemas.Kind(k.provider, k.kind); ok && schema.CrossCheck != nil {
			found = append(found, schema.CrossCheck(byKind[k], d.find)...)
		}
	}
	d.findings(found)
}

// findings reports what was found, each at its position. Resources that come from one block,
// and those that share what their file configures, have one problem together.
func (d *Draft) findings(found []resource.Finding) {
	type problem struct {
		at      position.Position
		summary string
	}
	reported := map[problem]bool{}
	for _, f := range found {
		i, ok := slices.BinarySearchFunc(d.desired, f.Ref, func(x resource.Desired, r resource.Ref) int { return x.Ref.Compare(r) })
		if !ok {
			continue
		}
		d.invalid[f.Ref] = true
		path := f.Path
		if path == d.opts.LocationOf(f.Ref.Provider).Word {
			path = "location"
		}
		at := d.where(i, path)
		if p := (problem{at, f.Summary}); !reported[p] {
			reported[p] = true
			d.note(Problem{Cause: Validation, At: at, Ref: f.Ref.Short(), Summary: f.Summary, Suggestion: cmpOr(f.Suggestion, "see `ovi kinds "+f.Ref.Kind+"`")})
		}
	}
}
