package render

import (
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
)

// ReconcileResult ends an apply for machines: all of it in one object, with the keys of the
// engine's design.
type ReconcileResult struct {
	Type            string        `json:"type"` // "reconcile_result"
	Timestamp       time.Time     `json:"timestamp"`
	ResourcesFound  int           `json:"resources_found"`
	DiffsDetected   int           `json:"diffs_detected"`
	DecisionsMade   int           `json:"decisions_made"`
	ExecutionErrors []string      `json:"execution_errors,omitempty"`
	Duration        time.Duration `json:"duration"` // in nanoseconds
	Decisions       []Decided     `json:"decisions"`
}

// Decided is a decision as the engine's design has it, and what came of it.
type Decided struct {
	Action     string `json:"action"` // "notify" where a policy blocks it
	ResourceID string `json:"resource_id"`
	Reason     string `json:"reason"`
	Status     string `json:"status,omitempty"` // of an action: "done", "failed", "claimed"...
}

func (ReconcileResult) record() {}

// Reconciled is the result of an apply. Status says what came of a decision; nil if none
// anything.
func Reconciled(p decider.Plan, names Names, found int, at time.Time, took time.Duration,
	status func(decider.Decision) string, errs []string,
) ReconcileResult {
	r := ReconcileResult{
		Type: "reconcile_result", Timestamp: at.UTC(), ResourcesFound: found, Duration: took, ExecutionErrors: errs,
		DecisionsMade: len(p.Decisions), Decisions: make([]Decided, len(p.Decisions)),
	}
	for i, d := range p.Decisions {
		if d.Difference != comparator.Unreachable { // nothing was compared
			r.DiffsDetected++
		}
		reason := d.Message
		if reason == "" {
			reason = string(d.Reason)
		}
		r.Decisions[i] = Decided{Action: string(d.Action), ResourceID: names.Ref(d.Ref), Reason: reason}
		if status != nil {
			r.Decisions[i].Status = status(d)
		}
	}
	return r
}
