package decider

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
)

// BlockedByTaken is the Policy of a Blocker for a decision that needs an exclusive thing which another resource
// keeps.
const BlockedByTaken = "taken"

// tellExchanged sets the reason of the replacements that Exchanges requested.
func tellExchanged(all []Decision, f Facts) {
	for i := range all {
		if d := &all[i]; d.Reason == ReasonRequested && f.Exchanged[d.Ref] {
			d.Reason, d.Message = ReasonExchanged, "it and other resources exchange "+takenNames(d)
		}
	}
}

// takenNames names the kinds of things that a decision takes: "port and address".
func takenNames(d *Decision) string {
	var names []string
	for _, t := range d.Takes {
		if !slices.Contains(names, t.Hold.What) {
			names = append(names, t.Hold.What)
		}
	}
	if len(names) == 0 {
		return "their places"
	}
	return joined(names)
}

// Exchanges lists the updates that cannot be made in place, because they wait for each other's exclusive things. The
// caller compares again with these to be replaced; see comparator.Input.Replace.
func Exchanges(p Plan, kinds Kinds, blessed func(resource.Ref) bool) []resource.Ref {
	if !anyTakes(p.Decisions) {
		return nil
	}
	nodes, index := nodesOf(p.Decisions, func(d *Decision) Action { return d.Proposed })
	replaced, _ := replace.Exchanges(nodes, func(n int) bool {
		return mayExchange(&p.Decisions[index[n]], kinds, blessed)
	})
	var out []resource.Ref
	for _, n := range replaced {
		out = append(out, nodes[n].Ref)
	}
	return out
}

// mayExchange reports whether a resource may be replaced because of the things of another one: not if that loses
// data, if the resource is blessed, or if only an operator may replace it.
func mayExchange(d *Decision, kinds Kinds, blessed func(resource.Ref) bool) bool {
	if d.Observed == nil || d.Desired == nil || d.Desired.Blessed || blessed != nil && blessed(d.Ref) {
		return false
	}
	k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
	return !k.Keeps && !k.NamedReplace && (k.DataLoss == nil || k.DataLoss(*d.Observed, d.Desired.Attrs) == "")
}

// blockTaken blocks the decisions that need an exclusive thing which stays with another resource, and the decisions
// of a cycle that only a loss of data could end.
func blockTaken(all []Decision, kinds Kinds, f Facts) {
	if !anyTakes(all) {
		return
	}
	index := byRef(all)
	for i := range all {
		if d := &all[i]; d.Proposed.Executes() {
			blockTake(d, all, index, kinds, f)
		}
	}
	nodes, at := nodesOf(all, func(d *Decision) Action { return d.Proposed })
	replaced, stuck := replace.Exchanges(nodes, func(n int) bool { return mayExchange(&all[at[n]], kinds, f.Blessed) })
	for _, n := range slices.Concat(replaced, stuck) {
		d := &all[at[n]]
		d.blockTaken(Blocker{
			Policy: BlockedByTaken, Reason: "it and other resources wait for each other's " + takenNames(d),
			Suggestion: "give one of them another value first, apply, and then give it the intended value",
		})
	}
}

func anyTakes(all []Decision) bool {
	for i := range all {
		if len(all[i].Takes) > 0 {
			return true
		}
	}
	return false
}

// blockTake blocks a decision because of the first thing that it cannot have.
func blockTake(d *Decision, all []Decision, index map[resource.Ref]int, kinds Kinds, f Facts) {
	for _, t := range d.Takes {
		j, known := index[t.By]
		switch {
		case t.Leaves && known && swaps(d, t):
			for _, x := range []*Decision{d, &all[j]} {
				other := t.By
				if x != d {
					other = d.Ref
				}
				x.blockTaken(Blocker{
					Policy: BlockedByTaken, Reason: fmt.Sprintf("its configuration is the identity of %s", other.Short()),
					Suggestion: fmt.Sprintf("run `ovi move --exchange %s %s`, or configure one after the other", f.called(d.Ref),
						f.called(t.By)),
				})
			}
			return
		case !t.Leaves || !known:
			d.blockTaken(takenBlocker(d, t, kinds))
			return
		}
	}
}

// blockTaken adds a Blocker for an exclusive thing, unless the decision has one: a second one would say the same as the
// first one, about the other resource.
func (d *Decision) blockTaken(b Blocker) {
	if !slices.ContainsFunc(d.Blockers, func(x Blocker) bool { return x.Policy == BlockedByTaken }) {
		d.Blockers = append(d.Blockers, b)
	}
}

// swaps reports whether a decision would give a resource the identity of another existing one.
func swaps(d *Decision, t comparator.Take) bool {
	return t.Hold.Identity && d.Proposed == Replace && t.By.Kind == d.Ref.Kind && d.Reason != ReasonExchanged
}

