package resource

// DiffOptions is what Diff must know besides the schema. The zero value is allowed.
type DiffOptions struct {
	// Resolve gives the value of a Reference; false if it has none yet, or will get another
	// because its resource is to be replaced. Nil: none is known. See Resolver.
	Resolve func(Reference) (Value, bool)
	// Digest is the keyed digest of a text, for references in secret attributes.
	Digest func(plain string) Digest
	// Unreachable says that nothing is known of a thing, because its scope was not read. Of a
	// reference to it nothing is concluded. Nil: all is seen.
	Unreachable func(Ref) bool
	// Ignore lists paths and patterns that are not compared; see MatchPath.
	Ignore []string
	// Applied is the wish last applied, where it is known: write-only attributes are compared
	// with it. One that is not in it has its default; without one, nothing is known of what
	// is there, so it differs unless changing it would replace the thing: nothing is
	// destroyed on doubt. Nil: the wish is not known, and they are not compared.
	Applied Attrs
}

// Diff lists what must change for observed to satisfy desired, sorted by path. What desired
// does not mention is not compared: neither an attribute, nor a field of an Object. Lists,
// Sets and Maps are mentioned whole: an element or key too many is a change. A nil value
// wishes an attribute away. It allocates nothing where nothing differs.
func Diff(desired, observed Attrs, kind Kind, opt DiffOptions) []Change {
	d := differ{opt: opt}
	d.fields("", desired, observed, kind.Attrs, InPlace)
	return d.changes
}

type differ struct {
	opt     DiffOptions
	changes []Change
}

// fields walks both sorted sides at once. The schema is looked at only where the values are
// not plainly equal: of most things everything is.
func (d *differ) fields(prefix string, desired, observed Attrs, schema []Attribute, outer Effect) {
	j := 0
	for i := range desired {
		name := desired[i].Name
		var there Value
		for ; j < len(observed); j++ {
			if observed[j].Name == name {
				there = observed[j].Value
				j++
				break
			}
			if observed[j].Name > name {
				break
			}
		}
		if Equal(desired[i].Value, there) {
			continue
		}
		d.attribute(join(prefix, name), desired[i].Value, there, find(schema, name), outer)
	}
}

// attribute compares one value that is not plainly equal, by its schema.
func (d *differ) attribute(path string, want, there Value, schema *Attribute, outer Effect) {
	if len(d.opt.Ignore) > 0 && MatchPath(d.opt.Ignore, path) {
		return
	}
	if schema.Computed {
		return
	}
	if schema.Effect > outer {
		outer = schema.Effect
	}
	if schema.WriteOnly {
		if there = d.applied(path, want, schema, outer); Equal(want, there) {
			return
		}
	}
	switch w, isAttrs := want.(Attrs); {
	case isAttrs && schema.Type == TMap:
		d.keys(path, w, attrsOr(there), outer)
	case isAttrs && schema.Type == TObject && there != nil:
		d.fields(path, w, attrsOr(there), schema.Fields, outer)
	default:
		d.leaf(path, want, there, schema, outer)
	}
}

// applied stands for what can't be read back; it is the wish itself where nothing may be
// concluded.
func (d *differ) applied(path string, want Value, schema *Attribute, effect Effect) Value {
	if d.opt.Applied == nil {
		return want
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
		return want
	}
	return nil
}

// leaf compares what can only change as a whole.
func (d *differ) leaf(path string, want, there Value, schema *Attribute, effect Effect) {
	if d.match(want, there, schema) != differs {
		return
	}
	d.changes = append(d.changes, Change{
		Path: path, From: there, To: d.shown(want, schema), Effect: effect, KnownAfterApply: d.open(want),
	})
}

// keys compares maps key by key; keys that are not wished are taken away.
func (d *differ) keys(path string, want, there Attrs, effect Effect) {
	i, j := 0, 0
	for i < len(want) || j < len(there) {
		var from, to Value
		var name string
		if i < len(want) && (j == len(there) || want[i].Name <= there[j].Name) {
			name, to = want[i].Name, want[i].Value
			i++
		} else {
			name = there[j].Name
		}
		if j < len(there) && there[j].Name == name {
			from = there[j].Value
			j++
		}
		if key := path + "." + name; !Equal(from, to) && !MatchPath(d.opt.Ignore, key) {
			d.leaf(key, to, from, &Attribute{}, effect)
		}
	}
}

// DiffTags lists the changes that make a thing's tags satisfy the wished ones, with paths
// "tags.KEY". Tags of others are let be. One that was applied by ovi and is wished no more is
// taken away, unless somebody has given it another value since.
func DiffTags(desired, observed, applied Tags, ignore []string) []Change {
	var out []Change
	add := func(key string, from, to Value) {
		if p := "tags." + key; len(ignore) == 0 || !MatchPath(ignore, p) {
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
		if _, configuredAs := desired.Get(t.Key); configuredAs {
			continue
		}
		if v, stands := observed.Get(t.Key); stands && v == t.Value {
			add(t.Key, String(v), nil)
		}
	}
	SortChanges(out)
	return out
}
