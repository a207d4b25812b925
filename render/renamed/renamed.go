// Package renamed finds renames that a configuration does not declare: a plan deletes a resource and creates one of the
// same kind and configuration under another name. It decides nothing: the plan stays.
package renamed

import (
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// Pair is a resource that a plan deletes, and the equal one that it creates.
type Pair struct{ From, To resource.Ref }

// Text describes a pair.
func (p Pair) Text() string {
	return p.From.Short() + " is deleted, and " + p.To.Short() + " is created with the same configuration"
}

// Suggestion says how the configuration declares the rename.
func (p Pair) Suggestion() string {
	return "if it is the same resource, add `was: " + p.From.Name + "` to the block, or `moved: [{from: " +
		p.From.Short() + ", to: " + p.To.Short() + "}]` to the file"
}

// Pairs lists the pairs of a plan in its order. A resource is in one pair at most.
func Pairs(p decider.Plan) (out []Pair) {
	used := map[resource.Ref]bool{}
	for i := range p.Decisions {
		to := &p.Decisions[i]
		if to.Proposed != decider.Create || to.Desired == nil || !to.Renamed.IsZero() {
			continue
		}
		for k := range p.Decisions {
			from := &p.Decisions[k]
			if from.Proposed == decider.Delete && from.Difference == comparator.Unwanted && from.Observed != nil &&
				from.Ref.Stack == to.Ref.Stack && from.Ref.Scope() == to.Ref.Scope() && from.Ref.Kind == to.Ref.Kind &&
				!used[from.Ref] && isEqual(to.Desired, from.Observed) {
				used[from.Ref] = true
				out = append(out, Pair{from.Ref, to.Ref})
				break
			}
		}
	}
	return out
}

// isEqual reports whether a resource has all attributes that are configured, and one at least. Values that a plan does
// not know, such as references and secrets, decide nothing, and neither do defaults.
func isEqual(d *resource.Desired, o *resource.Observed) bool {
	equal := 0
	for _, a := range d.Attrs {
		have, read := o.Attrs.Get(a.Name)
		switch a.Value.(type) {
		case resource.Reference, resource.Text, resource.Secret, resource.Digest:
			continue
		}
		switch {
		case slices.Contains(d.Defaulted, a.Name), resource.HasReferences(resource.Attrs{a}):
		case !read || !resource.Equal(a.Value, have):
			return false
		default:
			equal++
		}
	}
	return equal > 0
}
