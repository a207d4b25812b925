package engine

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
)

// require adds the policies that the store requires of every run to those of the plan, and notes the
// digests of all of them.
func (e *Engine) require(ctx context.Context, p *Planned, intents []resource.Intent, o *PlanOptions) error {
	p.policies = map[string]string{}
	note := func(name string, r rules.Rules) error {
		digest, err := r.Digest()
		if digest != "" {
			p.policies[name] = digest
		}
		return err
	}
	for _, in := range intents {
		if err := note("stack "+in.Stack, in.Rules); err != nil {
			return err
		}
	}
	if err := note("everywhere", o.Rules); err != nil {
		return err
	}
	required, err := e.cfg.Ledger.RequiredPolicies(ctx)
	if err != nil {
		return fmt.Errorf("read the required policies: %w", err)
	}
	for _, x := range required {
		r := requiredRules(x)
		if err := note("required "+x.Name, r); err != nil {
			return err
		}
		guards, err := GlobalGuards(r)
		if err != nil {
			return fmt.Errorf("required policy %s: %w", x.Name, err)
		}
		o.guards = append(o.guards, guards...)
	}
	return nil
}

// requiredRules are the rules of a required policy, with a position that names it.
func requiredRules(x event.PolicyRequired) rules.Rules {
	out := *x.Rules
	out.Expressions = append([]rules.Expression(nil), out.Expressions...)
	at := position.Position{File: "required policy " + x.Name}
	for i := range out.Expressions {
		r := &out.Expressions[i]
		r.At, r.WhenAt, r.UntilAt = at, at, at
	}
	return out
}
