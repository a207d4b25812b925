package source

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source/terms"
)

// most bounds each table of what resources share: a stack of nothing but different ones gains nothing from more.
const most = 16384

// checked is the result of checking one set of attributes, kept for the next resource with the
// same configuration.
type checked struct {
	attrs resource.Attrs
	uses  []use
	open  open
}

// reading is the reading of one resource's attributes.
type reading struct {
	*adding
	known     map[resource.Ref]bool // names that a word is looked up in; nil while they are not known
	uses      []use
	outside   []string // paths of values that came from outside
	explained []string // attributes whose problem is reported
	open      open
	omitted   bool // the value that was read last is a reference to a resource that is not configured
}

// attributes reads and checks what the kind's schema knows. Resources with equal configuration
// share one result: in big stacks most have. known are the names of the stack, once they are
// known; until then the result may be open.
func (a *adding) attributes(known map[resource.Ref]bool) (attrs resource.Attrs, uses []use, left open) {
	// The key is everything that the result depends on.
	key := append(a.scratch[:0], a.r.Provider...)
	for _, s := range [...]string{a.r.Location, a.kind.Name, a.r.Prefix} {
		key = append(append(key, 0), s...)
	}
	key = a.r.Attrs.AppendKey(key)
	a.scratch = key
	if c, ok := a.memo[string(key)]; ok && known == nil {
		return c.attrs, a.withDepends(c.uses), c.open
	}
	var memo string
	if len(a.memo) < most {
		memo = string(key) // the scratch is used again below
	}
	r := &reading{adding: a, known: known}
	in, ok := r.read()
	checker := a.kind.checker
	if !ok {
		checker = a.kind.partial
	}
	attrs, problems := checker.Check(resource.SortAttrs(in))
	for _, p := range problems {
		if r.isShort(p) {
			r.open.short = true
			continue
		}
		r.report(p)
	}
	if !a.failed && memo != "" && known == nil {
		a.memo[memo] = &checked{attrs, r.uses, r.open}
	}
	return attrs, a.withDepends(r.uses), r.open
}

// isShort reports whether a problem is a list with too few elements, one of which can be a group.
func (r *reading) isShort(p resource.Problem) bool {
	a := r.kind.schemaAt(p.Path)
	n, exact := r.r.Attrs.Locate(p.Path)
	return a != nil && exact && n.Shape == List && a.Min != nil && int64(len(n.Kids)) < *a.Min &&
		slices.ContainsFunc(r.uses, func(u use) bool { return u.mayBeGroup() && strings.HasPrefix(u.path, p.Path+"[") })
}

// withDepends adds what depends_on names.
func (a *adding) withDepends(uses []use) []use {
	if len(a.r.DependsOn) == 0 {
		return uses
	}
	uses = slices.Clone(uses)
	for i, name := range a.r.DependsOn {
		uses = append(uses, use{name: name, index: i, inside: a.r.Prefix})
	}
	return uses
}

// read returns the attributes that could be read; ok reports whether those are all.
func (r *reading) read() (in []resource.Attr, ok bool) {
	kids := r.r.Attrs.Kids
	in, ok = r.in[:0], true // the checker keeps none of it
	for i := 0; i+1 < len(kids); i += 2 {
		k, v := &kids[i], &kids[i+1]
		a, known := r.kind.attrs[k.Text]
		if !known {
			r.explained, ok = append(r.explained, r.unknown(k)), false
			continue
		}
		value := r.value(a.Name, a, v)
		if value == nil && r.isOmitted() {
			continue
		}
		if value == nil {
			r.explained, ok = append(r.explained, a.Name), false
			continue
		}
		in = append(in, resource.Attr{Name: a.Name, Value: value})
	}
	r.in = in
	return in, ok
}

// unknown reports an unknown attribute, and returns the one that was probably meant.
func (r *reading) unknown(k *Node) (meant string) {
	meant, ok := terms.Attribute(k.Text, r.kind.names)
	if !ok {
		meant, _ = resource.Nearest(k.Text, slices.Concat(r.kind.names, r.Keys))
	}
	suggestion := "use " + meant
	other, advice := terms.Key(k.Text, r.Keys), terms.Missing(r.kind.Name, k.Text)
	switch {
	case other != "":
		meant, suggestion = "", "use "+other
	case advice != "":
		meant, suggestion = "", advice
	case meant == "":
		suggestion = "see `ovi kinds " + r.kind.Name + "`"
	}
	r.wrong(r.at(k, k.Text), "unknown attribute "+Quote(k.Text)+" for kind "+r.kind.Name, suggestion)
	return meant
}

// at is the position of a node, or of the path where its syntax has no positions.
func (a *adding) at(n *Node, path string) position.Position {
	if n.Line > 0 {
		at := position.Position{File: a.r.At.File, Line: int(n.Line), Column: int(n.Column), Used: a.r.At.Used}
		if n.File > 0 {
			at.File = a.r.Files[n.File-1]
		}
		return at
	}
	return a.r.where(path)
}

// report reports a problem that the schema found, at its position. A value that came from
// outside is not shown.
func (r *reading) report(p resource.Problem) {
	if slices.Contains(r.explained, p.Path) {
		return
	}
	for _, o := range r.outside {
		if p.Path == o || strings.HasPrefix(o, p.Path+".") || strings.HasPrefix(o, p.Path+"[") {
			n, _ := r.r.Attrs.Locate(o)
			r.wrong(r.at(n, o), "invalid "+o+": the value of "+Quote(n.Text), rule(r.kind.schemaAt(o)))
			return
		}
	}
	n, exact := r.r.Attrs.Locate(p.Path)
	at := r.r.At
	if exact || n != &r.r.Attrs {
		at = r.at(n, p.Path)
	}
	schema := r.kind.schemaAt(p.Path)
	if exact && schema != nil && schema.Pattern != "" && n.Shape == Scalar && n.Parts == nil {
		list, _, _ := strings.Cut(p.Path, "[")
		example := schema.Example
		if of := r.kind.schemaAt(list); example == "" && of != nil {
			example = of.Example
		}
		if text := terms.Matching(schema.Pattern, example, n.Text); text != "" {
			p.Suggestion = "use " + text
		}
	}
	r.wrong(at, p.Summary, cmp.Or(emptied(n, schema, exact), p.Suggestion, rule(schema)))
}
