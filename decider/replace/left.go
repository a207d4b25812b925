package replace

import (
	"time"

	"github.com/ovi-project/ovi/resource"
)

// longest bounds Left: no replacement has more steps.
const longest = 12

// Left lists the steps from a stage to the end, if nothing fails. Plans show it and policies judge
// it. What the steps wait for, or that a resource cannot go back, does not show.
func (r Replacement) Left(s Stage) []Step {
	r.Deadline = time.Time{}
	var out []Step
	for range longest {
		step := r.Next(s)
		if step.Ends() {
			break
		}
		out = append(out, step)
		s = r.after(step, s)
		r.Reverting = r.Reverting || step == Revert
	}
	return out
}

// after is the stage after a step that had its effect.
func (r Replacement) after(step Step, s Stage) Stage {
	s.Old, s.New = copyOf(s.Old), copyOf(s.New)
	switch step {
	case SetAside:
		s.Aside = true
	case Create:
		s.New = &resource.Observed{ID: "new of " + r.Old, Health: resource.Pending}
		if r.Stopped || r.Strategy.SetsAside() {
			s.New.Health = resource.Stopped
		}
	case Switch:
		s.New.Health = resource.Pending
		if s.Old != nil {
			s.Old.Health = resource.Stopped
		}
	case Wait:
		if s.New != nil {
			s.New.Health = resource.Healthy
		}
		if s.Old != nil && s.Old.Health == resource.Pending {
			s.Old.Health = resource.Healthy
		}
	case References:
		s.Moved = true
	case DeleteOld:
		s.Old = nil
	case DeleteNew:
		s.New = nil
	case Restore:
		s.Aside, s.Old.Health = false, resource.Pending
	}
	return s
}

func copyOf(o *resource.Observed) *resource.Observed {
	if o == nil {
		return nil
	}
	c := *o
	return &c
}
