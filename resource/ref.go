package resource

import (
	"cmp"
	"fmt"
	"strings"
)

// Ref is the stable name of a resource, before and after it exists: "aws/us-east-1/ec2/web-0".
// It is written on the resource as a tag or label. The location may contain slashes
// ("123456789012/us-east-1"); provider, kind and name may not.
type Ref struct{ Provider, Location, Kind, Name string }

// Scope is a provider's location, which is observed with one call.
type Scope struct{ Provider, Location string }

// Scope returns the scope of the resource.
func (r Ref) Scope() Scope { return Scope{r.Provider, r.Location} }

// IsZero reports whether the ref names nothing.
func (r Ref) IsZero() bool { return r == Ref{} }

func (r Ref) String() string {
	return r.Provider + "/" + r.Location + "/" + r.Kind + "/" + r.Name
}

func (s Scope) String() string { return s.Provider + "/" + s.Location }

// Compare orders refs by provider, location, kind and name.
func (r Ref) Compare(o Ref) int {
	if c := strings.Compare(r.Provider, o.Provider); c != 0 {
		return c
	}
	if c := strings.Compare(r.Location, o.Location); c != 0 {
		return c
	}
	if c := strings.Compare(r.Kind, o.Kind); c != 0 {
		return c
	}
	return strings.Compare(r.Name, o.Name)
}

// Compare orders scopes by provider, then location.
func (s Scope) Compare(o Scope) int {
	return cmp.Or(cmp.Compare(s.Provider, o.Provider), cmp.Compare(s.Location, o.Location))
}

// ParseRef is the inverse of String.
func ParseRef(s string) (Ref, error) {
	first := strings.IndexByte(s, '/')
	last := strings.LastIndexByte(s, '/')
	if first < 0 || last == first {
		return Ref{}, badRef(s)
	}
	kind := strings.LastIndexByte(s[:last], '/')
	if kind <= first {
		return Ref{}, badRef(s)
	}
	r := Ref{Provider: s[:first], Location: s[first+1 : kind], Kind: s[kind+1 : last], Name: s[last+1:]}
	if r.Provider == "" || r.Location == "" || r.Kind == "" || r.Name == "" {
		return Ref{}, badRef(s)
	}
	return r, nil
}

func badRef(s string) error {
	return fmt.Errorf("resource: invalid ref %q: use PROVIDER/LOCATION/KIND/NAME", s)
}

// MarshalText returns the string form, which JSON uses for values and keys.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText parses the string form; an empty text is the zero ref.
func (r *Ref) UnmarshalText(b []byte) error {
	if len(b) == 0 || string(b) == "///" {
		*r = Ref{}
		return nil
	}
	p, err := ParseRef(string(b))
	*r = p
	return err
}

// MarshalText returns "provider/location", which JSON uses for values and keys.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses "provider/location".
func (s *Scope) UnmarshalText(b []byte) error {
	p, location, ok := strings.Cut(string(b), "/")
	if !ok || p == "" || location == "" {
		return fmt.Errorf("resource: invalid scope %q: use PROVIDER/LOCATION", b)
	}
	*s = Scope{p, location}
	return nil
}
