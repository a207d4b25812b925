package render

import (
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/render/planview"
)

// Format is the version of the JSON lines. It changes when a field is removed or changes its
// meaning; new fields and types do not change it.
const Format = 2

// Record is one line of JSON output, or one YAML document. The types are documented in
// docs/commands.md; their fields are a promise.
type Record interface{ record() }

// Version comes first.
type Version struct {
	Type   string `json:"type"` // "version"
	Ovi    string `json:"ovi"`
	Format int    `json:"format"`
}

// PlannedChange is one decision.
type PlannedChange struct {
	Type string `json:"type"` // "planned_change"
	Ref  string `json:"ref"`
	// RenamedFrom is the recorded name, if that is another one.
	RenamedFrom string `json:"renamed_from,omitempty"`
	Scope       string `json:"scope"` // in full, with the account
	Kind        string `json:"kind"`
	Stack       string `json:"stack,omitempty"`
	ID          string `json:"id,omitempty"` // of the resource that exists
	Difference  string `json:"difference"`
	// Action is "create", "update", "replace", "revert", "restart", "delete", "forget" or "notify".
	Action     string    `json:"action"`
	Proposed   string    `json:"proposed"` // the action if nothing blocked it
	Reason     string    `json:"reason"`
	Message    string    `json:"message,omitempty"`
	Suggestion string    `json:"suggestion,omitempty"`
	BlockedBy  []Blocker `json:"blocked_by"` // empty: nothing blocks it
	// Until is when a decision that only time blocks may be executed; absent: time is not what
	// blocks it, or not alone.
	Until    *time.Time        `json:"until,omitempty"`
	Warnings []decider.Warning `json:"warnings,omitempty"`
	DataLoss string            `json:"data_loss,omitempty"` // the data that is lost with it, once nothing blocks it
	// Origin is the record that proves the resource to be created or adopted here.
	Origin *decider.Origin `json:"origin,omitempty"`
	// Strategy and Steps are of a replace or revert.
	Strategy string         `json:"strategy,omitempty"`
	Steps    []replace.Step `json:"steps,omitempty"`
	// Turn is when it is interrupted, among those of its count.
	Turn    *Turn    `json:"turn,omitempty"`
	Changes []Change `json:"changes"`
}

// Turn is when one of a count is interrupted: as many at a time as may be unavailable, each once those
// before it are in service.
type Turn struct {
	Of      string   `json:"of"` // the count
	AtATime int      `json:"at_a_time"`
	Size    int      `json:"size"`
	After   []string `json:"after"` // refs; empty: it waits for none
}

func turnOf(t *decider.Turn, names Names) *Turn {
	if t == nil {
		return nil
	}
	out := &Turn{Of: t.Of, AtATime: t.Most, Size: t.Size, After: []string{}}
	for _, r := range t.After {
		out.After = append(out.After, names.Ref(r))
	}
	return out
}

// Blocker is a policy that blocks a decision.
type Blocker = decider.Blocker

// Change is one attribute, current and configured; null where there is none.
type Change struct {
	On              string          `json:"on,omitempty"` // "tag", "mark", "state" or "name"; absent: an attribute
	Path            string          `json:"path"`
	From            json.RawMessage `json:"from"`
	To              json.RawMessage `json:"to"`
	Effect          string          `json:"effect"` // "in_place", "restart", "replace"
	KnownAfterApply bool            `json:"known_after_apply,omitempty"`
}

// ChangeSummary is the counts of a plan or an apply.
type ChangeSummary struct {
	Type      string `json:"type"`      // "change_summary"
	Operation string `json:"operation"` // "plan", "apply" or "drift"
	Counts
	Unmanaged int     `json:"unmanaged"`
	Plan      string  `json:"plan"` // its id
	Seconds   float64 `json:"seconds"`
	Sandbox   bool    `json:"sandbox,omitempty"` // it was the sandbox
}

// InFlight is an action that runs while a plan is made, which leaves it alone.
type InFlight struct {
	Type    string    `json:"type"` // "in_flight"
	Ref     string    `json:"ref"`
	Action  string    `json:"action"`
	Started time.Time `json:"started"`
	By      string    `json:"by"` // who holds its claim
}

// Step is the start or the end of an action.
type Step struct {
	Type        string  `json:"type"` // "apply_start", "apply_complete", "apply_errored"
	Ref         string  `json:"ref"`
	Action      string  `json:"action"`
	Phase       string  `json:"phase,omitempty"` // of a replacement that failed: the step
	ID          string  `json:"id"`
	Seconds     float64 `json:"seconds"`
	Error       string  `json:"error"`
	Cause       string  `json:"cause,omitempty"` // why it failed, such as "denied" or "quota"
	Recoverable bool    `json:"recoverable"`
	Status      string  `json:"status,omitempty"` // of an end: "done", "accepted", "failed", "uncertain", "refused"
}

