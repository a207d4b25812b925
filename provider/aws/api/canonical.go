package api

import (
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Text reads a string attribute. It reports false if the attribute is not set, and for a reference
// without its value.
func Text(a resource.Attrs, name string) (string, bool) {
	v, ok := a.Get(name)
	s, isString := v.(resource.String)
	return string(s), ok && isString
}

// Number reads an integer attribute. It reports false if the attribute is not set.
func Number(a resource.Attrs, name string) (int64, bool) {
	v, ok := a.Get(name)
	n, isInt := v.(resource.Int)
	return int64(n), ok && isInt
}

// Flag reads a boolean attribute. It reports false if the attribute is not set.
func Flag(a resource.Attrs, name string) (value, ok bool) {
	v, ok := a.Get(name)
	b, isBool := v.(resource.Bool)
	return bool(b), ok && isBool
}

// Revealed returns the text of a secret; "" for any other value, such as the digest of a secret.
// The text must only reach AWS.
func Revealed(v resource.Value) string {
	s, _ := v.(resource.Secret)
	return s.Reveal()
}

// Secret reads a configured secret. A digest alone means that its source could not be read.
func Secret(a resource.Attrs, name string) (value string, given bool, err error) {
	v, ok := a.Get(name)
	if !ok || v == nil {
		return "", false, nil
	}
	switch v := v.(type) {
	case resource.Secret:
		return v.Reveal(), true, nil
	case resource.String:
		return string(v), true, nil
	}
	return "", false, Mistake("", provider.Errorf("only the digest of %s is known, not its value", name),
		"apply where the source of the secret can be read")
}
