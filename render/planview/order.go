package planview

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/resource"
)

// orders are the lines "Order:", by the ref behind whose decision they stand: of replacements
// that depend on each other the last one's.
func orders(plan decider.Plan) map[resource.Ref]string {
	group := map[resource.Ref]int{} // of each replacement; those that depend on each other share one
	for i := range plan.Decisions {
		if d := &plan.Decisions[i]; d.Action == decider.Replace || d.Action == decider.Revert && len(d.Steps) > 0 {
			group[d.Ref] = i
		}
	}
	if len(group) == 0 {
		return nil
	}
	for changed := true; changed; {
		changed = false
		for i := range plan.Decisions {
			d := &plan.Decisions[i]
			for _, on := range d.DependsOn {
				a, ok := group[d.Ref]
				b, both := group[on]
				if ok && both && a != b {
					group[d.Ref], group[on], changed = max(a, b), max(a, b), true
				}
			}
		}
	}
	size := map[int]int{}
	for _, g := range group {
		size[g]++
	}
	out := map[resource.Ref]string{}
	for g := range size {
		d := &plan.Decisions[g]
		if size[g] == 1 && len(d.Steps) > 0 && d.Strategy != "" && d.Strategy.KeepsOld() {
			out[d.Ref] = stepsOf(plan, d)
			continue
		}
		out[d.Ref] = order(plan, group, g)
	}
	return out
}

// stepsOf is the order of one replacement or revert by its steps: "set aside box-1, create the new
// one, switch to it, wait until it is healthy, delete box-1 (swap)".
func stepsOf(plan decider.Plan, d *decider.Decision) string {
	referred := slices.ContainsFunc(plan.Decisions, func(x decider.Decision) bool {
		return x.Action.Executes() && slices.Contains(x.DependsOn, d.Ref)
	})
	it, parts := "it", []string{}
	if d.New != nil && d.Proposed == decider.Replace {
		it = phrase.ID(d.New.ID)
	}
	for _, s := range d.Steps {
		if s == replace.References && !referred {
			continue
		}
		parts = append(parts, stepText(s, d, it))
	}
	return strings.Join(parts, ", ") + " (" + string(d.Strategy) + ")"
}

// stepText is one step of a replacement.
func stepText(s replace.Step, d *decider.Decision, it string) string {
	switch s {
	case replace.SetAside:
		return "set aside " + phrase.ID(d.Observed.ID)
	case replace.Create:
		return "create the new one"
	case replace.Switch:
		return "switch to " + it
	case replace.Wait:
		return "wait until " + it + " is healthy"
	case replace.References:
		return "update what refers to " + it
	case replace.DeleteOld:
		return "delete " + phrase.ID(d.Observed.ID)
	case replace.DeleteNew:
		return "delete " + phrase.ID(d.New.ID)
	case replace.Restore:
		return "restore " + phrase.ID(d.Observed.ID)
	default:
		return strings.ReplaceAll(string(s), "_", " ")
	}
}

// order is the steps of a group of replacements: "delete a, b; create b, a".
func order(plan decider.Plan, group map[resource.Ref]int, g int) string {
	var parts []string
	var last string
	for _, step := range decider.Steps(plan) {
		d := &plan.Decisions[step.Decision]
		if in, ok := group[d.Ref]; !ok || in != g {
			continue
		}
		name := d.Ref.Short()
		verb := "create"
		switch {
		case step.Phase == decider.DeletePhase:
			verb = "delete"
		case d.Action == decider.Revert:
			verb = "revert"
		case d.Strategy.SetsAside():
			verb = "switch"
		}
		if verb == last {
			parts[len(parts)-1] += ", " + name
			continue
		}
		last = verb
		parts = append(parts, verb+" "+name)
	}
	return strings.Join(parts, "; ") + strategiesOf(plan, group, g)
}

// strategiesOf names the strategies of a group of replacements, where they are not destroy-first.
func strategiesOf(plan decider.Plan, group map[resource.Ref]int, g int) string {
	var names []string
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		if in, ok := group[d.Ref]; !ok || in != g || d.Strategy == "" || d.Strategy == resource.DestroyFirst {
			continue
		}
		if name := string(d.Strategy); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}
