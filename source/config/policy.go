package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// The items of policy that are blocks of their own while they are read.
type (
	windowItem struct {
		*document
		resource.Window
	}
	approvalItem struct {
		*document
		resource.ApprovalRule
	}
	ruleItem struct {
		*document
		resource.Expression
	}
)

func windowKeys() []key[*windowItem] {
	return []key[*windowItem]{
		{"name", "nights", formText, "What people call it.", func(w *windowItem, n *node) { w.Name, _ = w.text(n, "name") }},
		{"days", "[sat, sun]", formDays, "The days it opens on; every day without it.", (*windowItem).readDays},
		{"from", "22:00", formTime, "When it opens.", func(w *windowItem, n *node) { w.From = w.clock(n, "from") }},
		{"to", "04:00", formTime, "When it closes; at or before `from`, on the next day. The same time is a whole day.", func(w *windowItem, n *node) { w.To = w.clock(n, "to") }},
		{"zone", "Europe/Berlin", formText, "The time zone; UTC without it.", (*windowItem).readZone},
		{"actions", "[delete, replace]", formActions, "What it covers; without it delete, replace and restart.", func(w *windowItem, n *node) { w.Actions = w.chosen(n, "actions", actions()) }},
		{"kinds", "[rds]", formKinds, "The types it covers; all without it.", func(w *windowItem, n *node) { w.Kinds = w.chosen(n, "kinds", w.everyKind()) }},
	}
}

func approvalKeys() []key[*approvalItem] {
	return []key[*approvalItem]{
		{"actions", "[delete]", formActions, "What needs it; without it delete and replace.", func(a *approvalItem, n *node) { a.Actions = a.chosen(n, "actions", actions()) }},
		{"kinds", "[rds]", formKinds, "The types that need it; all without it.", func(a *approvalItem, n *node) { a.Kinds = a.chosen(n, "kinds", a.everyKind()) }},
		{"people", "2", formNumber, "How many different people; one without it.", func(a *approvalItem, n *node) { a.Approvers, _ = a.whole(n, "people", 1, 100) }},
	}
}

func ruleKeys() []key[*ruleItem] {
	return []key[*ruleItem]{
		{"name", "keep-prod", formText, "What people call it; each name once.", func(r *ruleItem, n *node) { r.Name, _ = r.text(n, "name") }},
		{"when", "decision.action == 'delete'", formText, "The condition, in CEL, over resource, desired, changes, decision, plan, now and history.", func(r *ruleItem, n *node) { r.When, r.WhenAt = r.expression(n, "when") }},
		{"effect", "deny", formEffect, "What it does where the condition holds: deny, require_approval, defer or warn.", (*ruleItem).readEffect},
		{"message", "production is not deleted", formText, "A sentence for people.", func(r *ruleItem, n *node) { r.Message, _ = r.text(n, "message") }},
		{"until", "now + duration('24h')", formText, "With defer: when to look again, in CEL.", func(r *ruleItem, n *node) { r.Until, r.UntilAt = r.expression(n, "until") }},
		{"people", "2", formNumber, "With require_approval: how many different people.", func(r *ruleItem, n *node) { r.Approvers, _ = r.whole(n, "people", 1, 100) }},
	}
}

// actions are what windows and approvals can cover.
func actions() []string { return []string{"create", "update", "replace", "restart", "delete"} }

func effects() []string { return []string{"deny", "require_approval", "defer", "warn"} }

func weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// each reads the items of a list; read says what one is.
func (d *document) each(n *node, what string, read func(*node)) {
	if n.shape != list {
		d.wrong(n, what+" must be a list of blocks, and this is "+n.what(), "begin each block with a dash")
		return
	}
	for i := range n.kids {
		read(&n.kids[i])
	}
}

func (d *document) readWindows(n *node) {
	d.each(n, "windows", func(n *node) {
		w := &windowItem{document: d}
		readKeys(d, w, windowKeys(), n, "a window")
		d.required(n, "a window", "from", "to")
		d.words.rules.Windows = append(d.words.rules.Windows, w.Window)
	})
}

