package decider

// Unseen vetoes every action in a scope that was not seen. The comparator already concludes
// nothing there; this stands behind it.
type Unseen struct{}

// Name implements Policy.
func (Unseen) Name() string { return "unseen" }

// Review implements Policy.
func (Unseen) Review(p Plan, _ Facts) (map[int]Veto, error) {
	out := map[int]Veto{}
	for i := range p.Decisions {
		scope := p.Decisions[i].Ref.Scope()
		if why, blind := p.Blind[scope]; blind {
			out[i] = Veto{Reason: scope.String() + " was not seen, and nothing is done on doubt: " + why}
		}
	}
	return out, nil
}
