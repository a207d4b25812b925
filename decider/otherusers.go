package decider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// tellOtherUsers finds the users of destroyed resources that the plan does not change: resources of other stacks,
// unmanaged ones, users without a reference, and for a delete also resources of its stack that have its ID. They block
// the decision, because the system deletes no resource that is in use. If a replace is create-first, users of others
// can change to the new resource: they are a warning. So are Weak references of others, because the system ignores
// them.
func tellOtherUsers(all []Decision, kinds Kinds, f Facts) {
	t := newUserSearch(all, kinds, f)
	for scope, some := range t.destroyed {
		live := f.Live[scope].Resources
		using := t.usersIn(live)
		for _, d := range some {
			names := using[identityOf(d.Observed)]
			k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
			if k.UsedBy != nil {
				for _, o := range k.UsedBy(*d.Observed, live) {
					if !t.lets(&o, d) {
						names.block = append(names.block, nameOfUser(&o, d.Ref.Stack))
					}
				}
			}
			switch {
			case d.Proposed == Delete:
				names.block = slices.Concat(names.block, names.others, names.own)
			case d.Strategy == resource.DestroyFirst:
				names.block = append(names.block, names.others...)
			default:
				names.stays = names.others
			}
			names.tell(d)
		}
	}
}

// otherUsers are the names of the users of a resource: strong ones of others and of its own stack, and weak ones of
// others. The users in block block its decision. The old resource stays for the users in stays.
type otherUsers struct{ others, own, weak, block, stays []string }

func (u otherUsers) tell(d *Decision) {
	if len(u.block) > 0 {
		use, them, names := useOf(u.block)
		d.Blockers = append(d.Blockers, Blocker{
			Policy: BlockedInUse, Reason: use + " it, and this plan does not delete " + them + " before",
			Suggestion: "delete " + names + " first, or let " + them + " use another " + d.Ref.Kind,
		})
	}
	if len(u.stays) > 0 {
		use, them, _ := useOf(u.stays)
		d.Warnings = append(d.Warnings, Warning{
			Policy: BlockedInUse, Text: use + " it, and this plan does not change " + them + ": " + d.Observed.ID +
				" stays until then",
		})
	}
	weak := slices.DeleteFunc(u.weak, func(name string) bool { return slices.Contains(u.block, name) })
	if len(weak) > 0 {
		use, them, _ := useOf(weak)
		d.Warnings = append(d.Warnings, Warning{
			Policy: BlockedInUse, Text: use + " it, and this plan does not change " + them,
		})
	}
}

// useOf returns a clause that names users, their pronoun, and their names, of which it lists the first few.
func useOf(users []string) (use, them, names string) {
	const few = 4
	switch n := len(users) - few; {
	case len(users) == 1:
		return users[0] + " uses", "it", users[0]
	case n > 1:
		names = fmt.Sprintf("%s and %d more", strings.Join(users[:few], ", "), n)
	default:
		names = joined(users)
	}
	return names + " use", "them", names
}

func identityOf(o *resource.Observed) identity { return identity{o.Ref.Scope(), o.Ref.Kind, o.ID} }

// userSearch finds users in the live state.
type userSearch struct {
	kinds     Kinds
	facts     Facts
	all       []Decision
	leaving   map[identity]*Decision             // what is destroyed, by its identity
	changing  map[identity]*Decision             // what any decision changes, or lets stay
	destroyed map[resource.Scope][]*Decision     // deletes, and replaces whose new resource does not exist yet
	byPath    map[namedPath]map[string]*Decision // leaving ones, by the value of an attribute that others refer to
	holders   map[identity][]*Decision           // what has the ID of a leaving one
}

// namedPath is an attribute of a kind whose values others have as references.
type namedPath struct {
	scope      resource.Scope
	kind, path string
}

func newUserSearch(all []Decision, kinds Kinds, f Facts) *userSearch {
	t := &userSearch{
		kinds: kinds, facts: f, all: all, leaving: map[identity]*Decision{}, changing: map[identity]*Decision{},
		destroyed: map[resource.Scope][]*Decision{}, byPath: map[namedPath]map[string]*Decision{},
	}
	for i := range all {
		d := &all[i]
		if d.Observed == nil || !d.Proposed.Executes() && !d.stays() {
			continue
		}
		t.changing[identityOf(d.Observed)] = d
		if !d.Proposed.Destroys() {
			continue
		}
		t.leaving[identityOf(d.Observed)] = d
		if d.Proposed == Delete || d.Proposed == Replace && d.New == nil {
			t.destroyed[d.Ref.Scope()] = append(t.destroyed[d.Ref.Scope()], d)
		}
	}
	return t
}

// lets reports whether a user that has no reference to a resource is gone, or may be, before it is destroyed. A user
// that is created again must wait for the new resource of a replace.
func (t *userSearch) lets(o *resource.Observed, d *Decision) bool {
	user := t.leaving[identityOf(o)]
	switch {
	case d.Proposed == Delete:
		return user != nil || t.changedAround(o)
	case user == nil || user.Proposed == Delete || d.Strategy == resource.CreateFirst:
		return user != nil
	}
	return user.Strategy == resource.DestroyFirst && slices.Contains(user.DependsOn, d.Ref)
}

