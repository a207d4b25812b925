package config

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
)

// The items of rules that are blocks of their own while they are read.
type (
	windowItem struct {
		*setter
		rules.Window
	}
	approvalItem struct {
		*setter
		rules.Approval
	}
	driftItem struct {
		*setter
		rules.Drift
	}
	ruleItem struct {
		*setter
		rules.Expression
	}
)

func windowKeys() []key[*windowItem] {
	return []key[*windowItem]{
		{
			name: "name", example: "nights", form: formText,
			doc:  "Its name.",
			read: func(w *windowItem, n *source.Node) { w.Name, _ = w.text(n, "name") },
		},
		{
			name: "days", example: "[sat, sun]", form: formDays,
			doc:  "The days on which it opens. Default: every day.",
			read: (*windowItem).readDays,
		},
		{
			name: "from", example: "22:00", form: formTime,
			doc:  "When it opens.",
			read: func(w *windowItem, n *source.Node) { w.From = w.clock(n, "from") },
		},
		{
			name: "to", example: "04:00", form: formTime,
			doc:  "When it closes; a time at or before `from` is on the next day. The same time is a whole day.",
			read: func(w *windowItem, n *source.Node) { w.To = w.clock(n, "to") },
		},
		{
			name: "zone", example: "Europe/Berlin", form: formText,
			doc:  "The time zone. Default: UTC.",
			read: (*windowItem).readZone,
		},
		{
			name: "actions", example: "[delete, replace]", form: formActions,
			doc: "The actions it covers. Default: delete, replace and restart. What does not run is started " +
				"at any time, unless restart is listed.",
			read: func(w *windowItem, n *source.Node) { w.Actions = w.chosen(n, "actions", actions()) },
		},
		{
			name: "kinds", example: "[rds]", form: formKinds,
			doc:  "The types it covers. Default: all.",
			read: func(w *windowItem, n *source.Node) { w.Kinds = w.chosen(n, "kinds", w.everyKind()) },
		},
	}
}

func approvalKeys() []key[*approvalItem] {
	return []key[*approvalItem]{
		{
			name: "actions", example: "[delete]", form: formActions,
			doc:  "The actions that need it. Default: delete and replace.",
			read: func(a *approvalItem, n *source.Node) { a.Actions = a.chosen(n, "actions", actions()) },
		},
		{
			name: "kinds", example: "[rds]", form: formKinds,
			doc:  "The types that need it. Default: all.",
			read: func(a *approvalItem, n *source.Node) { a.Kinds = a.chosen(n, "kinds", a.everyKind()) },
		},
		{
			name: "approvers", example: "2", form: formNumber,
			doc:  "How many different users must approve. Default: 1.",
			read: func(a *approvalItem, n *source.Node) { a.Approvers, _ = a.whole(n, "approvers", 1, 100) },
		},
		{
			name: "signed", example: "true", form: formBool,
			doc: "Only approvals count that are signed with `--sign` by a key on the roster, of others than " +
				"who made the plan.",
			read: func(a *approvalItem, n *source.Node) { a.Signed, _ = a.boolean(n, "signed") },
		},
	}
}

func ruleKeys() []key[*ruleItem] {
	return []key[*ruleItem]{
		{
			name: "name", example: "keep-prod", form: formText,
			doc:  "Its name, unique in the stack.",
			read: func(r *ruleItem, n *source.Node) { r.Name, _ = r.text(n, "name") },
		},
		{
			name: "when", example: "decision.action == 'delete'", form: formText,
			doc:  "The condition, in CEL, over resource, desired, changes, decision, plan, now and history.",
			read: func(r *ruleItem, n *source.Node) { r.When, r.WhenAt = r.expression(n, "when") },
		},
		{
			name: "effect", example: "deny", form: formEffect,
			doc:  "What happens where the condition is true: deny, require_approval, defer or warn.",
			read: (*ruleItem).readEffect,
		},
		{
			name: "message", example: "production is not deleted", form: formText,
			doc:  "The reason that the plan shows.",
			read: func(r *ruleItem, n *source.Node) { r.Message, _ = r.text(n, "message") },
		},
		{
			name: "until", example: "now + duration('24h')", form: formText,
			doc:  "With defer: until when, in CEL.",
			read: func(r *ruleItem, n *source.Node) { r.Until, r.UntilAt = r.expression(n, "until") },
		},
		{
			name: "approvers", example: "2", form: formNumber,
			doc:  "With require_approval: how many different users. Default: 1.",
			read: func(r *ruleItem, n *source.Node) { r.Approvers, _ = r.whole(n, "approvers", 1, 100) },
		},
		{
			name: "signed", example: "true", form: formBool,
			doc: "With require_approval: only approvals count that are signed with `--sign` by a key on the " +
				"roster, of others than who made the plan.",
			read: func(r *ruleItem, n *source.Node) { r.Signed, _ = r.boolean(n, "signed") },
		},
	}
}

