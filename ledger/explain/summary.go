package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// summary explains the state of the resource in a sentence or two, with the next step. An open action and a
// replacement come first: until they end, any other statement about the resource may be wrong.
func (t Explainer) summary(c history.ResourceHistory, b *builder) Explanation {
	name := c.Ref.Kind + "/" + c.Ref.Name
	switch {
	case c.Open != nil:
		return t.openSummary(c, name)
	case c.Replacing != nil:
		return t.replacingSummary(c, name)
	case c.Exists == nil:
		return t.absentSummary(c, b, name)
	}
	return t.existingSummary(c, b, name)
}

// openSummary is about a resource with an action that has no result. A running action needs nothing; after the
// end of its claim only an observation finds the result. If Running is nil, no action counts as running.
func (t Explainer) openSummary(c history.ResourceHistory, name string) Explanation {
	o := c.Open
	if t.Running != nil {
		if by, running := t.Running(*o); running {
			return Explanation{
				State:    Open,
				Headline: fmt.Sprintf("%s: %s.", name, phrase.Flight(o.Action, max(t.Now.Sub(o.At), 0), by)),
				Cause:    "It has no result yet. Nothing else changes it meanwhile.",
			}
		}
	}
	failure, _ := provider.Parted(o.Error)
	s := Explanation{
		State: Open,
		Headline: fmt.Sprintf("%s: %s started %s by %s, no result recorded%s.", name, verb(o.Action), t.since(o.At),
			orUnknown(o.User), phrase.Because(failure)),
		Suggestion: "run `ovi plan` to recover it",
	}
	if o.Failed { // only what it may have left is unknown
		s.Headline = fmt.Sprintf("%s does not exist: %s failed %s by %s%s.", name, verb(o.Action), t.since(o.At),
			orUnknown(o.User), phrase.Because(failure))
		s.Cause, s.Suggestion = "Whether it left something has not been observed yet.",
			"run `ovi plan`, which observes that"
		return s
	}
	if !o.Checked.IsZero() {
		s.Cause = "Its result could not be observed."
		s.Suggestion = "check the resource in its system, then run `ovi plan`"
	}
	return s
}

// replacingSummary is about a resource whose replacement is in progress.
func (t Explainer) replacingSummary(c history.ResourceHistory, name string) Explanation {
	r := c.Replacing
	s := Explanation{
		State: Open,
		Headline: fmt.Sprintf("%s is being replaced: the %s of %s started %s and has not ended.", name, r.Strategy,
			r.Old, t.since(r.At)),
		Suggestion: "run `ovi plan` to see how it goes on, and `ovi apply` to finish it",
	}
	if r.Reverting {
		s.Headline = fmt.Sprintf("%s is not replaced: its replacement goes back to %s and has not ended%s.", name,
			r.Old, phrase.Because(r.Why))
	}
	return s
}

// absentSummary is about a resource that does not exist. The newest event about its existence decides: a
// delete by ovi, or an observation without it. If there is none, a planned action that was not executed
// explains it, then a create that did not succeed.
func (t Explainer) absentSummary(c history.ResourceHistory, b *builder, name string) Explanation {
	last := b.lastSeen()
	switch {
	case b.left != nil && last == nil:
		to := t.other(*b.left, b.left.Ref)
		s := Explanation{
			State: Moved,
			Headline: fmt.Sprintf("%s was renamed to %s %s by %s.", name, to, t.since(b.drafts[b.since].At),
				orUnknown(b.left.Who)),
			Suggestion: "run `ovi why " + to + "`",
		}
		// The block of the former name is still configured, and an apply would make a second resource.
		if c.Last != nil && c.Last.Decision != nil && c.Last.Decision.Proposed == decider.Create {
			s.Suggestion = "rename it in the configuration as well; else `ovi apply` creates another " + name
		}
		return s
	case last != nil && last.action != nil && deletes(last.action):
		return t.deletedSummary(c, b, last, name)
	case last != nil:
		s := Explanation{
			State: DeletedOutside,
			Headline: fmt.Sprintf("%s was deleted outside ovi: it was missing when %s was observed %s.", name,
				t.scope(c.Ref), t.since(last.At)),
			Suggestion: t.nextOf(c),
		}
		if d := b.lateDelete(); d != nil {
			s.Headline = fmt.Sprintf("%s does not exist any more: it was missing when %s was observed %s.", name,
				t.scope(c.Ref), t.since(last.At))
			s.Cause = fmt.Sprintf("Either a delete that %s started %s took effect late, or it was deleted outside ovi.",
				orUnknown(d.action.record.User), t.since(d.action.record.At))
		}
		return s
	}
	if s, ok := t.undone(c, b, name); ok {
		return s
	}
	for _, d := range slices.Backward(b.current()) {
		if d.action == nil || d.action.started.Action != decider.Create {
			continue
		}
		why := "has no recorded result"
		if e := d.action.ended; e != nil && e.Error != "" {
			why, _ = provider.Parted(e.Error)
			why = "failed: " + strings.TrimSuffix(why, ".")
		}
		return Explanation{
			State:    Absent,
			Headline: fmt.Sprintf("%s does not exist, and the last plan does not create it.", name),
			Cause:    fmt.Sprintf("Its create, started %s by %s, %s.", t.since(d.At), orUnknown(d.action.record.User), why),
		}
	}
	return Explanation{State: Absent, Headline: name + " does not exist, and no action that creates it is recorded."}
}

