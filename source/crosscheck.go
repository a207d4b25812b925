package source

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/identify"
	"github.com/ovi-project/ovi/resource/position"
)

// crossCheck asks each kind for problems between its resources, or with a location, a name or
// tags. Resources that could not be read are not among them; see crossCheckFailures.
func (d *Draft) crossCheck() {
	all := make([]*resource.Desired, 0, len(d.desired))
	for i := range d.desired {
		if d.desired[i].Lookup == nil {
			all = append(all, &d.desired[i])
		}
	}
	reported := map[problemAt]bool{}
	for _, f := range append(identify.Names(d.Identifier, all, d.opts.Schemas), d.found(all)...) {
		i, ok := slices.BinarySearchFunc(d.desired, f.Ref,
			func(x resource.Desired, r resource.Ref) int { return x.Ref.Compare(r) })
		if ok {
			d.invalid[f.Ref] = true
			d.finding(f, func(path string) position.Position { return d.where(i, path) }, reported)
		}
	}
	d.crossCheckFailures(reported)
}

// crossCheckFailures asks about what has other problems, since all problems are reported at once. What may
// follow from an attribute that is missing because it is invalid is not reported, nor is a second
// problem at one position.
func (d *Draft) crossCheckFailures(reported map[problemAt]bool) {
	if len(d.failures) == 0 {
		return
	}
	all := make([]*resource.Desired, len(d.failures))
	where := make(map[resource.Ref]func(string) position.Position, len(all))
	for i := range d.failures {
		f := &d.failures[i]
		all[i], where[f.desired.Ref] = &f.desired, f.user.where
	}
	slices.SortStableFunc(all, func(a, b *resource.Desired) int { return a.Ref.Compare(b.Ref) })
	taken := map[position.Position]bool{}
	for _, p := range d.problems {
		taken[p.At] = true
	}
	for _, f := range d.found(all) {
		nowhere := f.Ref.Location == "" && d.isLocation(f)
		if at := where[f.Ref]; f.Alone && at != nil && !nowhere && !taken[at(f.Path)] {
			d.finding(f, at, reported)
		}
	}
}

// found asks each kind, in the order of their names.
func (d *Draft) found(all []*resource.Desired) (found []resource.Finding) {
	byKind := map[kindName][]*resource.Desired{}
	for _, x := range all {
		k := kindName{x.Ref.Provider, x.Ref.Kind}
		byKind[k] = append(byKind[k], x)
	}
	order := slices.SortedFunc(maps.Keys(byKind), func(a, b kindName) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.kind, b.kind))
	})
	for _, k := range order {
		if schema, ok := d.opts.Schemas.Kind(k.provider, k.kind); ok && schema.CrossCheck != nil {
			found = append(found, schema.CrossCheck(byKind[k], d.configured)...)
		}
	}
	return found
}

// problemAt is what one problem is about.
type problemAt struct {
	at      position.Position
	summary string
}

// isLocation: providers have their own words for a location.
func (d *Draft) isLocation(f resource.Finding) bool {
	return f.Path == d.opts.LocationOf(f.Ref.Provider).Word
}

// finding reports what was found, at its position. Resources that come from one block, and those
// that share what their file configures, have one problem together.
func (d *Draft) finding(f resource.Finding, where func(string) position.Position, reported map[problemAt]bool) {
	path := f.Path
	if d.isLocation(f) {
		path = "location"
	}
	p := problemAt{where(path), f.Summary}
	if !reported[p] {
		reported[p] = true
		d.note(Problem{
			Cause: Validation, At: p.at, Ref: f.Ref.Short(), Summary: f.Summary,
			Suggestion: cmp.Or(f.Suggestion, "see `ovi kinds "+f.Ref.Kind+"`"),
		})
	}
}
