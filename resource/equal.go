package resource

import (
	"slices"
	"time"
)

// Equal reports whether two values are the same, in order and number. A Secret equals another, or
// a Digest, by its digest alone.
func Equal(a, b Value) bool {
	if s, ok := a.(String); ok { // the common case, at little cost
		t, ok := b.(String)
		return ok && s == t
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case List:
		b, ok := b.(List)
		return ok && a.Equal(b)
	case Attrs:
		b, ok := b.(Attrs)
		return ok && a.Equal(b)
	case Text:
		b, ok := b.(Text)
		return ok && slices.EqualFunc(a, b, Equal)
	case Secret:
		return equalDigest(a.digest, b)
	case Digest:
		return equalDigest(a, b)
	}
	switch b.(type) {
	case List, Attrs, Text: // not comparable by ==
		return false
	}
	return a == b
}

func equalDigest(d Digest, v Value) bool {
	switch v := v.(type) {
	case Secret:
		return v.digest == d
	case Digest:
		return v == d
	}
	return false
}

// Equal reports whether the lists hold equal values in the same order.
func (l List) Equal(o List) bool { return slices.EqualFunc(l, o, Equal) }

// Equal reports whether both have the same names with equal values.
func (a Attrs) Equal(o Attrs) bool {
	return slices.EqualFunc(a, o, func(x, y Attr) bool { return x.Name == y.Name && Equal(x.Value, y.Value) })
}

// Equal reports whether both hold the same keys and values.
func (t Tags) Equal(o Tags) bool { return slices.Equal(t, o) }

// Equal compares secrets by their digests.
func (s Secret) Equal(o Secret) bool { return s.digest == o.digest }

// Equal reports whether both describe the same resource in the same state.
func (o Observed) Equal(p Observed) bool {
	same := o.Since.Equal(p.Since) && o.Attrs.Equal(p.Attrs) && o.Tags.Equal(p.Tags)
	return same && o.Ref == p.Ref && o.ID == p.ID && o.UID == p.UID &&
		o.Natural == p.Natural && o.Marks == p.Marks &&
		o.Attested == p.Attested && o.Ownership == p.Ownership && o.Role == p.Role &&
		o.OwnedBy == p.OwnedBy && o.Condition == p.Condition && o.Health == p.Health && o.Message == p.Message &&
		o.Last.equal(p.Last)
}

// equal reports whether two requests, or their absence, are the same.
func (r *Request) equal(o *Request) bool {
	if r == nil || o == nil {
		return r == o
	}
	a, b := *r, *o
	a.At, b.At = time.Time{}, time.Time{}
	return a == b && r.At.Equal(o.At)
}
