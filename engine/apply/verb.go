package apply

import (
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
)

// verb names the method of a provider to call.
type verb int

const (
	create verb = iota
	update
	remove
	setAside
	switchOver
	restore
)

// verbOf returns the verb of a phase of an action. A restart is an update of the state.
func verbOf(action decider.Action, phase decider.Phase) verb {
	switch {
	case phase == decider.DeletePhase:
		return remove
	case action == decider.Create || action == decider.Replace:
		return create
	}
	return update
}

// verbOfStep returns the verb of a step of a replacement that has an effect.
func verbOfStep(s replace.Step) verb {
	switch s {
	case replace.SetAside:
		return setAside
	case replace.Create:
		return create
	case replace.Switch:
		return switchOver
	case replace.Restore:
		return restore
	default:
		return remove
	}
}
