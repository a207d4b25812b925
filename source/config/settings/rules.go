package settings

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/read"
)

// The items of rules that are blocks of their own while they are read.
type (
	windowItem struct {
		*Setter
		rules.Window
	}
	approvalItem struct {
		*Setter
		rules.Approval
	}
	driftItem struct {
		*Setter
		rules.Drift
	}
	ruleItem struct {
		*Setter
		rules.Expression
	}
)

// WindowKeys are those of a window.
func WindowKeys() []read.Key[*windowItem] {
	return []read.Key[*windowItem]{
		{
			Name: "name", Example: "nights", Form: read.FormText,
			Doc:  "Its name.",
			Read: func(w *windowItem, n *source.Node) { w.Name, _ = w.Text(n, "name") },
		},
		{
			Name: "days", Example: "[sat, sun]", Form: read.FormDays, Read: (*windowItem).readDays,
			Doc: "The days on which it opens. Default: every day.",
		},
		{
			Name: "from", Example: "22:00", Form: read.FormTime,
			Doc:  "When it opens.",
			Read: func(w *windowItem, n *source.Node) { w.From = w.clock(n, "from") },
		},
		{
			Name: "to", Example: "04:00", Form: read.FormTime,
			Doc:  "When it closes; a time at or before `from` is on the next day. The same time is a whole day.",
			Read: func(w *windowItem, n *source.Node) { w.To = w.clock(n, "to") },
		},
		{
			Name: "zone", Example: "Europe/Berlin", Form: read.FormText, Read: (*windowItem).readZone,
			Doc: "The time zone. Default: UTC.",
		},
		{
			Name: "actions", Example: "[delete, replace]", Form: read.FormActions,
			Doc: "The actions it covers; update includes updates that restart. Default: delete, replace and restart. " +
				"A resource that does not run is started at any time, unless restart is listed.",
			Read: func(w *windowItem, n *source.Node) { w.Actions = w.chosen(n, "actions", Actions()) },
		},
		{
			Name: "kinds", Example: "[rds]", Form: read.FormKinds,
			Doc:  "The types it covers. Default: all.",
			Read: func(w *windowItem, n *source.Node) { w.Kinds = w.chosen(n, "kinds", w.everyKind()) },
		},
	}
}

// ApprovalKeys are those of an approval.
func ApprovalKeys() []read.Key[*approvalItem] {
	return []read.Key[*approvalItem]{
		{
			Name: "actions", Example: "[delete]", Form: read.FormActions,
			Doc:  "The actions that need it; update includes updates that restart. Default: delete and replace.",
			Read: func(a *approvalItem, n *source.Node) { a.Actions = a.chosen(n, "actions", Actions()) },
		},
		{
			Name: "kinds", Example: "[rds]", Form: read.FormKinds,
			Doc:  "The types that need it. Default: all.",
			Read: func(a *approvalItem, n *source.Node) { a.Kinds = a.chosen(n, "kinds", a.everyKind()) },
		},
		{
			Name: "approvers", Example: "2", Form: read.FormNumber,
			Doc:  "How many different users must approve. Default: 1.",
			Read: func(a *approvalItem, n *source.Node) { a.Approvers, _ = a.Whole(n, "approvers", 1, 100) },
		},
		{
			Name: "signed", Example: "true", Form: read.FormBool,
			Doc: "Whether an approval counts only if it is signed with `--sign` by a key on the roster, and not " +
				"by the user who made the plan.",
			Read: func(a *approvalItem, n *source.Node) { a.Signed, _ = a.Boolean(n, "signed") },
		},
	}
}

