package planview

import (
	"io"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// Diff is the difference of two revisions.
type Diff struct {
	Head    string
	Entries []Entry
	Kinds   decider.Kinds
	Foot    string
}

// Entry is one resource of a diff.
type Entry struct {
	Sign    string // "+", "~" or "-"
	Name    string
	Ref     resource.Ref
	ID      string // of one that appeared or was deleted
	Text    string // who changed it
	Changes []resource.Change
}

// Write writes the diff for users, with values as a plan writes them.
func (v Diff) Write(w io.Writer, s term.Style) error {
	p := newPlanWriter(View{Kinds: v.Kinds}, s)
	if v.Head != "" {
		p.WriteString(v.Head + "\n")
	}
	names, ids := 0, 0
	for _, e := range v.Entries {
		names, ids = max(names, term.Columns(e.Name)), max(ids, term.Columns(e.ID))
	}
	for _, e := range v.Entries {
		text := e.Text
		if ids > 0 {
			text = term.Pad(e.ID, ids) + term.Spaces(term.Gap) + e.Text
		}
		p.entry(e.Sign, term.Pad(e.Name, names), text)
		schema := p.schema(e.Ref)
		var rows []term.Row
		for _, c := range e.Changes {
			c.Effect, c.Note = resource.Change{}.Effect, ""
			rows = append(rows, p.changed(decider.Decision{}, c, schemaAt(schema, c.Path)))
		}
		p.Rows(rows)
	}
	p.Tally(v.Foot)
	_, err := io.WriteString(w, p.String())
	return err
}
