package planview

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// Drift is the screen of a drift: the live values, the configured values, and who changed them.
type Drift struct {
	Plan  decider.Plan
	Names Names
	// Note says who changed an attribute and when: "outside ovi, 5m ago". The path "" stands for the whole
	// resource. Nil means that nothing is known.
	Note  func(ref resource.Ref, path string) string
	Kinds decider.Kinds
	ID    func(resource.Ref) (string, bool)
	// Acknowledged is the number of resources that are not shown because their drift is acknowledged.
	Acknowledged int
}

// Write writes the drift for people.
func (v Drift) Write(w io.Writer, s term.Style) error {
	p := newPlanWriter(View{Plan: v.Plan, Names: v.Names, Kinds: v.Kinds, ID: v.ID}, s)
	p.unreachable(v.Plan)
	if p.Len() > 0 {
		p.WriteString("\n")
	}
	groups := groupedByLocation(v.Plan)
	for _, g := range groups {
		for _, d := range g.decisions {
			p.drifted(v, d, len(groups) > 1)
		}
	}
	p.Tally(v.sentence())
	_, err := io.WriteString(w, p.String())
	return err
}

// drifted writes one resource with its sign: "-" is one that was deleted.
func (p *planWriter) drifted(v Drift, d decider.Decision, locations bool) {
	name, id, sign := d.Ref.Short(), "", "~"
	if locations {
		name = p.names.Ref(d.Ref.Bare())
	}
	if d.Observed != nil {
		id = d.Observed.ID
	}
	switch d.Difference {
	case comparator.Missing:
		sign, id = "-", "deleted "+v.note(d.Ref, "")
	case comparator.Unreachable:
		message, next := term.SplitSuggestion(d.Message)
		p.entry(term.ConflictSign, name, "not evaluated: "+message)
		if next != "" {
			p.Message(next)
		}
		return
	case comparator.Conflict:
		p.entry(term.ConflictSign, name, "conflict: "+conflictText(d))
		if d.Suggestion != "" {
			p.Message(term.Suggestion + d.Suggestion)
		}
		return
	}
	p.entry(sign, name, id)
	if d.Difference == comparator.Missing {
		return
	}
	schema := p.schema(d.Ref)
	var rows []term.Row
	for _, c := range d.Changes {
		rows = append(rows, p.driftRow(c, schemaAt(schema, c.Path), v.note(d.Ref, c.Name())))
	}
	p.Rows(rows)
}

// entry writes a sign, a name and a text.
func (p *planWriter) entry(sign, name, text string) {
	p.WriteString(p.In(term.PaintOf(sign), sign) + " " + p.In(term.Bold, name))
	if text == "" {
		p.WriteString("\n")
		return
	}
	p.After(term.Columns(sign+" "+name), text)
}

// driftRow shows the live and the configured value of an attribute: there is no arrow, since a plan's
// arrow points the other way.
func (p *planWriter) driftRow(c resource.Change, schema *resource.Attribute, note string) term.Row {
	r := term.Row{Path: term.OneLine(c.Name())}
	if extra, lacking, same, ok := p.compareElements(c, schema); ok {
		for _, e := range extra {
			r.Elements = append(r.Elements, "added "+e)
		}
		for _, e := range lacking {
			value, _, _ := strings.Cut(e, term.NoteMark)
			r.Elements = append(r.Elements, "removed "+value)
		}
		if same > 0 {
			r.Notes = append(r.Notes, strconv.Itoa(same)+" unchanged")
		}
		if note != "" {
			r.Notes = append(r.Notes, note)
		}
		return r
	}
	switch {
	case c.From == nil:
		r.Text = "is not set, configured " + valueText(c.To, schema)
	case c.To == nil:
		r.Text = "is " + valueText(c.From, schema) + ", not configured"
	default:
		r.Text = "is " + valueText(c.From, schema) + ", configured " + valueText(c.To, schema)
	}
	if note != "" {
		r.Text += "; " + note
	}
	r.Text = term.OneLine(r.Text)
	return r
}

func (v Drift) note(ref resource.Ref, path string) string {
	if v.Note == nil {
		return ""
	}
	return v.Note(ref, path)
}

// sentence is the last line.
func (v Drift) sentence() string {
	changed, deleted := 0, 0
	for i := range v.Plan.Decisions {
		d := &v.Plan.Decisions[i]
		switch {
		case rankOf(d) == notShown || d.Difference == comparator.Conflict:
		case d.Difference == comparator.Missing:
			deleted++
		default:
			changed++
		}
	}
	var parts []string
	if changed > 0 {
		parts = append(parts, fmt.Sprintf("%d changed", changed))
	}
	if deleted > 0 {
		parts = append(parts, fmt.Sprintf("%d deleted", deleted))
	}
	counts := Count(v.Plan)
	rest := Counts{
		Conflict: counts.Conflict, Unreachable: counts.Unreachable, NotVerified: counts.NotVerified,
		Excluded: counts.Excluded, Unchanged: counts.Unchanged,
	}.rest()
	if v.Acknowledged > 0 {
		rest = append([]string{fmt.Sprintf("%d acknowledged (`ovi drift --acknowledged`)", v.Acknowledged)}, rest...)
	}
	if len(parts) == 0 {
		return strings.TrimSpace("No drift. " + ended(rest))
	}
	restores := "it"
	if changed+deleted > 1 {
		restores = "them"
	}
	return "Drift: " + ended(append(parts, rest...)) + " `ovi apply` restores " + restores + "."
}

// ended joins counts into a sentence; "" for none.
func ended(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "."
}