// RuleKeys are those of a rule in CEL.
func RuleKeys() []read.Key[*ruleItem] {
	return []read.Key[*ruleItem]{
		{
			Name: "name", Example: "keep-prod", Form: read.FormText,
			Doc:  "Its name, unique in the stack.",
			Read: func(r *ruleItem, n *source.Node) { r.Name, _ = r.Text(n, "name") },
		},
		{
			Name: "when", Example: "decision.action == 'delete'", Form: read.FormText,
			Doc:  "The condition, in CEL, over resource, desired, changes, decision, plan, now and history.",
			Read: func(r *ruleItem, n *source.Node) { r.When, r.WhenAt = r.expression(n, "when") },
		},
		{
			Name: "effect", Example: "deny", Form: read.FormEffect, Read: (*ruleItem).readEffect,
			Doc: "The effect if the condition holds: deny, require_approval, defer or warn.",
		},
		{
			Name: "message", Example: "production is not deleted", Form: read.FormText,
			Doc:  "The reason that the plan shows.",
			Read: func(r *ruleItem, n *source.Node) { r.Message, _ = r.Text(n, "message") },
		},
		{
			Name: "until", Example: "now + duration('24h')", Form: read.FormText,
			Doc:  "With defer: until when, in CEL.",
			Read: func(r *ruleItem, n *source.Node) { r.Until, r.UntilAt = r.expression(n, "until") },
		},
		{
			Name: "approvers", Example: "2", Form: read.FormNumber,
			Doc:  "With require_approval: how many different users. Default: 1.",
			Read: func(r *ruleItem, n *source.Node) { r.Approvers, _ = r.Whole(n, "approvers", 1, 100) },
		},
		{
			Name: "signed", Example: "true", Form: read.FormBool,
			Doc: "With require_approval, whether an approval counts only if it is signed with `--sign` by a key " +
				"on the roster, and not by the user who made the plan.",
			Read: func(r *ruleItem, n *source.Node) { r.Signed, _ = r.Boolean(n, "signed") },
		},
	}
}

// DriftKeys are those of a drift rule.
func DriftKeys() []read.Key[*driftItem] {
	return []read.Key[*driftItem]{
		{
			Name: "kind", Example: "rds", Form: read.FormText, Read: (*driftItem).readKind,
			Doc: "The type it applies to. Default: all.",
		},
		{
			Name: "path", Example: "storage", Form: read.FormText,
			Doc:  "The attribute, dotted path or pattern, as in `ignore`.",
			Read: func(r *driftItem, n *source.Node) { r.Path, _ = r.Text(n, "path") },
		},
		{
			Name: "when", Example: "new - old < 5 && old - new < 5", Form: read.FormText,
			Doc: "The condition, in CEL, over old (the observed value), new (the configured one) and path. " +
				"Default: always.",
			Read: func(r *driftItem, n *source.Node) { r.When, r.WhenAt = r.expression(n, "when") },
		},
		{
			Name: "effect", Example: "ignore", Form: read.FormDrift, Read: (*driftItem).readEffect,
			Doc: "The effect if the condition holds: ignore, the only effect.",
		},
	}
}

// Actions are what windows and approvals can cover.
func Actions() []string {
	return []string{"create", "update", "replace", "restart", "delete", "forget"}
}

// Effects are those of rules in CEL.
func Effects() []string { return []string{"deny", "require_approval", "defer", "warn"} }

// States are what a resource can be kept in.
func States() []string { return []string{string(resource.StateRunning), string(resource.StateStopped)} }

// Weekdays are the days of a window, as time.Weekday counts them.
func Weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// each reads the items of a list.
func (d *Setter) each(n *source.Node, what string, read func(*source.Node)) {
	if n.Shape != source.List {
		d.Wrong(n, what+" must be a list of blocks, got "+n.Form(), "start each block with a dash")
		return
	}
	for i := range n.Kids {
		read(&n.Kids[i])
	}
}

func (d *Setter) readWindows(n *source.Node) {
	d.each(n, "windows", func(n *source.Node) {
		w := &windowItem{Setter: d}
		read.Keys(d.Reader, w, WindowKeys(), n, "a window")
		d.required(n, "a window", "from", "to")
		d.Settings.Rules.Windows = append(d.Settings.Rules.Windows, w.Window)
	})
}

func (d *Setter) readApprovals(n *source.Node) {
	d.each(n, "approvals", func(n *source.Node) {
		a := &approvalItem{Setter: d}
		read.Keys(d.Reader, a, ApprovalKeys(), n, "an approval")
		d.Settings.Rules.Approvals = append(d.Settings.Rules.Approvals, a.Approval)
	})
}

// readExpressions reads rules in CEL as they are written; decider/cel compiles them.
func (d *Setter) readExpressions(n *source.Node) {
	d.each(n, "rules", func(n *source.Node) {
		r := &ruleItem{Setter: d}
		r.At = d.File.At(n.Line, n.Column)
		read.Keys(d.Reader, r, RuleKeys(), n, "a rule")
		d.required(n, "a rule", "name", "when", "effect")
		d.Settings.Rules.Expressions = append(d.Settings.Rules.Expressions, r.Expression)
	})
}

