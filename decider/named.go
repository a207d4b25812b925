package decider

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// NamedReplace blocks replacing a resource of a kind that asks for it, where that loses data, unless Allowed names
// the resource: by its name, KIND/NAME, or whole ref. A replacement that loses nothing, such as one of a creation that
// stopped, is not blocked, nor is one of a broken resource, which an operator has named to request it.
type NamedReplace struct {
	Kinds   Kinds
	Allowed []string
}

// Name implements Policy.
func (NamedReplace) Name() string { return "named_replace" }

// Review implements Policy.
func (n NamedReplace) Review(p Plan, _ Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		requested := d.Reason == ReasonRequested && d.Observed != nil && d.Observed.Condition == resource.Broken
		if d.Proposed != Replace || d.DataLoss == "" || requested || n.allows(d.Ref) {
			continue
		}
		if k, _ := n.Kinds(d.Ref.Provider, d.Ref.Kind); k.NamedReplace {
			out[i] = Blocker{
				Reason:     "it must be destroyed and created to change it",
				Suggestion: "add --allow-replace " + d.Ref.Short() + " if it may lose " + d.DataLoss,
			}
		}
	}
	return out, nil
}

func (n NamedReplace) allows(r resource.Ref) bool {
	return slices.ContainsFunc([]string{r.Name, r.Short(), r.String()},
		func(name string) bool { return slices.Contains(n.Allowed, name) })
}
