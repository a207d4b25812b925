package explain

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/history"
)

// summary answers in a sentence or two why the thing is as it is, and what to do about it.
func (t Explainer) summary(c history.ResourceHistory, b *builder) (State, string, string) {
	name := t.Ref(c.Ref)
	switch {
	case c.Open != nil:
		return t.openSummary(c, name)
	case c.Exists == nil:
		return t.deletedSummary(c, b, name)
	}
	return t.existingSummary(c, b, name)
}

func (t Explainer) openSummary(c history.ResourceHistory, name string) (State, string, string) {
	o := c.Open
	text := fmt.Sprintf("How %s stands is not known: the %s that %s began %s has no end on record", name, o.Action, orUnknown(o.User), t.when(o.At))
	if o.Uncertain {
		text += because(o.Error)
	}
	if !o.Checked.IsZero() {
		return Open, text + ". Looking could not answer it.", "look at it yourself, then: ovi plan"
	}
	return Open, text + ".", "the next `ovi plan` or `ovi apply` answers it by looking"
}

// deletedSummary is about a thing that is not there.
func (t Explainer) deletedSummary(c history.ResourceHistory, b *builder, name string) (State, string, string) {
	var last *draft
	for _, d := range slices.Backward(b.drafts) {
		if d.What == "gone" || d.What == "seen" || d.action != nil && finished(d.action) {
			last = d
			break
		}
	}
	switch {
	case last != nil && last.action != nil && takes(last.action):
		return Deleted, t.deletedSentence(b, last, name), t.nextOf(c)
	case last != nil && (last.What == "gone" || last.action != nil || last.What == "seen"):
		return DeletedOutside, fmt.Sprintf("%s is gone, and not by ovi: it was missing when %s was looked at %s, and no deletion of it is on record.", name, t.scope(c.Ref), t.when(last.At)), t.nextOf(c)
	}
	if state, text, next, ok := t.undone(c, name); ok {
		return state, text, next
	}
	return Absent, name + " is not there, and nothing is on record that would have made it.", ""
}

func finished(x *action) bool {
	return x.ended != nil && x.ended.Outcome == event.Done || x.found != nil && x.found.Finding == event.FoundDone
}

func takes(x *action) bool {
	return x.started.Action == decider.Delete || x.started.Phase == event.PhaseDelete
}

// deletedSentence says who deleted it, when, because of what, and on whose yes.
func (t Explainer) deletedSentence(b *builder, d *draft, name string) string {
	x := d.action
	text := fmt.Sprintf("%s was deleted %s by %s", name, t.when(d.At), orUnknown(x.record.User))
	if x.started.Host != "" {
		text += " on " + x.started.Host
	}
	text += " (run " + x.record.Run + "), because "
	p, ok := b.plans[x.started.Plan]
	l, loaded := event.Loaded{}, false
	if ok && p.decision != nil {
		l, loaded = b.load(p)
	}
	switch {
	case loaded && x.started.Reason == decider.ReasonUnwanted:
		text += fmt.Sprintf("%s (stack %s) no longer wanted it", l.Source, l.Stack)
	default:
		text += reason(x.started.Reason, x.started.Message)
	}
	return text + "; approved: " + b.approval(x) + "."
}

// existingSummary is about a thing that is there.
func (t Explainer) existingSummary(c history.ResourceHistory, b *builder, name string) (State, string, string) {
	if c.Scan != nil && !c.Scan.Complete {
		return Unreachable, fmt.Sprintf("How %s is now is not known: %s could not be seen %s: %s. Nothing is decided there until it can be seen.",
			name, t.scope(c.Ref), t.when(c.Scan.At), c.Scan.Error), "make it reachable, then: ovi plan"
	}
	if state, text, next, ok := t.undone(c, name); ok {
		return state, text, next
	}
	if !c.Exists.Managed() {
		text := fmt.Sprintf("%s (%s) is nobody's: it carries no mark of ovi, so it is only reported, never touched.", name, c.Exists.ID)
		if b.first != nil {
			text += " It was first seen " + t.when(b.first.At) + "."
		}
		return Unmanaged, text, "to take it into a stack, write it into the source, then: ovi adopt"
	}
	return Matches, t.matches(c, b, name), ""
}

