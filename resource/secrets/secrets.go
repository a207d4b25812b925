// Package secrets finds the secrets in values and where they came from, and puts secrets in the place of their digests.
package secrets

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Sources lists where each secret of a value came from, in the order of the value: "env:NAME", and an empty string for
// a secret that is written in a configuration. Nil means that the value holds no secret.
func Sources(v resource.Value) []string { return sources(nil, v) }

func sources(out []string, v resource.Value) []string {
	switch v := v.(type) {
	case resource.Secret:
		return append(out, v.Source())
	case resource.List:
		for i := range v {
			out = sources(out, v[i])
		}
	case resource.Text:
		for i := range v {
			out = sources(out, v[i])
		}
	case resource.Attrs:
		for i := range v {
			out = sources(out, v[i].Value)
		}
	}
	return out
}

// Reveal returns the secret of a digest; false if it is not known.
type Reveal func(resource.Digest) (plain string, known bool)

// Restore returns a value with its digests replaced by the secrets that are known. It calls reveal for each digest in
// the order of Sources.
func Restore(v resource.Value, reveal Reveal) resource.Value {
	switch v := v.(type) {
	case resource.Digest:
		if plain, known := reveal(v); known {
			return resource.NewSecret(plain, v)
		}
	case resource.List:
		return resource.List(all(v, reveal))
	case resource.Text:
		return resource.Text(all(v, reveal))
	case resource.Attrs:
		return Attrs(v, reveal)
	}
	return v
}

// Attrs does so for attributes.
func Attrs(attrs resource.Attrs, reveal Reveal) resource.Attrs {
	out := slices.Clone(attrs)
	for i := range out {
		out[i].Value = Restore(out[i].Value, reveal)
	}
	return out
}

func all(in []resource.Value, reveal Reveal) []resource.Value {
	out := slices.Clone(in)
	for i := range out {
		out[i] = Restore(out[i], reveal)
	}
	return out
}

// Missing reports whether a value has a secret of which only the digest is known.
func Missing(v resource.Value) bool {
	switch v := v.(type) {
	case resource.Digest:
		return true
	case resource.List:
		return slices.ContainsFunc(v, Missing)
	case resource.Text:
		return slices.ContainsFunc(v, Missing)
	case resource.Attrs:
		return slices.ContainsFunc(v, func(a resource.Attr) bool { return Missing(a.Value) })
	}
	return false
}
