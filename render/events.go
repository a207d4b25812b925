package render

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
)

// Sentence says what an event was, for people, in one line.
func Sentence(e event.Event) string {
	switch e := e.(type) {
	case event.Loaded:
		return fmt.Sprintf("read %s of stack %s from %s", Many(e.Resources, "resource"), e.Stack, e.Source)
	case event.Observed:
		return observed(e)
	case event.Planned:
		return plannedSentence(e)
	case event.Blocked:
		return fmt.Sprintf("%s held back: %s", e.Proposed, blockers(e))
	case event.Approved:
		if e.Digest != "" {
			return fmt.Sprintf("%s approved of plan %s until %s%s", e.Who, e.Plan, minute(e.Until), because(e.Reason))
		}
		return fmt.Sprintf("%s said yes (%s)", e.Who, e.How)
	case event.Started:
		return fmt.Sprintf("%s began%s: %s", e.Action, half(e.Phase), why(string(e.Reason), e.Message))
	case event.Finished:
		return finished(e)
	case event.Recovered:
		return fmt.Sprintf("%s had no recorded end; looking found: %s (%s)", e.Action, strings.ReplaceAll(string(e.Finding), "_", " "), e.Evidence)
	case event.NotStarted:
		return fmt.Sprintf("%s not begun: %s", e.Action, notBegunWords(NotStarted{Why: e.Why, On: refOrNone(e.On), Detail: e.Detail}))
	}
	return acts(e)
}

// acts are the events that people cause.
func acts(e event.Event) string {
	switch e := e.(type) {
	case event.Blessed:
		if e.On {
			return "blessed by " + e.Who + because(e.Reason)
		}
		return "blessing taken away by " + e.Who + because(e.Reason)
	case event.Adopted:
		return fmt.Sprintf("%s adopted into stack %s by %s%s", e.ID, e.Stack, e.Who, because(e.Reason))
	case event.Revoked:
		return fmt.Sprintf("claim of %s taken away by %s%s", e.ClaimedBy, e.Who, because(e.Reason))
	case event.Refused:
		return "not counted: " + e.Reason
	case event.Acknowledged:
		return fmt.Sprintf("drift (%s) acknowledged by %s until %s%s", e.What, e.Who, e.Until.UTC().Format("2006-01-02 15:04 UTC"), because(e.Reason))
	case event.Baseline:
		return fmt.Sprintf("%s carried forward, before records older than %d are removed", Many(len(e.Facts), "fact"), e.Before)
	case event.Compacted:
		return fmt.Sprintf("history before revision %d forgotten", e.Before)
	}
	return e.Type()
}

func observed(e event.Observed) string {
	if !e.Complete {
		return fmt.Sprintf("%s could not be seen: %s", e.Scope, e.Error)
	}
	text := fmt.Sprintf("%s seen: %s", e.Scope, Many(e.Count, "resource"))
	if n := len(e.Changed); n > 0 {
		text += fmt.Sprintf(", %d new or different", n)
	}
	if n := len(e.Gone); n > 0 {
		text += fmt.Sprintf(", %d gone", n)
	}
	return text
}

func plannedSentence(e event.Planned) string {
	if len(e.Decisions) == 1 && e.Hash == "" { // of the history of one thing
		return decided(e.Decisions[0])
	}
	return Counts(e.Counts).Sentence(fmt.Sprintf("planned (to %s)", map[event.Mode]string{
		event.ForPlan: "look at", event.ForApply: "do", event.ForDrift: "find drift",
	}[e.Mode]))
}

// decided says what was decided about one thing.
func decided(d event.Decision) string {
	text := fmt.Sprintf("decided to %s: %s", d.Proposed, why(string(d.Reason), d.Message))
	if d.Action != d.Proposed && len(d.Blockers) > 0 {
		text = fmt.Sprintf("%s held back by %s: %s", d.Proposed, d.Blockers[0].Policy, d.Blockers[0].Reason)
	}
	for i, c := range d.Changes {
		if d.Difference == "missing" {
			break
		}
		sep := ", "
		if i == 0 {
			sep = " ("
		}
		text += sep + c.Path + " " + Value(c.From) + " → " + Value(c.To)
		if i == len(d.Changes)-1 {
			text += ")"
		}
	}
	return text
}

func finished(e event.Finished) string {
	took := seconds(e.Seconds)
	switch e.Outcome {
	case event.Done:
		text := fmt.Sprintf("%s done%s in %s", e.Action, half(e.Phase), took)
		if e.ID != "" {
			text += ": " + e.ID
		}
		return text
	case event.Uncertain:
		return fmt.Sprintf("%s%s ended after %s without a clear answer: %s", e.Action, half(e.Phase), took, e.Error)
	case event.Late:
		return fmt.Sprintf("%s%s came too late: its claim was lost", e.Action, half(e.Phase))
	}
	return fmt.Sprintf("%s%s failed after %s: %s", e.Action, half(e.Phase), took, e.Error)
}

func blockers(e event.Blocked) string {
	parts := make([]string, len(e.Blockers))
	for i, v := range e.Blockers {
		parts[i] = v.Policy + ": " + v.Reason
	}
	return strings.Join(parts, "; ")
}

func half(h string) string {
	if h == "" {
		return ""
	}
	return " (" + h + " half)"
}

func why(reason, detail string) string {
	if detail != "" {
		return detail
	}
	return strings.ReplaceAll(reason, "_", " ")
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func refOrNone(r resource.Ref) string {
	if r.IsZero() {
		return ""
	}
	return r.String()
}

// Line is Sentence on one safe line.
func Line(e event.Event) string { return printable(Sentence(e)) }
