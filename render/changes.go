package render

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// changes writes the attributes of a decision, aligned: all of a resource to be created,
// current and configured values of one that differs.
func (p *planWriter) changes(d decider.Decision) { p.table(p.rows(d)) }

// rows are the attributes of a decision as they are shown.
func (p *planWriter) rows(d decider.Decision) []row {
	if d.Difference == comparator.Conflict || d.Difference == comparator.Unreachable {
		return nil
	}
	schema := p.schema(d.Ref)
	var rows []row
	if d.Difference == comparator.Missing {
		for _, c := range d.Changes {
			rows = append(rows, p.created(c.Path, c.To, p.schemaOf(d.Ref, c, schema))...)
		}
		rows = append(rows, p.defaults("", schema, changedPaths(d.Changes))...)
		slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.path, b.path) })
		return rows
	}
	for _, c := range d.Changes {
		rows = append(rows, p.changed(d, c, schemaAt(schema, c.Path)))
	}
	return rows
}

// schema is that of a resource's kind; nil where it is not known.
func (p *planWriter) schema(ref resource.Ref) []resource.Attribute {
	if p.kinds == nil {
		return nil
	}
	kind, _ := p.kinds(ref.Provider, ref.Kind)
	return kind.Attrs
}

// schemaOf is the schema of a change; of a state one with the default of its kind.
func (p *planWriter) schemaOf(ref resource.Ref, c resource.Change, schema []resource.Attribute) *resource.Attribute {
	if c.On != resource.OnState || p.kinds == nil {
		return schemaAt(schema, c.Path)
	}
	kind, _ := p.kinds(ref.Provider, ref.Kind)
	return &resource.Attribute{Name: c.Path, Default: resource.String(kind.State)}
}

// created are the rows of one attribute of a resource to be created: an object's are those of
// its fields.
func (p *planWriter) created(path string, v resource.Value, schema *resource.Attribute) []row {
	switch v := v.(type) {
	case resource.Attrs:
		if len(v) == 0 {
			break
		}
		var rows []row
		mentioned := map[string]resource.Value{}
		for _, x := range v {
			mentioned[x.Name] = x.Value
			rows = append(rows, p.created(path+"."+x.Name, x.Value, fieldOf(schema, x.Name))...)
		}
		if schema != nil {
			rows = append(rows, p.defaults(path+".", schema.Fields, mentioned)...)
		}
		return rows
	case resource.List:
		if !p.objects(v) {
			break
		}
		r := row{path: term.OneLine(path)}
		for _, e := range v {
			r.elements = append(r.elements, "+ "+p.marked(e, elemOf(schema)))
		}
		return []row{r}
	}
	r := row{path: term.OneLine(path), text: term.OneLine(valueText(v, schema))}
	switch {
	case p.isPending(v):
		r.notes = append(r.notes, "known after apply")
	case schema != nil && schema.Default != nil && resource.Equal(v, schema.Default):
		r.notes = append(r.notes, "default")
	}
	return []row{r}
}

// objects says that a list holds objects, which get lines of their own.
func (p *planWriter) objects(v resource.List) bool {
	return slices.ContainsFunc(v, func(e resource.Value) bool {
		_, is := e.(resource.Attrs)
		return is
	})
}

// defaults are the attributes that are set at creation though the configuration does not
// mention them.
func (p *planWriter) defaults(prefix string, schema []resource.Attribute, mentioned map[string]resource.Value) []row {
	var rows []row
	for i := range schema {
		a := &schema[i]
		if _, is := mentioned[a.Name]; is || a.Computed {
			continue
		}
		switch {
		case a.DefaultsBeside(func(name string) bool { _, is := mentioned[name]; return is }):
			for _, r := range p.created(prefix+a.Name, a.CreateDefault, a) {
				r.notes = []string{"default, set at creation"}
				rows = append(rows, r)
			}
		case a.Type == resource.TObject:
			rows = append(rows, p.defaults(prefix+a.Name+".", a.Fields, nil)...)
		}
	}
	return rows
}

func changedPaths(changes []resource.Change) map[string]resource.Value {
	out := map[string]resource.Value{}
	for _, c := range changes {
		out[c.Path] = c.To
	}
	return out
}

// changed is the row of an attribute that differs.
func (p *planWriter) changed(d decider.Decision, c resource.Change, schema *resource.Attribute) row {
	r := row{path: term.OneLine(c.Name())}
	if removed, added, same, ok := p.compareElements(c, schema); ok {
		if same > 0 {
			r.notes = append(r.notes, number(same)+" unchanged")
		}
		for _, e := range removed {
			r.elements = append(r.elements, "- "+e)
		}
		for _, e := range added {
			r.elements = append(r.elements, "+ "+e)
		}
	} else {
		r.text = term.OneLine(p.arrow(c, schema))
	}
	r.notes = append(r.notes, notesOf(d, c)...)
	return r
}

// arrow is the current and the configured value: of a secret, six digits of each digest.
func (p *planWriter) arrow(c resource.Change, schema *resource.Attribute) string {
	from, isFrom := digits(c.From)
	to, isTo := digits(c.To)
	if isFrom && isTo {
		return strings.TrimSpace("(secret, changed) " + from + " -> " + to)
	}
	if c.Note == comparator.NoteUnverified {
		return "(not known) -> " + valueText(c.To, schema)
	}
	return valueText(c.From, schema) + " -> " + valueText(c.To, schema)
}

// notesOf says what a change costs.
func notesOf(d decider.Decision, c resource.Change) []string {
	var notes []string
	switch {
	case !d.Follows.IsZero() && slices.Contains(resource.AppendRefs(nil, c.To), d.Follows):
		notes = append(notes, string(resource.DestroyFirst)+": "+d.Follows.Short()+" is")
	case c.Effect == resource.Replace:
		notes = append(notes, "forces replacement")
	case c.Effect == resource.Restart && c.On != resource.OnState:
		notes = append(notes, "restarts")
		if c.KnownAfterApply {
			notes = append(notes, "known after apply")
		}
	case c.KnownAfterApply:
		notes = append(notes, "known after apply")
	}
	if c.Note != "" {
		notes = append(notes, c.Note)
	}
	return notes
}
