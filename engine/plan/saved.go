package plan

import (
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/pins"
)

// staleBlocker is the Policy of a Blocker for a decision that has changed since its plan was saved.
const staleBlocker = "stale"

// Saved is a saved plan that is made ready to apply. As a policy of the new plan it allows only the actions
// of the saved one, on resources that have not changed since.
type Saved struct {
	plan  *Planned
	saved map[resource.Ref]base
	kinds decider.Kinds
}

// Again returns the options of the new plan, which has the requests of the saved one.
func (e *Planner) Again(saved *Planned, o Options) (*Saved, Options) {
	kinds := e.Providers.Kind
	only := &Saved{saved, saved.bases(), kinds}
	o.by = saved.By
	o.savedDigest, o.approved = saved.Plan.Digest(), pins.IDs(saved.Plan.Pins)
	o.savedStackPins = saved.Plan.StackPins
	o.digest, o.Prune, o.SetUnverified = only.digest, false, saved.SetUnverified
	o.AllowReplace, o.Replace = nil, nil
	for i := range saved.Plan.Decisions {
		d := &saved.Plan.Decisions[i]
		if d.Action == decider.Replace { // whoever saved the plan allowed that by name
			o.AllowReplace = append(o.AllowReplace, d.Ref.String())
		}
		if d.Reason == decider.ReasonRequested { // an operator asked for it
			o.Replace = append(o.Replace, d.Ref.String())
		}
		if k, _ := kinds(d.Ref.Provider, d.Ref.Kind); k.Keeps && d.Proposed == decider.Delete { // kept for its data
			o.Prune = true
		}
	}
	o.Mode, o.Policies = event.ForApply, append([]decider.Policy{only}, o.Policies...)
	return only, o
}

// Name implements decider.Policy.
func (*Saved) Name() string { return staleBlocker }

// Review implements decider.Policy.
func (s *Saved) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		b, ok := s.saved[d.Ref]
		if !ok || !b.Action.Executes() {
			out[i] = decider.Blocker{
				Policy: decider.NotInPlan, Reason: "it is not in the saved plan", Suggestion: "create a new plan",
			}
			continue
		}
		if why := b.differs(d, s.kinds); why != "" {
			out[i] = decider.Blocker{
				Policy: staleBlocker, Reason: why + " since the plan was made", Suggestion: "create a new plan",
			}
		}
	}
	return out, nil
}

// digest returns the digest of the part of a plan that the saved plan contains. It equals the saved
// plan's digest, and its approvals are valid, only if all of that is proposed again, unchanged.
func (s *Saved) digest(p decider.Plan) string {
	mine := map[resource.Ref]bool{}
	for ref := range s.saved {
		mine[ref] = true
	}
	return p.DigestOf(mine)
}

// AddRest sorts the actions of the saved plan that the new plan no longer has. Already has the actions that
// are done. An action that cannot be done any more, because its resource is neither configured nor exists,
// becomes a decision without an action.
func (s *Saved) AddRest(now *Planned) {
	var stale []decider.Decision
	still := map[resource.Ref]bool{}
	for i := range now.Plan.Decisions {
		still[now.Plan.Decisions[i].Ref] = true
	}
	for _, d := range s.plan.Plan.Decisions {
		configured := ConfiguredIn(now.Intents, d.Ref)
		missing := now.refersToMissing(configured)
		switch {
		case !d.Action.Executes() || still[d.Ref]:
		case missing != nil: // whether it is done is not known
			d.Action, d.Blockers = decider.Notify, append(d.Blockers, *missing)
			stale = append(stale, d)
		case d.Action == decider.Delete || configured != nil:
			now.Already = append(now.Already, d.Ref)
		default:
			d.Action = decider.Notify
			d.Blockers = append(d.Blockers, decider.Blocker{
				Policy: staleBlocker, Reason: "it is not configured any more, and does not exist", Suggestion: "create a new plan",
			})
			stale = append(stale, d)
		}
	}
	// The outputs that the saved plan does not have are not approved.
	now.Unsaved = nil
	now.Plan.Outputs = slices.DeleteFunc(slices.Clone(now.Plan.Outputs), func(c outputs.Change) bool {
		same := slices.ContainsFunc(s.plan.Plan.Outputs, c.Equal)
		if !same {
			now.Unsaved = append(now.Unsaved, c)
		}
		return !same
	})
	now.Plan.Decisions = append(now.Plan.Decisions, stale...)
	now.Counts = event.Count(now.Plan)
}