func driftKeys() []key[*driftItem] {
	return []key[*driftItem]{
		{
			name: "kind", example: "rds", form: formText,
			doc:  "The type it applies to. Default: all.",
			read: (*driftItem).readKind,
		},
		{
			name: "path", example: "storage", form: formText,
			doc:  "The attribute, dotted path or pattern, as in `ignore`.",
			read: func(r *driftItem, n *source.Node) { r.Path, _ = r.text(n, "path") },
		},
		{
			name: "when", example: "new - old < 5 && old - new < 5", form: formText,
			doc: "The condition, in CEL, over old (the observed value), new (the configured one) and path. " +
				"Default: always.",
			read: func(r *driftItem, n *source.Node) { r.When, r.WhenAt = r.expression(n, "when") },
		},
		{
			name: "effect", example: "ignore", form: formDrift,
			doc:  "What happens where the condition is true: ignore, the only effect.",
			read: (*driftItem).readEffect,
		},
	}
}

// actions are what windows and approvals can cover.
func actions() []string { return []string{"create", "update", "replace", "restart", "delete"} }

func effects() []string { return []string{"deny", "require_approval", "defer", "warn"} }

func states() []string { return []string{string(resource.StateRunning), string(resource.StateStopped)} }

func weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// each reads the items of a list.
func (d *setter) each(n *source.Node, what string, read func(*source.Node)) {
	if n.Shape != source.List {
		d.wrong(n, what+" must be a list of blocks, got "+n.Form(), "start each block with a dash")
		return
	}
	for i := range n.Kids {
		read(&n.Kids[i])
	}
}

func (d *setter) readWindows(n *source.Node) {
	d.each(n, "windows", func(n *source.Node) {
		w := &windowItem{setter: d}
		readKeys(d.reader, w, windowKeys(), n, "a window")
		d.required(n, "a window", "from", "to")
		d.settings.rules.Windows = append(d.settings.rules.Windows, w.Window)
	})
}

func (d *setter) readApprovals(n *source.Node) {
	d.each(n, "approvals", func(n *source.Node) {
		a := &approvalItem{setter: d}
		readKeys(d.reader, a, approvalKeys(), n, "an approval")
		d.settings.rules.Approvals = append(d.settings.rules.Approvals, a.Approval)
	})
}

// readExpressions reads rules in CEL as they are written; decider/cel compiles them.
func (d *setter) readExpressions(n *source.Node) {
	d.each(n, "rules", func(n *source.Node) {
		r := &ruleItem{setter: d}
		r.At = d.file.at(n.Line, n.Column)
		readKeys(d.reader, r, ruleKeys(), n, "a rule")
		d.required(n, "a rule", "name", "when", "effect")
		d.settings.rules.Expressions = append(d.settings.rules.Expressions, r.Expression)
	})
}

// readDrift reads rules about differences; decider/cel compiles them.
func (d *setter) readDrift(n *source.Node) {
	d.each(n, "drift", func(n *source.Node) {
		r := &driftItem{setter: d}
		r.At = d.file.at(n.Line, n.Column)
		readKeys(d.reader, r, driftKeys(), n, "a drift rule")
		d.required(n, "a drift rule", "path", "effect")
		if path := n.Get("path"); path != nil && r.Path != "" {
			var kinds []string
			if r.Kind != "" {
				kinds = []string{r.Kind}
			}
			if summary, suggestion := d.checkIgnore(r.Path, kinds); summary != "" {
				d.wrong(path, summary, suggestion)
			}
		}
		d.settings.rules.Drift = append(d.settings.rules.Drift, r.Drift)
	})
}

