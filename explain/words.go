package explain

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
)

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// ago is a length of time in one unit.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func done(a decider.Action) string {
	switch a {
	case decider.Create:
		return "created"
	case decider.Update:
		return "updated"
	case decider.Replace:
		return "replaced"
	case decider.Restart:
		return "updated, with a restart"
	case decider.Delete:
		return "deleted"
	}
	return string(a)
}

// half says which half of a replace.
func half(h string) string {
	switch h {
	case event.PhaseDelete:
		return " (the old one taken away)"
	case event.PhaseCreate:
		return " (the new one made)"
	}
	return ""
}

func reason(r decider.Reason, detail string) string {
	if detail != "" {
		return detail
	}
	return strings.ReplaceAll(string(r), "_", " ")
}

// decided says what was decided, with what holds it back.
func (t Explainer) decided(d event.Decision) string {
	text := "to " + string(d.Proposed) + " it: " + reason(d.Reason, d.Message)
	if d.Proposed == decider.Notify {
		text = "nothing to be done: " + reason(d.Reason, d.Message)
	}
	if d.Action != d.Proposed && len(d.Blockers) > 0 {
		text += "; held back by " + blockers(d.Blockers)
	}
	return text
}

func blockers(all []decider.Blocker) string {
	parts := make([]string, len(all))
	for i, v := range all {
		parts[i] = "policy " + v.Policy + ": " + v.Reason
		if v.Until != nil {
			parts[i] += " (until " + stamp(*v.Until) + ")"
		}
	}
	return strings.Join(parts, "; ")
}

// changes lists what differed, old and new; of a thing to be made only that it is new.
func (t Explainer) changes(d event.Decision) string {
	if d.Difference == "missing" {
		return ""
	}
	parts := make([]string, 0, len(d.Changes))
	for _, c := range d.Changes {
		parts = append(parts, c.Path+" "+t.Value(c.From)+" → "+t.Value(c.To))
	}
	return strings.Join(parts, ", ")
}
