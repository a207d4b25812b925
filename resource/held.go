package resource

// Within returns Hold.Of for a thing that is exclusive within a parent. The value is the attribute that refers
// to the parent: its ID if the ID is known, else the reference itself, which matches the same reference.
func Within(parent Value) string { return string(AppendJSON(nil, parent)) }

// HoldsNothing is the Holds of a kind whose resources exclude no other resource.
func HoldsNothing(Ref, Attrs, State) []Hold { return nil }

// HeldAs lists what a resource holds with these attributes, under this name and in this state. Known references
// in the attributes have to be replaced by IDs before.
func (k Kind) HeldAs(ref Ref, attrs Attrs, state State) []Hold {
	if k.Holds == nil {
		return nil
	}
	held := k.Holds(ref, attrs, state)
	for i := range held {
		if held[i].Of == "" {
			held[i].Of = ref.Scope().String()
		}
	}
	return held
}

// HeldBy lists what an observed resource holds.
func (k Kind) HeldBy(o *Observed) []Hold {
	state := StateRunning
	if o.Health == Stopped {
		state = StateStopped
	}
	return k.HeldAs(o.NaturalRef(), o.Attrs, state)
}
