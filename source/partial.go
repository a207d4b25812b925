package source

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// unreadable reports a problem that costs the whole stack.
func (d *Draft) unreadable() bool {
	return d.more > 0 || slices.ContainsFunc(d.problems, func(p Problem) bool { return p.Cause == Configuration })
}

// skip removes from an intent what is invalid and what depends on it. It reports whether the
// rest can be used.
func (d *Draft) skip(in *resource.Intent) bool {
	if d.unreadable() {
		return false
	}
	if d.count() == 0 {
		return true
	}
	d.dependents()
	in.Partial = true
	in.Resources = slices.DeleteFunc(slices.Clone(in.Resources), func(r resource.Desired) bool { return d.invalid[r.Ref] })
	return true
}

// dependents adds to the invalid resources those that depend on them, and reports each that has
// no problem of its own.
func (d *Draft) dependents() {
	reported := map[string]bool{}
	for _, p := range d.problems {
		reported[p.Ref] = true
	}
	by := map[resource.Ref][]int{}
	var next []resource.Ref
	for i := range d.desired {
		for _, r := range d.desired[i].DependsOn {
			by[r] = append(by[r], i)
		}
		if r := d.desired[i].Ref; d.invalid[r] {
			next = append(next, r)
			if !reported[short(r)] {
				d.skipped(i, "what it depends on is invalid")
			}
		}
	}
	for ; len(next) > 0; next = next[1:] {
		for _, i := range by[next[0]] {
			if r := d.desired[i].Ref; !d.invalid[r] {
				d.invalid[r], next = true, append(next, r)
				d.skipped(i, short(next[0])+", which it depends on, is invalid")
			}
		}
	}
}

func (d *Draft) skipped(i int, why string) {
	d.note(Problem{Cause: Dependency, At: d.desired[i].At, Ref: short(d.desired[i].Ref), Summary: why, Suggestion: "solve its problem first"})
}

// prefix puts the draft's prefix before every name of an intent.
func (d *Draft) prefix(in *resource.Intent) {
	if d.Prefix == "" {
		return
	}
	rename := func(r resource.Ref) resource.Ref {
		r.Name = d.Prefix + r.Name
		return r
	}
	in.Resources = slices.Clone(in.Resources)
	for i := range in.Resources {
		r := &in.Resources[i]
		r.Ref, r.DependsOn = rename(r.Ref), slices.Clone(r.DependsOn)
		for j := range r.DependsOn {
			r.DependsOn[j] = rename(r.DependsOn[j])
		}
		r.Attrs, _ = resource.MapRefs(r.Attrs, func(ref resource.Reference) resource.Value {
			ref.Ref = rename(ref.Ref)
			return ref
		}).(resource.Attrs)
	}
	slices.SortFunc(in.Resources, func(a, b resource.Desired) int {
		return strings.Compare(a.Ref.String(), b.Ref.String())
	})
}
