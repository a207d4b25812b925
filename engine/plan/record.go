package plan

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// callers returns the identity of ovi at the system of each provider that tells it.
func (e *Planner) callers() map[string]string {
	out := map[string]string{}
	for name, p := range e.Providers {
		if c, ok := p.(provider.Caller); ok && c.Caller() != "" {
			out[name] = c.Caller()
		}
	}
	return out
}

// recordPlan records the plan, so that it can be explained later.
func (e *Planner) recordPlan(ctx context.Context, p *Planning) (err error) {
	planned := event.Planned{
		Plan: p.ID, Stacks: p.Stacks, Mode: p.Mode, Counts: p.Counts, Unreachable: map[string]string{},
		At: p.At, Known: p.memory.known, Owned: p.Plan.Owned, Digest: p.Plan.Digest(), Approving: p.approving,
		Policies: p.policies, As: e.callers(), Unread: unreadParts(p.Intents),
		Lookups: p.Plan.Pins, Outputs: p.Plan.Outputs, StackOutputs: p.Plan.StackPins,
		Given: p.Given,
	}
	if p.By != e.Ledger.User() {
		planned.By = p.By
	}
	for _, d := range p.Plan.Decisions {
		planned.Decisions = append(planned.Decisions, event.Recorded(d))
	}
	for s, why := range p.Plan.Unreachable {
		planned.Unreachable[s.String()] = why
	}
	if p.Hash, err = event.HashDecisions(planned.Decisions); err != nil {
		return err
	}
	planned.Hash = p.Hash
	if _, err = e.Ledger.RecordPlan(ctx, planned); err != nil {
		return fmt.Errorf("record the plan: %w", err)
	}
	return nil
}

// recordExhausted records the configurations of a plan whose attempts are used up, each once.
func (e *Planner) recordExhausted(ctx context.Context, p *Planning) error {
	var found []event.Event
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		var x event.Exhausted // the configuration whose attempts are used up, and that the resource returns from
		back := false
		if p.following != nil {
			x, back = p.following.Back(d.Ref)
		}
		switch {
		case back:
			found = append(found, x)
		case d.Stopped(decider.AttemptLimit{}):
			t := p.Tries[d.Ref].Of(d.DesiredDigest())
			n, cause := follow.Spent(t.Attempts, p.attemptsAllowed(d.Ref))
			found = append(found, event.Exhausted{Ref: d.Ref, Desired: t.Desired, Attempts: n, Cause: cause})
		}
	}
	if len(found) == 0 {
		return nil
	}
	known, err := e.Ledger.Exhausted(ctx)
	if err != nil {
		return fmt.Errorf("read the configurations without attempts left: %w", err)
	}
	var fresh []event.Event
	for _, x := range found {
		if x := x.(event.Exhausted); known[x.Ref].Desired != x.Desired || x.Back != "" && known[x.Ref].Back != x.Back {
			fresh = append(fresh, x)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if _, err := e.Ledger.Record(ctx, fresh...); err != nil {
		return fmt.Errorf("record the configurations without attempts left: %w", err)
	}
	return nil
}

// attemptsAllowed returns the limit of attempts of the stack of a resource.
func (p *Planning) attemptsAllowed(ref resource.Ref) rules.Attempts {
	for i := range p.Intents {
		if p.Intents[i].Stack == ref.Stack {
			return decider.AttemptsAllowed(p.Intents[i].Rules, ref)
		}
	}
	return rules.Attempts{}
}

// recordWaves records how far the rollouts of a plan have come, where that has changed and before anything
// is done. Only a plan that will be applied starts a wave.
func (e *Planner) recordWaves(ctx context.Context, p *Planning) error {
	if p.following == nil || p.Mode != event.ForApply || len(p.following.Waves) == 0 {
		return nil
	}
	var all []event.Event
	for _, w := range p.following.Waves {
		all = append(all, w)
	}
	if _, err := e.Ledger.Record(ctx, all...); err != nil {
		return fmt.Errorf("record the waves: %w", err)
	}
	return nil
}
