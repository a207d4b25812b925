package renamed

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// class is the creates of one configuration.
type class struct {
	known     resource.Attrs // what is comparable; references have the values that the plan observed
	unknown   []string       // attributes with secrets, and with references to what does not exist
	defaulted []string
	all       []*decider.Decision
}

// classes groups creates by their configuration: first the ones with the fewest unknown values, then in the order of
// the plan.
func (f *finder) classes(created []*decider.Decision) (out []*class) {
	byText := map[string]*class{}
	for _, d := range created {
		c := f.classOf(d)
		text := textOf(c.known, d.Ref.Name) + "\x00" + strings.Join(c.unknown, " ") + "\x00" + strings.Join(c.defaulted, " ")
		if known := byText[text]; known != nil {
			known.all = append(known.all, d)
			continue
		}
		c.all, byText[text] = []*decider.Decision{d}, c
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b *class) int { return cmp.Compare(len(a.unknown), len(b.unknown)) })
	return out
}

func (f *finder) classOf(d *decider.Decision) *class {
	lookup := func(r resource.Reference) (resource.Value, bool) {
		ref := r.Ref
		if was, renamed := f.now[ref]; renamed {
			ref = was
		}
		o, found := f.At(ref)
		if !found {
			return nil, false
		}
		return o.Refer(r.Path)
	}
	k, _ := f.Kinds(d.Ref.Provider, d.Ref.Kind)
	c := &class{defaulted: d.Desired.Defaulted}
	for _, a := range k.Resolve(d.Desired.Attrs, resource.Resolver{Lookup: lookup, Ref: d.Ref}) {
		if resource.HasReferences(a.Value) || isSecret(a.Value) {
			c.unknown = append(c.unknown, a.Name)
		} else {
			c.known = append(c.known, a)
		}
	}
	return c
}

// isSecret reports whether a value has a secret. The digests of two resources cannot be compared.
func isSecret(v resource.Value) bool {
	switch v := v.(type) {
	case resource.Secret, resource.Digest:
		return true
	case resource.List:
		return slices.ContainsFunc(v, isSecret)
	case resource.Attrs:
		return slices.ContainsFunc(v, func(a resource.Attr) bool { return isSecret(a.Value) })
	}
	return false
}

// former is the resources of a place that are no longer configured, by the texts of their configurations.
type former struct {
	all   []*decider.Decision
	last  map[*decider.Decision]resource.Attrs // as applied last; others have no record of it
	texts map[string]map[string][]*decider.Decision
}

func (r Record) formerOf(all []*decider.Decision) *former {
	f := &former{
		all: all, last: map[*decider.Decision]resource.Attrs{}, texts: map[string]map[string][]*decider.Decision{},
	}
	for _, d := range all {
		if attrs, recorded := r.Last(d.Ref); recorded {
			f.last[d] = attrs
		}
	}
	return f
}

// equal lists the resources with the configuration of a class. If a resource has a recorded configuration, both have
// the same attributes. Otherwise its observed attributes have all configured ones, and at least one; defaults do not
// count. Unknown values decide nothing.
func (f *former) equal(c *class) []*decider.Decision {
	configured := slices.DeleteFunc(slices.Clone(c.known), func(a resource.Attr) bool {
		return slices.Contains(c.defaulted, a.Name)
	})
	if len(configured) == 0 && len(c.unknown) > 0 {
		return nil
	}
	sets := strings.Join(c.unknown, " ")
	out := f.by("recorded "+sets, func(d *decider.Decision) (string, bool) {
		last, recorded := f.last[d]
		var have []string
		known := slices.DeleteFunc(slices.Clone(last), func(a resource.Attr) bool {
			is := slices.Contains(c.unknown, a.Name)
			if is {
				have = append(have, a.Name)
			}
			return is
		})
		return textOf(known, d.Ref.Name), recorded && len(have) == len(c.unknown)
	})[textOf(c.known, c.all[0].Ref.Name)]
	if len(configured) == 0 {
		return out
	}
	names := make([]string, len(configured))
	for i, a := range configured {
		names[i] = a.Name
	}
	return slices.Concat(out, f.by("observed "+strings.Join(names, " "), func(d *decider.Decision) (string, bool) {
		_, recorded := f.last[d]
		var have resource.Attrs
		for _, name := range names {
			if v, read := d.Observed.Attrs.Get(name); read {
				have = append(have, resource.Attr{Name: name, Value: v})
			}
		}
		return textOf(have, d.Ref.Name), !recorded && len(have) == len(names)
	})[textOf(configured, c.all[0].Ref.Name)])
}

// by returns the resources by a text of each, which it keeps.
func (f *former) by(of string, text func(*decider.Decision) (string, bool)) map[string][]*decider.Decision {
	if f.texts[of] == nil {
		f.texts[of] = map[string][]*decider.Decision{}
		for _, d := range f.all {
			if t, comparable := text(d); comparable {
				f.texts[of][t] = append(f.texts[of][t], d)
			}
		}
	}
	return f.texts[of]
}

// textOf is equal for the equal attributes of two resources. A service may give the members of a list in another order.
// The name of a resource in the ARN of itself, in its policy, is no difference.
func textOf(attrs resource.Attrs, name string) string {
	sorted := slices.Clone(attrs)
	for i, a := range attrs {
		if l, is := a.Value.(resource.List); is {
			l = slices.Clone(l)
			slices.SortFunc(l, func(x, y resource.Value) int {
				return strings.Compare(string(resource.AppendJSON(nil, x)), string(resource.AppendJSON(nil, y)))
			})
			sorted[i].Value = l
		}
	}
	text := string(sorted.AppendJSON(nil))
	if !strings.Contains(text, "arn:") || !strings.Contains(text, name) {
		return text
	}
	return withoutName(text, name)
}

// withoutName replaces a name by a sign in the ARNs of a text, where it is a whole part of the ARN.
func withoutName(text, name string) string {
	var b strings.Builder
	inside := func(r rune) bool { return r > ' ' && !strings.ContainsRune("\"\\,", r) }
	part := func(r rune) bool { return inside(r) && r != ':' && r != '/' }
	for {
		start := strings.Index(text, "arn:")
		if start < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:start])
		text = text[start:]
		for text != "" && inside(rune(text[0])) {
			n := strings.IndexFunc(text, func(r rune) bool { return !part(r) })
			switch {
			case n < 0:
				n = len(text)
			case n == 0:
				n = 1
			}
			if text[:n] == name {
				b.WriteByte(0)
			} else {
				b.WriteString(text[:n])
			}
			text = text[n:]
		}
	}
}
