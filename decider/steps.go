package decider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Half is which part of a decision a step does.
type Half string

// The halves. A replace is done in two steps, the others in one: a create or update makes, a
// delete takes away.
const (
	Make Half = "make"
	Take Half = "take"
)

// Step is one thing to do. It may begin when all steps in After are done; if one of them
// fails, it must not begin.
type Step struct {
	Decision int // index into the plan's decisions
	Half     Half
	After    []int // indices of earlier steps, sorted
}

// Steps puts what the plan executes into an order: every step stands after those it waits
// for. What a thing needs is made before it, what stands on a thing goes before it does, and
// what is replaced is taken away before it is made.
func Steps(p Plan) ([]Step, error) {
	g := stepGraph{plan: p, make: map[resource.Ref]int{}, take: map[resource.Ref]int{}}
	for i := range p.Decisions {
		g.add(i)
	}
	for i := range p.Decisions {
		g.connect(&p.Decisions[i])
	}
	return g.sorted()
}

type stepGraph struct {
	plan       Plan
	steps      []Step
	make, take map[resource.Ref]int // the steps of a ref's decision
}

func (g *stepGraph) add(i int) {
	d := &g.plan.Decisions[i]
	if !d.Action.Executes() {
		return
	}
	if d.Action.Destroys() {
		g.take[d.Ref] = len(g.steps)
		g.steps = append(g.steps, Step{Decision: i, Half: Take})
	}
	if d.Action != Delete {
		g.make[d.Ref] = len(g.steps)
		g.steps = append(g.steps, Step{Decision: i, Half: Make})
	}
}

func (g *stepGraph) connect(d *Decision) {
	if !d.Action.Executes() {
		return
	}
	made, makes := g.make[d.Ref]
	taken, takes := g.take[d.Ref]
	if makes && takes {
		g.after(made, taken)
	}
	for _, r := range d.Needs {
		if other, ok := g.make[r]; ok && makes && d.wishes(r) {
			g.after(made, other)
		}
		other, ok := g.take[r]
		switch {
		case !ok:
		case takes:
			g.after(other, taken)
		case !d.wishes(r): // it lets go of what it stood on
			g.after(other, made)
		}
	}
}

func (g *stepGraph) after(step, first int) {
	if !slices.Contains(g.steps[step].After, first) {
		g.steps[step].After = append(g.steps[step].After, first)
	}
}

// sorted renumbers the steps so that each stands after those it waits for: in rounds, each
// in the order of the plan.
func (g *stepGraph) sorted() ([]Step, error) {
	position := make([]int, len(g.steps)) // new index + 1
	waiting := make([]int, len(g.steps))
	next := make([][]int, len(g.steps)) // who waits for a step
	var ready []int
	for i, s := range g.steps {
		waiting[i] = len(s.After)
		for _, a := range s.After {
			next[a] = append(next[a], i)
		}
		if waiting[i] == 0 {
			ready = append(ready, i)
		}
	}
	out := make([]Step, 0, len(g.steps))
	for len(ready) > 0 {
		slices.Sort(ready)
		var after []int
		for _, i := range ready {
			s := g.steps[i]
			out = append(out, Step{Decision: s.Decision, Half: s.Half, After: renumber(s.After, position)})
			position[i] = len(out)
			for _, w := range next[i] {
				if waiting[w]--; waiting[w] == 0 {
					after = append(after, w)
				}
			}
		}
		ready = after
	}
	if len(out) < len(g.steps) {
		return nil, g.stuck(waiting)
	}
	return out, nil
}

// stuck names what waits for each other: something must be let go of before it can be taken
// away, by a thing that itself waits for what can only be made after that.
func (g *stepGraph) stuck(waiting []int) error {
	var names []string
	for i, n := range waiting {
		if n > 0 {
			names = append(names, g.plan.Decisions[g.steps[i].Decision].Ref.String())
		}
	}
	return fmt.Errorf("decider: these wait for each other in a circle, target fewer of them at once: %s",
		strings.Join(slices.Compact(names), ", "))
}

func renumber(after, position []int) []int {
	if len(after) == 0 {
		return nil
	}
	out := make([]int, len(after))
	for i, a := range after {
		out[i] = position[a] - 1
	}
	slices.Sort(out)
	return out
}
