package decider

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Phase is which part of a decision a step does.
type Phase string

// The halves. A replace is done in two steps, the others in one: a create or update makes, a
// delete takes away.
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

// Steps puts what the plan executes into an order: every step stands after those it waits
// for. What a thing needs is made before it, what stands on a thing goes before it does, and
// what is replaced is taken away before it is made. A thing that is to let go of another
// does so before that is taken away, unless it can only do it afterwards: then the provider
// says whether the other can go while it is held on to.
func Steps(p Plan) []Step {
	g := stepGraph{plan: p, creates: map[resource.Ref]int{}, deletes: map[resource.Ref]int{}}
	for i := range p.Decisions {
		g.add(i)
	}
	for i := range p.Decisions {
		g.connect(&p.Decisions[i])
	}
	out, left := g.sorted()
	for len(left) > 0 && g.relax(left) {
		out, left = g.sorted()
	}
	return out
}

type stepGraph struct {
	plan             Plan
	steps            []Step
	creates, deletes map[resource.Ref]int // the steps of a ref's decision
	soft             [][2]int             // step and what it waits for, where only for a letting go
}

func (g *stepGraph) add(i int) {
	d := &g.plan.Decisions[i]
	if !d.Action.Executes() {
		return
	}
	if d.Action.Destroys() {
		g.deletes[d.Ref] = len(g.steps)
		g.steps = append(g.steps, Step{Decision: i, Phase: DeletePhase})
	}
	if d.Action != Delete {
		g.creates[d.Ref] = len(g.steps)
		g.steps = append(g.steps, Step{Decision: i, Phase: CreatePhase})
	}
}

func (g *stepGraph) connect(d *Decision) {
	if !d.Action.Executes() {
		return
	}
	made, makes := g.creates[d.Ref]
	taken, takes := g.deletes[d.Ref]
	if makes && takes {
		g.after(made, taken)
	}
	for _, r := range d.DependsOn {
		if other, ok := g.creates[r]; ok && makes && d.refersTo(r) {
			g.after(made, other)
		}
		other, ok := g.deletes[r]
		switch {
		case !ok:
		case takes:
			g.after(other, taken)
		case !d.refersTo(r): // it lets go of what it stood on
			g.after(other, made)
			g.soft = append(g.soft, [2]int{other, made})
		}
	}
}

func (g *stepGraph) after(step, first int) {
	if !slices.Contains(g.steps[step].After, first) {
		g.steps[step].After = append(g.steps[step].After, first)
	}
}

// relax takes the first letting go out of a circle, if there is one among the steps left.
// Without any there is no circle: needs have none, and takes run against them.
func (g *stepGraph) relax(left map[int]bool) bool {
	for i, l := range g.soft {
		if left[l[0]] && left[l[1]] {
			s := &g.steps[l[0]]
			s.After = slices.DeleteFunc(s.After, func(a int) bool { return a == l[1] })
			g.soft = slices.Delete(g.soft, i, i+1)
			return true
		}
	}
	return false
}

// sorted renumbers the steps so that each stands after those it waits for: in rounds, each
// in the order of the plan. What waits in a circle is left over.
func (g *stepGraph) sorted() (out []Step, left map[int]bool) {
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
	out = make([]Step, 0, len(g.steps))
	for len(ready) > 0 {
		slices.Sort(ready)
		var after []int
		for _, i := range ready {
			s := g.steps[i]
			out = append(out, Step{Decision: s.Decision, Phase: s.Phase, After: renumber(s.After, position)})
			position[i] = len(out)
			for _, w := range next[i] {
				if waiting[w]--; waiting[w] == 0 {
					after = append(after, w)
				}
			}
		}
		ready = after
	}
	for i, n := range waiting {
		if n > 0 {
			if left == nil {
				left = map[int]bool{}
			}
			left[i] = true
		}
	}
	return out, left
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
