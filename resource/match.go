package resource

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
func (d *differ) match(desired, observed Value, s *Attribute) summary {
	switch w := desired.(type) {
	case Reference, Text:
		return d.matchReference(w, observed, s)
	case List:
		t, ok := observed.(List)
		if !ok && observed != nil {
			return differs
		}
		if s.Type == TSet {
			return d.matchSet(w, t, elem(s))
		}
		return d.matchList(w, t, elem(s))
	case Attrs:
		t, ok := observed.(Attrs)
		if !ok {
			return differs
		}
		return d.matchObject(w, t, s)
	case Float: // 1 and 1.0 are one number
		if n, ok := observed.(Int); ok && Float(n) == w {
			return same
		}
	case Int:
		if f, ok := observed.(Float); ok && Float(w) == f {
			return same
		}
	}
	if d.equal(desired, observed) {
		return same
	}
	return differs
}

// equal is Equal, and compares a secret with a digest that is bound to the name of the resource before it
// was moved.
func (d *differ) equal(desired, observed Value) bool {
	if Equal(desired, observed) {
		return true
	}
	s, isSecret := desired.(Secret)
	digest, isDigest := observed.(Digest)
	return isSecret && isDigest && d.opt.Secrets != nil && d.opt.Secrets.Same(s.plain, digest)
}

// matchReference compares the value of a Reference or a Text. One that is known after apply differs, unless
// it refers to a resource that could not be read: then there is no conclusion.
func (d *differ) matchReference(desired, observed Value, s *Attribute) summary {
	if r, ok := observed.(Reference); ok && Value(r) == desired && r.Path == "" {
		return same
	}
	known, ok := d.resolver().resolved(desired, s)
	switch {
	case ok && s.fit(known, observed) != Differs:
		return same
	case ok:
		return d.match(known, observed, s)
	case !walkRefs(desired, func(r Reference) bool { return !d.unreachable(r) }):
		return unread
	}
	return differs
}

func (d *differ) resolver() Resolver {
	return Resolver{Lookup: d.opt.Resolve, Secrets: d.opt.Secrets, Ref: d.opt.Ref}
}

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

// shown is a desired value as a change holds it: a Text, or a reference to an attribute, is
// shown by its value once that is known.
func (d *differ) shown(desired Value, s *Attribute) Value {
	r, isRef := desired.(Reference)
	if _, isText := desired.(Text); !isText && (!isRef || r.Path == "") {
		return desired
	}
	if known, ok := d.resolver().resolved(desired, s); ok {
		return known
	}
	return desired
}

func (d *differ) matchList(desired, observed List, s *Attribute) summary {
	if len(desired) != len(observed) {
		return differs
	}
	out := same
	for i := range desired {
		out = max(out, d.match(desired[i], observed[i], s))
	}
	return out
}

// matchObject compares an object inside a list: it changes as a whole, but attributes that are not
// configured, unless the kind is Exact, or that cannot be read back, are not compared here either. A
// free-form map must be equal.
func (d *differ) matchObject(desired, observed Attrs, s *Attribute) summary {
	if s.Type == TMap && len(desired) != len(observed) {
		return differs
	}
	out := same
	for _, w := range desired {
		t, _ := observed.Get(w.Name)
		if f := find(s.Fields, w.Name); !f.WriteOnly && !f.Computed && !d.equal(w.Value, t) {
			out = max(out, d.match(w.Value, t, f))
		}
	}
	for _, t := range observed {
		if _, configured := desired.Get(t.Name); d.exact && !configured && configurable(s.Fields, t.Name) {
			return differs
		}
	}
	return out
}

// matchSet pairs every configured element with an observed one, each used once.
func (d *differ) matchSet(desired, observed List, s *Attribute) summary {
	if len(desired) != len(observed) {
		return differs
	}
	out := same
	p := pairing{partner: make([]int, len(observed)), fits: func(w, t int) bool {
		return d.match(desired[w], observed[t], s) == same
	}}
	for i := range p.partner {
		p.partner[i] = -1
	}
	for w := range desired {
		if p.find(w, make([]bool, len(observed))) {
			continue
		}
		out = max(out, d.alone(desired[w], s))
	}
	return out
}

// alone is the result for a configured element that no observed one satisfies.
func (d *differ) alone(desired Value, s *Attribute) summary {
	switch desired.(type) {
	case Reference, Text:
		return d.matchReference(desired, nil, s)
	}
	return differs
}

// pairing finds a matching between configured and observed elements by augmenting paths: the
// first that fits could be the only partner of a more specific one.
type pairing struct {
	partner []int // of each observed element: the configured one that has it, or -1
	fits    func(desired, observed int) bool
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
