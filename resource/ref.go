package resource

import (
	"cmp"
	"fmt"
	"strings"
)

// Ref is the stable name of a resource, before and after it exists: "web:aws/us-east-1/ec2/web-0".
// Names are unique within a stack: what two stacks call the same are two resources. A resource that
// has no name in a stack has the one that its provider reports, "aws/us-east-1/ec2/i-0abc". The
// location may contain slashes ("123456789012/us-east-1"); provider, kind and name may not.
type Ref struct{ Stack, Provider, Location, Kind, Name string }

// Scope is a provider's location, which is observed with one call.
type Scope struct{ Provider, Location string }

// Scope returns the scope of the resource.
func (r Ref) Scope() Scope { return Scope{r.Provider, r.Location} }

// IsZero reports whether the ref names nothing.
func (r Ref) IsZero() bool { return r == Ref{} }

// In returns the ref with another stack.
func (r Ref) In(stack string) Ref {
	r.Stack = stack
	return r
}

// Bare returns the ref without its stack: what a tag holds, and what several stacks may use.
func (r Ref) Bare() Ref { return r.In("") }

// String returns "stack:provider/location/kind/name", without the stack and the colon if it has none.
func (r Ref) String() string {
	s := r.Provider + "/" + r.Location + "/" + r.Kind + "/" + r.Name
	if r.Stack == "" {
		return s
	}
	return escapeStack(r.Stack) + ":" + s
}

// escapeStack escapes what ends a stack in the string form of a ref. The names that sources accept
// have none of it.
func escapeStack(s string) string {
	if !strings.ContainsAny(s, "%/:") {
		return s
	}
	return strings.NewReplacer("%", "%25", "/", "%2F", ":", "%3A").Replace(s)
}

func (s Scope) String() string { return s.Provider + "/" + s.Location }

// Compare orders refs by provider, location, kind and name, and those with the same by stack.
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
	if c := strings.Compare(r.Name, o.Name); c != 0 {
		return c
	}
	return strings.Compare(r.Stack, o.Stack)
}

// CompareRefs orders refs as Ref.Compare does.
func CompareRefs(a, b Ref) int { return a.Compare(b) }

// CompareScopes orders scopes as Scope.Compare does.
func CompareScopes(a, b Scope) int { return a.Compare(b) }

// Compare orders scopes by provider, then location.
func (s Scope) Compare(o Scope) int {
	return cmp.Or(cmp.Compare(s.Provider, o.Provider), cmp.Compare(s.Location, o.Location))
}

// ParseRef is the inverse of String.
func ParseRef(s string) (Ref, error) {
	stack, rest, ok := CutStack(s)
	if ok && stack == "" {
		return Ref{}, badRef(s)
	}
	first := strings.IndexByte(rest, '/')
	last := strings.LastIndexByte(rest, '/')
	if first < 0 || last == first {
		return Ref{}, badRef(s)
	}
	kind := strings.LastIndexByte(rest[:last], '/')
	if kind <= first {
		return Ref{}, badRef(s)
	}
	r := Ref{
		Stack: stack, Provider: rest[:first], Location: rest[first+1 : kind], Kind: rest[kind+1 : last],
		Name: rest[last+1:],
	}
	if r.Provider == "" || r.Location == "" || r.Kind == "" || r.Name == "" {
		return Ref{}, badRef(s)
	}
	return r, nil
}

// CutStack separates "stack:" from the rest of a ref or of a short form of one; false if there is
// no stack in it. A colon after the first slash belongs to a location.
func CutStack(s string) (stack, rest string, ok bool) {
	colon := strings.IndexByte(s, ':')
	if slash := strings.IndexByte(s, '/'); colon < 0 || slash >= 0 && slash < colon {
		return "", s, false
	}
	if stack = s[:colon]; strings.IndexByte(stack, '%') >= 0 {
		stack = strings.NewReplacer("%25", "%", "%2F", "/", "%3A", ":").Replace(stack)
	}
	return stack, s[colon+1:], true
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
