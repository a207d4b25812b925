package decider

import (
	"fmt"
	"time"
)

// RestartsMost restarts of a resource because of its state within RestartsWithin are allowed.
const (
	RestartsMost   = 3
	RestartsWithin = 10 * time.Minute
)

// Restarts are the last restarts of a resource because of its state, under one configuration.
type Restarts struct {
	Desired string      // digest of the configuration
	At      []time.Time // when they started, oldest first
	Down    time.Time   // since when it is not healthy; zero: it is
}

// RestartBudget blocks another restart of a resource that several did not keep in its state, until
// its configuration changes or an operator allows it. A resource that stayed in its state for
// RestartsWithin may be restarted again.
type RestartBudget struct{}

// Name implements Policy.
func (RestartBudget) Name() string { return "restarts" }

// Review implements Policy.
func (RestartBudget) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	if f.Restarts == nil {
		return out, nil
	}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Reason != ReasonState {
			continue
		}
		if r, ok := f.Restarts(d.Ref); ok && r.Desired == d.DesiredDigest() && r.usedUp(f.Now) {
			out[i] = Blocker{
				Reason: fmt.Sprintf("%d restarts in %d minutes did not help: %s", RestartsMost, RestartsWithin/time.Minute,
					d.Message),
				Suggestion: "correct the cause and run `ovi retry " + f.called(d.Ref) + "`, or change the configuration",
			}
		}
	}
	return out, nil
}

// usedUp reports whether the last restarts were so close together, and the resource left its state
// so soon after the last.
func (r Restarts) usedUp(now time.Time) bool {
	n := len(r.At)
	if n < RestartsMost || r.At[n-1].Sub(r.At[n-RestartsMost]) > RestartsWithin {
		return false
	}
	if r.Down.IsZero() {
		r.Down = now
	}
	return r.Down.Sub(r.At[n-1]) < RestartsWithin
}
