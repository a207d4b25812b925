package resource

import (
	"slices"
	"strings"
)

// summary is the result of comparing two values that are not plainly equal.
type summary int

// Ordered by weight: the result for the whole is the heaviest of its parts. A part that
// certainly differs outweighs one that could not be read.
const (
	same summary = iota
	unread
	differs
)

// match compares a configured value with the observed one, by the schema; s is never nil.
func (d *differ) match(want, there Value, s *Attribute) summary {
	switch w := want.(type) {
	case Reference, Text:
		return d.matchReference(w, there, s)
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

// matchReference compares what a Reference or a Text stands for. One that is not known yet
// differs, unless it depends on something that could not be read: then nothing is concluded.
func (d *differ) matchReference(want, there Value, s *Attribute) summary {
	if r, ok := there.(Reference); ok && Value(r) == want && r.Path == "" {
		return same
	}
	known, ok := d.resolver().Value(want, s)
	switch {
	case ok:
		return d.match(known, there, s)
	case !walkRefs(want, func(r Reference) bool { return !d.unreachable(r) }):
		return unread
	}
	return differs
}

func (d *differ) resolver() Resolver { return Resolver{Lookup: d.opt.Resolve, Digest: d.opt.Digest} }

// unreachable reports that a reference is unknown because its resource could not be read.
func (d *differ) unreachable(r Reference) bool {
	_, ok := d.resolver().lookup(r)
	return !ok && d.opt.Unreachable != nil && d.opt.Unreachable(r.Ref)
}

// open reports that a value holds a reference that is known only after apply.
func (d *differ) open(v Value) bool {
	r := d.resolver()
	return !walkRefs(v, func(ref Reference) bool {
		_, ok := r.lookup(ref)
		return ok
	})
}

// shown is a desired value as a change holds it: a Text, or the attribute of another
// resource, is shown as what it stands for once that is known.
func (d *differ) shown(want Value, s *Attribute) Value {
	r, isRef := want.(Reference)
	if _, isText := want.(Text); !isText && (!isRef || r.Path == "") {
		return want
	}
	if known, ok := d.resolver().Value(want, s); ok {
		return known
	}
	return want
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

// matchObject compares an object inside a list: it changes as a whole, but what is not
// configured, or cannot be read back, is not compared here either. A free-form map must be
// equal.
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

// matchSet pairs every configured element with an observed one, each used once.
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
		out = max(out, d.alone(want[w], s))
	}
	return out
}

// alone is the result for a configured element that no observed one satisfies.
func (d *differ) alone(want Value, s *Attribute) summary {
	switch want.(type) {
	case Reference, Text:
		return d.matchReference(want, nil, s)
	}
	return differs
}

// pairing finds a matching between configured and observed elements by augmenting paths: the
// first that fits could be the only partner of a more specific one.
type pairing struct {
	partner []int // of each observed element: the configured one that has it, or -1
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
