package resource

import (
	"strconv"
	"strings"
)

// Resolver answers references. The zero Resolver knows none.
type Resolver struct {
	// Lookup returns the value of a reference: a String for an id; the value of an attribute; for a secret
	// attribute a Secret, or its Digest if the secret itself is not available. It returns false if the
	// value is known after apply.
	Lookup func(Reference) (Value, bool)
	// Secrets makes the digests of texts in secret attributes. Nil: no reference there is known.
	Secrets Digester
	// Ref is the resource whose attributes are resolved.
	Ref Ref
}

// Resolve replaces the references in attributes by their values: a Text whose parts are all known becomes
// one String, and in a secret attribute a Secret (a Digest, where the secret is not available). Unknown
// references are kept. The same values give the same digest, at plan and at apply. Attributes without
// references and texts are returned unchanged and uncopied.
func (k Kind) Resolve(attrs Attrs, r Resolver) Attrs {
	if !HasReferences(attrs) {
		return attrs
	}
	return r.object(attrs, k.Attrs)
}

func (r Resolver) object(attrs Attrs, schema []Attribute) Attrs {
	out := make(Attrs, len(attrs))
	for i, a := range attrs {
		out[i] = Attr{a.Name, r.inside(a.Value, find(schema, a.Name))}
	}
	return out
}

func (r Resolver) inside(v Value, s *Attribute) Value {
	switch v := v.(type) {
	case Reference, Text:
		if known, ok := r.resolved(v, s); ok {
			return known
		}
	case List:
		out := make(List, len(v))
		for i := range v {
			out[i] = r.inside(v[i], elem(s))
		}
		return out
	case Attrs:
		if s.Type != TMap {
			return r.object(v, s.Fields)
		}
		out := make(Attrs, len(v))
		for i := range v {
			out[i] = Attr{v[i].Name, r.inside(v[i].Value, elem(s))}
		}
		return out
	}
	return v
}

// resolved returns the value of a Reference or a Text in an attribute; false if it is not known. Any other
// value is returned unchanged.
func (r Resolver) resolved(v Value, s *Attribute) (Value, bool) {
	switch v := v.(type) {
	case Reference:
		known, ok := r.lookup(v)
		if !ok {
			return nil, false
		}
		return r.fit(known, s)
	case Text:
		return r.join(v, s)
	}
	return v, true
}

func (r Resolver) lookup(ref Reference) (Value, bool) {
	if r.Lookup == nil {
		return nil, false
	}
	v, ok := r.Lookup(ref)
	return v, ok && v != nil
}

// fit converts a value that was looked up to the type of its attribute.
func (r Resolver) fit(v Value, s *Attribute) (Value, bool) {
	if _, same := v.(String); s.Type != TString || same && !s.Secret {
		return v, true
	}
	plain, ok := plainText(v)
	switch {
	case !ok:
		return v, true
	case s.Secret:
		return r.seal(s.Name, plain)
	}
	return String(plain), true
}

func (r Resolver) seal(name, plain string) (Value, bool) {
	if r.Secrets == nil {
		return nil, false
	}
	return NewSecret(plain, r.Secrets.Digest(r.Ref, name, plain)), true
}

// join makes one value of the parts of a text. If it refers to a secret, the digest is over the
// digests of the parts, because a plan has only those. They are bound already, so this one is not:
// without the secret it could not be compared after the resource got another name.
func (r Resolver) join(t Text, s *Attribute) (Value, bool) {
	var plain strings.Builder
	parts, sealed, hidden := make(List, len(t)), false, false
	for i, part := range t {
		known := part
		ref, isRef := part.(Reference)
		if isRef {
			v, ok := r.lookup(ref)
			if !ok {
				return nil, false
			}
			known = v
		}
		switch v := known.(type) {
		case Secret:
			plain.WriteString(v.plain)
			sealed = sealed || isRef
			parts[i] = v.digest
		case Digest:
			sealed, hidden, parts[i] = true, true, v
		default:
			text, ok := plainText(v)
			if !ok {
				return nil, false
			}
			plain.WriteString(text)
			parts[i] = String(text)
		}
	}
	switch {
	case !s.Secret && !sealed:
		return String(plain.String()), true
	case !sealed:
		return r.seal(s.Name, plain.String())
	case r.Secrets == nil:
		return nil, false
	}
	digest := r.Secrets.Digest(Ref{}, "", string(AppendJSON(nil, parts)))
	if hidden {
		return digest, true
	}
	return NewSecret(plain.String(), digest), true
}

// plainText is a scalar as written in a text.
func plainText(v Value) (string, bool) {
	switch v := v.(type) {
	case String:
		return string(v), true
	case Bool:
		return strconv.FormatBool(bool(v)), true
	case Int:
		return strconv.FormatInt(int64(v), 10), true
	case Float:
		return strconv.FormatFloat(float64(v), 'f', -1, 64), true
	}
	return "", false
}
