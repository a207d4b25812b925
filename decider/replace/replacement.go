package replace

import (
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Replacement is one replacement as it is on record: what ReplaceStarted said, and whether it
// goes back.
type Replacement struct {
	Ref      resource.Ref
	Strategy resource.Strategy
	Desired  string // digest of the new configuration
	Old      string // id of the old resource
	Key      string // idempotency key of the create, by which the new resource is found
	// Stopped: the configuration asks for a resource that does not run. Stopped is healthy for
	// it, and it is not started.
	Stopped bool
	// Deadline is when what is still starting counts as failed; zero is never. Who resumes or
	// reverts a replacement sets it again: time in which no engine ran does not count.
	Deadline  time.Time
	Reverting bool // it goes back: recorded, and kept until it ends
}

// Stage is what an observation found of a replacement: the old resource by its id, the new one
// by its key or binding. Nil is known to be absent; what could not be read has no stage.
type Stage struct {
	Old, New *resource.Observed
	Aside    bool // the old resource has given up its name
	Moved    bool // nothing refers to the old resource
	Used     bool // something refers to the new resource, so there is no way back
	Now      time.Time
}

// Next gives the next step. It is a function of what exists: any stage has one, also a stage
// that another hand made. A step that an engine gets twice in a row had no effect yet, and
// waits before it is done again.
func (r Replacement) Next(s Stage) Step {
	s = r.sound(s)
	switch back := r.Revertible(s); {
	case r.Reverting && back:
		return r.back(s)
	case r.failed(s) && back:
		return Revert
	case r.failed(s):
		return GiveUp
	default:
		return r.forward(s)
	}
}

// Failed says that the new resource is failing, or that it is not healthy at the deadline. The
// engine then records that the replacement goes back, if it is Revertible. A create that is
// refused for good leaves no stage to see it by: the engine records that by itself.
func (r Replacement) Failed(s Stage) bool { return !r.Reverting && r.failed(r.sound(s)) }

// Revertible says that the old resource can serve again. Destroy-first never goes back,
// create-first not once something refers to the new resource, and nothing goes back to an old
// resource that no longer exists: the new one is then all there is, and is kept.
func (r Replacement) Revertible(s Stage) bool {
	return r.Strategy.KeepsOld() && !s.Used && (s.Old != nil || s.New == nil)
}

// Checks says that the next step is the first that deletes or sets aside what works: the
// provider's Check comes before it.
func (r Replacement) Checks(s Stage) bool {
	next := r.Next(s)
	return next == SetAside || next == DeleteOld && s.New == nil
}

// sound takes the old resource out of a stage that holds it as the new one: where both exist
// together their ids differ, and a revert deletes only what the replacement created.
func (r Replacement) sound(s Stage) Stage {
	if s.New != nil && r.Strategy.KeepsOld() && s.New.ID != "" && s.New.ID == r.Old {
		s.New = nil
	}
	return s
}

func (r Replacement) forward(s Stage) Step {
	switch {
	case s.Old != nil && !r.Strategy.KeepsOld():
		return DeleteOld
	case s.New == nil && s.Old != nil && r.Strategy.SetsAside() && !s.Aside:
		return SetAside
	case s.New == nil:
		return Create
	case r.ready(s.New):
		return r.finish(s)
	case s.New.Health == resource.Stopped && r.Strategy.SetsAside():
		return Switch
	default:
		return Wait
	}
}

// finish is what is left to do once the new resource is healthy.
func (r Replacement) finish(s Stage) Step {
	switch {
	case s.Old == nil:
		return Done
	case r.Strategy == resource.CreateFirst && !s.Moved:
		return References
	default:
		return DeleteOld
	}
}

// back deletes the new resource, and only that, and puts the old one back. An old resource
// that is on its way may be on its way to its end: the new one stays until that is clear.
func (r Replacement) back(s Stage) Step {
	late := r.late(s)
	switch {
	case s.New != nil && s.Old.Health == resource.Pending && !late:
		return Wait
	case s.New != nil:
		return DeleteNew
	case s.Old == nil || !r.Strategy.SetsAside():
		return Reverted
	case s.Aside:
		return Restore
	case s.Old.Health == resource.Stopped && !r.Stopped && !late:
		return Restore // it has its name back and was not started
	case s.Old.Health == resource.Pending && !late:
		return Wait
	default:
		return Reverted
	}
}

func (r Replacement) failed(s Stage) bool {
	switch {
	case s.New != nil && r.ready(s.New):
		return false
	case s.New != nil && s.New.Health == resource.Failing:
		return true
	default:
		return r.late(s)
	}
}

func (r Replacement) late(s Stage) bool { return !r.Deadline.IsZero() && !s.Now.Before(r.Deadline) }

func (r Replacement) ready(o *resource.Observed) bool {
	return o.Health == resource.Healthy || r.Stopped && o.Health == resource.Stopped
}
