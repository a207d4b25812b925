package engine

import (
	"fmt"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// Names under which a plan made from a saved one holds things back.
const (
	staleVeto = "stale"
	notInPlan = "not-in-plan"
)

// savedPolicy lets pass what a saved plan was going to do, to things that have not changed.
type savedPolicy struct {
	saved map[resource.Ref]base
}

// Name implements decider.Policy.
func (*savedPolicy) Name() string { return staleVeto }

// Review implements decider.Policy.
func (s *savedPolicy) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Veto, error) {
	out := map[int]decider.Veto{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		b, ok := s.saved[d.Ref]
		if !ok {
			out[i] = decider.Veto{Policy: notInPlan, Reason: "it is not in the saved plan: make a new plan to do it"}
			continue
		}
		if why := b.differs(d); why != "" {
			out[i] = decider.Veto{Policy: staleVeto, Reason: why + " since the plan was made: make a new plan"}
		}
	}
	return out, nil
}

// settledSince are the decisions of the saved plan that the world no longer calls for.
func (s *savedPolicy) settledSince(saved, now *Planned) []decider.Decision {
	still := map[resource.Ref]bool{}
	for i := range now.Plan.Decisions {
		still[now.Plan.Decisions[i].Ref] = true
	}
	var out []decider.Decision
	for _, d := range saved.Plan.Decisions {
		if d.Action.Executes() && !still[d.Ref] {
			d.Action = decider.Notify
			d.Vetoes = append(d.Vetoes, decider.Veto{Policy: staleVeto, Reason: "nothing is left to " + string(d.Proposed) + " since the plan was made"})
			out = append(out, d)
		}
	}
	return out
}

// base is what a saved decision rests on.
type base struct {
	Action decider.Action
	Wish   string
	There  string // digest of the thing, "" if there was none
}

// baseOf is what a decision rests on.
func baseOf(d *decider.Decision) base {
	b := base{Action: d.Action, Wish: d.Wish()}
	if d.There != nil {
		b.There = contentOf(*d.There)
	}
	return b
}

func (b base) differs(d *decider.Decision) string {
	now := baseOf(d)
	switch {
	case b.Wish != now.Wish:
		return "the wish has changed"
	case b.There == "" && now.There != "":
		return "it has appeared"
	case b.There != "" && now.There == "":
		return "it has vanished"
	case b.There != now.There:
		return "it has changed"
	case !b.Action.Executes():
		return "it was held back in the saved plan, and is not"
	case b.Action != d.Proposed:
		return fmt.Sprintf("what is to be done has changed from %s to %s", b.Action, d.Proposed)
	}
	return ""
}
