package resource

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource/rules"
)

// DiffOptions is the input of Diff besides the schema. The zero value is valid.
type DiffOptions struct {
	// Resolve returns the value of a Reference; false if it is known after apply: its resource
	// does not exist or will be replaced. Nil: no value is known. See Resolver.
	Resolve func(Reference) (Value, bool)
	// Secrets makes the digests of texts in secret attributes, and compares secrets with digests that
	// are bound to another name. Nil means that such texts are not known, and digests are compared as they are.
	Secrets Digester
	// Ref is the resource that is compared.
	Ref Ref
	// Unreachable reports whether a resource could not be read. A reference to it that has no
	// value is not compared. Nil: every resource was read.
	Unreachable func(Ref) bool
	// Ignore lists paths and patterns that are not compared; see rules.MatchPath.
	Ignore []string
	// Applied is the configuration last applied: write-only attributes are compared with it.
	// An attribute that is not in it has its default. Without a default its value is unknown:
	// it counts as changed, unless changing it would replace the resource, because nothing is
	// destroyed on an assumption. Nil: unknown, and write-only attributes are not compared.
	Applied Attrs
	// Adopted: the resource existed before its configuration, and attributes that the configuration does
	// not set are not changed, whatever Kind.Exact says.
	Adopted bool
}

// Diff lists the changes that make observed match desired, sorted by path. It compares only the attributes,
// and the fields of an Object, that desired sets, unless the kind is Exact. Lists, Sets and Maps are
// compared whole: an extra element or key is a change. A nil value removes an attribute. Diff allocates
// nothing if nothing differs.
func Diff(desired, observed Attrs, kind Kind, opt DiffOptions) []Change {
	d := differ{opt: opt, exact: kind.Exact && !opt.Adopted}
	d.fields("", desired, observed, kind.Attrs, InPlace)
	return d.changes
}

type differ struct {
	opt     DiffOptions
	exact   bool
	changes []Change
}

// fields merges both sorted sides. It looks up the schema only where the values are not plainly
// equal, because most values are.
func (d *differ) fields(prefix string, desired, observed Attrs, schema []Attribute, outer Effect) {
	j := 0
	for i := range desired {
		name := desired[i].Name
		var current Value
		for ; j < len(observed); j++ {
			if observed[j].Name == name {
				current = observed[j].Value
				j++
				break
			}
			if observed[j].Name > name {
				break
			}
			d.extra(prefix, observed[j], schema, outer)
		}
		if Equal(desired[i].Value, current) {
			continue
		}
		d.attribute(join(prefix, name), desired[i].Value, current, find(schema, name), outer)
	}
	for ; j < len(observed); j++ {
		d.extra(prefix, observed[j], schema, outer)
	}
}

// extra removes an observed value that is not configured, if the kind is Exact.
func (d *differ) extra(prefix string, a Attr, schema []Attribute, outer Effect) {
	if !d.exact || !configurable(schema, a.Name) {
		return
	}
	if path := join(prefix, a.Name); !rules.MatchPath(d.opt.Ignore, path) {
		d.changes = append(d.changes, Change{Path: path, From: a.Value, Effect: max(outer, find(schema, a.Name).Effect)})
	}
}

// attribute compares one value that is not plainly equal, by its schema.
func (d *differ) attribute(path string, desired, observed Value, schema *Attribute, outer Effect) {
	if len(d.opt.Ignore) > 0 && rules.MatchPath(d.opt.Ignore, path) {
		return
	}
	if schema.Computed {
		return
	}
	if schema.Effect > outer {
		outer = schema.Effect
	}
	if schema.Recorded {
		if observed, _ = d.opt.Applied.at(path); d.opt.Applied == nil || Equal(desired, observed) {
			return
		}
	}
	if schema.WriteOnly {
		if observed = d.applied(path, desired, schema, outer); d.equal(desired, observed) {
			return
		}
	}
	switch w, isAttrs := desired.(Attrs); {
	case isAttrs && schema.Type == TMap:
		d.keys(path, w, attrsOr(observed), elemOf(schema), outer)
	case isAttrs && schema.Type == TObject && observed != nil:
		d.fields(path, w, attrsOr(observed), schema.Fields, outer)
	default:
		d.leaf(path, desired, observed, schema, outer)
	}
}

// applied returns the value to compare a write-only attribute with; the desired value itself
// where nothing may be concluded.
func (d *differ) applied(path string, desired Value, schema *Attribute, effect Effect) Value {
	if d.opt.Applied == nil {
		return desired
	}
	v, ok := d.opt.Applied.at(path)
	switch {
	case ok:
		return v
	case schema.Default != nil:
		return schema.Default
	case schema.CreateDefault != nil:
		return schema.CreateDefault
	case effect == Replace:
		return desired
	}
	return nil
}

// leaf compares a value that changes as a whole.
func (d *differ) leaf(path string, desired, observed Value, schema *Attribute, effect Effect) {
	if schema.fit(desired, observed) != Differs || d.match(desired, observed, schema) != differs {
		return
	}
	c := Change{Path: path, From: observed, To: d.shown(desired, schema), Effect: effect, KnownAfterApply: d.open(desired)}
	if HasReferences(desired) && !HasReferences(c.To) {
		var names []string // each once
		for r := range References(desired) {
			if !slices.Contains(names, r.String()) {
				names = append(names, r.String())
			}
		}
		c.Note = RefersTo + strings.Join(names, ", ")
	}
	if schema.Note != "" {
		c.Note = strings.TrimPrefix(c.Note+"; "+schema.Note, "; ")
	}
	d.changes = append(d.changes, c)
}

// RefersTo begins the Note of a change whose value contains values of other resources.
const RefersTo = "refers to "

// keys compares maps key by key; a key that is not configured is removed.
func (d *differ) keys(path string, desired, observed Attrs, elem *Attribute, effect Effect) {
	i, j := 0, 0
	for i < len(desired) || j < len(observed) {
		var from, to Value
		var name string
		if i < len(desired) && (j == len(observed) || desired[i].Name <= observed[j].Name) {
			name, to = desired[i].Name, desired[i].Value
			i++
		} else {
			name = observed[j].Name
		}
		if j < len(observed) && observed[j].Name == name {
			from = observed[j].Value
			j++
		}
		if key := path + "." + name; !d.equal(to, from) && !rules.MatchPath(d.opt.Ignore, key) {
			d.leaf(key, to, from, elem, effect)
		}
	}
}

// DiffTags lists the changes that make a resource's tags match the configured ones, with paths
// "tags.KEY". A tag that ovi applied and that is no longer configured is removed, unless its
// value was changed outside ovi since. Other tags are not compared.
func DiffTags(desired, observed, applied Tags, ignore []string) []Change {
	var out []Change
	add := func(key string, from, to Value) {
		if p := "tags." + key; len(ignore) == 0 || !rules.MatchPath(ignore, p) {
			out = append(out, Change{On: OnTag, Path: p, From: from, To: to})
		}
	}
	j := 0
	for _, t := range desired {
		for j < len(observed) && observed[j].Key < t.Key {
			j++
		}
		switch {
		case j == len(observed) || observed[j].Key != t.Key:
			add(t.Key, nil, String(t.Value))
		case observed[j].Value != t.Value:
			add(t.Key, String(observed[j].Value), String(t.Value))
		}
	}
	for _, t := range applied {
		if _, configured := desired.Get(t.Key); configured {
			continue
		}
		if v, exists := observed.Get(t.Key); exists && v == t.Value {
			add(t.Key, String(v), nil)
		}
	}
	SortChanges(out)
	return out
}
