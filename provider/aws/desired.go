package aws

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// withDefaults adds the attributes that the configuration omits and a new resource needs. A source
// has done so already; a provider does not rely on it.
func withDefaults(k resource.Kind, a resource.Attrs) resource.Attrs {
	a = k.ForCreate(a)
	for _, s := range k.Attrs {
		if _, ok := a.Get(s.Name); !ok && s.Default != nil {
			a = a.With(s.Name, s.Default)
		}
	}
	return a
}

// isSet reports that an attribute is configured.
func isSet(a resource.Attrs, name string) bool {
	v, ok := a.Get(name)
	return ok && v != nil
}

// changed reports that an attribute, or a part of it, is among the changes.
func changed(r provider.Request, names ...string) bool {
	for _, c := range r.Changes {
		for _, n := range names {
			if c.Path == n || strings.HasPrefix(c.Path, n+".") || strings.HasPrefix(c.Path, n+"[") {
				return true
			}
		}
	}
	return false
}

// replaces is ErrReplace if a change requires a replacement.
func replaces(r provider.Request) error {
	for _, c := range r.Changes {
		if c.Effect == resource.Replace {
			return fmt.Errorf("aws: %s of an existing %s cannot change: %w", c.Path, r.Desired.Ref.Kind, provider.ErrReplace)
		}
	}
	return nil
}

// attrs collects what was observed; what AWS did not report is omitted.
type attrs map[string]resource.Value

func (a attrs) text(name string, s *string) {
	if s != nil && *s != "" {
		a[name] = resource.String(*s)
	}
}

func (a attrs) flag(name string, b *bool) {
	if b != nil {
		a[name] = resource.Bool(*b)
	}
}

func (a attrs) number(name string, n *int32) {
	if n != nil {
		a[name] = resource.Int(*n)
	}
}

func (a attrs) texts(name string, list []string) {
	out := make(resource.List, 0, len(list))
	for _, s := range list {
		out = append(out, resource.String(s))
	}
	a[name] = out
}

func (a attrs) done() resource.Attrs { return resource.AttrsOf(a) }