func (r *driftItem) readKind(n *source.Node) {
	s, ok := r.text(n, "kind")
	if ok && !slices.Contains(r.everyKind(), s) {
		r.wrong(n, "unknown type "+source.Quote(s), source.Suggest(s, r.everyKind()))
		return
	}
	r.Kind = s
}

func (r *driftItem) readEffect(n *source.Node) {
	if s, ok := r.text(n, "effect"); ok && s != "ignore" {
		r.wrong(n, "unknown effect "+source.Quote(s), "use ignore")
	}
}

// required reports keys that a block must have.
func (d *setter) required(n *source.Node, of string, keys ...string) {
	for _, k := range keys {
		if n.Shape == source.Object && n.Get(k) == nil {
			d.wrong(n, of+" needs "+k, "add "+k+": …")
		}
	}
}

func (w *windowItem) readDays(n *source.Node) {
	for _, day := range w.chosen(n, "days", weekdays()) {
		w.Days = append(w.Days, time.Weekday(slices.Index(weekdays(), day)))
	}
}

func (w *windowItem) readZone(n *source.Node) {
	s, ok := w.text(n, "zone")
	if !ok {
		return
	}
	zone, err := time.LoadLocation(s)
	if err != nil || s == "Local" {
		w.wrong(n, "unknown time zone "+source.Quote(s), "for example, UTC or Europe/Berlin")
		return
	}
	w.Zone = zone
}

// clock reads a time of the day as its distance from midnight.
func (d *setter) clock(n *source.Node, what string) time.Duration {
	s, ok := d.text(n, what)
	if !ok {
		return 0
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		d.wrong(n, "invalid time "+source.Quote(s)+" for "+what, "use a time of the day, for example 22:00")
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

// chosen reads a list of words out of a set.
func (d *setter) chosen(n *source.Node, what string, from []string) []string {
	if n.Shape != source.List {
		d.wrong(n, what+" must be a list, got "+n.Form(), "use "+what+": ["+from[0]+"]")
		return nil
	}
	var out []string
	for i := range n.Kids {
		s, ok := d.text(&n.Kids[i], "a word of "+what)
		switch {
		case !ok:
		case !slices.Contains(from, s):
			d.wrong(&n.Kids[i], "unknown word "+source.Quote(s)+" in "+what, source.Suggest(s, from))
		default:
			out = append(out, s)
		}
	}
	return out
}

// everyKind lists the kinds of all providers: rules apply to the whole stack.
func (d *setter) everyKind() []string {
	var out []string
	for _, p := range d.opts.Schemas.Providers() {
		for _, k := range d.opts.Schemas.Kinds(p) {
			out = append(out, k.Name)
		}
	}
	return out
}

func (r *ruleItem) readEffect(n *source.Node) {
	s, ok := r.text(n, "effect")
	if ok && !slices.Contains(effects(), s) {
		r.wrong(n, "unknown effect "+source.Quote(s), source.Suggest(s, effects()))
	}
	r.Effect = s
}

// expression reads a text with the position of its first letter: errors inside it are counted
// from there.
func (d *setter) expression(n *source.Node, what string) (string, position.Position) {
	s, _ := d.text(n, what)
	at := d.file.at(n.Line, n.Column)
	lines := strings.SplitN(d.file.text, "\n", int(n.Line)+2)
	switch {
	case n.Quoted:
		at.Column++
	case int(n.Line) < len(lines) && int(n.Column) <= len(lines[n.Line-1]) && strings.ContainsAny(lines[n.Line-1][n.Column-1:n.Column], "|>"):
		below := lines[n.Line]
		at.Line, at.Column = at.Line+1, len(below)-len(strings.TrimLeft(below, " "))+1
	}
	if strings.TrimSpace(s) == "" {
		d.wrong(n, what+" is empty", "add an expression in CEL")
	}
	return s, at
}
