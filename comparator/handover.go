package comparator

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/units"
)

// Member returns the new name of a member of a count, a group or a component that a configuration moves as a whole;
// false if a ref is not such a member.
func Member(x resource.Move, ref resource.Ref) (resource.Ref, bool) {
	if units.Is(x.From) {
		return units.Member(x, ref)
	}
	rest, is := strings.CutPrefix(ref.Name, x.From.Name+"-")
	if !is || x.To.IsZero() || x.From.Stack != ref.Stack || !sameKind(x.From, ref) {
		return resource.Ref{}, false
	}
	to := x.To
	to.Name += "-" + rest
	return to, true
}

// handed is a resource that a stack hands over to another one.
type handed struct {
	*resource.Observed
	to resource.Ref
}

// isOther reports whether a ref is of a stack that is not compared.
func (c *comparison) isOther(r resource.Ref) bool {
	return c.in.Others != nil && c.ours(r.Stack) == nil
}

// ofOtherStack reports whether a resource cannot be created because another stack has one with its ID.
func ofOtherStack(d *Difference) bool {
	var owned *OwnershipError
	return d.Type == Conflict && d.Desired != nil && d.Observed != nil && d.Observed.Managed() &&
		d.Observed.Ref.Stack != d.Ref.Stack && errors.As(d.Cause, &owned)
}

// hasOtherStack reports whether another stack has a resource which may be given to the resource of a difference.
func (m *matching) hasOtherStack(d *Difference) bool {
	if !ofOtherStack(d) {
		return false
	}
	if was, is := m.said.was[d.Ref]; is && was == d.Observed.Ref {
		return true
	}
	gives := func(to resource.Ref) bool { return slices.Contains(m.in.Others.GivenTo(to), d.Observed.Ref) }
	return m.in.Others != nil && slices.ContainsFunc(m.namesOf(d.Ref), gives)
}

// namesOf lists the name of a configured resource, and then its former ones.
func (m *matching) namesOf(ref resource.Ref) []resource.Ref {
	return append([]resource.Ref{ref}, m.said.names[ref]...)
}

// given returns a resource of another stack that this stack takes; nil if the other stack has not given it, or gives it
// another name than those.
func (m *matching) given(was resource.Ref, names []resource.Ref) *leftover {
	if !m.isOther(was) {
		return nil
	}
	have, n := proven(m.group(was))
	if n != 1 || have.Condition == resource.Unreadable {
		return nil
	}
	if d := m.in.Others.Declared(was); !d.Accepted || d.Configured || !d.To.IsZero() && !slices.Contains(names, d.To) {
		return nil
	}
	o := m.byRef[was]
	if o == nil {
		o = &leftover{Observed: have}
		m.left, m.byRef[was] = append(m.left, o), o
	}
	return o
}

// receive pairs the missing resources without a former name with the resources that other stacks give them.
func (m *matching) receive(missing []*resource.Desired) {
	for _, w := range missing {
		if m.in.Others == nil || m.busy[w.Ref] || m.refused[w.Ref] != nil {
			continue
		}
		if o := m.received(w); o != nil {
			o.heirs, o.declared, m.busy[w.Ref] = append(o.heirs, w), true, true
		}
	}
}

// received returns the resource that another stack gives a configured resource, by its name or a former one; nil if
// there is none.
func (m *matching) received(w *resource.Desired) *leftover {
	names := m.namesOf(w.Ref)
	for _, to := range names {
		if m.in.Others == nil || m.isOther(to) {
			continue
		}
		for _, was := range m.in.Others.GivenTo(to) {
			if m.said.hasRename(was, w.Ref) {
				continue
			}
			if o := m.given(was, names); o != nil && m.canBecome(o, w) {
				return o
			}
		}
	}
	return nil
}

// notGiven completes the conflict of a former name in another stack, which has not given the resource.
func (m *matching) notGiven(e *RenameError, was, now resource.Ref) {
	stack, old := was.Stack, shortIn(now.Stack, was)
	e.Why = fmt.Sprintf("%s is the former name of %s, and ", old, now.Short())
	switch d := m.in.Others.Declared(was); {
	case !d.Accepted:
		e.Why += "no configuration of stack " + stack + " has been applied"
		e.Advice = fmt.Sprintf("apply stack %s without %s, or run `ovi move %s %s`", stack, was.Short(), old,
			full(now, was))
	case d.Configured:
		e.Why += "stack " + stack + " still configures it"
		e.Advice = fmt.Sprintf("remove the block %s of stack %s, add `moved: [{from: %s, to: %q}]` to its file, and "+
			"apply it: that hands it over", was.Short(), stack, was.Short(), full(now, was))
	case !d.To.IsZero() && d.To != now:
		e.Why += fmt.Sprintf("stack %s gives it the name %s", stack, shortIn(now.Stack, d.To))
		e.Advice = "correct the former name, or the entry of `moved` in stack " + stack
	default:
		e.Why += "is being replaced"
		e.Advice = "apply stack " + stack + " first: it finishes the replacement"
	}
}

