package source

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/units"
)

// unitNamed returns the component that an entry of moved names; false if it does not name one.
func unitNamed(d *Draft, text string) (resource.Ref, bool) {
	stack, name, has := resource.CutStack(text)
	unit, is := strings.CutPrefix(name, units.Kind+"/")
	if stack == d.Stack {
		stack = ""
	}
	return units.Ref(stack, unit), is && (!has || !strings.HasPrefix(text, ":"))
}

// unitMoves separates the renames of components from the renames of resources, and reports invalid ones.
func unitMoves(d *Draft) (moved []resource.Move, others []Moved) {
	for _, m := range d.Moved {
		from, isFrom := unitNamed(d, m.From.Text)
		to, isTo := unitNamed(d, m.To.Text)
		wrong := func(at position.Position, summary, suggestion string) {
			p := Problem{At: at, Summary: summary, Suggestion: suggestion}
			if isTo {
				p.Ref = to.Short()
			}
			d.note(p)
		}
		x := resource.Move{From: from, To: to, At: m.From.At}
		if d.Part != nil {
			x.Part = d.Part(m.From.At)
		}
		isUnit := d.groups[resource.Ref{Kind: units.Kind, Name: from.Name}] != nil
		switch {
		case !isFrom && !isTo:
			others = append(others, m)
		case isFrom != isTo:
			wrong(m.From.At, "a component is moved to another component", "use two such names, or list resources")
		case from == to:
			wrong(m.To.At, "the two names of an entry of moved are the same", "use the former name in from, or remove the entry")
		case isUnit && from.Stack == "" && to.Stack == "":
			wrong(m.From.At, from.Short()+" is the former name of "+to.Short()+", and is still configured",
				"rename the use block, or remove the entry")
		default:
			moved = append(moved, x)
		}
	}
	for _, x := range moved {
		ref := resource.Ref{Kind: units.Kind, Name: x.To.Name}
		follows := slices.ContainsFunc(moved, func(next resource.Move) bool { return next.From == x.To })
		if x.To.Stack == "" && d.groups[ref] == nil && !follows && absentAt(d, ref) == "" && !isBroken(d.broken, x.To.Name) {
			d.note(Problem{
				At: x.At, Ref: x.To.Short(), Summary: x.From.Short() + " is moved to " + x.To.Short() + ", which is not configured",
				Suggestion: cmp.Or(Suggest(x.To.Short(), d.groups.units()), "use the name of a use block, or remove the entry"),
			})
		}
	}
	return units.Follow(moved), others
}

// spreadMoves adds the renames of all resources of renamed components. The entries of components that come from or go
// to other stacks stay: the stack that a component leaves does not have its resources any more.
func spreadMoves(d *Draft, moved, moves []resource.Move) []resource.Move {
	out := units.Spread(moved, moves, d.desired, func(unit string) (refs []resource.Ref) {
		if g := d.groups[resource.Ref{Kind: units.Kind, Name: unit}]; g != nil {
			refs = g.refs
		}
		return refs
	})
	return append(out, slices.DeleteFunc(moved, func(x resource.Move) bool { return x.From.Stack == x.To.Stack })...)
}

// membersOf returns what follows the name of a count or a group in the names of its members; nil for another name.
func membersOf(d *Draft, r resource.Ref) (out []string) {
	for i := range d.counted[r].count {
		out = append(out, "-"+strconv.Itoa(i))
	}
	if g := d.groups[r]; g != nil && len(out) == 0 {
		for _, m := range g.refs {
			if rest, is := strings.CutPrefix(m.Name, r.Name); is {
				out = append(out, rest)
			}
		}
	}
	return out
}