func (d *document) readApprovals(n *node) {
	d.each(n, "approvals", func(n *node) {
		a := &approvalItem{document: d}
		readKeys(d, a, approvalKeys(), n, "an approval")
		d.words.rules.Approvals = append(d.words.rules.Approvals, a.ApprovalRule)
	})
}

// readRules reads rules as they are written. Whether their conditions are CEL is for the one
// who knows CEL to say.
func (d *document) readRules(n *node) {
	d.each(n, "rules", func(n *node) {
		r := &ruleItem{document: d}
		r.At = d.file.at(n.line, n.col)
		readKeys(d, r, ruleKeys(), n, "a rule")
		d.required(n, "a rule", "name", "when", "effect")
		d.words.rules.Expressions = append(d.words.rules.Expressions, r.Expression)
	})
}

// required names the keys that a block must have and has not.
func (d *document) required(n *node, of string, keys ...string) {
	for _, k := range keys {
		if n.shape == object && n.get(k) == nil {
			d.wrong(n, of+" has no "+k, "add "+k+": …")
		}
	}
}

func (w *windowItem) readDays(n *node) {
	for _, day := range w.chosen(n, "days", weekdays()) {
		w.Days = append(w.Days, time.Weekday(slices.Index(weekdays(), day)))
	}
}

func (w *windowItem) readZone(n *node) {
	s, ok := w.text(n, "zone")
	if !ok {
		return
	}
	zone, err := time.LoadLocation(s)
	if err != nil || s == "Local" {
		w.wrong(n, "there is no time zone "+quote(s), "such as UTC or Europe/Berlin")
		return
	}
	w.Zone = zone
}

// clock reads a time of the day as its distance from midnight.
func (d *document) clock(n *node, what string) time.Duration {
	s, ok := d.text(n, what)
	if !ok {
		return 0
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		d.wrong(n, what+" can't be "+quote(s), "write a time of the day, such as 22:00")
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

// chosen reads a list of words out of some.
func (d *document) chosen(n *node, what string, from []string) []string {
	if n.shape != list {
		d.wrong(n, what+" must be a list, and this is "+n.what(), "write "+what+": ["+from[0]+"]")
		return nil
	}
	var out []string
	for i := range n.kids {
		s, ok := d.text(&n.kids[i], "a word of "+what)
		switch {
		case !ok:
		case !slices.Contains(from, s):
			d.wrong(&n.kids[i], what+" knows no "+quote(s), didYouMean(s, from))
		default:
			out = append(out, s)
		}
	}
	return out
}

// everyKind lists the kinds of all providers: a policy holds for the whole stack.
func (d *document) everyKind() []string {
	var out []string
	for _, p := range d.opts.Schemas.Providers() {
		for _, k := range d.opts.Schemas.Kinds(p) {
			out = append(out, k.Name)
		}
	}
	return out
}

func (r *ruleItem) readEffect(n *node) {
	s, ok := r.text(n, "effect")
	if ok && !slices.Contains(effects(), s) {
		r.wrong(n, "there is no effect "+quote(s), didYouMean(s, effects()))
	}
	r.Effect = s
}

// expression reads a text with the place its first letter stands at: errors inside it are
// counted from there.
func (d *document) expression(n *node, what string) (string, resource.Position) {
	s, _ := d.text(n, what)
	at := d.file.at(n.line, n.col)
	lines := strings.SplitN(d.file.text, "\n", int(n.line)+2)
	switch {
	case n.quoted:
		at.Column++
	case int(n.line) < len(lines) && int(n.col) <= len(lines[n.line-1]) && strings.ContainsAny(lines[n.line-1][n.col-1:n.col], "|>"):
		below := lines[n.line]
		at.Line, at.Column = at.Line+1, len(below)-len(strings.TrimLeft(below, " "))+1
	}
	if strings.TrimSpace(s) == "" {
		d.wrong(n, fmt.Sprintf("%s is empty", what), "write an expression in CEL")
	}
	return s, at
}
