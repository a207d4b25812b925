package resource

import "slices"

// Digester makes the keyed digests that are recorded in place of secrets. A digest is bound to the
// attribute of a resource that holds the secret: the same secret has another digest elsewhere, so a digest
// does not confirm a guess of the same secret elsewhere.
type Digester interface {
	// Digest is the digest of a secret in an attribute of a resource. The same arguments give the same
	// digest; path "" means a secret that belongs to no attribute.
	Digest(ref Ref, path, plain string) Digest
	// Same reports whether a digest, to whatever it is bound, is of this secret.
	Same(plain string, d Digest) bool
}

// Seal binds the digests of all secrets in the attributes of a resource to it: a value that was read once
// for many resources has the digests of the first. Attributes without secrets are returned unchanged and
// uncopied. An element of a list is bound to the path of the list.
func Seal(ref Ref, attrs Attrs, by Digester) Attrs {
	out, _ := sealed(ref, "", attrs, by).(Attrs)
	return out
}

func sealed(ref Ref, path string, v Value, by Digester) Value {
	switch v := v.(type) {
	case Secret:
		return NewSecret(v.plain, by.Digest(ref, path, v.plain)).WithSource(v.from)
	case Attrs:
		for i := range v {
			if !hasSecrets(v[i].Value) {
				continue
			}
			out := slices.Clone(v)
			for j := i; j < len(out); j++ {
				out[j].Value = sealed(ref, join(path, out[j].Name), out[j].Value, by)
			}
			return out
		}
	case List:
		if hasSecrets(v) {
			return List(sealedAll(ref, path, v, by))
		}
	case Text:
		if hasSecrets(v) {
			return Text(sealedAll(ref, path, v, by))
		}
	}
	return v
}

func sealedAll(ref Ref, path string, in []Value, by Digester) []Value {
	out := make([]Value, len(in))
	for i := range in {
		out[i] = sealed(ref, path, in[i], by)
	}
	return out
}

func hasSecrets(v Value) bool {
	switch v := v.(type) {
	case Secret:
		return true
	case Attrs:
		return slices.ContainsFunc(v, func(a Attr) bool { return hasSecrets(a.Value) })
	case List:
		return slices.ContainsFunc(v, hasSecrets)
	case Text:
		return slices.ContainsFunc(v, hasSecrets)
	}
	return false
}
