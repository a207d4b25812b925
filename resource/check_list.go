package resource

import (
	"bytes"
	"slices"
	"strconv"
)

// list checks each element. A Set is sorted by its elements' canonical bytes and holds each
// once, so that the order in the configuration does not matter.
func (r *run) list(path string, v Value, s *Attribute) Value {
	in, ok := v.(List)
	if !ok {
		suggestion := ""
		if _, nested := v.(Attrs); !nested {
			suggestion = "use [" + show(v) + "]"
		}
		return r.wrong(path, v, s, suggestion)
	}
	r.bounds(path, int64(len(in)), s, " elements")
	out := make(List, len(in))
	for i, e := range in {
		p := path + "[" + strconv.Itoa(i) + "]"
		if e == nil {
			r.problem(p, "remove it", "an element is empty")
			continue
		}
		out[i] = r.value(p, e, elem(s))
	}
	if s.Type == TSet && len(out) > 1 {
		return SortSet(out)
	}
	return out
}

// SortSet sorts the elements of a set by their canonical bytes and removes duplicates.
func SortSet(l List) List {
	type keyed struct {
		key []byte
		v   Value
	}
	all := make([]keyed, len(l))
	for i, v := range l {
		all[i] = keyed{AppendJSON(nil, v), v}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return bytes.Compare(a.key, b.key) })
	all = slices.CompactFunc(all, func(a, b keyed) bool { return bytes.Equal(a.key, b.key) })
	out := make(List, len(all))
	for i := range all {
		out[i] = all[i].v
	}
	return out
}

// mapping checks an object of free keys: its values are strings, or of the type of Elem.
func (r *run) mapping(path string, v Value, s *Attribute) Value {
	in, ok := v.(Attrs)
	if !ok {
		return r.wrong(path, v, s, "")
	}
	r.bounds(path, int64(len(in)), s, " elements")
	out := make([]Attr, 0, len(in))
	for _, a := range in {
		if a.Value != nil {
			out = append(out, Attr{a.Name, r.value(join(path, a.Name), a.Value, elem(s))})
		}
	}
	return NewAttrs(out...)
}
