package explain

import (
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
)

// cause says in words what made an action necessary, where the rule only says what differed:
// somebody changed or removed the thing outside ovi, or somebody changed the source.
func (b *builder) cause(e event.Started) string {
	p, ok := b.plans[e.Plan]
	if !ok || p.decision == nil {
		return ""
	}
	switch e.Action {
	case decider.Create:
		if d := b.lastSeen(); d != nil && d.What == "gone" {
			return "it was gone, and not by ovi, and is still wanted"
		}
	case decider.Update, decider.Restart, decider.Replace:
		return b.changed(p)
	case decider.Delete:
		if l, ok := b.load(p); ok && e.Reason == decider.ReasonUnwanted {
			return l.Source + " (stack " + l.Stack + ") no longer wants it"
		}
	}
	return ""
}

// changed tells what the world changed from what the source changed.
func (b *builder) changed(p planned) string {
	diff := b.t.changes(*p.decision)
	if diff == "" {
		return ""
	}
	live := slices.ContainsFunc(p.decision.Changes, b.wasMoved)
	source := slices.ContainsFunc(p.decision.Changes, func(c resource.Change) bool { return !b.wasMoved(c) })
	l, _ := b.load(p)
	wants := "the source wants it otherwise"
	if l.Source != "" {
		wants = l.Source + " wants it otherwise"
	}
	switch {
	case live && source:
		return "it was changed outside ovi, and " + wants + " too (" + diff + ")"
	case live:
		return "it was changed outside ovi, and was put back (" + diff + ")"
	case b.lastAction() == nil:
		return wants + " (" + diff + ")" // never made by ovi: nothing to go by but the wish
	}
	return wants + " than before (" + diff + ")"
}

// wasMoved says that a value was as it is to be when ovi last left the thing, and was seen
// otherwise since.
func (b *builder) wasMoved(c resource.Change) bool {
	was, ok := b.moved[c.Path]
	return ok && same(was, c.To)
}

// lastSeen is the newest chapter that says how the thing was, or what was done to it.
func (b *builder) lastSeen() *draft {
	for _, d := range slices.Backward(b.drafts) {
		if d.What == "seen" || d.What == "gone" || d.action != nil && finished(d.action) {
			return d
		}
	}
	return nil
}
