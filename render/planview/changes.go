package planview

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// rows returns the attributes of a decision, a row each: all of a resource to be created, current and configured
// values of one that differs.
func (p *planWriter) rows(d decider.Decision) []term.Row {
	if d.Difference == comparator.Conflict || d.Difference == comparator.Unreachable {
		return nil
	}
	schema := p.schema(d.Ref)
	var rows []term.Row
	if d.Difference == comparator.Missing {
		mentioned := map[string]resource.Value{}
		for _, c := range d.Changes {
			mentioned[c.Path] = c.To
			if p.isShared(&d, c) {
				continue
			}
			rows = append(rows, p.created(c.Path, c.To, p.schemaOf(d.Ref, c, schema))...)
		}
		rows = append(rows, p.defaults("", schema, mentioned)...)
		slices.SortStableFunc(rows, func(a, b term.Row) int { return strings.Compare(a.Path, b.Path) })
		return rows
	}
	for _, c := range d.Changes {
		rows = append(rows, p.changed(d, c, schemaAt(schema, c.Path)))
	}
	return rows
}

// schema returns the attributes of a resource's kind; nil if the kind is not known.
func (p *planWriter) schema(ref resource.Ref) []resource.Attribute {
	if p.kinds == nil {
		return nil
	}
	kind, _ := p.kinds(ref.Provider, ref.Kind)
	return kind.Attrs
}

// schemaOf returns the schema of a change. The schema of a state has the default of its kind.
func (p *planWriter) schemaOf(ref resource.Ref, c resource.Change, schema []resource.Attribute) *resource.Attribute {
	if c.On != resource.OnState || p.kinds == nil {
		return schemaAt(schema, c.Path)
	}
	kind, _ := p.kinds(ref.Provider, ref.Kind)
	return &resource.Attribute{Name: c.Path, Default: resource.String(kind.State), HarmlessDefault: true}
}

// created returns the rows of one attribute of a resource that will be created. An object has a row for each
// field.
func (p *planWriter) created(path string, v resource.Value, schema *resource.Attribute) []term.Row {
	switch v := v.(type) {
	case resource.Attrs:
		if len(v) == 0 {
			break
		}
		var rows []term.Row
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
		if !p.objects(v) || len(v) == 1 && p.isShort(path, v, schema) {
			break
		}
		r := term.Row{Path: term.OneLine(path)}
		for _, e := range v {
			r.Elements = append(r.Elements, "+ "+p.marked(e, elemOf(schema)))
		}
		return []term.Row{r}
	}
	if p.hidesDefault(schema) && resource.Equal(v, schema.Default) {
		return nil
	}
	r := term.Row{Path: term.OneLine(path), Text: term.OneLine(valueText(v, schema))}
	if doc, ok := documentOf(v); ok {
		r.Text, r.Lines = "", doc.lines(p.Room(term.DetailIndent+2))
		if len(r.Lines) == 1 && term.Columns(r.Lines[0]) < p.Columns()/2 {
			r.Text, r.Lines = r.Lines[0], nil
		}
	}
	switch {
	case p.isPending(v):
		r.Notes, r.Implied = append(r.Notes, "known after apply"), namesOnly(v)
	case schema != nil && schema.Default != nil && resource.Equal(v, schema.Default):
		r.Notes = append(r.Notes, "default")
	}
	return []term.Row{r}
}

// isShort reports whether a value fits into the line of its attribute.
func (p *planWriter) isShort(path string, v resource.Value, schema *resource.Attribute) bool {
	return term.Columns(path)+2+term.Columns(valueText(v, schema)) <= p.Room(term.DetailIndent)
}

// namesOnly reports whether a value refers to resources, and not to their attributes: the name of a resource that
// the same plan creates implies that its id is not known.
func namesOnly(v resource.Value) bool {
	only := true
	resource.MapRefs(v, func(r resource.Reference) resource.Value {
		only = only && r.Path == ""
		return r
	})
	return only
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
func (p *planWriter) defaults(prefix string, schema []resource.Attribute,
	mentioned map[string]resource.Value,
) []term.Row {
	var rows []term.Row
	for i := range schema {
		a := &schema[i]
		if _, is := mentioned[a.Name]; is || a.Computed {
			continue
		}
		switch {
		case p.hidesDefault(a):
		case a.DefaultsBeside(func(name string) bool { _, is := mentioned[name]; return is }):
			for _, r := range p.created(prefix+a.Name, a.CreateDefault, a) {
				r.Notes = []string{"default, set at creation"}
				rows = append(rows, r)
			}
		case a.Type == resource.TObject:
			rows = append(rows, p.defaults(prefix+a.Name+".", a.Fields, nil)...)
		}
	}
	return rows
}

// hidesDefault reports whether the default of an attribute is omitted: it exposes, weakens and discards nothing.
func (p *planWriter) hidesDefault(a *resource.Attribute) bool {
	hides := a != nil && a.HarmlessDefault && !p.full && !p.verbose
	p.hidden = p.hidden || hides
	return hides
}

// changed is the row of an attribute that differs.
func (p *planWriter) changed(d decider.Decision, c resource.Change, schema *resource.Attribute) term.Row {
	r := term.Row{Path: term.OneLine(c.Name())}
	if removed, added, same, ok := p.compareElements(c, schema); ok {
		if same > 0 {
			r.Notes = append(r.Notes, strconv.Itoa(same)+" unchanged")
		}
		for _, e := range removed {
			r.Elements = append(r.Elements, "- "+e)
		}
		for _, e := range added {
			r.Elements = append(r.Elements, "+ "+e)
		}
	} else {
		r.Text = term.OneLine(p.arrow(c, schema))
	}
	r.Notes = append(r.Notes, notesOf(d, c)...)
	return r
}

// arrow returns the current and the configured value. A secret is shown by six digits of each digest.
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

// ChangeRow returns the row of a change without the schema of its kind.
func ChangeRow(c resource.Change) term.Row {
	return newPlanWriter(View{}, term.Style{}).changed(decider.Decision{}, c, nil)
}
