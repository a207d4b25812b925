package decider

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// tellOtherUsers finds what uses replaced resources and is not changed by this plan: resources of other stacks,
// unmanaged ones, and those that need the old resource without a reference to it. They block the replace, because the
// old one cannot be deleted. If it is create-first, users of others can change to the new one: they are a warning.
func tellOtherUsers(all []Decision, kinds Kinds, f Facts) {
	leaving := map[identity]*Decision{}
	replaced := map[resource.Scope][]*Decision{}
	for i := range all {
		d := &all[i]
		if d.Observed == nil || !d.Proposed.Destroys() {
			continue
		}
		leaving[identityOf(d.Observed)] = d
		if d.Proposed == Replace && d.New == nil {
			replaced[d.Ref.Scope()] = append(replaced[d.Ref.Scope()], d)
		}
	}
	for scope, some := range replaced {
		live := f.Live[scope].Resources
		using := othersUsing(live, kinds, f, leaving)
		for _, d := range some {
			names := using[identityOf(d.Observed)]
			k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
			if k.UsedBy != nil {
				for _, o := range k.UsedBy(*d.Observed, live) {
					if !leavesBefore(leaving[identityOf(&o)], d) {
						names.block = append(names.block, nameOfUser(&o, d.Ref.Stack))
					}
				}
			}
			if d.Strategy == resource.DestroyFirst {
				names.block = append(names.block, names.warn...)
				names.warn = nil
			}
			names.tell(d)
		}
	}
}

// otherUsers are the names of the users of a resource.
type otherUsers struct{ block, warn []string }

func (u otherUsers) tell(d *Decision) {
	if len(u.block) > 0 {
		use, them := useOf(u.block)
		d.Blockers = append(d.Blockers, Blocker{
			Policy: BlockedInUse, Reason: use + " it, and this plan does not delete " + them + " before",
			Suggestion: "delete " + them + " first, or let " + them + " use another " + d.Ref.Kind,
		})
	}
	if len(u.warn) > 0 {
		use, them := useOf(u.warn)
		d.Warnings = append(d.Warnings, Warning{
			Policy: BlockedInUse, Text: use + " it, and this plan does not change " + them + ": " + d.Observed.ID +
				" stays until then",
		})
	}
}

func useOf(names []string) (use, them string) {
	if len(names) == 1 {
		return names[0] + " uses", "it"
	}
	return joined(names) + " use", "them"
}

// leavesBefore reports whether a user is deleted before the old resource of a replace can be. A user that is created
// again must wait for the new resource.
func leavesBefore(user, d *Decision) bool {
	if user == nil || user.Proposed == Delete || d.Strategy == resource.CreateFirst {
		return user != nil
	}
	return user.Strategy == resource.DestroyFirst && slices.Contains(user.DependsOn, d.Ref)
}

func identityOf(o *resource.Observed) identity { return identity{o.Ref.Scope(), o.Ref.Kind, o.ID} }

// othersUsing returns the users that no decision can change, by the resource which they refer to.
func othersUsing(
	live []resource.Observed, kinds Kinds, f Facts, leaving map[identity]*Decision,
) map[identity]otherUsers {
	using := map[identity]otherUsers{}
	for i := range live {
		o := &live[i]
		_, planned := f.Rules[o.Ref.Stack]
		if o.Managed() && planned || !o.Managed() && !o.Reported() {
			continue
		}
		k, _ := kinds(o.Ref.Provider, o.Ref.Kind)
		for _, id := range idsIn(o.Ref.Scope(), o.Attrs, &resource.Attribute{Fields: k.Attrs}, false) {
			name, u := nameOfUser(o, ""), using[id]
			if leaving[id] != nil && !slices.Contains(u.warn, name) {
				u.warn = append(u.warn, name)
				using[id] = u
			}
		}
	}
	return using
}

// nameOfUser names a resource in a plan of a stack: "ec2/web of stack shop", "the unmanaged ec2 i-0abc".
func nameOfUser(o *resource.Observed, stack string) string {
	switch {
	case !o.Managed():
		return "the unmanaged " + o.Ref.Kind + " " + o.ID
	case o.Ref.Stack == stack:
		return o.Ref.Short()
	}
	return o.Ref.Short() + " of stack " + o.Ref.Stack
}
