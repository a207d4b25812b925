package decider

import (
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Windows defers actions outside a stack's maintenance windows. An action that no window covers
// may start at any time; one that several cover, while one of them is open.
type Windows struct{}

// Name implements Policy.
func (Windows) Name() string { return "windows" }

// Review implements Policy.
func (Windows) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if !d.Proposed.Executes() {
			continue
		}
		if v, closed := outsideWindow(d, f); closed {
			out[i] = v
		}
	}
	return out, nil
}

// starts reports whether a restart only starts what does not run: it interrupts nothing, so that only
// windows of restarts defer it.
func (d *Decision) starts() bool {
	return d.Reason == ReasonState && d.Desired != nil && d.Desired.State == resource.StateRunning
}

// coveredBy reports whether a list of actions covers the decision. A plan shows a restart as an update, and so a list
// with update covers it, unless it only starts what does not run.
func (d *Decision) coveredBy(covers func(action, kind string) bool) bool {
	return covers(string(d.Proposed), d.Ref.Kind) ||
		d.Proposed == Restart && !d.starts() && covers(string(Update), d.Ref.Kind)
}

// outsideWindow returns the Blocker of an action that windows cover while none of them is open.
func outsideWindow(d *Decision, f Facts) (Blocker, bool) {
	var next time.Time
	var name string
	for _, w := range f.Rules[d.Ref.Stack].Windows {
		if !d.coveredBy(w.Covers) || len(w.Actions) == 0 && d.starts() {
			continue
		}
		if w.Open(f.Now) {
			return Blocker{}, false
		}
		if at := w.Next(f.Now); next.IsZero() || at.Before(next) {
			next, name = at, w.Name
		}
	}
	if next.IsZero() {
		return Blocker{}, false
	}
	if name == "" {
		name = "the next window"
	} else {
		name = "window " + name
	}
	return Blocker{Until: &next, Reason: name}, true
}
