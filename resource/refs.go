package resource

// AppendRefs appends the refs of all References in a value, in order, repeated ones too.
func AppendRefs(dst []Ref, v Value) []Ref {
	switch v := v.(type) {
	case Reference:
		return append(dst, v.Ref)
	case List:
		for _, e := range v {
			dst = AppendRefs(dst, e)
		}
	case Attrs:
		for _, a := range v {
			dst = AppendRefs(dst, a.Value)
		}
	}
	return dst
}

// Refs lists what the wish needs: its Needs and the References in its attributes, each once,
// in the order they stand.
func (d *Desired) Refs() []Ref {
	var out []Ref
	add := func(r Ref) {
		for _, o := range out {
			if o == r {
				return
			}
		}
		out = append(out, r)
	}
	for _, r := range d.DependsOn {
		add(r)
	}
	for _, r := range AppendRefs(nil, d.Attrs) {
		add(r)
	}
	return out
}

// Worst is the heaviest effect among the changes.
func Worst(changes []Change) Effect {
	worst := InPlace
	for _, c := range changes {
		worst = max(worst, c.Effect)
	}
	return worst
}
