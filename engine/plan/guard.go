package plan

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/cel"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
)

// Guards compiles the configured policies: the windows, rules and approvals of each intent, and
// those for every stack. An invalid rule is a source.Problems with its position.
//
// They review a plan in this order, after the built-in policies, --target, --exclude and a saved
// plan, and before MaxDestroy, so that blocked decisions do not count against the limit:
//
//	windows, then rules, then approvals; the stack's own first, then those for every stack
//
// Each blocks on its own, whatever the others do, and the plan shows every Blocker.
func Guards(intents []resource.Intent, everywhere rules.Rules) ([]decider.Policy, error) {
	var rules []decider.Policy
	windows, approvals := false, false
	for _, in := range intents {
		if _, err := cel.CompileDrift(in.Rules.Drift); err != nil {
			return nil, err
		}
		windows, approvals = windows || len(in.Rules.Windows) > 0, approvals || len(in.Rules.Approvals) > 0
		if len(in.Rules.Expressions) == 0 {
			continue
		}
		compiled, err := cel.Compile(in.Rules.Expressions)
		if err != nil {
			return nil, err
		}
		rules = append(rules, compiled.Policy(in.Stack))
	}
	// A review copies the whole plan, so policies without rules are omitted.
	var out []decider.Policy
	if windows {
		out = append(out, decider.Windows{})
	}
	out = append(out, rules...)
	if approvals {
		out = append(out, decider.Approvals{})
	}
	for _, in := range intents {
		if in.Rules.More == nil {
			continue
		}
		more, err := guardsOf(in.Stack, *in.Rules.More)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	more, err := GlobalGuards(everywhere)
	return append(out, more...), err
}

// driftRules compiles the drift rules of each intent for the comparator; nil if there are none. A
// rule that does not compile is an error of the plan; it is never skipped.
func driftRules(intents []resource.Intent) (func(stack, kind string, c resource.Change) bool, error) {
	stacks := map[string]*cel.Drift{}
	for _, in := range intents {
		if len(in.Rules.Drift) == 0 {
			continue
		}
		compiled, err := cel.CompileDrift(in.Rules.Drift)
		if err != nil {
			return nil, err
		}
		stacks[in.Stack] = compiled
	}
	if len(stacks) == 0 {
		return nil, nil
	}
	return func(stack, kind string, c resource.Change) bool { return stacks[stack].Ignores(kind, c) }, nil
}

// GlobalGuards compiles the policies for every stack.
func GlobalGuards(r rules.Rules) ([]decider.Policy, error) { return guardsOf("", r) }

// guardsOf returns the policies of one set of rules for one stack. An empty name means all stacks.
func guardsOf(stack string, r rules.Rules) ([]decider.Policy, error) {
	var out []decider.Policy
	if r.SkipDestructive {
		out = append(out, globalRules{decider.SkipDestructive{}, r, stack})
	}
	if len(r.Windows) > 0 {
		out = append(out, globalRules{decider.Windows{}, r, stack})
	}
	if len(r.Expressions) > 0 {
		compiled, err := cel.Compile(r.Expressions)
		if err != nil {
			return nil, err
		}
		out = append(out, compiled.Policy(stack))
	}
	if len(r.Approvals) > 0 {
		out = append(out, globalRules{decider.Approvals{}, r, stack})
	}
	if r.Attempts != (rules.Attempts{}) {
		out = append(out, globalRules{decider.AttemptLimit{}, r, stack})
	}
	if r.MaxDestroy.Set {
		out = append(out, globalRules{decider.MaxDestroy{}, r, stack})
	}
	return out, nil
}

// globalRules evaluates a policy with one set of rules for all stacks. A stack's own rules are
// evaluated separately, so that an open window of one does not open what the other keeps closed.
type globalRules struct {
	decider.Policy
	rules rules.Rules
	stack string // an empty name means all stacks
}

// Review implements decider.Policy.
func (e globalRules) Review(p decider.Plan, f decider.Facts) (map[int]decider.Blocker, error) {
	f.Rules = map[string]rules.Rules{}
	for i := range p.Decisions {
		if stack := p.Decisions[i].Ref.Stack; e.stack == "" || e.stack == stack {
			f.Rules[stack] = e.rules
		}
	}
	return e.Policy.Review(p, f)
}

// require adds the policies that the store requires of every run to the policies of the plan, and
// notes the digests of all of them. A policy that this version cannot compile makes the plan fail,
// so that an older program does not act without it.
func (e *Planner) require(ctx context.Context, p *Planning, intents []resource.Intent, o *Options) error {
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
	required, err := e.Ledger.RequiredPolicies(ctx)
	if err != nil {
		return fmt.Errorf("read the required policies: %w", err)
	}
	for _, x := range required {
		r := *x.Rules
		r.Expressions = append([]rules.Expression(nil), r.Expressions...)
		at := position.Position{File: "required policy " + x.Name}
		for i := range r.Expressions {
			rule := &r.Expressions[i]
			rule.At, rule.WhenAt, rule.UntilAt = at, at, at
		}
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