// changedAround reports whether the plan changes a resource or what refers to it, which may end its use of another: an
// elastic address that is deleted leaves its instance without a public address.
func (t *userSearch) changedAround(o *resource.Observed) bool {
	id := identityOf(o)
	if t.changing[id] != nil {
		return true
	}
	for i := range t.all {
		d := &t.all[i]
		if d.Observed == nil || !d.Proposed.Executes() {
			continue
		}
		k, _ := t.kinds(d.Ref.Provider, d.Ref.Kind)
		if slices.Contains(idsHeld(d.Observed, k.Attrs), id) {
			return true
		}
	}
	return false
}

// usersIn returns the users of destroyed resources in the live state of a scope, by the resource they use.
func (t *userSearch) usersIn(live []resource.Observed) map[identity]otherUsers {
	using := map[identity]otherUsers{}
	for i := range live {
		o := &live[i]
		_, planned := t.facts.Rules[o.Ref.Stack]
		own := o.Managed() && planned
		if !o.Managed() && !o.Reported() {
			continue
		}
		k, _ := t.kinds(o.Ref.Provider, o.Ref.Kind)
		for _, use := range t.usesOf(o, k) {
			d, u := use.of, using[identityOf(use.of.Observed)]
			switch {
			case d.Proposed == Delete && slices.Contains(k.Outlives, d.Ref.Kind), t.usedByPart(o, d):
			case own && (use.weak || d.Proposed != Delete || !t.configuredBy(o, d) || t.releases(o, d)):
			case own:
				u.own = withName(u.own, nameOfUser(o, d.Ref.Stack))
			case use.weak:
				u.weak = withName(u.weak, nameOfUser(o, ""))
			default:
				u.others = withName(u.others, nameOfUser(o, ""))
			}
			using[identityOf(d.Observed)] = u
		}
	}
	return using
}

func withName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// usedByPart reports whether a resource uses another one through a part that the plan deletes or changes: a rule with
// a block of its own, which the group has too.
func (t *userSearch) usedByPart(o *resource.Observed, x *Decision) bool {
	return slices.ContainsFunc(t.holding(identityOf(x.Observed)), func(part *Decision) bool {
		k, _ := t.kinds(part.Ref.Provider, part.Ref.Kind)
		return slices.Contains(idsHeld(part.Observed, k.Attrs), identityOf(o)) &&
			(part.Proposed.Destroys() || part.releasesID(x))
	})
}

// holding returns the executing decisions whose resources have the ID of a destroyed one.
func (t *userSearch) holding(id identity) []*Decision {
	if t.holders == nil {
		t.holders = map[identity][]*Decision{}
		for i := range t.all {
			d := &t.all[i]
			if d.Observed == nil || !d.Proposed.Executes() {
				continue
			}
			k, _ := t.kinds(d.Ref.Provider, d.Ref.Kind)
			for _, held := range idsHeld(d.Observed, k.Attrs) {
				if t.leaving[held] != nil {
					t.holders[held] = append(t.holders[held], d)
				}
			}
		}
	}
	return t.holders[id]
}

// configuredBy reports whether the configuration of a resource that was applied last has the ID of x. Otherwise the
// resource may have it through another one.
func (t *userSearch) configuredBy(o *resource.Observed, x *Decision) bool {
	return t.facts.LastConfigured != nil && contains(t.facts.LastConfigured(o.Ref), x.Observed.ID)
}

// releases reports whether a resource of a planned stack no longer uses x when x is deleted: it is destroyed too, or
// updated. blockUnderStaying tells of a resource that is no longer configured and stays.
func (t *userSearch) releases(o *resource.Observed, x *Decision) bool {
	d := t.changing[identityOf(o)]
	return d != nil && (d.Proposed.Destroys() || d.stays() || d.releasesID(x))
}

// useOfLeaving is a reference to a resource that is destroyed.
type useOfLeaving struct {
	of   *Decision
	weak bool
}

// usesOf lists the references of a resource to others that are destroyed, without those to itself.
func (t *userSearch) usesOf(o *resource.Observed, k resource.Kind) (out []useOfLeaving) {
	walkReferences(o.Attrs, &resource.Attribute{Fields: k.Attrs}, func(value string, s *resource.Attribute) {
		d := t.leaving[identity{o.Ref.Scope(), s.RefKind, value}]
		if s.RefPath != "" || d == nil && s.NamesAttr != "" {
			d = t.named(namedPath{o.Ref.Scope(), s.RefKind, s.RefPath + s.NamesAttr})[value]
		}
		if d != nil && d.Observed.ID != o.ID {
			out = append(out, useOfLeaving{d, s.Weak})
		}
	})
	return out
}

// named indexes the destroyed resources of a kind by the values of an attribute.
func (t *userSearch) named(p namedPath) map[string]*Decision {
	if out, known := t.byPath[p]; known {
		return out
	}
	out := map[string]*Decision{}
	for id, d := range t.leaving {
		if id.scope != p.scope || id.kind != p.kind {
			continue
		}
		v, _ := d.Observed.Attrs.Get(p.path)
		switch v := v.(type) {
		case resource.String:
			out[string(v)] = d
		case resource.List:
			for _, e := range v {
				if s, is := e.(resource.String); is {
					out[string(s)] = d
				}
			}
		}
	}
	t.byPath[p] = out
	return out
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
