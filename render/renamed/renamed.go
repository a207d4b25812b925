// Package renamed finds renames that a configuration does not declare: a plan deletes a resource and creates one of the
// same kind and configuration under another name. It decides nothing: the plan stays.
package renamed

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// Pair is a resource that a plan deletes, and the equal one that it creates.
type Pair struct {
	From, To resource.Ref
	Used     string // the place that uses the component of the new one, if it is in one
}

// Text describes a pair.
func (p Pair) Text() string {
	return p.From.Short() + " is deleted, and " + p.To.Short() + " is created with the same configuration"
}

// Suggestion says how the configuration declares the rename.
func (p Pair) Suggestion() string {
	moved := "`moved: [{from: " + p.From.Short() + ", to: " + p.To.Short() + "}]` to the file"
	if p.Used != "" {
		return "if it is the same resource, add `was` with the former name to the block that uses the component (" + p.Used +
			"), or " + moved
	}
	return "if it is the same resource, add `was: " + p.From.Name + "` to the block, or " + moved
}

// At returns a resource as a plan observed it.
type At func(resource.Ref) (*resource.Observed, bool)

// candidate is a pair with the blocks of its resources: refs with the name of the block.
type candidate struct {
	Pair
	old, new resource.Ref
}

// Pairs lists the pairs of a plan in its order. A resource is in one pair at most. A resource that equals members of
// several blocks is in no pair: a guess could exchange two resources.
func Pairs(p decider.Plan, at At) (out []Pair) {
	all := at.candidates(p)
	related := func(is func(candidate) bool, of func(candidate) resource.Ref) int {
		found := map[resource.Ref]bool{}
		for _, x := range all {
			if is(x) {
				found[of(x)] = true
			}
		}
		return len(found)
	}
	used := map[resource.Ref]bool{}
	for _, c := range all {
		olds := related(func(x candidate) bool { return x.new == c.new }, func(x candidate) resource.Ref { return x.old })
		news := related(func(x candidate) bool { return x.old == c.old }, func(x candidate) resource.Ref { return x.new })
		if olds == 1 && news == 1 && !used[c.From] && !used[c.To] {
			used[c.From], used[c.To] = true, true
			out = append(out, c.Pair)
		}
	}
	return out
}

// candidates are all deletes and creates of equal resources, of which members have the same place in their blocks.
func (at At) candidates(p decider.Plan) (out []candidate) {
	for i := range p.Decisions {
		to := &p.Decisions[i]
		if to.Proposed != decider.Create || to.Desired == nil || !to.Renamed.IsZero() {
			continue
		}
		in := to.Ref
		if set := resource.SetOf(to.Desired); !set.IsZero() {
			in = set
		}
		place := strings.TrimPrefix(to.Ref.Name, in.Name)
		for k := range p.Decisions {
			from := &p.Decisions[k]
			was, ends := strings.CutSuffix(from.Ref.Name, place)
			if !ends || from.Proposed != decider.Delete || from.Difference != comparator.Unwanted ||
				from.Observed == nil ||
				from.Ref.Stack != to.Ref.Stack || from.Ref.Scope() != to.Ref.Scope() || from.Ref.Kind != to.Ref.Kind ||
				!at.isEqual(to.Desired, from.Observed) {
				continue
			}
			old := from.Ref
			old.Name = was
			out = append(out, candidate{Pair{from.Ref, to.Ref, to.Desired.At.Used}, old, in})
		}
	}
	return out
}

// isEqual reports whether a resource has all attributes that are configured, and one at least. Values that a plan does
// not know, such as secrets and references to what does not exist, decide nothing, and neither do defaults.
func (at At) isEqual(d *resource.Desired, o *resource.Observed) bool {
	equal := 0
	for _, a := range d.Attrs {
		have, read := o.Attrs.Get(a.Name)
		want, known := at.resolved(a.Value)
		switch {
		case slices.Contains(d.Defaulted, a.Name), !known:
		case !read || !same(want, have):
			return false
		default:
			equal++
		}
	}
	return equal > 0
}

// resolved is a value with its references replaced; false if the plan does not know it.
func (at At) resolved(v resource.Value) (resource.Value, bool) {
	switch v := v.(type) {
	case resource.Text, resource.Secret, resource.Digest:
		return nil, false
	case resource.Reference:
		o, found := at(v.Ref)
		if !found {
			return nil, false
		}
		return o.Refer(v.Path)
	case resource.List:
		out := make(resource.List, len(v))
		for i := range v {
			x, known := at.resolved(v[i])
			if out[i] = x; !known {
				return nil, false
			}
		}
		return out, true
	}
	return v, !resource.HasReferences(v)
}

// same compares values, and lists without their order: a service may give members in another one.
func same(a, b resource.Value) bool {
	x, is := a.(resource.List)
	y, both := b.(resource.List)
	if !is || !both {
		return resource.Equal(a, b)
	}
	if len(x) != len(y) {
		return false
	}
	rest := slices.Clone(y)
	for _, v := range x {
		i := slices.IndexFunc(rest, func(w resource.Value) bool { return resource.Equal(v, w) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}