// other names one of the two refs of a move, with its stack if that changed.
func (t Explainer) other(e event.Moved, ref resource.Ref) string {
	if e.From.Stack != e.Ref.Stack {
		return ref.Stack + ":" + ref.Short()
	}
	return ref.Short()
}

// deletedSummary says who deleted the resource, when and why.
func (t Explainer) deletedSummary(c history.ResourceHistory, b *builder, d *draft, name string) Explanation {
	x := d.action
	who := orUnknown(x.record.User)
	if x.started.Host != "" {
		who += "@" + x.started.Host
	}
	why := reason(x.started.Reason, x.started.Message)
	p, ok := b.plans[x.started.Plan]
	if l, loaded := b.load(p); ok && loaded && x.started.Reason == decider.ReasonUnwanted {
		why = fmt.Sprintf("it was not in %s (stack %s)", l.Source, l.Stack)
	}
	s := Explanation{
		State:      Deleted,
		Headline:   fmt.Sprintf("%s was deleted %s by %s, because %s.", name, t.since(d.At), who, why),
		Suggestion: t.nextOf(c),
	}
	if x.arrived {
		s.Cause = fmt.Sprintf("The delete, started %s, took effect after its claim had expired.", t.since(x.record.At))
	}
	return s
}

// existingSummary is about a resource that exists. If its location could not be read, nothing else is derived,
// because the recorded state may be out of date.
func (t Explainer) existingSummary(c history.ResourceHistory, b *builder, name string) Explanation {
	if c.Scan != nil && !c.Scan.Complete {
		return Explanation{
			State: Unreachable,
			Headline: fmt.Sprintf("The live state of %s is unknown: %s was unreachable %s%s.", name, t.scope(c.Ref),
				t.since(c.Scan.At), phrase.Because(c.Scan.Error)),
			Suggestion: "make it reachable, then run `ovi plan`",
		}
	}
	if s, ok := t.forgottenSummary(c, b, name); ok {
		return s
	}
	if s, ok := t.undone(c, b, name); ok {
		return s
	}
	if !managed(c) {
		s := Explanation{
			State: Unmanaged,
			Headline: fmt.Sprintf("%s (%s) is unmanaged: ovi did not create or adopt it, and does not change it.",
				name, phrase.ID(c.Exists.ID)),
			Suggestion: "to manage it, configure it and run `ovi adopt " + name + "`",
		}
		if b.first != nil {
			s.Cause = "First observed " + t.since(b.first.At) + "."
		}
		return s
	}
	s := Explanation{State: Matches, Headline: name + " matches its configuration."}
	if c.Last == nil {
		s.Headline = name + " exists; no plan for it is recorded."
	}
	s.Cause, s.Changes = t.cause(b)
	return s
}

// forgottenSummary is about a resource that an operator forgot, until a plan finds a conflict.
func (t Explainer) forgottenSummary(c history.ResourceHistory, b *builder, name string) (Explanation, bool) {
	if b.forgot == nil || managed(c) ||
		c.Last != nil && c.Last.At.After(b.forgot.At) && c.Last.Decision != nil &&
			c.Last.Decision.Difference == comparator.Conflict {
		return Explanation{}, false
	}
	e := b.forgot.Event.(event.Disowned)
	return Explanation{
		State: Forgotten,
		Headline: fmt.Sprintf("%s (%s) was forgotten %s by %s%s: ovi does not change it.", name, phrase.ID(e.ID),
			t.since(b.forgot.At), orUnknown(e.Who), phrase.Because(e.Reason)),
		Suggestion: "to manage it again, run `ovi adopt " + name + " --id " + e.ID + "`",
	}, true
}

