// Package units names components as a whole, so that a configuration can rename all of their resources with one entry.
// It is pure.
package units

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Kind is the kind in the name of a component: use/NAME. No kind of a provider has this name.
const Kind = "use"

// Ref returns the name of a component of a stack.
func Ref(stack, name string) resource.Ref {
	return resource.Ref{Stack: stack, Provider: Kind, Location: "-", Kind: Kind, Name: name}
}

// Is reports whether a name is of a component.
func Is(r resource.Ref) bool { return r.Kind == Kind && r.Provider == Kind }

// Member returns the new name of a resource whose component has another name, or is in another stack; false if the
// name of the resource does not start with the name of the component.
func Member(x resource.Move, of resource.Ref) (resource.Ref, bool) {
	rest, is := strings.CutPrefix(of.Name, x.From.Name+"-")
	if !is || !Is(x.From) || !Is(x.To) || x.From.Stack != of.Stack {
		return resource.Ref{}, false
	}
	of.Stack, of.Name = x.To.Stack, x.To.Name+"-"+rest
	return of, true
}

// Follow adds, for each component that gets another name and then leaves the stack, the entry that does both.
func Follow(moved []resource.Move) []resource.Move {
	out := slices.Clip(moved)
	for i := 0; i < len(out); i++ {
		for _, x := range moved {
			next := out[i]
			has := func(o resource.Move) bool { return o.From == x.From && o.To == next.To }
			if x.To == next.From && x.From != next.To && next.To.Stack != x.From.Stack && !slices.ContainsFunc(out, has) {
				next.From = x.From
				out = append(out, next)
			}
		}
	}
	return out
}

// Spread adds the renames of all resources of renamed components to other renames. The stack itself has no name. A
// former name of a resource was a name of the component's, too, so that renames inside a component and of it can follow
// each other.
func Spread(moved, moves []resource.Move, all []resource.Desired, in func(unit string) []resource.Ref) []resource.Move {
	if len(moved) == 0 {
		return moves
	}
	var names []resource.Ref
	seen := map[resource.Ref]bool{}
	add := func(r resource.Ref) {
		if r.Stack == "" && !r.IsZero() && !seen[r] {
			seen[r] = true
			names = append(names, r)
		}
	}
	members := map[string]map[resource.Ref]bool{}
	for _, x := range moved {
		members[x.To.Name] = map[resource.Ref]bool{}
		for _, r := range in(x.To.Name) {
			members[x.To.Name][r] = true
		}
	}
	configured := map[resource.Ref]bool{}
	for i := range all {
		configured[all[i].Ref] = true
		add(all[i].Ref)
		add(all[i].Was)
	}
	for _, m := range moves {
		add(m.From)
	}
	for i := 0; i < len(names); i++ {
		to := names[i]
		for _, x := range moved {
			from, is := Member(resource.Move{From: x.To, To: x.From}, to)
			if !is || configured[from] || configured[to] && !members[x.To.Name][to] {
				continue
			}
			moves = append(moves, resource.Move{From: from, To: to, Part: x.Part, At: x.At})
			add(from)
		}
	}
	return moves
}
