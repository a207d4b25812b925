package decider

import (
	"github.com/ovi-project/ovi/replace"
	"github.com/ovi-project/ovi/resource"
)

// Phase is which part of a decision a step does.
type Phase string

// The phases. A replace is done in two steps, in the order of its strategy; the others in one:
// an update counts as creating.
const (
	CreatePhase Phase = "create"
	DeletePhase Phase = "delete"
)

// Step is one thing to do. It may begin when all steps in After are done; if one of them
// fails, it must not begin.
type Step struct {
	Decision int // index into the plan's decisions
	Phase    Phase
	After    []int // indices of earlier steps, sorted
}

// Steps puts what the plan executes into an order: every step stands after those it waits for;
// see replace.Order for the rules.
func Steps(p Plan) []Step {
	nodes, index := nodesOf(p.Decisions, func(d *Decision) Action { return d.Action })
	tasks, err := replace.Order(nodes)
	if err != nil {
		// Decide has downgraded what makes cycles. A plan from elsewhere may have not: all of
		// it destroy-first has none.
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

// nodesOf gives what the decisions do as nodes to order, with the decision of each.
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
		// Of a replacement under way that has its new resource only the old one is left to do.
		n := replace.Node{Ref: d.Ref, Creates: a != Delete && !d.Resumes(), Deletes: a.Destroys(), Strategy: d.Strategy}
		for _, r := range d.DependsOn {
			if d.refersTo(r) {
				n.DependsOn = append(n.DependsOn, r)
			}
			if d.Observed != nil && destroyed[r] {
				n.Holds = append(n.Holds, r)
			}
		}
		nodes, index = append(nodes, n), append(index, i)
	}
	return nodes, index
}

// Resumes reports that the new resource of a replacement exists already, as configured: only
// the old one is left to delete.
func (d *Decision) Resumes() bool { return d.Proposed == Replace && d.New != nil }

// chooseStrategies says how each replace is done: as the configuration chooses, else the
// kind's first. What must follow a destroy-first one is destroy-first too, and says so.
func chooseStrategies(all []Decision, kinds Kinds) {
	for i := range all {
		d := &all[i]
		if d.Proposed != Replace || d.Desired == nil || d.Observed == nil {
			continue
		}
		k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
		possible := k.Strategies(*d.Desired, *d.Observed)
		d.Strategy = possible[0]
		for _, s := range possible {
			if s == d.Desired.Replace {
				d.Strategy = s
			}
		}
		if d.Resumes() {
			d.Strategy = resource.CreateFirst
		}
	}
	nodes, index := nodesOf(all, func(d *Decision) Action { return d.Proposed })
	for _, down := range replace.Downgrade(nodes) {
		d := &all[index[down.Node]]
		d.Strategy, d.Follows = resource.DestroyFirst, down.Follows
	}
}
