package renamed

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// Relocation is resources that a plan deletes in one location and creates under their names in another one: the
// configuration has another account or region now.
type Relocation struct {
	Stack    string
	From, To resource.Scope
	First    resource.Ref
	N        int
}

// Relocations lists the relocations of a plan, in its order. A rename is none.
func Relocations(p decider.Plan) (out []Relocation) {
	type name struct{ stack, provider, kind, name string }
	nameOf := func(r resource.Ref) name { return name{r.Stack, r.Provider, r.Kind, r.Name} }
	to := map[name]resource.Scope{}
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Proposed == decider.Create && d.Desired != nil && d.Renamed.IsZero() {
			to[nameOf(d.Ref)] = d.Ref.Scope()
		}
	}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		scope, created := to[nameOf(d.Ref)]
		if !created || scope == d.Ref.Scope() || d.Difference != comparator.Unwanted || d.Observed == nil || d.New != nil ||
			d.Proposed != decider.Delete || d.Reason == decider.ReasonDestroyed {
			continue
		}
		k := slices.IndexFunc(out, func(x Relocation) bool {
			return x.Stack == d.Ref.Stack && x.From == d.Ref.Scope() && x.To == scope
		})
		if k < 0 {
			out, k = append(out, Relocation{Stack: d.Ref.Stack, From: d.Ref.Scope(), To: scope, First: d.Ref}), len(out)
		}
		out[k].N++
	}
	slices.SortStableFunc(out, func(a, b Relocation) int { return cmp.Compare(b.N, a.N) })
	return out
}

// Text describes a relocation. named names a location.
func (r Relocation) Text(named func(resource.Scope) string) string {
	what := r.First.Short() + " is"
	if r.N > 1 {
		what = fmt.Sprintf("%d resources of stack %s are", r.N, r.Stack)
	}
	return what + " deleted in " + named(r.From) + " and created in " + named(r.To)
}

// Suggestion says how the resources stay.
func (r Relocation) Suggestion() string {
	return "to keep what exists, configure its location again"
}