// Diagnostic is an error or a warning: what, where, and what to do.
type Diagnostic struct {
	Type     string `json:"type"`     // "diagnostic"
	Severity string `json:"severity"` // "error" or "warning"
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Cell     string `json:"cell,omitempty"`     // row and column, in a file that has no lines
	Resource string `json:"resource,omitempty"` // kind/name of the resource it is about
	// Resources are the further resources with the same problem at the same position.
	Resources  []string `json:"resources,omitempty"`
	Used       string   `json:"used,omitempty"` // in a component: the place that uses it
	Suggestion string   `json:"suggestion"`     // what to do
	// Code is the exit code of the command that this error ended; absent: it did not end it.
	Code int `json:"code,omitempty"`
}

func (Version) record()       {}
func (PlannedChange) record() {}
func (ChangeSummary) record() {}
func (Step) record()          {}
func (InFlight) record()      {}
func (Diagnostic) record()    {}

// Planned turns a plan into records: its decisions, and what is not verified. Unmanaged resources
// are no changes; they are
// counted in the summary and listed by the inventory.
func Planned(p decider.Plan, names Names) []Record {
	out := make([]Record, 0, len(p.Decisions)+2)
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Difference != comparator.Unmanaged {
			out = append(out, planned(*d, names))
		}
	}
	for _, u := range p.NotVerified {
		out = append(out, NotVerified{
			Type: "not_verified", Ref: names.Ref(u.Ref), Scope: u.Ref.Scope().String(),
			Paths: u.Paths, Since: u.Since,
		})
	}
	for _, k := range p.Kept {
		out = append(out, Kept{
			Type: "kept", Ref: names.Ref(k.Ref), Scope: k.Ref.Scope().String(), Path: k.Path,
			Observed: JSON(k.Observed), Desired: JSON(k.Desired),
		})
	}
	return append(append(out, StackOutputs(p.StackPins)...), OutputChanges(p.Outputs)...)
}

// Kept is an attribute that stays although it is not as configured.
type Kept struct {
	Type     string          `json:"type"` // "kept"
	Ref      string          `json:"ref"`
	Scope    string          `json:"scope"`
	Path     string          `json:"path"`
	Observed json.RawMessage `json:"observed"`
	Desired  json.RawMessage `json:"desired"`
}

func (Kept) record() {}

// NotVerified is a resource with attributes that can neither be read back nor were recorded.
type NotVerified struct {
	Type  string   `json:"type"` // "not_verified"
	Ref   string   `json:"ref"`
	Scope string   `json:"scope"`
	Paths []string `json:"paths"`
	Since bool     `json:"since,omitempty"` // they were configured after it was created: only a replacement sets them
}

func (NotVerified) record() {}

func planned(d decider.Decision, names Names) PlannedChange {
	c := PlannedChange{
		Type: "planned_change", Ref: names.Ref(d.Ref), Scope: d.Ref.Scope().String(), Kind: d.Ref.Kind,
		Stack: d.Ref.Stack, Difference: string(d.Difference), Action: string(d.Action),
		Proposed: string(d.Proposed), Reason: string(d.Reason), Message: d.Message, Suggestion: d.Suggestion,
		Origin: d.Origin, Strategy: string(d.Strategy), Steps: d.Steps, Turn: turnOf(d.Turn, names),
		BlockedBy: append([]Blocker{}, d.Blockers...), Warnings: d.Warnings, DataLoss: planview.LossOf(d),
		Changes: Changes(d.Changes),
	}
	if d.Observed != nil {
		c.ID = d.Observed.ID
	}
	if !d.Renamed.IsZero() {
		c.RenamedFrom = names.Ref(d.Renamed)
	}
	if at, waits := d.DeferredUntil(); waits {
		c.Until = &at
	}
	return c
}

// Recovered is an action whose result was not recorded, and what observing found.
type Recovered struct {
	Type     string `json:"type"` // "apply_recovered"
	Ref      string `json:"ref"`
	Action   string `json:"action"`
	ID       string `json:"id"`
	Finding  string `json:"finding"` // "done", "not_done", "unknown"
	Evidence string `json:"evidence"`
}

// Reverted is a replacement that goes back, and why.
type Reverted struct {
	Type string `json:"type"` // "apply_reverted"
	Ref  string `json:"ref"`
	Why  string `json:"why"`
}

// NotStarted is an action that was not started, and why.
type NotStarted struct {
	Type   string `json:"type"` // "apply_not_started"
	Ref    string `json:"ref"`
	Action string `json:"action"`
	// Why is "interrupted", "waiting", "turn", "unneeded", "claimed", "check", "stale" or "broken".
	Why     string `json:"why"`
	On      string `json:"on,omitempty"`
	Message string `json:"message,omitempty"`
}

// Forgotten is a resource that an apply recorded as no longer managed.
type Forgotten struct {
	Type string `json:"type"` // "apply_forgotten"
	Ref  string `json:"ref"`
	ID   string `json:"id"`
}

func (Forgotten) record() {}

// Renamed is a resource that an apply recorded under a new name.
type Renamed struct {
	Type string `json:"type"` // "apply_renamed"
	Ref  string `json:"ref"`
	From string `json:"from"`
	ID   string `json:"id"`
}

func (Renamed) record() {}

func (Recovered) record()  {}
func (Reverted) record()   {}
func (NotStarted) record() {}
