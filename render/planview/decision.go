package planview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// decision writes the sign, the name and the action of a decision; then its reasons, attributes and order.
func (p *planWriter) decision(d decider.Decision) {
	rest := p.head(d)
	if slices.Contains([]decider.Reason{
		decider.ReasonResumes, decider.ReasonReverts, decider.ReasonRequested,
		decider.ReasonDeleted, decider.ReasonBack, decider.ReasonRemoved,
	}, d.Reason) {
		rest = append(rest, sentence(d.Message))
	}
	for _, text := range rest {
		p.Message(text)
	}
	for _, w := range d.Warnings {
		text, next := term.SplitSuggestion(w.Text)
		p.Para(term.DetailIndent, term.Yellow, "Warning by "+w.Policy+": "+text)
		if next != "" {
			p.Hanging(term.DetailIndent, next)
		}
	}
	if d.Proposed == decider.Delete && d.Difference == comparator.Unwanted {
		p.notConfigured(d)
	}
	p.Rows(p.rows(d))
	if order := p.orders[d.Ref]; order != "" {
		p.Para(term.DetailIndent, "", "Order: "+order)
	}
	if order := p.turns[d.Ref]; order != "" {
		p.Para(term.DetailIndent, "", "Order: "+order)
	}
	if text := LossOf(d); text != "" {
		p.Para(term.DetailIndent, term.Red, "DATA LOSS: "+text)
	}
}

// head writes the first line of a decision, and returns the lines under it.
func (p *planWriter) head(d decider.Decision) []string {
	name := d.Ref.Short()
	sign, text := p.Colored(signOf(d)), string(Verb(d.Proposed))
	var rest []string
	switch rankOf(&d) {
	case isConflict:
		text = "conflict: " + conflictText(d)
		if d.Suggestion != "" {
			rest = append(rest, term.Suggestion+d.Suggestion)
		}
	case notShown:
		message, next := term.SplitSuggestion(d.Message)
		if text = "not evaluated: " + message; next != "" {
			rest = append(rest, next)
		}
	case isBlocked:
		text, rest = p.blocked(d)
	case isKept:
		text, rest = "kept: "+phrase.ID(d.Observed.ID), []string{sentence(d.Message), term.Suggestion + d.Suggestion}
	default:
		if d.OnlyRenames() {
			text = "rename"
		}
		text += idOf(d)
		if d.OnlyRenames() {
			text += ": " + renameText(d)
		} else if !d.Renamed.IsZero() {
			rest = append(rest, "Renamed: "+renameText(d))
		}
	}
	head := term.Spaces(term.NameIndent) + signOf(d) + " " + name
	p.WriteString(term.Spaces(term.NameIndent) + sign + " " + p.In(term.Bold, name))
	p.After(term.Columns(head), text)
	return rest
}

// idOf returns the id of the resource that a decision changes, after a space. It is empty if no resource exists.
func idOf(d decider.Decision) string {
	if d.Observed == nil || d.Observed.ID == "" {
		return ""
	}
	return " " + phrase.ID(d.Observed.ID)
}

// renameText says which name becomes which: "s3/assets -> s3/files".
func renameText(d decider.Decision) string {
	was, now := d.Renamed.Short(), d.Ref.Short()
	if d.Renamed.Location != d.Ref.Location {
		was, now = d.Renamed.Bare().String(), d.Ref.Bare().String()
	}
	if d.Renamed.Stack != d.Ref.Stack {
		was, now = d.Renamed.Stack+":"+was, d.Ref.Stack+":"+now
	}
	return was + " -> " + now
}

// conflictText names the resource that exists by its id.
func conflictText(d decider.Decision) string {
	if rest, ok := strings.CutPrefix(d.Message, "it "); ok && d.Observed != nil && d.Observed.ID != "" {
		return phrase.ID(d.Observed.ID) + " " + rest
	}
	return d.Message
}

// sentence is a reason as a sentence of its own.
func sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if !strings.ContainsFunc(first, func(r rune) bool { return r < 'a' || r > 'z' }) {
		text = phrase.Capital(text)
	}
	if strings.ContainsAny(text[len(text)-1:], ".!?)`") {
		return text
	}
	return text + "."
}

// blocked says which policy blocks a decision; and why, where that was not written yet: a
// budget blocks many resources for one reason.
func (p *planWriter) blocked(d decider.Decision) (text string, rest []string) {
	text = string(Verb(d.Proposed)) + idOf(d)
	switch {
	case d.Reason == decider.ReasonBroken || d.Reason == decider.ReasonFailing:
		return strings.TrimPrefix(d.Message, "it is "), []string{term.Suggestion + d.Suggestion}
	case len(d.Blockers) == 0:
		return text + " is not possible: " + d.Message, nil
	}
	for i, b := range d.Blockers {
		line, reason := blocker(b, d.Ref)
		if i == 0 {
			text += " " + line
		} else {
			rest = append(rest, "Also "+line)
		}
		if reason != "" && !p.written[b.Policy+"\n"+reason] {
			p.written[b.Policy+"\n"+reason] = true
			rest = append(rest, sentence(reason))
		}
		if b.Suggestion != "" && !p.written[b.Suggestion] {
			p.written[b.Suggestion] = true
			rest = append(rest, term.Suggestion+b.Suggestion)
		}
	}
	return text, rest
}

// blocker returns what a policy does to the decision on a resource, and its reason unless the line has it.
func blocker(b decider.Blocker, of resource.Ref) (line, reason string) {
	switch {
	case b.Until != nil && b.Policy == (decider.Windows{}).Name():
		return "deferred until " + phrase.Minute(*b.Until) + " by " + b.Reason, ""
	case b.Until != nil:
		return "deferred until " + phrase.Minute(*b.Until) + " by " + b.Policy, b.Reason
	case b.Awaits != "":
		return "deferred until " + b.Awaits + " by " + b.Policy, b.Reason
	case b.Policy == decider.BlockedByFlight && b.First == of:
		return "waits for its action in flight", b.Reason
	case b.Policy == decider.BlockedByFlight && b.First.IsZero():
		return "waits for its turn", b.Reason
	case b.Policy == decider.BlockedByFlight:
		return "waits for " + b.First.Short(), b.Reason
	case b.Approvers > 0:
		return "blocked by " + b.Policy + ": " + b.Reason, ""
	}
	return "blocked by " + b.Policy, b.Reason
}

// notConfigured says why a resource is deleted, and where it came from.
func (p *planWriter) notConfigured(d decider.Decision) {
	text := "Not in the configuration."
	if _, why, ok := strings.Cut(d.Message, ": "); ok && d.Reason == decider.ReasonUnwanted {
		text = "Not in the configuration: " + why + "."
	}
	if d.Reason == decider.ReasonDestroyed {
		text = "`ovi destroy` deletes its stack."
	}
	if o := d.Origin; o != nil {
		how := "Created"
		if o.Adopted {
			how = "Adopted"
		}
		text += fmt.Sprintf(" %s %s by record %d", how, o.At.UTC().Format("2006-01-02"), o.Record)
		if o.Instance != "" {
			text += " of instance " + o.Instance
		}
		text += "."
	}
	p.Para(term.DetailIndent, "", text)
}
