package source

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

type kindName struct{ provider, kind string }

// kind is a schema prepared for many resources.
type kind struct {
	resource.Kind
	checker  *resource.Checker
	partial  *resource.Checker // without the rules across attributes: for what was read in part
	attrs    map[string]*resource.Attribute
	names    []string // of what can be configured
	location LocationRule
	// lastDefaulted is shared by the resources that mention the same attributes.
	lastDefaulted []string
}

// prepared finds a schema and prepares it, once; nil if there is none.
func (d *Draft) prepared(provider, name string) (*kind, error) {
	key := kindName{provider, name}
	if k, ok := d.kinds[key]; ok {
		return k, nil
	}
	schema, ok := d.opts.Schemas.Kind(provider, name)
	if !ok {
		return nil, nil
	}
	checker, err := resource.NewChecker(schema)
	if err != nil {
		return nil, err
	}
	plain := schema
	plain.Canonical = nil
	partial, err := resource.NewChecker(plain)
	if err != nil {
		return nil, err
	}
	k := &kind{
		Kind: schema, checker: checker, partial: partial, attrs: map[string]*resource.Attribute{},
		location: d.opts.LocationOf(provider),
	}
	for i := range schema.Attrs {
		a := &schema.Attrs[i]
		k.attrs[a.Name] = a
		if !a.Computed {
			k.names = append(k.names, a.Name)
		}
	}
	key.kind = schema.Name
	d.kinds[key] = k
	return k, nil
}

// CheckIgnore checks a pattern of ignored paths: it must start with an attribute of one of the
// kinds (of every kind, if none is given), so that a typo does not silently ignore nothing.
// The summary is empty if it does.
func (d *Draft) CheckIgnore(pattern, provider string, kinds ...string) (summary, suggestion string) {
	if err := rules.CheckPattern(pattern); err != nil {
		return strings.TrimPrefix(err.Error(), "rules: "), "for example, tags.LastScan, or tags.* for all tags"
	}
	first, _, _ := strings.Cut(pattern, ".")
	if strings.ContainsAny(first, `*?[\`) {
		return "", ""
	}
	names := d.attributeNames(provider, kinds)
	if slices.Contains(names, first) {
		return "", ""
	}
	return "cannot ignore unknown attribute " + Quote(first), Suggest(first, names)
}

// attributeNames lists what resources of the kinds have that can be ignored.
func (d *Draft) attributeNames(provider string, kinds []string) []string {
	out := []string{"tags"}
	if len(kinds) == 0 {
		for _, k := range d.opts.Schemas.Kinds(provider) {
			kinds = append(kinds, k.Name)
		}
	}
	for _, name := range kinds {
		if k, _ := d.prepared(provider, name); k != nil {
			for i := range k.Attrs {
				out = append(out, k.Attrs[i].Name)
			}
			if k.State != "" {
				out = append(out, resource.StatePath)
			}
		}
	}
	return out
}

// schemaAt finds the schema of the attribute at a path; nil if there is none.
func (k *kind) schemaAt(path string) *resource.Attribute {
	fields, found := k.Attrs, (*resource.Attribute)(nil)
	for _, step := range strings.FieldsFunc(path, func(c rune) bool { return c == '.' || c == '[' || c == ']' }) {
		i := slices.IndexFunc(fields, func(a resource.Attribute) bool { return a.Name == step })
		switch {
		case found != nil && found.Type == resource.TMap:
			if found.Elem == nil {
				return &resource.Attribute{Type: resource.TString, Secret: found.Secret}
			}
			found = found.Elem
		case found != nil && found.Elem != nil && isNumber(step):
			found = found.Elem
		case i >= 0:
			found = &fields[i]
		default:
			return nil
		}
		fields = found.Fields
	}
	return found
}

// defaulted lists the attributes whose schema has a Default and that a source does not mention, and
// the state. Most resources of a kind mention the same: the last answer is kept.
func (k *kind) defaulted(r *Resource) []string {
	out := appendDefaulted(nil, "", &r.Attrs, k.Attrs)
	if k.State != "" && r.State == "" {
		out = append(out, resource.StatePath)
	}
	if slices.Equal(out, k.lastDefaulted) {
		return k.lastDefaulted
	}
	k.lastDefaulted = out
	return out
}
