package plan

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// nameSearch looks names up in configurations and live state.
type nameSearch struct {
	intents  []resource.Intent
	live     resource.LiveState
	recorded []resource.Scope // scopes that were taken from the record
	looked   func(*resource.Desired) *resource.Observed
}

// resource looks a name up in live state. Nil means that it can be used: this stack configures it, or looks it up.
func (p *nameSearch) resource(n named) *NotFound {
	out := &NotFound{Ref: n.ref, Named: true}
	found := p.havingName(n)
	short := n.ref.Short()
	switch {
	case found == nil:
		if err := p.namesRead(n.ref); err != nil {
			return &NotFound{Ref: n.ref, Named: true, Unread: true, Why: fmt.Sprint(err)}
		}
		out.Why = "no resource has this name"
		out.Suggestion = "add " + short
		if near, ok := resource.Nearest(n.ref.Name, p.namesOf(n.ref)); ok {
			out.Suggestion = "use " + near
		}
		return out
	case found.Message == resource.ProviderDefault, p.configures(n.ref.Stack, found):
		return nil
	case !found.Managed():
		out.Why = found.ID + " exists, and is not managed"
		out.Suggestion = fmt.Sprintf("add a block {type: %s, name: %s, lookup: {id: %s}}", n.ref.Kind, n.ref.Name, found.ID)
	case found.Ref.Stack == n.ref.Stack:
		out.Why = found.Ref.Short() + " is no longer configured"
		out.Suggestion = "add " + found.Ref.Short()
	default:
		out.Why = fmt.Sprintf("%s belongs to %s of stack %s", found.ID, found.Ref.Short(), found.Ref.Stack)
		out.Suggestion = fmt.Sprintf("add a block {type: %s, name: %s, lookup: {stack: %s, ref: %s}}", n.ref.Kind,
			n.ref.Name, found.Ref.Stack, found.Ref.Short())
	}
	return out
}

// havingName returns the live resource with a name.
func (p *nameSearch) havingName(n named) *resource.Observed {
	all := p.live.Scopes[n.ref.Scope()].Resources
	for i := range all {
		o := &all[i]
		if o.Ref.Kind != n.ref.Kind || o.Role == resource.RoleOld {
			continue
		}
		if o.ID == n.ref.Name || n.attr != "" && slices.Contains(o.Attrs.Texts(n.attr), n.ref.Name) {
			return o
		}
	}
	return nil
}

// namesRead returns nil if what was read shows that a name does not exist, otherwise why not. A record has what was
// asked for then.
func (p *nameSearch) namesRead(ref resource.Ref) error {
	if err := p.live.Covers(ref); err != nil {
		return err
	}
	if !slices.Contains(p.live.Scopes[ref.Scope()].Filtered, ref.Kind) {
		return nil
	}
	if slices.Contains(p.recorded, ref.Scope()) {
		return fmt.Errorf("the record of %s shows managed resources only", ref.Scope())
	}
	return nil
}

// configures reports whether a stack configures a live resource, or looks it up.
func (p *nameSearch) configures(stack string, o *resource.Observed) bool {
	for i := range p.intents {
		in := &p.intents[i]
		if in.Stack != stack {
			continue
		}
		own := func(d resource.Desired) bool { return d.Ref == o.Ref }
		looked := func(d resource.Desired) bool {
			have := p.looked(&d)
			return have != nil && have.Ref.Kind == o.Ref.Kind && have.ID == o.ID
		}
		if slices.ContainsFunc(in.Resources, own) || slices.ContainsFunc(in.Lookups, looked) {
			return true
		}
	}
	return false
}

// namesOf lists the names of a kind that have a block or exist in the system.
func (p *nameSearch) namesOf(ref resource.Ref) (out []string) {
	like := func(r resource.Ref) bool { return r.Scope() == ref.Scope() && r.Kind == ref.Kind }
	for i := range p.intents {
		if p.intents[i].Stack != ref.Stack {
			continue
		}
		for k := range p.intents[i].Resources {
			if r := p.intents[i].Resources[k].Ref; like(r) {
				out = append(out, r.Name)
			}
		}
	}
	for _, o := range p.live.Scopes[ref.Scope()].Resources {
		if like(o.Ref) && o.Reported() {
			out = append(out, o.ID)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
