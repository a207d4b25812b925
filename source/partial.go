package source

import (
	"slices"

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
		for _, ref := range p.Same {
			reported[ref] = true
		}
	}
	by := map[resource.Ref][]int{}
	var next []resource.Ref
	for i := range d.desired {
		for _, r := range d.desired[i].DependsOn {
			by[r] = append(by[r], i)
		}
		if r := d.desired[i].Ref; d.invalid[r] {
			next = append(next, r)
			if !reported[r.Short()] {
				d.skipped(i, "what it depends on is invalid")
			}
		}
	}
	for ; len(next) > 0; next = next[1:] {
		for _, i := range by[next[0]] {
			if r := d.desired[i].Ref; !d.invalid[r] {
				d.invalid[r], next = true, append(next, r)
				d.skipped(i, next[0].Short()+", which it depends on, is invalid")
			}
		}
	}
}

func (d *Draft) skipped(i int, why string) {
	d.note(Problem{
		Cause: Dependency, At: d.desired[i].At, Ref: d.desired[i].Ref.Short(), Summary: why,
		Suggestion: "solve its problem first",
	})
}
