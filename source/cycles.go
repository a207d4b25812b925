package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source/partof"
)

// cycles reports resources that depend on each other. Only what depends on something and is
// depended on can be part of a cycle.
func (d *Draft) cycles() {
	all := d.desired
	dependedOn := map[resource.Ref]bool{}
	for i := range all {
		for _, n := range all[i].DependsOn {
			dependedOn[n] = false // true once it turns out to depend on something itself
		}
	}
	at := map[resource.Ref]position.Position{}
	var nodes []resource.Node
	for i := range all {
		if _, ok := dependedOn[all[i].Ref]; ok && len(all[i].DependsOn) > 0 {
			dependedOn[all[i].Ref] = true
			at[all[i].Ref] = all[i].At
			nodes = append(nodes, resource.Node{Ref: all[i].Ref, DependsOn: all[i].DependsOn})
		}
	}
	for i := range nodes {
		nodes[i].DependsOn = slices.DeleteFunc(slices.Clone(nodes[i].DependsOn),
			func(r resource.Ref) bool { return !dependedOn[r] })
	}
	for range 20 { // each round finds one cycle, reports it and opens it
		var c *resource.CycleError
		if _, err := resource.Levels(nodes); !errors.As(err, &c) {
			return
		}
		d.cycle(c.Cycle, at)
		first, last := c.Cycle[0], c.Cycle[len(c.Cycle)-1]
		for i := range nodes {
			if nodes[i].Ref == last {
				nodes[i].DependsOn = slices.DeleteFunc(nodes[i].DependsOn, func(r resource.Ref) bool { return r == first })
			}
		}
	}
}

func (d *Draft) cycle(cycle []resource.Ref, at map[resource.Ref]position.Position) {
	words := make([]string, 0, len(cycle)+1)
	one := !slices.ContainsFunc(cycle, func(r resource.Ref) bool { return at[r].File != at[cycle[0]].File })
	for _, r := range cycle {
		if one {
			words = append(words, fmt.Sprintf("%s (line %d)", r.Short(), at[r].Line))
		} else {
			words = append(words, fmt.Sprintf("%s (%s)", r.Short(), at[r].String()))
		}
	}
	words = append(words, cycle[0].Short())
	p := Problem{
		At: at[cycle[0]], Ref: cycle[0].Short(), Summary: "dependency cycle: " + strings.Join(words, " -> "),
		Suggestion: "remove one of the dependencies, or write one of the values as text",
	}
	if part := partof.Kind(d.opts.Schemas.Kinds(cycle[0].Provider), cycle); part != "" {
		p.Suggestion = "declare one of the dependencies as a block of its own: see `ovi kinds " + part + "`"
	}
	for _, r := range cycle[1:] {
		p.Others = append(p.Others, at[r])
	}
	if len(cycle) == 1 {
		p.Suggestion = "remove the dependency"
		p.Summary = cycle[0].Short() + " depends on itself"
	}
	d.note(p)
}
