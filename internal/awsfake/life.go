package awsfake

import "time"

// life computes the state of a resource at any moment. States that pass by
// themselves are computed from the clock when they are read; nothing is saved
// when they pass.
type life struct {
	Phases []phase `json:"phases,omitempty"`
	Final  string  `json:"final"`
}

// phase is a state that lasts until a moment.
type phase struct {
	Name  string    `json:"name"`
	Until time.Time `json:"until"`
}

func (l life) at(now time.Time) string {
	for _, p := range l.Phases {
		if now.Before(p.Until) {
			return p.Name
		}
	}
	return l.Final
}

// first is the state right after the change, which is what the answer to the
// changing call shows even when the change takes no time.
func (l life) first() string {
	if len(l.Phases) > 0 {
		return l.Phases[0].Name
	}
	return l.Final
}

// end is the moment at which the final state is reached.
func (l life) end() time.Time {
	if n := len(l.Phases); n > 0 {
		return l.Phases[n-1].Until
	}
	return time.Time{}
}

// through gives a life that passes through phases of one length each.
func through(now time.Time, each time.Duration, final string, names ...string) life {
	l := life{Final: final}
	for _, name := range names {
		now = now.Add(each)
		l.Phases = append(l.Phases, phase{name, now})
	}
	return l
}

func steady(state string) life { return life{Final: state} }
