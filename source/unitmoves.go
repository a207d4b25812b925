package source

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// unitMove is a component that has another name now: all of its resources have other names.
type unitMove struct {
	from, to string
	at       position.Position
	part     string
}

// unitMoves separates the renames of components from the renames of resources, and reports invalid ones.
func unitMoves(d *Draft) (units []unitMove, others []Moved) {
	for _, m := range d.Moved {
		from, isFrom := strings.CutPrefix(m.From.Text, "use/")
		to, isTo := strings.CutPrefix(m.To.Text, "use/")
		wrong := func(at position.Position, summary, suggestion string) {
			p := Problem{At: at, Summary: summary, Suggestion: suggestion}
			if isTo {
				p.Ref = "use/" + to
			}
			d.note(p)
		}
		u := unitMove{from: from, to: to, at: m.From.At}
		if d.Part != nil {
			u.part = d.Part(m.From.At)
		}
		isUnit := func(name string) bool { return d.groups[resource.Ref{Kind: ofUnit, Name: name}] != nil }
		switch {
		case !isFrom && !isTo:
			others = append(others, m)
		case isFrom != isTo:
			wrong(m.From.At, "a component is moved to another component of its stack", "use two such names, or list resources")
		case from == to:
			wrong(m.To.At, "the two names of an entry of moved are the same", "use the former name in from, or remove the entry")
		case isUnit(from):
			wrong(m.From.At, "use/"+from+" is the former name of use/"+to+", and is still configured",
				"rename the use block, or remove the entry")
		default:
			units = append(units, u)
		}
	}
	for _, u := range units {
		ref := resource.Ref{Kind: ofUnit, Name: u.to}
		follows := slices.ContainsFunc(units, func(next unitMove) bool { return next.from == u.to })
		if d.groups[ref] == nil && !follows && absentAt(d, ref) == "" && !isBroken(d.broken, u.to) {
			d.note(Problem{
				At: u.at, Ref: "use/" + u.to, Summary: "use/" + u.from + " is moved to use/" + u.to + ", which is not configured",
				Suggestion: cmp.Or(Suggest("use/"+u.to, d.groups.units()), "use the name of a use block, or remove the entry"),
			})
		}
	}
	return units, others
}

// spreadMoves adds the renames of all resources of renamed components. A former name of a resource was a name of the
// component's, too, so that renames inside a component and of it can follow each other.
func spreadMoves(d *Draft, units []unitMove, moves []resource.Move) []resource.Move {
	if len(units) == 0 {
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
	for _, u := range units {
		members[u.to] = map[resource.Ref]bool{}
		if g := d.groups[resource.Ref{Kind: ofUnit, Name: u.to}]; g != nil {
			for _, r := range g.refs {
				members[u.to][r] = true
			}
		}
	}
	configured := map[resource.Ref]bool{}
	for i := range d.desired {
		configured[d.desired[i].Ref] = true
		add(d.desired[i].Ref)
		add(d.desired[i].Was)
	}
	for _, m := range moves {
		add(m.From)
	}
	for i := 0; i < len(names); i++ {
		to := names[i]
		for _, u := range units {
			inner, is := strings.CutPrefix(to.Name, u.to+"-")
			if !is || configured[to] && !members[u.to][to] {
				continue
			}
			from := to
			from.Name = u.from + "-" + inner
			if !configured[from] {
				moves = append(moves, resource.Move{From: from, To: to, Part: u.part, At: u.at})
				add(from)
			}
		}
	}
	return moves
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
