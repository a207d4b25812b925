package core

import "time"

// Life computes the state of a resource at any moment. States that pass by
// themselves are computed from the clock when they are read; nothing is saved
// when they pass.
type Life struct {
	Phases []phase `json:"phases,omitempty"`
	Final  string  `json:"final"`
}

// phase is a state that lasts until a moment.
type phase struct {
	Name  string    `json:"name"`
	Until time.Time `json:"until"`
}

// At returns the state at a moment.
func (l Life) At(now time.Time) string {
	for _, p := range l.Phases {
		if now.Before(p.Until) {
			return p.Name
		}
	}
	return l.Final
}

// First is the state right after the change, which is what the answer to the
// changing call shows even when the change takes no time.
func (l Life) First() string {
	if len(l.Phases) > 0 {
		return l.Phases[0].Name
	}
	return l.Final
}

// End is the moment at which the final state is reached.
func (l Life) End() time.Time {
	if n := len(l.Phases); n > 0 {
		return l.Phases[n-1].Until
	}
	return time.Time{}
}

// Through returns a life that passes through phases of one length each.
func Through(now time.Time, each time.Duration, final string, names ...string) Life {
	l := Life{Final: final}
	for _, name := range names {
		now = now.Add(each)
		l.Phases = append(l.Phases, phase{name, now})
	}
	return l
}

// Steady is a life without passing states.
func Steady(state string) Life { return Life{Final: state} }