// readDrift reads rules about differences; decider/cel compiles them.
func (d *Setter) readDrift(n *source.Node) {
	d.each(n, "drift", func(n *source.Node) {
		r := &driftItem{Setter: d}
		r.At = d.File.At(n.Line, n.Column)
		read.Keys(d.Reader, r, DriftKeys(), n, "a drift rule")
		d.required(n, "a drift rule", "path", "effect")
		if path := n.Get("path"); path != nil && r.Path != "" {
			var kinds []string
			if r.Kind != "" {
				kinds = []string{r.Kind}
			}
			if summary, suggestion := d.CheckIgnore(r.Path, kinds); summary != "" {
				d.Wrong(path, summary, suggestion)
			}
		}
		d.Settings.Rules.Drift = append(d.Settings.Rules.Drift, r.Drift)
	})
}

func (r *driftItem) readKind(n *source.Node) {
	s, ok := r.Text(n, "kind")
	if ok && !slices.Contains(r.everyKind(), s) {
		r.Wrong(n, "unknown type "+source.Quote(s), source.Suggest(s, r.everyKind()))
		return
	}
	r.Kind = s
}

func (r *driftItem) readEffect(n *source.Node) {
	if s, ok := r.Text(n, "effect"); ok && s != "ignore" {
		r.Wrong(n, "unknown effect "+source.Quote(s), "use ignore")
	}
}

// required reports keys that a block must have.
func (d *Setter) required(n *source.Node, of string, keys ...string) {
	for _, k := range keys {
		if n.Shape == source.Object && n.Get(k) == nil {
			d.Wrong(n, of+" needs "+k, "add "+k+": …")
		}
	}
}

func (w *windowItem) readDays(n *source.Node) {
	for _, day := range w.chosen(n, "days", Weekdays()) {
		w.Days = append(w.Days, time.Weekday(slices.Index(Weekdays(), day)))
	}
}

func (w *windowItem) readZone(n *source.Node) {
	s, ok := w.Text(n, "zone")
	if !ok {
		return
	}
	zone, err := time.LoadLocation(s)
	if err != nil || s == "Local" {
		w.Wrong(n, "unknown time zone "+source.Quote(s), "for example, UTC or Europe/Berlin")
		return
	}
	w.Zone = zone
}

// clock reads a time of the day as its distance from midnight.
func (d *Setter) clock(n *source.Node, what string) time.Duration {
	s, ok := d.Text(n, what)
	if !ok {
		return 0
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		d.Wrong(n, "invalid time "+source.Quote(s)+" for "+what, "use a time of the day, for example 22:00")
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

// chosen reads a list of words out of a set.
func (d *Setter) chosen(n *source.Node, what string, from []string) []string {
	if n.Shape != source.List {
		d.Wrong(n, what+" must be a list, got "+n.Form(), "use "+what+": ["+from[0]+"]")
		return nil
	}
	var out []string
	for i := range n.Kids {
		s, ok := d.Text(&n.Kids[i], "a word of "+what)
		switch {
		case !ok:
		case !slices.Contains(from, s):
			d.Wrong(&n.Kids[i], "unknown word "+source.Quote(s)+" in "+what, source.Suggest(s, from))
		default:
			out = append(out, s)
		}
	}
	return out
}

// everyKind lists the kinds of all providers: rules apply to the whole stack.
func (d *Setter) everyKind() []string {
	var out []string
	for _, p := range d.Opts.Schemas.Providers() {
		for _, k := range d.Opts.Schemas.Kinds(p) {
			out = append(out, k.Name)
		}
	}
	return out
}

func (r *ruleItem) readEffect(n *source.Node) {
	s, ok := r.Text(n, "effect")
	if ok && !slices.Contains(Effects(), s) {
		r.Wrong(n, "unknown effect "+source.Quote(s), source.Suggest(s, Effects()))
	}
	r.Effect = s
}

// expression reads a text with the position of its first letter: errors inside it are counted
// from there.
func (d *Setter) expression(n *source.Node, what string) (string, position.Position) {
	s, _ := d.Text(n, what)
	at := d.File.At(n.Line, n.Column)
	lines := strings.SplitN(d.File.Text, "\n", int(n.Line)+2)
	switch {
	case n.Quoted:
		at.Column++
	case int(n.Line) < len(lines) && int(n.Column) <= len(lines[n.Line-1]) &&
		strings.ContainsAny(lines[n.Line-1][n.Column-1:n.Column], "|>"):
		below := lines[n.Line]
		at.Line, at.Column = at.Line+1, len(below)-len(strings.TrimLeft(below, " "))+1
	}
	if strings.TrimSpace(s) == "" {
		d.Wrong(n, what+" is empty", "add an expression in CEL")
	}
	return s, at
}