// cause says who changed the resource last, and why. A rename or an adoption hides earlier changes. An action
// without a decision after it does not count, because it only wrote marks.
func (t Explainer) cause(b *builder) (string, []resource.Change) {
	d := b.lastChange()
	if m := b.lastOf(event.TypeMoved); m != nil && b.came != nil && (d == nil || b.plans[d.plan].decision == nil) {
		from := t.other(*b.came, b.came.From)
		return fmt.Sprintf("Renamed from %s %s by %s. Earlier events are under that name.", from, t.since(m.At),
			orUnknown(b.came.Who)), nil
	}
	if a := b.lastOf(event.TypeAdopted); a != nil &&
		(d == nil || b.plans[d.plan].decision == nil || d.At.Before(a.At)) {
		_, how, _ := strings.Cut(a.Title, " adopted ")
		return fmt.Sprintf("Adopted %s %s.", t.since(a.At), how), nil
	}
	if d == nil {
		return "No change by ovi is recorded.", nil
	}
	x := d.action
	if goesBack(x) && b.last != nil && b.last.Reverted {
		return fmt.Sprintf("Its replacement was reverted %s by %s%s. %s is kept.", t.since(b.last.at),
			orUnknown(x.record.User), phrase.Because(b.last.why), phrase.ID(b.last.ID)), nil
	}
	text := fmt.Sprintf("%s %s by %s", phrase.Capital(done(x.started.Action)), t.since(d.At), orUnknown(x.record.User))
	if late(x) {
		text += " (its claim expired before the result was recorded)"
	}
	switch {
	case x.cause != "":
		text += ", because " + x.cause
	case x.started.Action != decider.Create:
		text += ", because " + reason(x.started.Reason, x.started.Message)
	}
	var changes []resource.Change
	if p := b.plans[x.started.Plan]; p.decision != nil && p.decision.Difference != comparator.Missing {
		changes = p.decision.Changes
	}
	if len(changes) > 0 {
		return text + ":", changes
	}
	return text + ".", nil
}

// undone says why a planned action was not executed; false if there is none. An operator's retry comes first,
// since it ended the block of the last plan. An unreadable location and a conflict come next, because they
// make the other answers uncertain. A block comes before failed attempts: it decides about the next apply.
func (t Explainer) undone(c history.ResourceHistory, b *builder, name string) (Explanation, bool) {
	if c.Last == nil || c.Last.Decision == nil {
		return Explanation{}, false
	}
	d := *c.Last.Decision
	message := reason(d.Reason, d.Message)
	s := Explanation{Suggestion: d.Suggestion}
	if d.Difference != comparator.Missing {
		s.Changes = d.Changes
	}
	proposes := d.Proposed.Executes()
	awaits, own := decider.WaitsForFlight(c.Ref, d.Blockers)
	if again, ok := t.retried(c, d, name); ok && proposes && !d.Action.Executes() {
		again.Changes = s.Changes
		return again, true
	}
	switch {
	case d.Difference == comparator.Unreachable:
		s.State, s.Headline = Unreachable, fmt.Sprintf("%s was not evaluated: %s.", name, message)
		s.Suggestion = "make its location reachable, then run `ovi plan`"
	case d.Difference == comparator.Conflict:
		s.State, s.Headline = Conflict, fmt.Sprintf("%s is in conflict: %s.", name, named(message, c))
		if s.Suggestion == "" {
			s.Suggestion = "rename it, or run `ovi adopt " + name + "`"
		}
	case d.Difference == comparator.Unmanaged:
		return Explanation{}, false
	case d.Reason == decider.ReasonBroken:
		s.State, s.Headline = Broken, fmt.Sprintf("%s is broken: %s.", name, strings.TrimPrefix(message, "it is broken: "))
	case d.Reason == decider.ReasonFailing:
		s.State, s.Headline = Failing, fmt.Sprintf("%s is failing: %s.", name, strings.TrimPrefix(message, "it is failing: "))
	case awaits && !(own && c.Open == nil): // what acted on it may have done that
		s.State, s.Headline = Pending, fmt.Sprintf("The %s of %s waits: %s.", verb(d.Proposed), name, d.Blockers[0].Reason)
	case proposes && !d.Action.Executes() && !awaits:
		why, next := blockers(d.Blockers)
		s.State, s.Headline, s.Suggestion = Blocked, fmt.Sprintf("The %s of %s is blocked by %s.", verb(d.Proposed),
			name, why), next
		if g := wentBack(c, d); g != "" {
			s.Cause = "It is back to its last good configuration " + g + "."
		}
		if b := d.Blockers[0]; len(d.Blockers) == 1 && b.Awaits != "" {
			s.State, s.Headline = Pending, fmt.Sprintf("The %s of %s is deferred until %s%s.", verb(d.Proposed), name,
				b.Awaits, phrase.Because(b.Reason))
		}
		if until := deferred(d); !until.IsZero() {
			s.Headline = fmt.Sprintf("The %s of %s is deferred until %s by %s.", verb(d.Proposed), name,
				phrase.Minute(until), why)
			s.Suggestion = "run `ovi apply` after " + phrase.Minute(until)
		}
	case proposes && c.Tries != nil && b.reverted(c):
		s.State, s.Headline = Failing, fmt.Sprintf("The replacement of %s was reverted %s: %s. %s is kept.", name,
			t.since(b.last.at), strings.TrimSuffix(b.last.why, "."), phrase.ID(b.last.ID))
		s.Suggestion = "correct the cause, then run `ovi apply`"
	case proposes && c.Tries != nil && c.Tries.Waits():
		text, next := c.Tries.Waiting()
		s.State, s.Headline, s.Suggestion = Failing, fmt.Sprintf("The %s of %s %s.", verb(d.Proposed), name, text), next
	case proposes && c.Tries != nil:
		failure, next := provider.Parted(c.Tries.Error)
		s.State, s.Headline = Failing, fmt.Sprintf("The %s of %s failed %s, last %s: %s.", verb(d.Proposed), name,
			times(c.Tries.Made()+c.Tries.Other), t.since(c.Tries.Last), failure)
		s.Suggestion = cmp.Or(next, "correct the cause, then run `ovi apply`")
	case proposes && t.stillToDo(c):
		s.State = Pending
		s.Headline, s.Suggestion = notApplied(d, name, t.since(c.Last.At))
		if e, at := lacked(c); e.Detail != "" {
			why, next := provider.Parted(strings.TrimPrefix(e.Detail, "nothing was changed: "))
			s.State, s.Headline = Failing, fmt.Sprintf("The %s of %s was not started %s: %s.", verb(d.Proposed), name,
				t.since(at), strings.TrimSuffix(why, "."))
			s.Suggestion = cmp.Or(next, "correct the cause, then run `ovi apply`")
		}
	default:
		return Explanation{}, false
	}
	return s, true
}

