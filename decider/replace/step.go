package replace

import "github.com/ovi-project/ovi/resource"

// Step is one step of a replacement.
type Step string

// The steps. The last three end an attempt; all others are done and followed by an
// observation, whose stage gives the next one.
const (
	SetAside   Step = "set_aside"  // the old resource gives up its name
	Create     Step = "create"     // the new resource; under SetsAside it is not started
	Switch     Step = "switch"     // the old resource stops, the new one starts
	Wait       Step = "wait"       // until a resource that is starting is healthy or failing
	References Step = "references" // wait until what refers to the old resource is updated
	DeleteOld  Step = "delete_old"
	Revert     Step = "revert" // record that the replacement goes back, then ask again
	DeleteNew  Step = "delete_new"
	Restore    Step = "restore" // the old resource gets its name back and starts

	Done     Step = "done"     // the new resource has replaced the old one
	Reverted Step = "reverted" // the old resource is back, and nothing is left of the new one
	// GiveUp: the new resource is not healthy in time and there is no way back. While the old
	// resource or none at all exists the replacement stays open, and the next plan resumes it.
	GiveUp Step = "give_up"
)

// Steps lists what a strategy does when nothing fails, in order. Plans show it and policies
// judge it.
func Steps(s resource.Strategy) []Step {
	switch {
	case s.SetsAside():
		return []Step{SetAside, Create, Switch, Wait, DeleteOld}
	case s == resource.CreateFirst:
		return []Step{Create, Wait, References, DeleteOld}
	default:
		return []Step{DeleteOld, Create, Wait}
	}
}

// Ends says that no step follows this one.
func (s Step) Ends() bool { return s == Done || s == Reverted || s == GiveUp }

// Destroys says that the step deletes a resource.
func (s Step) Destroys() bool { return s == DeleteOld || s == DeleteNew }
