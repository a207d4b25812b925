package engine

import (
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// Trouble is a kind of concern.
type Trouble string

// What only a human can settle.
const (
	Vetoed       Trouble = "vetoed"        // a policy holds it back, with no end in sight
	Blind        Trouble = "blind"         // a scope was not seen for several cycles
	Unknown      Trouble = "unknown"       // observing could not tell how an action ended
	ForeignThing Trouble = "foreign"       // it is wanted, and belongs to somebody else
	Pending      Trouble = "pending"       // there is something to do, and nobody has said yes
	SourceUnread Trouble = "source_unread" // the wishes cannot be read
	PolicyUnread Trouble = "policy_unread" // the rules for every stack cannot be read: the last ones hold
	OtherWishes  Trouble = "other_wishes"  // the instances of a stack want different things
)

// Concern is something that only a human can settle.
type Concern struct {
	Kind  Trouble
	Ref   resource.Ref // zero if it is about no single thing
	Scope resource.Scope
	Text  string
}

// Key names a concern: the same in the next cycle if it is still the same.
func (c Concern) Key() string {
	return string(c.Kind) + " " + c.Ref.String() + " " + c.Scope.String()
}

// concerns reads from a plan what waits for a human.
func (l *loop) concerns(p *Planned) []Concern {
	var out []Concern
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		switch {
		case d.Difference == comparator.Foreign:
			out = append(out, Concern{Kind: ForeignThing, Ref: d.Ref, Text: d.Detail})
		case d.Proposed.Executes() && !d.Action.Executes():
			if v, lasts := lasting(d.Vetoes); lasts {
				out = append(out, Concern{Kind: Vetoed, Ref: d.Ref, Text: fmt.Sprintf("%s held back by %s: %s", d.Proposed, v.Policy, v.Reason)})
			}
		case d.Action.Executes() && !l.o.Apply:
			out = append(out, Concern{Kind: Pending, Ref: d.Ref, Text: fmt.Sprintf("%s: %s", d.Action, d.Detail)})
		}
	}
	for ref, o := range p.open {
		if !o.Asked.IsZero() {
			out = append(out, Concern{Kind: Unknown, Ref: ref, Text: fmt.Sprintf("how the %s of run %s ended cannot be told by looking", o.Action, o.Run)})
		}
	}
	return append(out, l.blindness(p)...)
}

// lasting is the first veto that does not end by itself. What was not chosen, and what waits
// for a look, is told elsewhere.
func lasting(vetoes []decider.Veto) (decider.Veto, bool) {
	for _, v := range vetoes {
		switch v.Policy {
		case decider.Targets{}.Name(), decider.Excludes{}.Name(), decider.Unseen{}.Name(), unsettled{}.Name():
			return v, false
		}
		if v.Until == nil {
			return v, true
		}
	}
	return decider.Veto{}, false
}

// blindness counts the cycles in a row that did not see a scope.
func (l *loop) blindness(p *Planned) []Concern {
	var out []Concern
	for s := range l.blind {
		if _, still := p.Plan.Blind[s]; !still {
			delete(l.blind, s)
		}
	}
	for s, why := range p.Plan.Blind {
		if l.blind[s]++; l.blind[s] >= l.o.BlindAfter {
			out = append(out, Concern{Kind: Blind, Scope: s, Text: fmt.Sprintf("not seen for %d cycles: %s", l.blind[s], why)})
		}
	}
	return out
}
