package clusters

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/report"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/sqlite"
)

// clusterRow is one cluster of a summary, in Kindler's words.
type clusterRow struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Desired  string `json:"desired"` // present or absent; none: no row declares it
	Actual   string `json:"actual"`  // present, missing or unknown
	Action   string `json:"action"`  // create, delete, noop, or another one of ovi's
	Result   string `json:"result"`  // ok, failed, not-started, dry-run, blocked, unknown
	Message  string `json:"message"`

	ref        resource.Ref
	healthy    bool
	suggestion string // what to do about the message
	invalid    string // why the row is wrong; its cluster is healed and not changed
}

// The values of clusterRow.
const (
	actualPresent = "present"
	actualMissing = "missing"
	actualUnknown = "unknown"
	desiredNone   = "none"
	actionNone    = "noop"
	actionPrune   = "prune"
	resultOK      = "ok"
	resultFailed  = "failed"
	resultOpen    = "not-started"
	resultDry     = "dry-run"
	resultBlocked = "blocked"
	resultUnknown = "unknown"
)

// clusterRows are the rows of the table as observed, those of clusters that no row declares any more,
// and other resources of the stack that a plan acts on, or cannot because they are unmanaged.
func clusterRows(rows []sqlite.Row, view *report.View, p *engine.Planned) []clusterRow {
	decided := map[resource.Ref]*decider.Decision{}
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		decided[session.Bare(d.Ref)] = d
	}
	out := make([]clusterRow, 0, len(rows))
	for _, r := range rows {
		row := clusterRow{Name: r.Name, Provider: r.Provider, Desired: r.Desired, ref: session.ClusterRef(r.Name)}
		row.observed(view)
		row.decided(decided[row.ref])
		row.invalid = cmp.Or(view.Invalid(row.ref), r.Wrong)
		row.tellInvalid()
		delete(decided, row.ref)
		out = append(out, row)
	}
	for ref, d := range decided {
		if !d.Proposed.Executes() && !d.Action.Executes() && d.Difference != comparator.Conflict &&
			d.Reason != decider.ReasonBroken {
			continue
		}
		row := clusterRow{Name: ref.Name, Desired: desiredNone, ref: ref}
		if ref.Kind != sqlite.Kind {
			row.Name = ref.Short()
		}
		if d.Desired != nil {
			row.Desired = sqlite.Present
		}
		row.Actual = actualMissing // a plan acts only on what was observed
		if d.Observed != nil {
			row.Actual, row.healthy, row.Message = actualPresent, d.Observed.Health == resource.Healthy, d.Observed.Message
		}
		row.decided(d)
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b clusterRow) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ref.Kind, b.ref.Kind))
	})
	return out
}

// isCluster reports whether the row is a cluster, and not another resource of the stack.
func (r *clusterRow) isCluster() bool { return r.ref.Kind == sqlite.Kind }

// observed fills in what was observed of the row.
func (r *clusterRow) observed(view *report.View) {
	f, known := view.Fact(r.ref)
	r.Actual, r.healthy, r.Message, r.suggestion = actualPresent, f.Health == resource.Healthy, f.Failure, f.Suggestion
	switch {
	case !known || f.Health == resource.Unclear:
		r.Actual = actualUnknown
	case f.ID == "":
		r.Actual = actualMissing
	case !r.healthy:
		r.Message = cmp.Or(f.Failure, f.Message, string(f.Health))
	}
}

// decided fills in what is to be done.
func (r *clusterRow) decided(d *decider.Decision) {
	r.Action, r.Result = actionNone, resultOK
	switch {
	case r.Actual == actualUnknown:
		r.Result = resultUnknown
	case d == nil:
	case d.Difference == comparator.Conflict:
		r.Result = resultBlocked
		if d.Observed == nil || d.Observed.Ownership != resource.Unmanaged || r.suggestion == "" {
			r.say(d.Message, d.Suggestion) // how it came about tells what to do
		}
	case d.Reason == decider.ReasonBroken:
		r.Result = resultBlocked
		r.say(d.Message, d.Suggestion)
	case d.Action.Executes():
		r.Action, r.Result = string(d.Action), resultOpen
	case d.Proposed.Executes():
		r.Action, r.Result = string(d.Proposed), resultBlocked
		var why []string
		var next string // what to do about the first blocker that can be lifted
		for _, b := range d.Blockers {
			why, next = append(why, b.Reason), cmp.Or(next, b.Suggestion)
		}
		r.say(cmp.Or(strings.Join(why, "; "), d.Message, r.Message), cmp.Or(next, d.Suggestion, r.suggestion))
	}
}

// tellInvalid makes a wrong row a failure, whatever was done to its cluster.
func (r *clusterRow) tellInvalid() {
	if r.invalid != "" {
		r.Result = resultFailed
		r.say(r.invalid, "correct the row")
	}
}

// say keeps a message of another part of ovi, and apart from it what to do.
func (r *clusterRow) say(message, suggestion string) {
	message, more := provider.Parted(message)
	r.Message, r.suggestion = message, cmp.Or(more, suggestion)
}

// verified is what a verification finds of a row: OK, MISSING, DRIFT or UNKNOWN.
func (r *clusterRow) verified() string {
	switch {
	case r.Actual == actualUnknown:
		return "UNKNOWN"
	case r.Desired == sqlite.Present && (r.Actual == actualMissing || !r.healthy):
		return "MISSING"
	case r.Desired != sqlite.Present && r.Actual == actualPresent:
		return "DRIFT"
	}
	return "OK"
}

// verifiedCode is the exit code of a verification: what could not be read is worse than a missing cluster,
// and that worse than a mismatch.
func verifiedCode(rows []clusterRow) int {
	code := clusterDone
	for i := range rows {
		switch rows[i].verified() {
		case "UNKNOWN":
			return clusterUnobserved
		case "MISSING":
			code = clusterMissing
		case "DRIFT":
			if code == clusterDone {
				code = clusterMismatch
			}
		}
	}
	return code
}
