package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
)

// groups finishes the drafts, the newest first. Plans that were carried out or held back
// are told there, and not again for themselves.
func (b *builder) groups() []EventGroup {
	told := map[string]bool{}
	for _, d := range b.drafts {
		if d.What != "planned" {
			told[d.plan] = true
		}
	}
	var kept []*draft
	for i, d := range slices.Backward(b.drafts) {
		if d.What == "planned" && (told[d.plan] || b.happened(i)) {
			continue
		}
		if d.action != nil {
			b.explainAction(d)
		} else if p, ok := b.plans[d.plan]; ok && d.What != "planned" {
			d.Facts = append(d.Facts, b.why(p)...)
		}
		if d.Instance != "" {
			d.Facts = append(d.Facts, Fact{"told by", b.elsewhere(d)})
		}
		if d.times > 1 {
			d.Title += fmt.Sprintf(" (%d times, the last one here)", d.times)
		}
		kept = append(kept, d)
	}
	slices.SortStableFunc(kept, func(x, y *draft) int { return y.last - x.last })
	out := make([]EventGroup, len(kept))
	for i, d := range kept {
		out[i] = d.EventGroup
	}
	return out
}

// elsewhere says whose record a chapter is from, and where the rest of it stands.
func (b *builder) elsewhere(d *draft) string {
	text := "instance " + d.Instance
	if d.action != nil && d.action.started.Host != "" {
		text += " on " + d.action.started.Host
	}
	return text + ", by way of the shared store; its own log has the whole records"
}

// happened says that what a plan only looked at was decided again, the same, and carried out
// or held back before anything else happened.
func (b *builder) happened(i int) bool {
	p := b.plans[b.drafts[i].plan]
	for _, next := range b.drafts[i+1:] {
		if next.What == "planned" || next.What == "seen" {
			continue
		}
		q, ok := b.plans[next.plan]
		return ok && p.decision != nil && q.decision != nil && p.decision.Proposed == q.decision.Proposed &&
			b.t.changes(*p.decision) == b.t.changes(*q.decision)
	}
	return false
}

// explainAction fills in who did what, why, and how it ended.
func (b *builder) explainAction(d *draft) {
	x := d.action
	d.Title = title(x)
	switch {
	case late(x):
		d.Title += "; looking found that it was done"
	case finished(x) && x.cause != "":
		d.Title += ": " + x.cause
	case x.ended != nil && x.ended.Outcome == event.Failed:
		d.Title += because(x.ended.Error)
	}
	var facts []Fact
	if p, ok := b.plans[x.started.Plan]; ok {
		facts = b.why(p)
	} else {
		facts = []Fact{{"rule", reason(x.started.Reason, x.started.Message)}}
	}
	facts = append(facts,
		Fact{"approved", b.approval(x)},
		Fact{"claim", claim(x)},
		Fact{"called", called(x)},
		Fact{"ended", ending(x)},
	)
	if x.later != "" {
		facts = append(facts, Fact{"seen since", x.later})
	}
	d.Facts = facts
}

// why is what was seen, what differed, which rule decided, what policies said, and which
// source wanted it so.
func (b *builder) why(p planned) []Fact {
	d := p.decision
	if d == nil {
		return nil
	}
	facts := []Fact{{"looked", stamp(p.record.At) + ", plan " + p.event.Plan}}
	if c := b.t.changes(*d); c != "" {
		facts = append(facts, Fact{"differed", c})
	} else {
		facts = append(facts, Fact{"differed", string(d.Difference)})
	}
	facts = append(facts, Fact{"rule", string(d.Reason) + ": " + reason(d.Reason, d.Message)})
	policies := "none held it back"
	if len(d.Blockers) > 0 {
		policies = blockers(d.Blockers)
	}
	for _, w := range d.Warnings {
		policies += "; policy " + w.Policy + " warned: " + w.Text
	}
	facts = append(facts, Fact{"policies", policies})
	if l, ok := b.load(p); ok {
		facts = append(facts, Fact{"wish", fmt.Sprintf("stack %s, read from %s%s", l.Stack, l.Source, version(l.Version)) + written(d.Desired)})
	}
	return facts
}

// load is the reading of the source that a plan rests on.
func (b *builder) load(p planned) (event.Loaded, bool) {
	l, ok := b.from[p.event.Plan]
	return l, ok
}

// written is where the wish stands in the source, as far as that is known here.
func written(w *event.Desired) string {
	if w == nil || w.At.Line == 0 {
		return ""
	}
	return fmt.Sprintf(", written at %s:%d", w.At.File, w.At.Line)
}

