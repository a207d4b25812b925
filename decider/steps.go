package decider

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
)

// Phase is the part of a decision that a step performs.
type Phase string

// The phases. A replace has both, in the order of its strategy; any other action has one. An
// update counts as creating.
const (
	CreatePhase Phase = "create"
	DeletePhase Phase = "delete"
)

// Step is one phase of one decision. It may start when all steps in After have succeeded; if one
// of them fails, it must not start.
type Step struct {
	Decision int // index into the plan's decisions
	Phase    Phase
	After    []int // indices of earlier steps, sorted
}

// Steps lists the steps of a plan, each after those it waits for. See replace.Order for the rules.
func Steps(p Plan) []Step {
	nodes, index := nodesOf(p.Decisions, func(d *Decision) Action { return d.Action })
	tasks, err := replace.Order(nodes)
	if err != nil {
		// Decide downgrades the strategies that cause cycles. Another plan may still have them;
		// destroy-first alone has none.
		for i := range nodes {
			nodes[i].Strategy = resource.DestroyFirst
		}
		if tasks, err = replace.Order(nodes); err != nil {
			return nil
		}
	}
	out := make([]Step, len(tasks))
	for i, t := range tasks {
		out[i] = Step{Decision: index[t.Node], Phase: CreatePhase, After: t.After}
		if t.Deletes {
			out[i].Phase = DeletePhase
		}
	}
	return out
}

// nodesOf turns the decisions into nodes to order, with the index of the decision of each.
func nodesOf(all []Decision, action func(*Decision) Action) (nodes []replace.Node, index []int) {
	destroyed := map[resource.Ref]bool{}
	for i := range all {
		if action(&all[i]).Destroys() {
			destroyed[all[i].Ref] = true
		}
	}
	for i := range all {
		d := &all[i]
		a := action(d)
		if !a.Executes() {
			continue
		}
		n := replace.Node{Ref: d.Ref, Creates: a != Delete && !d.onlyDeletes(), Deletes: a.Destroys(), Strategy: d.Strategy}
		for _, r := range d.DependsOn {
			if d.refersTo(r) {
				n.DependsOn = append(n.DependsOn, r)
			}
			if d.Observed != nil && destroyed[r] {
				n.Holds = append(n.Holds, r)
			}
		}
		n.Vacates = d.vacates()
		n.Turns = d.After
		if d.Turn != nil {
			n.Turns = slices.Concat(d.After, d.Turn.After)
		}
		nodes, index = append(nodes, n), append(index, i)
	}
	return nodes, index
}

// onlyDeletes reports whether the new resource of a replacement in progress is in service, so that
// only the old one is still to be deleted.
func (d *Decision) onlyDeletes() bool {
	return d.Proposed == Replace && d.New != nil && d.New.Health == resource.Healthy
}

// chooseStrategies sets the strategy of each replace: the one that is configured, else the kind's
// default; once its new resource exists, the one that it started with.
func chooseStrategies(all []Decision, kinds Kinds) {
	for i := range all {
		d := &all[i]
		if d.Proposed != Replace || d.Desired == nil || d.Observed == nil || d.New != nil {
			continue
		}
		k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
		possible := k.Strategies(resolvedByState(d), *d.Observed)
		d.Strategy = possible[0]
		for _, s := range possible {
			if s == d.Desired.Replace {
				d.Strategy = s
			}
		}
		if w := d.Desired.Replace; w != "" && w != d.Strategy {
			d.Warnings = append(d.Warnings, Warning{
				Policy: "replace",
				Text:   fmt.Sprintf("%s is not possible for it; %s is used", w, d.Strategy),
			})
		}
	}
	for i := range all {
		if d := &all[i]; d.Reason == ReasonExchanged && d.New == nil {
			d.Strategy = resource.DestroyFirst
		}
	}
}

// downgrade makes a replace that must follow a destroy-first one destroy-first too, and sets the steps of all.
func downgrade(all []Decision) {
	nodes, index := nodesOf(all, func(d *Decision) Action { return d.Proposed })
	for _, down := range replace.Downgrade(nodes) {
		if d := &all[index[down.Node]]; d.New == nil {
			d.Strategy, d.Follows = resource.DestroyFirst, down.Follows
		}
	}
	for i := range all {
		all[i].Steps = stepsOf(&all[i])
	}
}

// stepsOf lists what is left to do of a replace or revert.
func stepsOf(d *Decision) []replace.Step {
	if d.Observed == nil || d.Proposed != Replace && d.Proposed != Revert {
		return nil
	}
	r := replace.Replacement{Strategy: d.Strategy, Old: d.Observed.ID, Reverting: d.Proposed == Revert}
	if d.Desired != nil {
		r.Stopped = d.Desired.State == resource.StateStopped
	}
	return r.Left(replace.Stage{Old: d.Observed, New: d.New, Aside: d.Observed.Aside()})
}
