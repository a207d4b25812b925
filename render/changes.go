package render

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// row is one attribute of a decision.
type row struct {
	path     string
	text     string   // the value, or current -> configured
	elements []string // of a list: "- x" and "+ y", a line each
	notes    []string
}

func (r row) note() string {
	if len(r.notes) == 0 {
		return ""
	}
	return "# " + printable(strings.Join(r.notes, "; "))
}

// widestPath is the longest path with which others are aligned.
const widestPath = 28

// changes writes the attributes of a decision, aligned: all of a resource to be created,
// current and configured values of one that differs.
func (p *planWriter) changes(d decider.Decision) { p.table(p.rows(d)) }

// table writes attributes with their values and notes aligned.
func (p *planWriter) table(rows []row) { p.tableAt(detailIndent, rows) }

func (p *planWriter) tableAt(indent int, rows []row) {
	path, text := 0, 0
	for _, r := range rows {
		if n := columns(r.path); n <= widestPath {
			path = max(path, n)
		}
	}
	for _, r := range rows {
		if note := r.note(); note != "" && r.text != "" && p.fits(indent+max(path, columns(r.path))+2, r.text, note) {
			text = max(text, columns(r.text))
		}
	}
	for _, r := range rows {
		p.row(indent, r, path, text)
	}
}

// fits says that a value and its note fit into one line behind a column.
func (p *planWriter) fits(used int, text, note string) bool {
	return used+columns(text)+2+columns(note) <= p.width()
}

// row writes one attribute. A value that is too long is wrapped at its spaces, below itself.
func (p *planWriter) row(indent int, r row, path, text int) {
	used := indent + max(path, columns(r.path)) + 2
	note := r.note()
	if r.text == "" { // a list
		p.WriteString(spaces(indent) + r.path)
		if note != "" {
			p.WriteString(spaces(path-columns(r.path)) + "  " + p.in(dim, note))
		}
		p.WriteString("\n")
		for _, e := range r.elements {
			p.element(indent+2, e)
		}
		return
	}
	p.WriteString(spaces(indent) + pad(r.path, path))
	if used > p.width()/2 {
		used = indent + 4
		p.WriteString("\n" + spaces(used))
	} else {
		p.WriteString("  ")
	}
	lines := wrapValue(r.text, p.room(used))
	p.WriteString(strings.Join(lines, "\n"+spaces(used)))
	last := lines[len(lines)-1]
	switch {
	case note == "":
	case len(lines) == 1 && p.fits(used, pad(last, text), note):
		p.WriteString(spaces(text-columns(last)) + "  " + p.in(dim, note))
	case p.fits(used, last, note):
		p.WriteString("  " + p.in(dim, note))
	default:
		p.WriteString("\n" + spaces(used) + p.in(dim, note))
	}
	p.WriteString("\n")
}

// element writes one element of a list with its sign.
func (p *planWriter) element(indent int, e string) {
	value, note, noted := strings.Cut(e, noteMark)
	sign, value, _ := strings.Cut(value, " ")
	lines := wrapValue(value, p.room(indent+2))
	p.WriteString(spaces(indent) + p.in(paintOf(sign), sign) + " " + strings.Join(lines, "\n"+spaces(indent+2)))
	if noted {
		note = "# " + note
		if last := lines[len(lines)-1]; p.fits(indent+2, last, note) {
			p.WriteString("  " + p.in(dim, note))
		} else {
			p.WriteString("\n" + spaces(indent+2) + p.in(dim, note))
		}
	}
	p.WriteString("\n")
}

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
		r := row{path: printable(path)}
		for _, e := range v {
			r.elements = append(r.elements, "+ "+p.marked(e, elemOf(schema)))
		}
		return []row{r}
	}
	r := row{path: printable(path), text: printable(p.value(v, schema))}
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
	r := row{path: printable(c.Name())}
	if removed, added, same, ok := p.elements(c, schema); ok {
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
		r.text = printable(p.arrow(c, schema))
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
	return p.value(c.From, schema) + " -> " + p.value(c.To, schema)
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

// schemaAt finds the schema of a dotted path; nil where there is none.
func schemaAt(schema []resource.Attribute, path string) *resource.Attribute {
	name, rest, nested := strings.Cut(path, ".")
	for i := range schema {
		if schema[i].Name != name {
			continue
		}
		if nested {
			return schemaAt(schema[i].Fields, rest)
		}
		return &schema[i]
	}
	return nil
}

func fieldOf(a *resource.Attribute, name string) *resource.Attribute {
	if a == nil {
		return nil
	}
	return schemaAt(a.Fields, name)
}

func elemOf(a *resource.Attribute) *resource.Attribute {
	if a == nil {
		return nil
	}
	return a.Elem
}
