package decider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// BlockedInUse is the Policy of a Blocker for a destroying decision whose resource could not be deleted, because others
// use it: until the new one exists, if both cannot exist at the same time, or longer than the plan can tell.
const BlockedInUse = "in_use"

// users are, by replaced resource, the decisions that update what uses it. They can only be done once the new resource
// exists, and the system does not delete the old one before.
type users map[resource.Ref][]int

// usersOf finds them by the references that change, are not Weak and hold the ID of a replaced resource.
func usersOf(all []Decision, kinds Kinds) users {
	replaced := map[identity]int{}
	for i := range all {
		if d := &all[i]; d.Proposed == Replace && d.Observed != nil && d.New == nil {
			replaced[identity{d.Ref.Scope(), d.Ref.Kind, d.Observed.ID}] = i
		}
	}
	if len(replaced) == 0 {
		return nil
	}
	out := users{}
	for i := range all {
		d := &all[i]
		if d.Observed == nil || !d.Proposed.Executes() || d.Proposed.Destroys() {
			continue
		}
		k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
		for _, c := range d.Changes {
			a := attributeAt(k.Attrs, c.Path)
			if c.On != resource.OnAttribute || a == nil {
				continue
			}
			for _, id := range idsIn(d.Ref.Scope(), c.From, a, false) {
				j, leaves := replaced[id]
				if leaves && slices.Contains(resource.AppendRefs(nil, c.To), all[j].Ref) && !slices.Contains(out[all[j].Ref], i) {
					out[all[j].Ref] = append(out[all[j].Ref], i)
				}
			}
		}
	}
	return out
}

// attributeAt returns the schema of the attribute at a path; nil if there is none.
func attributeAt(schema []resource.Attribute, path string) *resource.Attribute {
	name, rest, nested := strings.Cut(path, ".")
	for i := range schema {
		switch a := &schema[i]; {
		case a.Name != name:
		case nested:
			return attributeAt(a.Fields, rest)
		default:
			return a
		}
	}
	return nil
}

// keepUsed makes the replaces of used resources create-first, if their kinds can.
func (u users) keepUsed(all []Decision, kinds Kinds) {
	for i := range all {
		d := &all[i]
		if len(u[d.Ref]) == 0 || d.Strategy != resource.DestroyFirst || d.Reason == ReasonExchanged {
			continue
		}
		k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
		if !slices.Contains(k.Strategies(resolvedByState(d), *d.Observed), resource.CreateFirst) {
			continue
		}
		d.Strategy = resource.CreateFirst
		if d.Desired.Replace == resource.DestroyFirst {
			d.Warnings = append(d.Warnings, Warning{
				Policy: "replace",
				Text: fmt.Sprintf("destroy-first is not possible for it, because %s until the new one exists; create-first is used",
					u.use(all, d.Ref)),
			})
		}
	}
}

// blockUsed blocks the replaces of used resources that would delete the old one first.
func (u users) blockUsed(all []Decision, kinds Kinds) {
	for i := range all {
		d := &all[i]
		if len(u[d.Ref]) == 0 || d.Strategy != resource.DestroyFirst {
			continue
		}
		b := Blocker{Policy: BlockedInUse, Reason: u.use(all, d.Ref) + " until the new one exists"}
		b.Suggestion = u.along(all, kinds, d.Ref)
		if thing := thingOfBoth(d, kinds); thing != "" {
			b.Reason += ", and both cannot have " + thing
			b.Suggestion = fmt.Sprintf("configure another %s and use that, or %s", d.Ref.Kind, b.Suggestion)
		} else if !d.Follows.IsZero() {
			b.Reason += fmt.Sprintf(", and it must be deleted first, because %s is", d.Follows.Short())
		}
		d.Blockers = append(d.Blockers, b)
	}
}

// use names the users of a resource: "ec2/web and load_balancer/web use it".
func (u users) use(all []Decision, ref resource.Ref) string {
	var names []string
	for _, i := range u[ref] {
		names = append(names, all[i].Ref.Short())
	}
	if len(names) == 1 {
		return names[0] + " uses it"
	}
	return joined(names) + " use it"
}

// along suggests to replace the users too: they are then deleted before the resource and created after it.
func (u users) along(all []Decision, kinds Kinds, ref resource.Ref) string {
	var flags, losses []string
	for _, i := range u[ref] {
		flags = append(flags, "--replace "+all[i].Ref.Short())
		if k, _ := kinds(all[i].Ref.Provider, all[i].Ref.Kind); k.DataLoss != nil {
			if loss := k.DataLoss(*all[i].Observed, all[i].Desired.Attrs); loss != "" {
				losses = append(losses, loss)
			}
		}
	}
	text := "add " + strings.Join(flags, " ") + ", which destroys and creates them too"
	if len(flags) == 1 {
		text = "add " + flags[0] + ", which destroys and creates it too"
	}
	if len(losses) > 0 {
		text += fmt.Sprintf(" (data loss: %s)", strings.TrimSuffix(strings.Join(losses, "; "), "."))
	}
	return text
}

// thingOfBoth names an exclusive thing that the old and the new resource of a replace would both have.
func thingOfBoth(d *Decision, kinds Kinds) string {
	k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
	has := k.HeldBy(d.Observed)
	for _, h := range k.HeldAs(d.Ref.Bare(), resolvedByState(d).Attrs, d.Desired.State) {
		if slices.ContainsFunc(has, h.Clashes) {
			return HoldText(h)
		}
	}
	return ""
}
