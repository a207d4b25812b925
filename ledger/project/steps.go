package project

import (
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
)

// Steps of a replacement that start or end a binding, as package replace names them.
const (
	stepCreate    = "create"
	stepDeleteOld = "delete_old"
	stepDeleteNew = "delete_new"
	stepRestore   = "restore"
)

// Creates reports whether the action, or its phase or step, creates a resource.
func Creates(a decider.Action, phase, step string) bool {
	return step == stepCreate || step == "" && (a == decider.Create || phase == event.PhaseCreate)
}

// Deletes reports whether the action, or its phase or step, deletes a resource.
func Deletes(a decider.Action, phase, step string) bool {
	return step == stepDeleteOld || step == stepDeleteNew ||
		step == "" && (a == decider.Delete || phase == event.PhaseDelete)
}
