package resource

import (
	"slices"
	"strings"
)

// On is the part of a resource that a change is made to.
type On string

// The parts. The zero On is an attribute.
const (
	OnAttribute On = ""
	OnTag       On = "tag"       // Path is "tags.KEY"
	OnMark      On = "mark"      // Path is "managed", "ref", "stack", "owner" or "blessed"
	OnState     On = "state"     // Path is "state"
	OnName      On = "name"      // Path is "name": what the system calls it; see Kind.Renames
	OnCondition On = "condition" // Path is "condition"; see Condition
)

// Change is one attribute, tag, mark, state, name or condition that differs. From is nil for one that is not
// set, To is nil for one to remove.
type Change struct {
	On       On
	Path     string
	From, To Value
	Effect   Effect
	// KnownAfterApply: To depends on a resource that does not exist yet or will be replaced.
	KnownAfterApply bool
	Note            string // for the user: "also applies the pending change of size"
}

// NoteOutside is the note on a change that goes back to what was applied: it was made outside ovi.
const NoteOutside = "outside ovi"

// Outside reports whether a change that was made outside ovi is undone. No configuration has marks, so a change of
// theirs always is.
func (c Change) Outside() bool { return c.Note == NoteOutside || c.On == OnMark }

// Name is the path as users read it: that of a mark is "ovi:owner".
func (c Change) Name() string {
	if c.On == OnMark {
		return "ovi:" + c.Path
	}
	return c.Path
}

// Effect is what changing an attribute does to an existing resource.
type Effect int

// The effects, mildest first.
const (
	InPlace Effect = iota // changed while the resource runs
	Restart               // changed with a restart
	Replace               // immutable: changing it replaces the resource
)

// Worst is the heaviest effect among the changes.
func Worst(changes []Change) Effect {
	worst := InPlace
	for _, c := range changes {
		worst = max(worst, c.Effect)
	}
	return worst
}

// SortChanges sorts by path.
func SortChanges(c []Change) {
	slices.SortFunc(c, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
}