func (t Explainer) matches(c history.ResourceHistory, b *builder, name string) string {
	state := name + " is as wanted"
	if c.Last == nil {
		state = name + " is there, and no plan about it is on record"
	}
	d := b.lastChange()
	if d == nil {
		if a := b.lastOf(event.TypeAdopted); a != nil {
			return state + ". It was made by somebody else: " + a.Title + ", " + t.when(a.At) + "."
		}
		return state + "; ovi has done nothing to it that is on record."
	}
	x := d.action
	text := fmt.Sprintf("%s. It was %s %s by %s, because %s", state, done(x.started.Action), t.when(d.At), orUnknown(x.record.User), cmp.Or(x.cause, reason(x.started.Reason, x.started.Message)))
	if p := b.plans[x.started.Plan]; p.decision != nil && x.cause == "" {
		if diff := t.changes(*p.decision); diff != "" {
			text += " (" + diff + ")"
		}
	}
	if late(x) {
		text += " (its claim was lost meanwhile; looking found that it was done)"
	}
	return text + "; approved: " + b.approval(x) + "."
}

// late says that an action lost its claim, and was found done all the same.
func late(x *action) bool {
	return x.ended != nil && x.ended.Outcome == event.Late && x.found != nil && x.found.Finding == event.FoundDone
}

// lastOf is the newest chapter of a sort.
func (b *builder) lastOf(what string) *draft {
	for _, d := range slices.Backward(b.drafts) {
		if d.What == what {
			return d
		}
	}
	return nil
}

// lastChange is the newest deed that was done: one that a plan called for, if there is any.
// What else people had done are marks.
func (b *builder) lastChange() (found *draft) {
	for _, d := range slices.Backward(b.drafts) {
		if d.action == nil || !finished(d.action) {
			continue
		}
		if b.plans[d.plan].decision != nil {
			return d
		}
		if found == nil {
			found = d
		}
	}
	return found
}

// undone says why nothing was done though something is to be done; false if nothing is.
func (t Explainer) undone(c history.ResourceHistory, name string) (State, string, string, bool) {
	if c.Last == nil || c.Last.Decision == nil {
		return "", "", "", false
	}
	d := *c.Last.Decision
	what := string(d.Proposed)
	if diff := t.changes(d); diff != "" {
		what += " (" + diff + ")"
	}
	switch {
	case d.Difference == comparator.Unreachable:
		return Unreachable, fmt.Sprintf("Nothing was done to %s: %s.", name, reason(d.Reason, d.Message)), "make its place reachable, then: ovi plan", true
	case d.Difference == comparator.Conflict:
		return Conflict, fmt.Sprintf("Nothing was done to %s: it is wanted, but %s.", name, reason(d.Reason, d.Message)), "choose another name, or: ovi adopt", true
	case d.Difference == comparator.Unmanaged:
		return "", "", "", false
	case d.Proposed.Executes() && !d.Action.Executes():
		return Blocked, fmt.Sprintf("Nothing was done to %s: its %s is held back by %s.", name, what, blockers(d.Blockers)), nextHeld(d), true
	case d.Proposed.Executes() && c.Tries != nil:
		return Failing, fmt.Sprintf("The %s of %s failed %s, last %s: %s.", what, name, times(c.Tries.Failures), t.when(c.Tries.Last), c.Tries.Error), "mend what the error says, then: ovi apply", true
	case d.Proposed.Executes() && t.stillToDo(c):
		return Pending, fmt.Sprintf("%s is not as wanted (%s): a plan made %s would %s, and nobody has done that yet.", name, reason(d.Reason, d.Message), t.when(c.Last.At), what), "do it: ovi apply", true
	}
	return "", "", "", false
}

// nextHeld is what ends a veto by itself; what a person can do, the policy says.
func nextHeld(d event.Decision) string {
	var until time.Time
	for _, v := range d.Blockers {
		if v.Until == nil {
			return ""
		}
		if v.Until.After(until) {
			until = *v.Until
		}
	}
	if until.IsZero() {
		return ""
	}
	return "wait: the first `ovi apply` after " + stamp(until) + " does it"
}

// stillToDo says that nothing was done to the thing since its last plan.
func (t Explainer) stillToDo(c history.ResourceHistory) bool {
	for _, r := range slices.Backward(c.Records) {
		if e, ok := r.Event.(event.Finished); ok && !r.At.Before(c.Last.At) && e.Outcome == event.Done {
			return false
		}
		if e, ok := r.Event.(event.Recovered); ok && !r.At.Before(c.Last.At) && e.Finding == event.FoundDone {
			return false
		}
	}
	return true
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// nextOf is what the last plan would do about a thing that is gone.
func (t Explainer) nextOf(c history.ResourceHistory) string {
	if c.Last == nil || c.Last.Decision == nil || !t.stillToDo(c) || !c.Last.Decision.Action.Executes() {
		return ""
	}
	return "the last plan would " + string(c.Last.Decision.Action) + " it: ovi apply"
}
