package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
)

// groups finishes the events, the newest first. Plans that were executed or blocked are shown with their
// actions, and not a second time.
func (b *builder) groups() []EventGroup {
	shown := map[string]bool{}
	for _, d := range b.drafts {
		if d.What != "planned" {
			shown[d.plan] = true
		}
	}
	var kept []*draft
	for i, d := range slices.Backward(b.drafts) {
		if d.What == "planned" && (shown[d.plan] || b.happened(i)) {
			continue
		}
		if d.action != nil {
			b.explainAction(d)
		} else if p, ok := b.plans[d.plan]; ok && d.What != "planned" {
			d.Facts = append(d.Facts, b.why(p)...)
		}
		if d.Instance != "" {
			d.Facts = append(d.Facts, Fact{"recorded by", b.elsewhere(d)})
		}
		if d.times > 1 {
			d.Title += fmt.Sprintf(" (%d times, this is the last)", d.times)
		}
		kept = append(kept, d)
	}
	// an event stands where its last record is, so that an action is above the observations before its
	// end
	slices.SortStableFunc(kept, func(x, y *draft) int { return y.last - x.last })
	out := make([]EventGroup, len(kept))
	for i, d := range kept {
		out[i] = d.EventGroup
	}
	return out
}

// elsewhere says whose record an event is from, and where all of it is.
func (b *builder) elsewhere(d *draft) string {
	text := "instance " + d.Instance
	if d.action != nil && d.action.started.Host != "" {
		text += " on " + d.action.started.Host
	}
	return text + ", from the shared store; its own audit log has the complete records"
}

// happened says that what a plan only showed was decided again, the same, and executed or blocked before
// anything else happened. A plan that was made again and then applied would otherwise appear twice.
func (b *builder) happened(i int) bool {
	p := b.plans[b.drafts[i].plan]
	for _, next := range b.drafts[i+1:] {
		if next.What == "planned" || next.What == "observed" {
			continue
		}
		q, ok := b.plans[next.plan]
		return ok && p.decision != nil && q.decision != nil && p.decision.Proposed == q.decision.Proposed &&
			b.t.changes(*p.decision) == b.t.changes(*q.decision)
	}
	return false
}

// explainAction fills in who acted, why, and the result. If the plan is not among the records, the
// reason is the one that the start of the action recorded.
func (b *builder) explainAction(d *draft) {
	x := d.action
	d.Title = title(x)
	switch {
	case late(x):
		d.Title += "; observing found that it was done"
	case succeeded(x) && x.cause != "":
		d.Title += ", because " + x.cause
	case x.ended != nil && x.ended.Outcome == event.Failed:
		d.Title += phrase.Because(x.ended.Error)
	}
	var facts []Fact
	if p, ok := b.plans[x.started.Plan]; ok {
		facts = b.why(p)
	} else {
		facts = []Fact{{"reason", reason(x.started.Reason, x.started.Message)}}
	}
	facts = append(facts,
		Fact{"approved by", b.approval(x)},
		Fact{"claim", claim(x)},
		Fact{"call", called(x)},
		Fact{"result", result(x)},
	)
	if x.later != "" {
		facts = append(facts, Fact{"observed since", x.later})
	}
	d.Facts = facts
}

// why returns the observation, the differences, the reason, the policies and the configuration. It is
// empty if the decision of the plan on the resource is not known.
func (b *builder) why(p planned) []Fact {
	d := p.decision
	if d == nil {
		return nil
	}
	facts := []Fact{{"planned", phrase.Second(p.record.At) + ", plan " + p.event.Plan}}
	if c := b.t.changes(*d); c != "" {
		facts = append(facts, Fact{"difference", c})
	} else {
		facts = append(facts, Fact{"difference", string(d.Difference)})
	}
	facts = append(facts, Fact{"reason", string(d.Reason) + ": " + reason(d.Reason, d.Message)})
	policies := "none blocked it"
	if len(d.Blockers) > 0 {
		policies = blocked(*d)
	}
	for _, w := range d.Warnings {
		policies += "; warning by " + w.Policy + ": " + w.Text
	}
	facts = append(facts, Fact{"policies", policies})
	if l, ok := b.load(p); ok {
		text := l.Source + ", stack " + l.Stack
		switch {
		case l.Version != "" && l.Release != "":
			text += ", version " + l.Release + " (" + l.Version + ")"
		case l.Version != "" || l.Release != "":
			text += ", version " + l.Release + l.Version
		}
		if d.Desired != nil && d.Desired.At.Inside() {
			text += ", at " + d.Desired.At.String()
		}
		facts = append(facts, Fact{"configuration", text})
	}
	return facts
}

// load is the source that a plan was made from.
func (b *builder) load(p planned) (event.Loaded, bool) {
	l, ok := b.from[p.event.Plan]
	return l, ok
}

// approval is who approved the plan of an action. An approval after the start of the action does not
// count. The user who applied a saved plan is named only if no approval of it is recorded. An action
// without a decision comes from a command, whose user is named.
func (b *builder) approval(x *action) string {
	p := b.plans[x.started.Plan]
	var out, who []string
	saved := false
	for _, r := range b.yes {
		e := r.Event.(event.Approved)
		// An approval with a digest fits every plan with the same proposals; one without a digest confirms a single plan.
		fits := e.Plan != "" && e.Plan == x.started.Plan
		if e.Digest != "" {
			fits = e.Digest == p.event.Digest || e.Digest == p.event.Approving
		}
		if !fits || r.At.After(x.record.At) {
			continue
		}
		if e.How == "plan file" { // its user applied what was saved
			saved = true
		} else if !slices.Contains(who, e.Who) {
			who = append(who, e.Who)
			how := e.How
			if how == "auto-approve" { // an option is shown the way an operator types it
				how = "--auto-approve"
			}
			out = append(out, fmt.Sprintf("%s (%s)", e.Who, how)+phrase.Because(e.Reason))
		}
	}
	switch {
	case len(out) > 0:
		return strings.Join(out, ", ")
	case saved:
		return orUnknown(x.record.User) + " (applied a saved plan)"
	case p.decision == nil:
		return orUnknown(x.record.User) + " (command)"
	}
	return "no approval is recorded"
}
