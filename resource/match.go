package resource

import (
	"slices"
	"strings"
)

// summary is the outcome of comparing two values that are not plainly equal.
type summary int

// Ordered by weight: the heaviest verdict of the parts is that of the whole. A part that
// differs for certain outweighs one that nothing is known of.
const (
	same summary = iota
	unread
	differs
)

// match compares a wish with what is there, by the schema; s is never nil.
func (d *differ) match(want, there Value, s *Attribute) summary {
	switch w := want.(type) {
	case Reference:
		return d.matchReference(w, there)
	case List:
		t, ok := there.(List)
		if !ok && there != nil {
			return differs
		}
		if s.Type == TSet {
			return d.matchSet(w, t, elem(s))
		}
		return d.matchList(w, t, elem(s))
	case Attrs:
		t, ok := there.(Attrs)
		if !ok {
			return differs
		}
		return d.matchObject(w, t, s)
	case Float: // 1 and 1.0 are one number
		if n, ok := there.(Int); ok && Float(n) == w {
			return same
		}
	case Int:
		if f, ok := there.(Float); ok && Float(w) == f {
			return same
		}
	}
	if Equal(want, there) {
		return same
	}
	return differs
}

func (d *differ) matchReference(w Reference, there Value) summary {
	if r, ok := there.(Reference); ok && r == w {
		return same
	}
	id, ok := d.resolve(w.Ref)
	if !ok && d.opt.Unreachable != nil && d.opt.Unreachable(w.Ref) {
		return unread
	}
	if s, isString := there.(String); ok && isString && string(s) == id {
		return same
	}
	return differs
}

func (d *differ) resolve(r Ref) (string, bool) {
	if d.opt.Resolve == nil {
		return "", false
	}
	return d.opt.Resolve(r)
}

// open says that a value holds a reference whose id is not known yet.
func (d *differ) open(v Value) bool {
	switch v := v.(type) {
	case Reference:
		_, ok := d.resolve(v.Ref)
		return !ok
	case List:
		return slices.ContainsFunc(v, d.open)
	case Attrs:
		return slices.ContainsFunc(v, func(a Attr) bool { return d.open(a.Value) })
	}
	return false
}

func (d *differ) matchList(want, there List, s *Attribute) summary {
	if len(want) != len(there) {
		return differs
	}
	out := same
	for i := range want {
		out = max(out, d.match(want[i], there[i], s))
	}
	return out
}

// matchObject compares an object inside a list: it changes as a whole, but what the wish
// does not mention, or nobody can read back, is not compared here either. A free-form map
// must be equal.
func (d *differ) matchObject(want, there Attrs, s *Attribute) summary {
	if s.Type == TMap && len(want) != len(there) {
		return differs
	}
	out := same
	for _, w := range want {
		t, _ := there.Get(w.Name)
		if f := find(s.Fields, w.Name); !f.WriteOnly && !f.Computed && !Equal(w.Value, t) {
			out = max(out, d.match(w.Value, t, f))
		}
	}
	return out
}

// matchSet pairs every wished element with one that is there, each used once.
func (d *differ) matchSet(want, there List, s *Attribute) summary {
	if len(want) != len(there) {
		return differs
	}
	out := same
	p := pairing{partner: make([]int, len(there)), fits: func(w, t int) bool {
		return d.match(want[w], there[t], s) == same
	}}
	for i := range p.partner {
		p.partner[i] = -1
	}
	for w := range want {
		if p.find(w, make([]bool, len(there))) {
			continue
		}
		out = max(out, d.alone(want[w]))
	}
	return out
}

// alone is the verdict on a wished element that nothing there satisfies.
func (d *differ) alone(want Value) summary {
	if r, ok := want.(Reference); ok {
		return d.matchReference(r, nil)
	}
	return differs
}

// pairing finds a matching between wishes and what is there by augmenting paths: taking the
// first that fits could leave a more exacting wish without its only partner.
type pairing struct {
	partner []int // of each thing there: the wish that has it, or -1
	fits    func(want, there int) bool
}

func (p *pairing) find(w int, tried []bool) bool {
	for t := range p.partner {
		if tried[t] || !p.fits(w, t) {
			continue
		}
		tried[t] = true
		if p.partner[t] < 0 || p.find(p.partner[t], tried) {
			p.partner[t] = w
			return true
		}
	}
	return false
}

// find looks an attribute up in a schema. One that is not in it compares as a plain value.
func find(schema []Attribute, name string) *Attribute {
	for i := range schema {
		if schema[i].Name == name {
			return &schema[i]
		}
	}
	return &Attribute{}
}

func elem(s *Attribute) *Attribute {
	if s.Elem == nil {
		return &Attribute{}
	}
	return s.Elem
}

func attrsOr(v Value) Attrs {
	a, _ := v.(Attrs)
	return a
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// SortChanges sorts by path.
func SortChanges(c []Change) {
	slices.SortFunc(c, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
}
