package render

import (
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// changes lists the attributes of a decision: the whole wish of a thing to be made, old and
// new of one that differs.
func (p *planWriter) changes(d decider.Decision) {
	widest := 0
	for _, c := range d.Changes {
		widest = max(widest, min(columns(c.Path), 28))
	}
	for _, c := range d.Changes {
		p.change(d, c, widest)
	}
}

const changeIndent = 6

func (p *planWriter) change(d decider.Decision, c resource.Change, widest int) {
	path := printable(c.Path)
	p.WriteString(spaces(changeIndent) + pad(path, widest) + "  ")
	used := changeIndent + max(columns(path), widest) + 2
	note := noteOf(d, c)
	if d.Difference == comparator.Missing {
		p.WriteString(truncate(printable(desired(c)), p.left(used+columns(note))) + p.in(dim, note) + "\n")
		return
	}
	from, to := printable(Value(c.From)), printable(desired(c))
	whole := columns(from) + 3 + columns(to) + columns(note)
	if room := p.left(used); room == 0 || whole <= room {
		p.WriteString(p.in(red, from) + " → " + p.in(green, to) + p.in(dim, note) + "\n")
		return
	}
	// Too long for one line: old above, new below, each cut at the edge.
	p.WriteString(p.in(red, truncate(from, p.left(used))) + "\n")
	p.WriteString(spaces(used-2) + "→ " + p.in(green, truncate(to, p.left(used+columns(note)))) + p.in(dim, note) + "\n")
}

// left is the room behind a column; 0 is unbounded.
func (p *planWriter) left(used int) int {
	if p.Width == 0 {
		return 0
	}
	return max(p.Width-used, 8)
}

// desired is the new value; of a thing that is still to be made there is only the name.
func desired(c resource.Change) string {
	if c.KnownAfterApply {
		return Value(c.To) + " (id not known yet)"
	}
	return Value(c.To)
}

// noteOf says what a change costs.
func noteOf(d decider.Decision, c resource.Change) string {
	note := ""
	switch {
	case d.Difference == comparator.Missing:
	case c.Effect == resource.Replace:
		note = "  # forces a new one"
	case c.Effect == resource.Restart:
		note = "  # interrupts it"
	}
	if c.Note != "" {
		if note == "" {
			note = "  # " + printable(c.Note)
		} else {
			note += "; " + printable(c.Note)
		}
	}
	return note
}
