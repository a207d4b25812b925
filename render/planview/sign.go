package planview

import (
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
)

// signOf is the sign of a decision without color.
func signOf(d decider.Decision) string {
	switch rankOf(&d) {
	case isConflict, notShown:
		return term.ConflictSign
	case isBlocked:
		return term.BlockedSign
	case isKept:
		return "#"
	}
	return ActionSign(d.Action)
}

// ActionSign is the sign of an action: a restart is an update.
func ActionSign(a decider.Action) string {
	switch a {
	case decider.Create:
		return "+"
	case decider.Update, decider.Restart, decider.Revert:
		return "~"
	case decider.Replace:
		return term.ReplaceSign
	case decider.Delete, decider.Forget:
		return "-"
	case decider.Notify:
	}
	return term.ConflictSign
}

// rank orders decisions within a location.
type rank int

const (
	isConflict rank = iota
	isCreate
	isUpdate
	isReplace
	isDelete
	isBlocked
	isKept
	notShown // counted only: unmanaged, unreachable with its location or kind, excluded
)

func rankOf(d *decider.Decision) rank {
	switch {
	case d.Difference == comparator.Unmanaged || d.Difference == comparator.Unreachable || d.Excluded():
		return notShown
	case d.Difference == comparator.Conflict:
		return isConflict
	case d.Reason == decider.ReasonBroken || d.Reason == decider.ReasonFailing:
		return isBlocked
	case d.Reason == decider.ReasonKept:
		return isKept
	}
	switch d.Action {
	case decider.Create:
		return isCreate
	case decider.Update, decider.Restart, decider.Revert:
		return isUpdate
	case decider.Replace:
		return isReplace
	case decider.Delete, decider.Forget:
		return isDelete
	case decider.Notify:
	}
	return isBlocked
}

// Verb is the verb of an action in a plan: a restart is an update, whose attributes tell.
func Verb(a decider.Action) decider.Action {
	if a == decider.Restart {
		return decider.Update
	}
	return a
}