// handOver finds the leftovers that belong to another stack from now on. If that stack configures the new name, the
// resource is renamed; until then it stays.
func (m *matching) handOver(r *renaming) {
	for i := 0; m.in.Others != nil && i < len(m.left); i++ {
		o := m.left[i]
		if m.ours(o.Ref.Stack) == nil || o.configured || len(o.heirs) > 0 || m.refused[o.Ref] != nil {
			continue
		}
		to, declared := m.givenAway(o.Ref)
		if !declared {
			to, declared = m.givenInGroup(o.Ref)
		}
		if !declared {
			claims := slices.DeleteFunc(m.in.Others.Claims(o.Ref), func(c resource.Ref) bool {
				_, n := proven(m.group(c))
				return n > 0 || !m.isOther(c) || m.said.hasRename(o.Ref, c)
			})
			if len(claims) == 0 {
				continue
			}
			if to = claims[0]; len(claims) > 1 {
				m.refuse(&RenameError{
					Old: []resource.Ref{o.Ref}, Advice: "remove the former name from all blocks but one",
					Why: fmt.Sprintf("several blocks have the former name %s: %s", o.Ref.Short(), shorts(claims)),
				})
				continue
			}
		}
		if to = m.in.Others.Now(to); m.said.hasRename(o.Ref, to) {
			continue
		}
		if e := m.unfitFor(o, to); e != nil {
			m.refuse(e)
			continue
		}
		if !m.in.Others.Declared(to).Configured {
			if r.waiting == nil {
				r.waiting = map[resource.Ref]resource.Ref{}
			}
			r.waiting[o.Ref] = to
			continue
		}
		if r.from == nil {
			r.from = map[resource.Ref]resource.Ref{}
		}
		r.from[to], r.more = o.Ref, true
		r.order = append(r.order, Rename{From: o.Ref, To: to, ID: o.ID, Declared: true})
		r.handed = append(r.handed, handed{o.Observed, to})
	}
}

// givenAway returns the name in another stack that the configuration gives a resource. A chain of names is followed.
func (m *matching) givenAway(from resource.Ref) (resource.Ref, bool) {
	names := []resource.Ref{from}
	for i := 0; i < len(names); i++ {
		for _, x := range m.said.moved {
			if x.From != names[i] || slices.Contains(names, x.To) {
				continue
			}
			if m.isOther(x.To) {
				return x.To, !m.said.hasRename(from, x.To)
			}
			names = append(names, x.To)
		}
	}
	return resource.Ref{}, false
}

// leadsAway reports whether a chain of names that starts with an entry ends in another stack.
func (c *comparison) leadsAway(x resource.Move) bool {
	names := []resource.Ref{x.To}
	for i := 0; i < len(names); i++ {
		for k := range c.sides {
			for _, next := range c.sides[k].moved {
				if next.From == names[i] && c.isOther(next.To) {
					return true
				}
				if next.From == names[i] && !slices.Contains(names, next.To) {
					names = append(names, next.To)
				}
			}
		}
	}
	return false
}

// givenInGroup returns the name in another stack of a member of a count, a group or a component that the configuration
// gives away as a whole. The entry with the longest name counts: use/a-b before use/a.
func (m *matching) givenInGroup(from resource.Ref) (to resource.Ref, given bool) {
	of := -1
	for _, x := range m.said.moved {
		_, n := proven(m.group(x.From))
		if n > 0 || !m.isOther(x.To) || m.said.hasRename(x.From, x.To) || m.renamed[x.To] == x.From ||
			m.in.Known != nil && m.in.Known(x.From) || len(x.From.Name) <= of || !m.mayBeIn(x.From, from) {
			continue
		}
		if now, is := Member(x, from); is {
			to, given, of = now, !m.said.hasRename(from, now), len(x.From.Name)
		}
	}
	return to, given
}

// mayBeIn reports whether an entry with a name can mean a resource that is left: it is of the same kind or, if the name
// is of a component, it was configured in one.
func (m *matching) mayBeIn(name, left resource.Ref) bool {
	if units.Is(name) {
		return m.in.Plain == nil || !m.in.Plain(left)
	}
	return sameKind(name, left)
}

// isUsed reports whether an entry gives a resource to another stack at the end of a chain, or a group that has members:
// some that are left, or some that the other stack has.
func (m *matching) isUsed(x resource.Move) bool {
	if !m.isOther(x.To) {
		return false
	}
	back := resource.Move{From: x.To, To: x.From}
	gives := func(o *leftover) bool {
		to, _ := m.givenAway(o.Ref)
		inUnit, _ := m.givenInGroup(o.Ref)
		_, is := Member(x, o.Ref)
		_, ends := units.Member(back, inUnit) // after another name
		return is || ends || to == x.To
	}
	has := func(p observedScope) bool {
		is := func(o resource.Observed) bool {
			_, is := Member(back, o.Ref)
			return is && o.Managed()
		}
		return (p.scope == x.To.Scope() || units.Is(x.To)) && slices.ContainsFunc(p.resources, is)
	}
	return slices.ContainsFunc(m.left, gives) || slices.ContainsFunc(m.scopes, has)
}

// unfitFor returns the conflict of a resource that cannot have a name in another stack; nil if it can.
func (m *matching) unfitFor(o *leftover, to resource.Ref) *RenameError {
	now := shortIn(o.Ref.Stack, to)
	e := &RenameError{Old: []resource.Ref{o.Ref}, Advice: "correct the entry of `moved`, or remove it"}
	_, n := proven(m.group(to))
	_, replacing := m.replacing(o.Ref)
	switch {
	case !sameKind(o.Ref, to) && !m.spansBoth(o.Ref, to):
		e.Why = fmt.Sprintf("the new name of %s cannot be %s: kind and location cannot change", o.Ref.Short(), now)
	case n > 0:
		e.Why = fmt.Sprintf("the new name of %s is %s, which another resource has", o.Ref.Short(), now)
	case replacing:
		e.Why = fmt.Sprintf("the new name of %s is %s, and %s is being replaced", o.Ref.Short(), now, o.Ref.Short())
		e.Advice = "finish the replacement under the old name first"
	default:
		return nil
	}
	return e
}
