package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// cause says in words what made an action necessary, where the reason says only what differed: a
// change or deletion outside ovi, or a change of the configuration. It is empty for a step that
// goes back, whose reason is the failure of its replacement.
func (b *builder) cause(e event.Started) string {
	p, ok := b.plans[e.Plan]
	back := e.Step == string(replace.DeleteNew) || e.Step == string(replace.Restore)
	if !ok || p.decision == nil || back {
		return ""
	}
	switch e.Action {
	case decider.Create:
		if d := b.lastSeen(); d != nil && d.What == deletedOutside {
			if b.lateDelete() != nil {
				return "it was deleted outside ovi, or by an earlier delete whose result is unknown"
			}
			return "it was deleted outside ovi"
		}
	case decider.Update, decider.Restart, decider.Replace:
		return b.changed(p)
	case decider.Delete:
		if l, ok := b.load(p); ok && e.Reason == decider.ReasonUnwanted {
			return "it is not in " + l.Source + " (stack " + l.Stack + ")"
		}
	}
	return ""
}

// changed separates changes that were made outside ovi from changes of the configuration. An
// attribute that refers to another resource also differs if the value of that resource changed, so
// both are named.
func (b *builder) changed(p planned) string {
	if d := b.lastAction(); b.t.changes(*p.decision) == "" || d != nil && mayArrive(d.action) {
		return "" // the earlier action may have made the changes
	}
	outside := slices.ContainsFunc(p.decision.Changes, b.wasMoved)
	source := "the configuration"
	if l, _ := b.load(p); l.Source != "" {
		source = l.Source
	}
	other, config := "", false
	for _, c := range p.decision.Changes {
		if !b.wasMoved(c) {
			config = true
			other = cmp.Or(other, referred(c))
		}
	}
	if other != "" { // one of them changed, or both
		source += " or " + other
	}
	switch {
	case outside && config:
		return "it was changed outside ovi and " + source + " changed"
	case outside:
		return "it was changed outside ovi"
	case b.lastAction() == nil:
		return "it did not match " + source // never changed by ovi: nothing to compare with
	}
	return source + " changed"
}

// referred names a resource of which a changed attribute contains a value; "" for none.
func referred(c resource.Change) string {
	if names, ok := strings.CutPrefix(c.Note, resource.RefersTo); ok {
		names, _, _ = strings.Cut(names, ";")
		name, _, _ := strings.Cut(names, ",")
		name, _, _ = strings.Cut(name, ".")
		return name
	}
	if t, ok := c.To.(resource.Text); ok {
		for _, r := range resource.AppendRefs(nil, t) {
			return r.Kind + "/" + r.Name
		}
	}
	return ""
}

// wasMoved says that an attribute had its configured value after the last action, and was
// observed with another since.
func (b *builder) wasMoved(c resource.Change) bool {
	was, ok := b.moved[c.Name()]
	return ok && same(was, c.To)
}