// notApplied is about a plan that was only made. The next plan of the configuration does not repeat a request.
func notApplied(d event.Decision, name, planned string) (headline, suggestion string) {
	switch d.Reason {
	case decider.ReasonDestroyed:
		return fmt.Sprintf("%s was not deleted: `ovi destroy`, planned %s, was not applied.", name, planned),
			"to delete the stack, run `ovi destroy`"
	case decider.ReasonRequested:
		return fmt.Sprintf("%s was not replaced: `--replace`, planned %s, was not applied.", name, planned),
			"to replace it, run `ovi apply --replace " + name + "`"
	}
	is := "does not match its configuration"
	switch d.Difference {
	case comparator.Missing:
		is = "does not exist"
	case comparator.Unwanted:
		is = "is no longer configured"
	}
	return fmt.Sprintf("%s %s; the last plan, made %s, would %s it.", name, is, planned, verb(d.Proposed)),
		"run `ovi apply`"
}

// lacked returns why the last apply since the last plan could not start the action. Only a failed check and a
// failed preparation count, because their details say what to correct.
func lacked(c history.ResourceHistory) (none event.NotStarted, at time.Time) {
	for _, r := range slices.Backward(c.Records) {
		if r.At.Before(c.Last.At) {
			break
		}
		if e, is := r.Event.(event.NotStarted); is && (e.Why == "unprepared" || e.Why == "check") {
			return e, r.At
		}
	}
	return none, at
}

// reverted reports whether the last failure belongs to a replacement that was reverted. A failure after the
// end of the replacement has another cause.
func (b *builder) reverted(c history.ResourceHistory) bool {
	return b.last != nil && b.last.Reverted && b.last.why != "" && !b.last.at.Before(c.Tries.Last)
}

// deferred returns the time from which a decision that only time blocks may be executed; zero for others. The
// blocker that ends last decides. A blocker without a time makes the result zero, because time alone does not
// end it.
func deferred(d event.Decision) (until time.Time) {
	for _, b := range d.Blockers {
		if b.Until == nil {
			return time.Time{}
		}
		if b.Until.After(until) {
			until = *b.Until
		}
	}
	return until
}

// stillToDo says that no action succeeded since the last plan.
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

// nextOf returns the proposal of the last plan for a resource that was deleted. It is empty if the plan
// creates nothing, or was applied since.
func (t Explainer) nextOf(c history.ResourceHistory) string {
	if c.Last == nil || c.Last.Decision == nil || !t.stillToDo(c) || c.Last.Decision.Action != decider.Create {
		return ""
	}
	return "run `ovi apply` to create it again"
}
