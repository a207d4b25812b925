package cel

import (
	"cel.dev/cel-go/cel"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// variables are what a rule sees of one decision. Most are computed when a rule first uses them:
// most rules use little, and a resource's history is read from the store.
type variables struct {
	decision decider.Decision
	totals   Totals
	facts    decider.Facts

	resource *Resource
	desired  *Desired
	changes  []Change
	history  []Past
}

// ResolveName implements cel.Activation.
func (v *variables) ResolveName(name string) (any, bool) {
	switch name {
	case "resource":
		return computed(&v.resource, func() Resource { return resourceOf(v.decision) }), true
	case "desired":
		return computed(&v.desired, func() Desired { return desiredOf(v.decision) }), true
	case "changes":
		if v.changes == nil {
			v.changes = changesOf(v.decision)
		}
		return v.changes, true
	case "history":
		if v.history == nil {
			v.history = historyOf(v.decision, v.facts)
		}
		return v.history, true
	case "decision":
		return proposalOf(v.decision), true
	case "plan":
		return v.totals, true
	case "now":
		return v.facts.Now, true
	}
	return nil, false
}

// Parent implements cel.Activation.
func (v *variables) Parent() cel.Activation { return nil }

// computed computes a value once.
func computed[T any](at **T, compute func() T) T {
	if *at == nil {
		v := compute()
		*at = &v
	}
	return **at
}

func historyOf(d decider.Decision, f decider.Facts) []Past {
	history := []Past{}
	if f.History == nil {
		return history
	}
	for _, p := range f.History(d.Ref) {
		history = append(history, Past(p))
	}
	return history[:min(len(history), HistoryLimit)]
}

// compared are what a drift rule sees of one change.
type compared struct{ change resource.Change }

// ResolveName implements cel.Activation.
func (v *compared) ResolveName(name string) (any, bool) {
	switch name {
	case "old":
		return plain(v.change.From), true
	case "new":
		return plain(v.change.To), true
	case "path":
		return v.change.Path, true
	}
	return nil, false
}

// Parent implements cel.Activation.
func (v *compared) Parent() cel.Activation { return nil }
