package decider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// NamedReplace blocks replacements that lose data, unless Allowed names the resource: by its name, KIND/NAME, or
// whole ref. It blocks all of a kind that requires it, and of each other kind those that only follow the replacement
// of another resource: neither the block of the resource nor its user asked to lose that data. A replacement that
// loses nothing, such as one of a creation that stopped, is not blocked, nor is one of a broken resource, which an
// operator has named to request it.
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
		k, _ := n.Kinds(d.Ref.Provider, d.Ref.Kind)
		switch {
		case d.Reason == ReasonFollows:
			out[i] = n.blocks(d, d.Message+", and the data of "+d.Ref.Short()+" would be lost")
		case k.NamedReplace:
			out[i] = n.blocks(d, "it must be destroyed and created to change it")
		}
	}
	return out, nil
}

func (NamedReplace) blocks(d *Decision, reason string) Blocker {
	return Blocker{
		Reason: reason,
		Suggestion: fmt.Sprintf("add --allow-replace %s to lose that data (%s)", d.Ref.Short(),
			strings.TrimSuffix(d.DataLoss, ".")),
	}
}

func (n NamedReplace) allows(r resource.Ref) bool {
	return slices.ContainsFunc([]string{r.Name, r.Short(), r.String()},
		func(name string) bool { return slices.Contains(n.Allowed, name) })
}
