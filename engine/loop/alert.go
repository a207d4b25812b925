package loop

import (
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
)

// AlertType is a kind of concern.
type AlertType string

// What only a human can settle.
const (
	BlockedAlert          AlertType = "vetoed"        // a policy holds it back, with no end in sight
	UnreachableAlert      AlertType = "blind"         // a scope was not seen for several cycles
	Unknown               AlertType = "unknown"       // observing could not tell how an action ended
	ConflictAlert         AlertType = "foreign"       // it is wanted, and belongs to somebody else
	Pending               AlertType = "pending"       // there is something to do, and nobody has said yes
	SourceUnread          AlertType = "source_unread" // the wishes cannot be read
	PolicyUnread          AlertType = "policy_unread" // the rules for every stack cannot be read: the last ones hold
	ConfigurationMismatch AlertType = "other_wishes"  // the instances of a stack want different things
)

// Alert is something that only a human can settle.
type Alert struct {
	Type  AlertType
	Ref   resource.Ref // zero if it is about no single thing
	Scope resource.Scope
	Text  string
}

// Key names a concern: the same in the next cycle if it is still the same.
func (c Alert) Key() string {
	return string(c.Type) + " " + c.Ref.String() + " " + c.Scope.String()
}

// alerts reads from a plan what waits for a human.
func (l *loop) alerts(p *engine.Planned) []Alert {
	var out []Alert
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		switch {
		case d.Difference == comparator.Conflict:
			out = append(out, Alert{Type: ConflictAlert, Ref: d.Ref, Text: d.Message})
		case d.Proposed.Executes() && !d.Action.Executes():
			if v, lasts := lasting(d.Blockers); lasts {
				out = append(out, Alert{Type: BlockedAlert, Ref: d.Ref, Text: fmt.Sprintf("%s held back by %s: %s", d.Proposed, v.Policy, v.Reason)})
			}
		case d.Action.Executes() && !l.o.Apply:
			out = append(out, Alert{Type: Pending, Ref: d.Ref, Text: fmt.Sprintf("%s: %s", d.Action, d.Message)})
		}
	}
	for ref, o := range p.OpenActions() {
		if !o.Checked.IsZero() {
			out = append(out, Alert{Type: Unknown, Ref: ref, Text: fmt.Sprintf("how the %s of run %s ended cannot be told by looking", o.Action, o.Run)})
		}
	}
	return append(out, l.unreachableSince(p)...)
}

// lasting is the first veto that does not end by itself. What was not chosen, and what waits
// for a look, is told elsewhere.
func lasting(blockers []decider.Blocker) (decider.Blocker, bool) {
	for _, v := range blockers {
		switch v.Policy {
		case decider.Targets{}.Name(), decider.Excludes{}.Name(), decider.Unreachable{}.Name(), engine.OpenActionPolicy:
			return v, false
		}
		if v.Until == nil {
			return v, true
		}
	}
	return decider.Blocker{}, false
}

// unreachableSince counts the cycles in a row that did not see a scope.
func (l *loop) unreachableSince(p *engine.Planned) []Alert {
	var out []Alert
	for s := range l.unreachable {
		if _, still := p.Plan.Unreachable[s]; !still {
			delete(l.unreachable, s)
		}
	}
	for s, why := range p.Plan.Unreachable {
		if l.unreachable[s]++; l.unreachable[s] >= l.o.UnreachableAfter {
			out = append(out, Alert{Type: UnreachableAlert, Scope: s, Text: fmt.Sprintf("not seen for %d cycles: %s", l.unreachable[s], why)})
		}
	}
	return out
}
