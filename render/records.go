package render

import (
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// Format is the version of the JSON lines: a new one when a field is taken away or changes
// its meaning; added fields and types do not change it.
const Format = 1

// Record is one line of JSON output, or one YAML document. The types are documented in
// docs/events.md; their fields are a promise.
type Record interface{ record() }

// Version comes first.
type Version struct {
	Type   string `json:"type"` // "version"
	Ovi    string `json:"ovi"`
	Format int    `json:"format"`
}

// PlannedChange is one decision.
type PlannedChange struct {
	Type       string    `json:"type"` // "planned_change"
	Ref        string    `json:"ref"`
	Scope      string    `json:"scope"` // in full, with the account
	Kind       string    `json:"kind"`
	Stack      string    `json:"stack,omitempty"`
	Difference string    `json:"difference"`
	Action     string    `json:"action"`
	Proposed   string    `json:"proposed"`
	Reason     string    `json:"reason"`
	Detail     string    `json:"detail,omitempty"`
	Blocker    string    `json:"veto"` // the first veto's reason; empty: none
	Blockers   []Blocker `json:"vetoes,omitempty"`
	// Until is when what only waits may be done; absent: it does not wait, or not only for time.
	Until    *time.Time        `json:"until,omitempty"`
	Warnings []decider.Warning `json:"warnings,omitempty"`
	Changes  []Change          `json:"changes"`
}

// Blocker is a policy's no.
type Blocker = decider.Blocker

// Change is one attribute, old and new; null where there is none.
type Change struct {
	Path   string          `json:"path"`
	From   json.RawMessage `json:"from"`
	To     json.RawMessage `json:"to"`
	Effect string          `json:"effect"` // "in_place", "restart", "replace"
}

// ChangeSummary is the counts of a plan or an apply.
type ChangeSummary struct {
	Type      string `json:"type"`      // "change_summary"
	Operation string `json:"operation"` // "plan", "apply" or "drift"
	Counts
	Plan    string  `json:"plan"` // its id
	Seconds float64 `json:"seconds"`
	Sandbox bool    `json:"sandbox,omitempty"` // it was the practice cloud
}

// Step is the start or the end of an action.
type Step struct {
	Type        string  `json:"type"` // "apply_start", "apply_complete", "apply_errored"
	Ref         string  `json:"ref"`
	Action      string  `json:"action"`
	ID          string  `json:"id"`
	Seconds     float64 `json:"seconds"`
	Error       string  `json:"error"`
	Recoverable bool    `json:"recoverable"`

	uncertain bool // it may have worked: looking tells
}

// Diagnostic is something wrong: what, where, and what to do next.
type Diagnostic struct {
	Type       string `json:"type"`     // "diagnostic"
	Severity   string `json:"severity"` // "error" or "warning"
	Summary    string `json:"summary"`
	Detail     string `json:"detail"`
	File       string `json:"file"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Suggestion string `json:"suggestion"` // what to do next
	// Code is the exit code of the command that this error ended; absent: it did not end it.
	Code int `json:"code,omitempty"`
}

func (Version) record()       {}
func (PlannedChange) record() {}
func (ChangeSummary) record() {}
func (Step) record()          {}
func (Diagnostic) record()    {}

// Planned turns a plan into records: its decisions, what was not seen, the counts.
func Planned(p decider.Plan, names Names) []Record {
	out := make([]Record, 0, len(p.Decisions)+2)
	for _, d := range p.Decisions {
		out = append(out, planned(d, names))
	}
	return out
}

func planned(d decider.Decision, names Names) PlannedChange {
	c := PlannedChange{
		Type: "planned_change", Ref: names.Ref(d.Ref), Scope: d.Ref.Scope().String(), Kind: d.Ref.Kind,
		Stack: d.Stack, Difference: string(d.Difference), Action: string(d.Action),
		Proposed: string(d.Proposed), Reason: string(d.Reason), Detail: d.Message, Blockers: d.Blockers, Warnings: d.Warnings,
		Changes: make([]Change, len(d.Changes)),
	}
	if len(d.Blockers) > 0 {
		c.Blocker = d.Blockers[0].Reason
	}
	if at, waits := d.DeferredUntil(); waits {
		c.Until = &at
	}
	for i, x := range d.Changes {
		c.Changes[i] = Change{x.Path, JSON(x.From), JSON(x.To), effectName(x.Effect)}
	}
	return c
}

func effectName(e resource.Effect) string {
	switch e {
	case resource.Restart:
		return "restart"
	case resource.Replace:
		return "replace"
	default:
		return "in_place"
	}
}