func takenBlocker(d *Decision, t comparator.Take, kinds Kinds) Blocker {
	b := Blocker{
		Policy: BlockedByTaken, Reason: fmt.Sprintf("%s is configured for %s too", HoldText(t.Hold), t.By.Short()),
		Suggestion: "configure another " + t.Hold.What,
	}
	k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
	if k.Identifier != "" && t.By.Kind == d.Ref.Kind && d.Proposed == Create {
		b.Suggestion = "set another " + k.Identifier + ", or options.identifier for the whole stack"
	}
	switch {
	case t.ID == "":
	case t.By.Stack == "":
		b.Reason = fmt.Sprintf("%s belongs to %s %s, which is unmanaged", HoldText(t.Hold), t.By.Kind, t.ID)
		if t.Hold.Identity && t.By.Kind == d.Ref.Kind && d.Proposed == Create {
			b.Suggestion += fmt.Sprintf(", or run `ovi adopt %s --id %s`", d.Ref.Short(), t.ID)
		}
	case t.By.Stack != d.Ref.Stack:
		b.Reason = fmt.Sprintf("%s belongs to %s of stack %s (%s)", HoldText(t.Hold), t.By.Short(), t.By.Stack, t.ID)
	default:
		b.Reason = fmt.Sprintf("%s belongs to %s (%s), which keeps it", HoldText(t.Hold), t.By.Short(), t.ID)
	}
	return b
}

// Owed is a decision that a delete makes necessary.
type Owed struct {
	*Decision
	For resource.Ref // the resource that waits for it
}

// OwedBy lists the decisions that must follow a delete, so that nothing stays down: those that take what the deleted
// resource gives up, and those that give something up for these, or for the resource itself if it is replaced.
func OwedBy(p Plan, d *Decision) (out []Owed) {
	index := byRef(p.Decisions)
	seen := map[resource.Ref]bool{d.Ref: true}
	follow := func(from *Decision, root resource.Ref) {
		for next := []*Decision{from}; len(next) > 0; next = next[1:] {
			for _, r := range next[0].vacates() {
				j, known := index[r]
				if !known || seen[r] || p.Decisions[j].Desired == nil {
					continue
				}
				seen[r] = true
				out = append(out, Owed{&p.Decisions[j], root})
				next = append(next, &p.Decisions[j])
			}
		}
	}
	if d.Desired != nil {
		follow(d, d.Ref)
	}
	for k := range p.Decisions {
		heir := &p.Decisions[k]
		if !slices.Contains(heir.vacates(), d.Ref) || heir.Desired == nil {
			continue
		}
		if !seen[heir.Ref] {
			seen[heir.Ref] = true
			out = append(out, Owed{heir, heir.Ref})
		}
		follow(heir, heir.Ref)
	}
	return out
}

// Withheld lists the steps that must not start because other decisions were refused, blocked or failed: the steps
// that wait for those, and the deletes that make room for them. The result includes the steps of those decisions, and
// no step that is done.
func Withheld(p Plan, steps []Step, refused func(decision int) bool, done func(step int) bool) map[int]bool {
	heirs := map[resource.Ref][]int{}
	for k := range p.Decisions {
		for _, r := range p.Decisions[k].vacates() {
			heirs[r] = append(heirs[r], k)
		}
	}
	out, lost := map[int]bool{}, map[int]bool{} // steps, decisions
	for changed := true; changed; {
		changed = false
		for i, s := range steps {
			if out[i] || done(i) {
				continue
			}
			d := &p.Decisions[s.Decision]
			skip := refused(s.Decision) || slices.ContainsFunc(s.After, func(a int) bool { return out[a] }) ||
				d.Action == Delete && slices.ContainsFunc(heirs[d.Ref], func(k int) bool { return lost[k] })
			if skip {
				out[i], lost[s.Decision], changed = true, true, true
			}
		}
	}
	return out
}

// Outage is an exclusive thing that a delete gave up for a resource which is not up.
type Outage struct {
	Of      resource.Hold
	Freed   resource.Ref // the deleted resource that had it
	FreedID string
	For     resource.Ref // the resource that needs it
}

// Outages lists the things that no resource has any more, given the decisions whose old resource was deleted and
// the decisions whose resource is up.
func Outages(p Plan, deleted, up func(decision int) bool) (out []Outage) {
	var index map[resource.Ref]int
	for k := range p.Decisions {
		d := &p.Decisions[k]
		for _, t := range d.Takes {
			if index == nil {
				index = byRef(p.Decisions)
			}
			if j, known := index[t.By]; known && t.Leaves && deleted(j) && !up(k) {
				out = append(out, Outage{t.Hold, t.By, t.ID, d.Ref})
			}
		}
	}
	return out
}

// RoomFor lists what deleting the resource of a decision makes room for.
func RoomFor(p Plan, d *Decision) (out []Outage) {
	for k := range p.Decisions {
		for _, t := range p.Decisions[k].Takes {
			if t.By == d.Ref && t.Leaves {
				out = append(out, Outage{t.Hold, t.By, t.ID, p.Decisions[k].Ref})
			}
		}
	}
	return out
}
