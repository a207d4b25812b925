package planview

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// block is one entry of a plan: a decision, or the creates of one block of the configuration that are equal but
// for their names. Rows has the attributes of all members.
type block struct {
	members []decider.Decision
	rows    []foldedRow
}

// foldedRow is an attribute of several members. Each has one text for all members, one with the name of each, or
// a text for each member.
type foldedRow struct {
	term.Row
	named bool     // ownName stands for the name of each member
	texts []string // in the order of the members; nil means that Text is the text of all
	path  string   // with ownName for the name of each member, if that is part of the path; else Path
}

// ownName stands for the name of a member in the rows of a block; no printable text contains it.
const ownName = "\x01"

// blocks are the entries of a location.
func (p *planWriter) blocks(g group) []block {
	if !p.full {
		return p.folded(g.decisions)
	}
	out := make([]block, len(g.decisions))
	for i := range g.decisions {
		out[i].members = g.decisions[i : i+1]
	}
	return out
}

// folded joins the creates of a location that are equal but for their names. Everything else stays a block of its own:
// blocked creates, creates with a message, updates, replacements, deletes.
func (p *planWriter) folded(all []decider.Decision) []block {
	families := map[string][]int{}
	for i := range all {
		if key := p.family(&all[i]); key != "" {
			families[key] = append(families[key], i)
		}
	}
	at := map[int]*block{} // by the index of the first member
	member := map[int]bool{}
	for _, family := range families {
		if len(family) < 2 {
			continue
		}
		for _, some := range p.equalMembers(all, family) {
			b := &block{}
			for _, c := range some {
				b.members = append(b.members, all[c.at])
				member[c.at] = true
			}
			for i := range some[0].rows {
				b.rows = append(b.rows, foldRow(some, i))
			}
			at[some[0].at] = b
		}
	}
	var out []block
	for i := range all {
		switch {
		case at[i] != nil:
			out = append(out, *at[i])
		case !member[i]:
			out = append(out, block{members: all[i : i+1]})
		}
	}
	return out
}

// family identifies the block of the configuration that made a decision, if its members may be folded; "" if not.
func (p *planWriter) family(d *decider.Decision) string {
	at := resource.Desired{}.At
	if d.Desired != nil {
		at = d.Desired.At
	}
	plain := d.Action == decider.Create && d.Proposed == decider.Create && d.Difference == comparator.Missing &&
		d.Reason == decider.ReasonMissing && d.Renamed.IsZero() && len(d.Blockers)+len(d.Warnings) == 0 &&
		d.DataLoss == "" && p.orders[d.Ref] == "" && rankOf(d) == isCreate
	if !plain || at.Line == 0 {
		return ""
	}
	block := d.Ref
	block.Name = ""
	return strings.Join([]string{
		block.String(), at.File, strconv.Itoa(at.Line), strconv.Itoa(at.Column), d.Alike.String(),
	}, "\x00")
}

// candidate is one create of a family with its rows, in which a secret has no digits.
type candidate struct {
	at     int
	name   string
	rows   []term.Row
	values map[string]string // by path, as JSON
}

// equalMembers parts a family into groups whose members are equal but for their names and for attributes that are
// different in each of them. A group of one is not returned.
func (p *planWriter) equalMembers(all []decider.Decision, family []int) (out [][]candidate) {
	var some []candidate
	for _, i := range family {
		if c, ok := p.candidate(&all[i], i); ok {
			some = append(some, c)
		}
	}
	groups := map[string][]candidate{}
	var order []string
	for _, c := range some {
		var b strings.Builder // all of the rows that must be equal, with the own name replaced
		for _, r := range c.rows {
			fmt.Fprintf(&b, "%q %t %q %q %q\n", c.own(r.Path), r.Text == "", r.Elements, r.Lines, r.Notes)
		}
		key := b.String()
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], c)
	}
	for _, key := range order {
		for _, g := range parted(groups[key]) {
			if len(g) > 1 {
				out = append(out, g)
			}
		}
	}
	return out
}

// candidate returns false if two secrets cannot be known to be equal.
func (p *planWriter) candidate(d *decider.Decision, at int) (candidate, bool) {
	c := candidate{at: at, name: d.Ref.Name, values: map[string]string{}}
	bare := *d
	bare.Changes = slices.Clone(d.Changes)
	secrets := false
	for i := range bare.Changes {
		x := &bare.Changes[i]
		var is bool
		x.To, is = withoutDigests(x.To)
		secrets = secrets || is
		c.values[x.Path] = string(resource.AppendJSON(nil, x.To))
	}
	if secrets && d.Alike.IsZero() {
		return c, false
	}
	c.rows = p.rows(bare)
	return c, true
}

// withoutDigests returns a value whose secrets have no digests, and whether it has secrets.
func withoutDigests(v resource.Value) (resource.Value, bool) {
	found := false
	each := func(all []resource.Value) []resource.Value {
		out := make([]resource.Value, len(all))
		for i, x := range all {
			var is bool
			out[i], is = withoutDigests(x)
			found = found || is
		}
		return out
	}
	switch v := v.(type) {
	case resource.Secret, resource.Digest:
		return resource.Digest(""), true
	case resource.List:
		return resource.List(each(v)), found
	case resource.Text:
		return resource.Text(each(v)), found
	case resource.Attrs:
		out := make(resource.Attrs, len(v))
		for i, x := range v {
			value, is := withoutDigests(x.Value)
			out[i], found = resource.Attr{Name: x.Name, Value: value}, found || is
		}
		return out, found
	}
	return v, false
}

