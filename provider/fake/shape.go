package fake

import (
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// shape turns configured attributes into observed ones: secrets become digests, what is
// write-only is omitted, and ids that do not exist are refused.
func (c *Cloud) shape(p *location, k resource.Kind, in resource.Attrs) (resource.Attrs, error) {
	out := make([]resource.Attr, 0, len(in))
	for _, a := range in {
		s, ok := attribute(k.Attrs, a.Name)
		if !ok {
			return nil, refuse(provider.Configuration, "%s has no attribute %s", k.Name, a.Name)
		}
		if err := c.check(p, s, a.Value); err != nil {
			return nil, err
		}
		if secret, ok := a.Value.(resource.Secret); ok {
			a.Value = secret.Digest()
		}
		if !s.WriteOnly && a.Value != nil {
			out = append(out, a)
		}
	}
	return resource.NewAttrs(out...), nil
}

// check refuses references that are not resolved, and ids that do not exist.
func (c *Cloud) check(p *location, s resource.Attribute, v resource.Value) error {
	switch v := v.(type) {
	case resource.Reference:
		return refuse(provider.Configuration, "%s is the reference %s, not an id", s.Name, v.Ref)
	case resource.Text:
		return refuse(provider.Configuration, "%s holds references that were not resolved", s.Name)
	case resource.List:
		for _, e := range v {
			if s.Elem == nil {
				continue
			}
			if err := c.check(p, *s.Elem, e); err != nil {
				return err
			}
		}
	case resource.String:
		if _, ok := p.byID(string(v)); s.RefKind != "" && !ok {
			return missing("%s %s does not exist", s.RefKind, string(v))
		}
	}
	return nil
}

// user finds a resource that refers to another by its id.
func (c *Cloud) user(p *location, used resource.Observed) (resource.Ref, bool) {
	for i := range p.objects {
		o := &p.objects[i]
		k, _ := c.kind(o.Ref)
		for _, a := range o.Attrs {
			s, _ := attribute(k.Attrs, a.Name)
			if holds(s, a.Value, used) {
				return o.Ref, true
			}
		}
	}
	return resource.Ref{}, false
}

func holds(s resource.Attribute, v resource.Value, used resource.Observed) bool {
	switch v := v.(type) {
	case resource.String:
		return s.RefKind == used.Ref.Kind && string(v) == used.ID
	case resource.List:
		for _, e := range v {
			if s.Elem != nil && holds(*s.Elem, e, used) {
				return true
			}
		}
	}
	return false
}

// apply does one change to a resource.
func apply(o resource.Observed, c resource.Change, k resource.Kind) resource.Observed {
	head, rest, nested := strings.Cut(c.Path, ".")
	switch {
	case head == "tags" && nested:
		tags := map[string]string{}
		for _, t := range o.Tags {
			tags[t.Key] = t.Value
		}
		delete(tags, rest)
		if v, ok := c.To.(resource.String); ok {
			tags[rest] = string(v)
		}
		o.Tags = resource.TagsOf(tags)
	case nested:
		inner, _ := o.Attrs.Get(head)
		in, _ := inner.(resource.Attrs)
		o.Attrs = o.Attrs.With(head, set(in, rest, c.To))
	default:
		o.Attrs = set(o.Attrs, head, c.To)
	}
	return o
}

func set(in resource.Attrs, name string, v resource.Value) resource.Attrs {
	if v == nil {
		return in.Without(name)
	}
	return in.With(name, v)
}

func attribute(schema []resource.Attribute, name string) (resource.Attribute, bool) {
	for _, s := range schema {
		if s.Name == name {
			return s, true
		}
	}
	return resource.Attribute{}, false
}
