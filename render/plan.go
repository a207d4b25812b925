package render

import (
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// PlanView is a plan as it is shown.
type PlanView struct {
	Plan  decider.Plan
	Names Names
	// Head stands above: the stacks, where the record is, that it is the practice cloud.
	Head []string
	// Verb begins the summary line: "Plan", or "Drift".
	Verb string
}

// Write writes the plan for people: what could not be seen first, then what would be done
// by kind, then the counts.
func (v PlanView) Write(w io.Writer, s Style) error {
	p := planWriter{Style: s, names: v.Names}
	for _, h := range v.Head {
		p.para(0, dim, h)
	}
	p.unreachable(v.Plan)
	shown := slices.DeleteFunc(slices.Clone(v.Plan.Decisions), quiet)
	for _, g := range grouped(shown) {
		p.group(g)
	}
	p.unmanaged(v.Plan)
	p.summary(v.Verb, v.Plan)
	_, err := io.WriteString(w, p.String())
	return err
}

// quiet decisions are counted, not listed: unmanaged things, things nobody could see, and
// what was left out on purpose.
func quiet(d decider.Decision) bool {
	return d.Difference == comparator.Unmanaged || d.Difference == comparator.Unreachable || d.Excluded()
}

// group is the decisions of one kind in one scope.
type group struct {
	scope     resource.Scope
	kind      string
	decisions []decider.Decision
}

// grouped keeps the order in which kinds first come: that of their levels.
func grouped(all []decider.Decision) []group {
	type key struct{ provider, location, kind string }
	index := map[key]int{}
	var out []group
	for _, d := range all {
		k := key{d.Ref.Provider, d.Ref.Location, d.Ref.Kind}
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, group{scope: d.Ref.Scope(), kind: d.Ref.Kind})
		}
		out[i].decisions = append(out[i].decisions, d)
	}
	return out
}

type planWriter struct {
	Style
	strings.Builder
	names Names
	said  map[string]bool // what vetoes said, each in full once
}

// para writes a text, wrapped under an indent, in one colour.
func (p *planWriter) para(indent int, c paint, text string) {
	for _, line := range wrap(text, p.room(indent)) {
		p.WriteString(spaces(indent) + p.in(c, line) + "\n")
	}
}

// unreachable says first and loudly what was not seen.
func (p *planWriter) unreachable(plan decider.Plan) {
	for _, scope := range slices.SortedFunc(maps.Keys(plan.Unreachable), resource.Scope.Compare) {
		unjudged := 0
		for _, d := range plan.Decisions {
			if d.Difference == comparator.Unreachable && d.Ref.Scope() == scope {
				unjudged++
			}
		}
		p.WriteString("\n" + p.in(red, "! BLIND  ") + p.in(bold, p.names.Scope(scope)) + "\n")
		p.para(9, red, plan.Unreachable[scope])
		text := "Nothing is concluded about this place and nothing will be done there."
		if unjudged > 0 {
			text += " " + capital(resources(unjudged)) + " wanted there: not judged."
		}
		p.para(9, "", text)
	}
}

func (p *planWriter) group(g group) {
	p.WriteString("\n" + p.in(bold, g.kind) + p.in(dim, "  "+p.names.Scope(g.scope)) + "\n")
	for _, d := range g.decisions {
		p.decision(d)
	}
}

// decision is the mark, the name and why; the attributes; and what holds it back.
func (p *planWriter) decision(d decider.Decision) {
	head := "  " + d.Action.Symbol() + " " + d.Ref.Name
	why := d.Message
	if why == "" {
		why = string(d.Reason)
	}
	if at, waits := d.DeferredUntil(); waits {
		why = string(d.Proposed) + " waits until " + minute(at) + ": " + why
	} else if d.Proposed.Executes() && !d.Action.Executes() {
		why = string(d.Proposed) + " held back: " + why
	}
	p.WriteString("  " + p.mark(d.Action) + " " + p.in(bold, d.Ref.Name))
	p.after(columns(head), why)
	for _, blocker := range d.Blockers {
		p.para(6, yellow, p.heldBack(blocker))
	}
	for _, w := range d.Warnings {
		p.para(6, yellow, "warning of "+w.Policy+": "+w.Text)
	}
	p.changes(d)
}

// after puts a text behind a head, or under it where there is no room.
func (p *planWriter) after(used int, text string) {
	column := max(used+2, 24)
	if p.Width > 0 && (p.Width-column < 24 || columns(text) > p.Width-column && used > 30) {
		p.WriteString("\n")
		p.para(6, dim, text)
		return
	}
	lines := wrap(text, p.room(column))
	p.WriteString(spaces(column-used) + p.in(dim, lines[0]) + "\n")
	for _, line := range lines[1:] {
		p.WriteString(spaces(column) + p.in(dim, line) + "\n")
	}
}

// heldBack says what a veto does, and why where that was not said yet: a budget holds back many
// things for one reason.
func (p *planWriter) heldBack(v decider.Blocker) string {
	does, all := does(v), heldBack(v)
	if p.said[all] {
		return does + ", as above"
	}
	if p.said == nil {
		p.said = map[string]bool{}
	}
	p.said[all] = true
	return all
}

func heldBack(v decider.Blocker) string { return does(v) + ": " + v.Reason }

// does is what a veto does: it waits for a time, or it says no.
func does(v decider.Blocker) string {
	if v.Until == nil {
		return "held back by " + v.Policy
	}
	return "waits until " + minute(*v.Until) + " (" + v.Policy + ")"
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// unmanaged counts in one line what belongs to nobody. What the provider put there by itself
// is in every account, and only in the inventory.
func (p *planWriter) unmanaged(plan decider.Plan) {
	n := 0
	for _, d := range plan.Decisions {
		if d.Difference == comparator.Unmanaged && (d.Observed == nil || d.Observed.Detail != resource.ProviderDefault) {
			n++
		}
	}
	if n > 0 {
		p.WriteString("\n")
		p.para(0, dim, resources(n)+" there that nobody manages with ovi: never touched, listed by `ovi inventory`.")
	}
}

func (p *planWriter) summary(verb string, plan decider.Plan) {
	p.WriteString("\n")
	p.para(0, bold, Count(plan).Sentence(verb))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func resources(n int) string { return Many(n, "thing") }
