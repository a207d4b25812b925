package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// Sentence is an event for people, in one line.
func Sentence(e event.Event) string {
	switch e := e.(type) {
	case event.Loaded:
		text := fmt.Sprintf("loaded %s of stack %s from %s", Many(e.Resources, "resource"), e.Stack, e.Source)
		if e.Release != "" {
			text += ", version " + e.Release
		}
		return text
	case event.Led:
		return fmt.Sprintf("the loop of stack %s follows version %s", e.Stack, e.Version)
	case event.SourceAccepted:
		switch {
		case e.Settings != nil:
			return fmt.Sprintf("accepted the settings of stack %s from %s", e.Stack, e.Settings.Source)
		case e.Digest == "" && !e.More:
			return fmt.Sprintf("%s is no longer a part of the source of stack %s", e.Part, e.Stack)
		}
		return fmt.Sprintf("accepted %s of stack %s: %s changed, %d gone", e.Part, e.Stack,
			Many(len(e.Changed), "resource"), len(e.Gone))
	case event.Observed:
		return observedSentence(e)
	case event.Planned:
		if len(e.Decisions) == 1 && e.Hash == "" { // in the history of one resource
			return decidedSentence(e.Decisions[0])
		}
		return Counts(e.Counts).Sentence(map[event.Mode]string{
			event.ForPlan: "Plan", event.ForApply: "Plan to apply", event.ForDrift: "Drift",
		}[e.Mode])
	case event.Blocked:
		return fmt.Sprintf("%s blocked by %s", planview.Verb(e.Proposed), blockersText(e.Blockers))
	case event.Approved:
		if e.Digest != "" {
			return fmt.Sprintf("%s approved plan %s until %s%s", e.Who, e.Plan, phrase.Minute(e.Until),
				phrase.Signed(e.SignedBy, e.Reason))
		}
		return fmt.Sprintf("approved by %s (%s)", e.Who, e.How)
	case event.Started:
		return fmt.Sprintf("%s started%s%s", planview.Verb(e.Action), phaseText(cmp.Or(e.Step, e.Phase)),
			phrase.Because(reasonText(string(e.Reason), e.Message)))
	case event.Finished:
		return finishedSentence(e)
	case event.Recovered:
		return fmt.Sprintf("%s (%s)", phrase.Found(string(planview.Verb(e.Action)), e.Finding), e.Evidence)
	case event.NotStarted:
		return fmt.Sprintf("%s not started: %s", planview.Verb(e.Action),
			notStartedWords(NotStarted{Why: e.Why, On: refOrNone(e.On), Message: e.Detail}))
	case event.OutageEnded:
		return "it is no longer configured, so its outage has ended"
	case event.Yielded:
		return fmt.Sprintf("%d not started: left to the plan of a newer configuration", e.Left)
	}
	return phrase.Operator(e)
}

// SentenceBy is Sentence with the user who started an action.
func SentenceBy(e event.Event, user string) string {
	if s, ok := e.(event.Started); ok && user != "" {
		return fmt.Sprintf("%s started%s by %s%s", planview.Verb(s.Action), phaseText(cmp.Or(s.Step, s.Phase)), user,
			phrase.Because(reasonText(string(s.Reason), s.Message)))
	}
	return Sentence(e)
}

// RecordLine is a record on one safe line: what happened, and who did it, once.
func RecordLine(r event.Record) string {
	text := SentenceBy(r.Event, r.User)
	if _, named := r.Event.(event.Started); !named && r.User != "" && event.Who(r.Event) == "" {
		text += " (" + r.User + ")" // whose run recorded it: not all of it is their doing
	}
	return term.OneLine(text)
}

func observedSentence(e event.Observed) string {
	if !e.Complete {
		return fmt.Sprintf("%s is unreachable: %s", e.Scope, e.Error)
	}
	text := fmt.Sprintf("%s observed: %s", e.Scope, Many(e.Count(), "resource"))
	if n := len(e.Changed); n > 0 {
		text += fmt.Sprintf(", %d new or changed", n)
	}
	if n := len(e.Gone); n > 0 {
		text += fmt.Sprintf(", %d deleted", n)
	}
	for _, kind := range slices.Sorted(maps.Keys(e.Unreachable)) {
		text += fmt.Sprintf("; %s is unreachable: %s", kind, e.Unreachable[kind])
	}
	return text
}

// decidedSentence is what was decided about one resource.
func decidedSentence(d event.Decision) string {
	text := fmt.Sprintf("%s planned: %s", planview.Verb(d.Proposed), reasonText(string(d.Reason), d.Message))
	if d.Proposed == decider.Notify {
		return fmt.Sprintf("%s: %s", d.Difference, reasonText(string(d.Reason), d.Message))
	}
	if waits, _ := decider.WaitsForFlight(d.Ref, d.Blockers); waits {
		text = fmt.Sprintf("%s waits: %s", planview.Verb(d.Proposed), d.Blockers[0].Reason)
	} else if d.Action != d.Proposed && len(d.Blockers) > 0 {
		text = fmt.Sprintf("%s blocked by %s", planview.Verb(d.Proposed), blockersText(d.Blockers[:1]))
	}
	if d.Difference == "missing" || len(d.Changes) == 0 {
		return text
	}
	parts := make([]string, len(d.Changes))
	for i, c := range d.Changes {
		parts[i] = c.Name() + " " + Value(c.From) + " -> " + Value(c.To)
	}
	return text + " (" + strings.Join(parts, ", ") + ")"
}

func finishedSentence(e event.Finished) string {
	action, took := string(planview.Verb(e.Action))+phaseText(cmp.Or(e.Step, e.Phase)), seconds(e.Seconds)
	switch e.Outcome {
	case event.Done:
		text := fmt.Sprintf("%s finished in %s", action, took)
		if e.ID != "" {
			text += ": " + phrase.ID(e.ID)
		}
		return text
	case event.Accepted:
		return fmt.Sprintf("%s accepted after %s, in progress until %s: %s", action, took, phrase.Minute(e.Deadline),
			phrase.ID(e.ID))
	case event.Uncertain:
		return fmt.Sprintf("%s: result unknown after %s: %s", action, took, e.Error)
	case event.NotCalled:
		return fmt.Sprintf("%s turned back before the call%s", action, phrase.Because(e.Error))
	case event.Late:
		return fmt.Sprintf("%s finished after its claim expired; the result does not count", action)
	}
	return fmt.Sprintf("%s failed after %s%s", action, took, phrase.Because(e.Error))
}

func blockersText(all []Blocker) string {
	parts := make([]string, len(all))
	for i, b := range all {
		parts[i] = withMessage(b.Policy, b.Reason)
		if b.Until != nil {
			parts[i] += " until " + phrase.Minute(*b.Until)
		}
	}
	return strings.Join(parts, "; ")
}

// phaseText names a step of a replacement.
func phaseText(phase string) string {
	if phase == "" {
		return ""
	}
	return " (" + strings.ReplaceAll(phase, "_", " ") + ")"
}

func reasonText(reason, message string) string {
	if message != "" {
		return message
	}
	return strings.ReplaceAll(reason, "_", " ")
}

func refOrNone(r resource.Ref) string {
	if r.IsZero() {
		return ""
	}
	return r.String()
}

// Line is Sentence on one safe line.
func Line(e event.Event) string { return term.OneLine(Sentence(e)) }
