package api

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// WithDefaults adds the attributes that the configuration omits and a new resource needs. A source
// has done so already; a provider does not rely on it.
func WithDefaults(k resource.Kind, a resource.Attrs) resource.Attrs {
	a = k.ForCreate(a)
	for _, s := range k.Attrs {
		if _, ok := a.Get(s.Name); !ok && s.Default != nil {
			a = a.With(s.Name, s.Default)
		}
	}
	return a
}

// IsSet reports that an attribute is configured.
func IsSet(a resource.Attrs, name string) bool {
	v, ok := a.Get(name)
	return ok && v != nil
}

// Changed reports that an attribute, or a part of it, is among the changes.
func Changed(r provider.Request, names ...string) bool {
	for _, c := range r.Changes {
		for _, n := range names {
			if c.Path == n || strings.HasPrefix(c.Path, n+".") || strings.HasPrefix(c.Path, n+"[") {
				return true
			}
		}
	}
	return false
}

// Replaces is ErrReplace if a change requires a replacement.
func Replaces(r provider.Request) error {
	for _, c := range r.Changes {
		if c.Effect == resource.Replace {
			return fmt.Errorf("aws: %s of an existing %s cannot change: %w", c.Path, r.Desired.Ref.Kind, provider.ErrReplace)
		}
	}
	return nil
}

// Attrs collects what was observed; what AWS did not report is omitted.
type Attrs map[string]resource.Value

// Text sets a text that AWS returned. A nil text is not set.
func (a Attrs) Text(name string, s *string) {
	if s != nil && *s != "" {
		a[name] = resource.String(*s)
	}
}

// Flag sets a boolean that AWS returned. A nil boolean is not set.
func (a Attrs) Flag(name string, b *bool) {
	if b != nil {
		a[name] = resource.Bool(*b)
	}
}

// Number sets a number that AWS returned. A nil number is not set.
func (a Attrs) Number(name string, n *int32) {
	if n != nil {
		a[name] = resource.Int(*n)
	}
}

// Texts sets a set of texts that AWS returned. An empty list is set too: an answer without elements
// is known to be empty.
func (a Attrs) Texts(name string, list []string) {
	out := make(resource.List, 0, len(list))
	for _, s := range list {
		out = append(out, resource.String(s))
	}
	a[name] = out
}

// Build returns the attributes.
func (a Attrs) Build() resource.Attrs { return resource.AttrsOf(a) }

// DesiredInt reads a configured integer for the SDK. It is nil if it is not set.
func DesiredInt(a resource.Attrs, name string) *int32 {
	if n, ok := Number(a, name); ok {
		return aws.Int32(int32(n))
	}
	return nil
}

// Equal reports whether two values are equal as JSON.
func Equal(a, b resource.Value) bool {
	return bytes.Equal(resource.AppendJSON(nil, a), resource.AppendJSON(nil, b))
}

// DesiredFlag reads a configured boolean for the SDK. It is nil if it is not set.
func DesiredFlag(a resource.Attrs, name string) *bool {
	if b, ok := Flag(a, name); ok {
		return aws.Bool(b)
	}
	return nil
}

// AsInt32 reads a configured integer for the SDK. It is nil if it is not set.
func AsInt32(a resource.Attrs, name string) *int32 {
	n, ok := Number(a, name)
	if !ok {
		return nil
	}
	return aws.Int32(int32(n))
}

// NameID is an ID and, if the resource has marks, its ref.
func NameID(o resource.Observed) string {
	if !o.Marks.IsZero() {
		return fmt.Sprintf("%s (%s)", o.ID, o.Marks.Ref)
	}
	return o.ID
}

// DesiredIs reports whether a configured text has a value.
func DesiredIs(a resource.Attrs, name, value string) bool {
	s, ok := Text(a, name)
	return ok && s == value
}

// DesiredText reads a configured string for the SDK: nil if it is not set.
func DesiredText(a resource.Attrs, name string) *string {
	if s, ok := Text(a, name); ok && s != "" {
		return aws.String(s)
	}
	return nil
}
