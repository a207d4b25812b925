package decider

// lose sets the DataLoss of the destroying decisions. A resource is deleted by its configuration,
// or by the one that was applied last.
func lose(all []Decision, kinds Kinds, f Facts) {
	for i := range all {
		d := &all[i]
		if d.Observed == nil || !d.Proposed.Destroys() {
			continue
		}
		kind, ok := kinds(d.Ref.Provider, d.Ref.Kind)
		if !ok || kind.DataLoss == nil {
			continue
		}
		switch {
		case d.Desired != nil:
			d.DataLoss = kind.DataLoss(*d.Observed, d.Desired.Attrs)
		case f.LastConfigured != nil:
			d.DataLoss = kind.DataLoss(*d.Observed, f.LastConfigured(d.Ref))
		default:
			d.DataLoss = kind.DataLoss(*d.Observed, nil)
		}
	}
}
