package resource

import "time"

// State is whether a resource runs, as configured.
type State string

// The states.
const (
	StateRunning State = "running"
	StateStopped State = "stopped"
)

// DefaultGrace is the grace of kinds that set none.
const DefaultGrace = 10 * time.Minute

// StatePath is the Path of a Change on State.
const StatePath = "state"

// Pends returns the time for which a resource of the kind may stay Pending before that is a failure.
func (k Kind) Pends() time.Duration {
	if k.Grace > 0 {
		return k.Grace
	}
	return DefaultGrace
}

// Completed is the Message of a Healthy resource that has ended according to its configuration: it does not
// run and cannot be stopped.
const Completed = "completed"

// DiffState returns the change that makes a resource run, or stop, as configured; false if it does,
// or if its health does not tell. starting: it is Pending, and not for too long.
func DiffState(desired State, o *Observed, starting bool) (Change, bool) {
	fits := Healthy
	if desired == StateStopped {
		fits = Stopped
	}
	switch {
	case desired == StateStopped && o.Health == Healthy && o.Message == Completed:
		return Change{}, false
	case desired == "" || o.Health == fits || o.Health == Unclear || o.Health == "" || o.Health == Pending && starting:
		return Change{}, false
	}
	return Change{On: OnState, Path: StatePath, From: String(StateOf(o.Health)), To: String(desired), Effect: Restart},
		true
}

// StateOf is a health in the words of a state, where there is one.
func StateOf(h Health) string {
	if h == Healthy {
		return string(StateRunning)
	}
	return string(h)
}

// ConditionPath is the Path of a Change on the condition, and Whole its To.
const (
	ConditionPath = "condition"
	Whole         = "whole"
)

// MakeWhole returns the change that gives a resource all its parts again, and false if it has them or is unreadable.
// Only a replacement does that, unless an update of the kind repairs a broken one.
func (k Kind) MakeWhole(o *Observed) (Change, bool) {
	c := Change{On: OnCondition, Path: ConditionPath, From: String(o.Condition), To: String(Whole), Effect: Replace}
	if o.Condition == Broken && k.Repairs {
		c.Effect = InPlace
	}
	return c, o.Condition == Broken || o.Condition == Unfinished
}