// own replaces the name of the candidate in a text.
func (c candidate) own(text string) string {
	if c.name == "" {
		return text
	}
	return strings.ReplaceAll(text, c.name, ownName)
}

// parted splits candidates of one shape until each row of a group is equal in all members, or different in each.
func parted(some []candidate) [][]candidate {
	if len(some) < 2 {
		return [][]candidate{some}
	}
	for i, r := range some[0].rows {
		seen := map[string][]candidate{}
		var order []string
		for _, c := range some {
			key := c.own(c.rows[i].Text) + "\x00" + c.own(c.values[c.rows[i].Path])
			if seen[key] == nil {
				order = append(order, key)
			}
			seen[key] = append(seen[key], c)
		}
		secret := strings.Contains(r.Text, hidden)
		if len(order) == 1 || len(order) == len(some) && r.Text != "" && !secret {
			continue
		}
		var out [][]candidate
		for _, key := range order {
			out = append(out, parted(seen[key])...)
		}
		return out
	}
	return [][]candidate{some}
}

func foldRow(some []candidate, i int) foldedRow {
	r := foldedRow{Row: some[0].rows[i]}
	if r.path = r.Path; slices.ContainsFunc(some, func(c candidate) bool { return c.rows[i].Path != r.Path }) {
		r.path = some[0].own(r.Path)
	}
	same := func(text func(c candidate) string) bool {
		return !slices.ContainsFunc(some, func(c candidate) bool { return text(c) != text(some[0]) })
	}
	switch {
	case same(func(c candidate) string { return c.rows[i].Text }):
	case same(func(c candidate) string { return c.own(c.rows[i].Text) }):
		r.Text, r.named = some[0].own(r.Text), true
	default:
		for _, c := range some {
			r.texts = append(r.texts, c.rows[i].Text)
		}
	}
	return r
}

// row returns the printed row.
func (r foldedRow) row() term.Row {
	out := r.Row
	out.Path = strings.ReplaceAll(r.path, ownName, "${name}")
	out.Notes = slices.Clone(r.Notes)
	switch {
	case r.texts != nil:
		out.Text = strings.Join(r.texts, ", ")
		out.Notes = append(out.Notes, "in name order")
	case r.named:
		out.Text = strings.ReplaceAll(r.Text, ownName, "${name}")
		out.Notes = append(out.Notes, "with the name of each")
	case strings.Contains(r.Text, hidden):
		out.Notes = append(out.Notes, "equal in all")
	}
	return out
}

// block writes the creates of a block under their names.
func (p *planWriter) block(b block) {
	if len(b.members) == 1 {
		p.decision(b.members[0])
		return
	}
	names := make([]string, len(b.members))
	for i := range b.members {
		names[i] = b.members[i].Ref.Name
	}
	lines := term.Wrap(b.members[0].Ref.Kind+"/"+strings.Join(ranges(names), ", "), p.Room(term.DetailIndent+2))
	verb := fmt.Sprintf("create %d", len(b.members))
	for i, line := range lines {
		indent, sign := term.DetailIndent+2, ""
		if i == 0 {
			indent, sign = term.NameIndent, p.Colored("+")+" "
		}
		p.WriteString(term.Spaces(indent) + sign + p.In(term.Bold, line))
		if i < len(lines)-1 {
			p.WriteString("\n")
			continue
		}
		if used := indent + 2 + term.Columns(line); used+2+term.Columns(verb) > p.Columns() {
			p.WriteString("\n" + term.Spaces(term.DetailIndent) + verb + "\n")
		} else {
			p.WriteString("  " + verb + "\n")
		}
	}
	rows := make([]term.Row, len(b.rows))
	for i, r := range b.rows {
		rows[i] = r.row()
	}
	p.Rows(rows)
	for i := range b.members {
		if order := p.turns[b.members[i].Ref]; order != "" {
			p.Para(term.DetailIndent, "", "Order: "+order)
		}
	}
}

// ranges shortens names that are numbered without a gap: web-0 … web-59. Other names stay.
func ranges(names []string) (out []string) {
	for i := 0; i < len(names); {
		j := i
		for j+1 < len(names) && follows(names[j], names[j+1]) {
			j++
		}
		if j-i < 2 {
			j = i
			out = append(out, names[i])
		} else {
			out = append(out, names[i]+" … "+names[j])
		}
		i = j + 1
	}
	return out
}

// follows reports whether b is a with the next number at its end.
func follows(a, b string) bool {
	stem := strings.TrimRight(a, "0123456789")
	digits := a[len(stem):]
	n, err := strconv.ParseUint(digits, 10, 63)
	return err == nil && (digits == "0" || digits[0] != '0') && b == stem+strconv.FormatUint(n+1, 10)
}
