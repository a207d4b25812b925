package resource

func (a *Attribute) fit(desired, observed Value) Fit {
	if a.Fits == nil || desired == nil || observed == nil {
		return Differs
	}
	return a.Fits(desired, observed)
}

// Surplus is an attribute that exceeds its configuration; see Fit.
type Surplus struct {
	Path              string
	Desired, Observed Value
}

// Surpluses lists the attributes, and the fields of an Object, that exceed their configuration.
func Surpluses(desired, observed Attrs, schema []Attribute) []Surplus {
	var out []Surplus
	for i := range schema {
		a := &schema[i]
		w, configured := desired.Get(a.Name)
		if !configured || a.Fits == nil && len(a.Fields) == 0 {
			continue
		}
		o, _ := observed.Get(a.Name)
		if a.Fits != nil {
			if !Equal(w, o) && a.fit(w, o) == Exceeds {
				out = append(out, Surplus{a.Name, w, o})
			}
			continue
		}
		for _, s := range Surpluses(attrsOr(w), attrsOr(o), a.Fields) {
			s.Path = join(a.Name, s.Path)
			out = append(out, s)
		}
	}
	return out
}
