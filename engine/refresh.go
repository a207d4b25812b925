package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// staleBlocker holds back what has changed since a plan was saved.
const staleBlocker = "stale"

// savedPolicy lets pass what a saved plan was going to do, to things that have not changed.
type savedPolicy struct {
	saved map[resource.Ref]base
	kinds decider.Kinds
}

// Name implements decider.Policy.
func (*savedPolicy) Name() string { return staleBlocker }

// Review implements decider.Policy.
func (s *savedPolicy) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		b, ok := s.saved[d.Ref]
		if !ok || !b.Action.Executes() {
			out[i] = decider.Blocker{Policy: decider.NotInPlan, Reason: "it is not in the saved plan: make a new plan to do it"}
			continue
		}
		if why := b.differs(d, s.kinds); why != "" {
			out[i] = decider.Blocker{Policy: staleBlocker, Reason: why + " since the plan was made: make a new plan"}
		}
	}
	return out, nil
}

// digest names what of the saved plan is proposed again: approvals of it hold only while that
// is all of it, unchanged.
func (s *savedPolicy) digest(p decider.Plan) string {
	mine := map[resource.Ref]bool{}
	for ref := range s.saved {
		mine[ref] = true
	}
	return p.DigestOf(mine)
}

// doneSince are the decisions of the saved plan that the world no longer calls for.
func (s *savedPolicy) doneSince(saved, now *Planned) []decider.Decision {
	still := map[resource.Ref]bool{}
	for i := range now.Plan.Decisions {
		still[now.Plan.Decisions[i].Ref] = true
	}
	var out []decider.Decision
	for _, d := range saved.Plan.Decisions {
		if d.Action.Executes() && !still[d.Ref] {
			d.Action = decider.Notify
			d.Blockers = append(d.Blockers, decider.Blocker{Policy: staleBlocker, Reason: "nothing is left to " + string(d.Proposed) + " since the plan was made"})
			out = append(out, d)
		}
	}
	return out
}

// base is what a saved decision rests on.
type base struct {
	Action   decider.Action
	Desired  string
	Observed string // digest of the thing, "" if there was none
}

// baseOf is what a decision rests on.
func baseOf(d *decider.Decision, kinds decider.Kinds) base {
	b := base{Action: proposedAction(d), Desired: d.DesiredDigest()}
	if d.Observed != nil {
		b.Observed = contentOf(*d.Observed, kinds)
	}
	return b
}

// contentOf is the digest of what a thing is. How it is at the moment, and what is only
// observed of it, does not count: a server that has come up meanwhile is the same server.
func contentOf(o resource.Observed, kinds decider.Kinds) string {
	o.Health, o.Message = "", ""
	kind, _ := kinds(o.Ref.Provider, o.Ref.Kind)
	for _, a := range kind.Attrs {
		if a.Computed {
			o.Attrs = o.Attrs.Without(a.Name)
		}
	}
	sum := sha256.Sum256(o.AppendJSON(nil))
	return hex.EncodeToString(sum[:])
}

func (b base) differs(d *decider.Decision, kinds decider.Kinds) string {
	now := baseOf(d, kinds)
	switch {
	case b.Desired != now.Desired:
		return "the wish has changed"
	case b.Observed == "" && now.Observed != "":
		return "it has appeared"
	case b.Observed != "" && now.Observed == "":
		return "it has vanished"
	case b.Observed != now.Observed:
		return "it has changed"
	case b.Action != d.Proposed:
		return fmt.Sprintf("what is to be done has changed from %s to %s", b.Action, d.Proposed)
	}
	return ""
}
