package render

import "github.com/ovi-project/ovi/decider"

// DataLoss says which data is lost if a decision is executed; "" is none. A blocked decision
// loses none.
func DataLoss(d decider.Decision, kinds decider.Kinds) string {
	if kinds == nil || d.Observed == nil || !d.Action.Destroys() {
		return ""
	}
	kind, ok := kinds(d.Ref.Provider, d.Ref.Kind)
	if !ok || kind.DataLoss == nil {
		return ""
	}
	return kind.DataLoss(*d.Observed)
}
