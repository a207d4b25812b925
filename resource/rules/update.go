package rules

import "time"

// Update says how a new configuration reaches the resources that have one kind and name, such as a
// deployment on the nodes of a site. The zero value sets no limit.
type Update struct {
	Kind string
	Name string
	// Waves are how many of the reachable resources have the new configuration at most, wave by wave;
	// a last wave of all follows by itself.
	Waves []Budget `json:",omitempty"`
	// MaxUnavailable limits how many are changed or not healthy at one time.
	MaxUnavailable Budget
	// MaxFailed is how many may use up their attempts before no further one starts.
	MaxFailed Budget
	// Rollback returns a resource that used up its attempts to its last good configuration.
	Rollback bool `json:",omitempty"`
	// Windows are when resources start a new configuration; none: at any time.
	Windows []Window `json:",omitempty"`
	// Lock is why none starts it; "" means that it may.
	Lock string `json:",omitempty"`
	// Promote: a wave starts once a central orchestrator promotes it; the first of several by itself.
	Promote  bool     `json:",omitempty"`
	Attempts Attempts `json:",omitzero"` // zero: those of the stack
}

// Staged reports whether not all resources start at once, or some may stay behind.
func (u Update) Staged() bool {
	return len(u.Waves) > 0 || u.MaxUnavailable.Set || u.MaxFailed.Set || u.Promote
}

// Closed reports whether all windows are closed, and the one that opens next.
func (u Update) Closed(now time.Time) (next Window, at time.Time, closed bool) {
	for _, w := range u.Windows {
		if w.Open(now) {
			return Window{}, time.Time{}, false
		}
		if opens := w.Next(now); at.IsZero() || opens.Before(at) {
			next, at = w, opens
		}
	}
	return next, at, len(u.Windows) > 0
}

// UpdateOf is the Update of a kind and name; the zero value if there is none.
func (r Rules) UpdateOf(kind, name string) Update {
	for _, u := range r.Updates {
		if u.Name == name && u.Kind == kind {
			return u
		}
	}
	return Update{}
}

// AttemptsOf is how many attempts are allowed of one configuration of a kind and name.
func (r Rules) AttemptsOf(kind, name string) Attempts {
	if a := r.UpdateOf(kind, name).Attempts; a != (Attempts{}) {
		return a
	}
	return r.Attempts
}