func version(v string) string {
	if v == "" {
		return ""
	}
	if len(v) > 19 && strings.Contains(v, ":") {
		v = v[:19] + "…"
	}
	return ", version " + v
}

// approval is who said yes to the plan of a deed.
func (b *builder) approval(x *action) string {
	p := b.plans[x.started.Plan]
	var out []string
	for _, r := range b.yes {
		if e := r.Event.(event.Approved); isAbout(e, x.started.Plan, p.event) && !r.At.After(x.record.At) {
			out = append(out, fmt.Sprintf("%s, %s, %s", e.Who, e.How, stamp(r.At))+because(e.Reason))
		}
	}
	switch {
	case len(out) > 0:
		return strings.Join(out, "; ")
	case p.decision == nil:
		return x.record.User + " asked for it"
	}
	return "no yes is on record"
}

// isAbout says that a yes is to a plan, or to what it proposes.
func isAbout(e event.Approved, plan string, p event.Planned) bool {
	if e.Digest != "" {
		return e.Digest == p.Digest || e.Digest == p.Approving
	}
	return e.Plan != "" && e.Plan == plan
}

func claim(x *action) string {
	text := fmt.Sprintf("token %d, held by %s", x.started.Token, orUnknown(x.record.User))
	if x.started.Host != "" {
		text += fmt.Sprintf(" on %s, process %d", x.started.Host, x.started.PID)
	}
	return text + ", run " + x.record.Run + ", instance " + x.record.Instance
}

func orUnknown(s string) string {
	if s == "" {
		return "an unknown user"
	}
	return s
}

func called(x *action) string {
	text := string(x.started.Action)
	if x.started.Phase != "" {
		text = x.started.Phase
	}
	if x.started.Have != "" {
		text += " of " + x.started.Have
	}
	return text + ", key " + x.started.Key + ", " + stamp(x.record.At)
}

func ending(x *action) string {
	text := "no end is on record"
	if e := x.ended; e != nil {
		text = string(e.Outcome) + fmt.Sprintf(" after %.1f s", e.Seconds)
		if e.Tries > 1 {
			text += fmt.Sprintf(" and %d calls", e.Tries)
		}
		if e.Outcome == event.Done && e.ID != "" && e.Action != decider.Delete {
			text += ": " + e.ID
		}
		text += because(e.Error)
	}
	if x.found != nil {
		text += "; " + answered(*x.found)
	}
	return text
}

func answered(e event.Recovered) string {
	words := map[event.Finding]string{
		event.FoundDone: "it was done", event.FoundNotDone: "it was not done", event.FoundUnknown: "nobody can tell, a human is asked",
	}
	return "looking answered later: " + words[e.Finding] + " (" + e.Evidence + ")"
}

// title says in a few words what was done.
func title(x *action) string {
	who := " by " + orUnknown(x.record.User)
	a := x.started.Action
	switch {
	case x.ended == nil && x.found == nil:
		return string(a) + half(x.started.Phase) + " begun" + who + "; no end is on record"
	case x.ended == nil && x.found.Finding == event.FoundDone, x.ended != nil && x.ended.Outcome == event.Done:
		return done(a) + half(x.started.Phase) + who
	case x.ended == nil:
		return string(a) + half(x.started.Phase) + " begun" + who + ", and cut short"
	case x.ended.Outcome == event.Late:
		return string(a) + half(x.started.Phase) + who + " came too late: its claim was lost"
	case x.ended.Outcome == event.Uncertain:
		return string(a) + half(x.started.Phase) + who + ": how it ended was not clear"
	}
	return string(a) + half(x.started.Phase) + who + " failed"
}

// act is what a person, or the record, did besides.
func act(e event.Event) string {
	switch e := e.(type) {
	case event.Blessed:
		if e.On {
			return "blessed by " + e.Who + because(e.Reason)
		}
		return "blessing taken away by " + e.Who + because(e.Reason)
	case event.Adopted:
		return e.ID + " adopted into stack " + e.Stack + " by " + e.Who + because(e.Reason)
	case event.Revoked:
		return fmt.Sprintf("claim %d of %s taken away by %s%s", e.Token, e.ClaimedBy, e.Who, because(e.Reason))
	case event.Acknowledged:
		return "drift (" + e.What + ") acknowledged by " + e.Who + " until " + stamp(e.Until) + because(e.Reason)
	case event.Refused:
		return "an end came too late and does not count: " + e.Reason
	}
	return strings.ReplaceAll(e.Type(), "_", " ")
}
