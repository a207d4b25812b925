package plan

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// lookUp replaces the references to resources of others by the values that were observed, so that nothing later
// distinguishes them from values in the file. References to what was not found stay, and are blocked.
func (p *Planning) lookUp() {
	found := map[resource.Ref]*resource.Observed{}
	for i := range p.Intents {
		for k := range p.Intents[i].Lookups {
			d := &p.Intents[i].Lookups[k]
			o, missing := p.find(d)
			if missing != nil {
				p.NotFound = append(p.NotFound, *missing)
				continue
			}
			found[d.Ref] = o
		}
	}
	if len(found) == 0 {
		return
	}
	p.Intents = slices.Clone(p.Intents)
	for i := range p.Intents {
		if len(p.Intents[i].Lookups) > 0 {
			p.Intents[i].Resources = substitute(p.Intents[i].Resources, found)
		}
	}
}

// find looks one resource up in live state. Several matches are as bad as none: no rule says which
// one is meant.
func (p *Planning) find(d *resource.Desired) (*resource.Observed, *NotFound) {
	at := target(d)
	var found []*resource.Observed
	snapshot := p.Live.Scopes[at.Scope()]
	for i := range snapshot.Resources {
		o := &snapshot.Resources[i]
		byID := d.Lookup.ID != "" && o.Ref.Kind == at.Kind && o.ID == d.Lookup.ID
		byName := d.Lookup.ID == "" && o.Ref == at && o.Managed() && o.Role != resource.RoleOld
		if byID || byName {
			found = append(found, o)
		}
	}
	searched := "no " + at.Kind + " in " + at.Scope().String() + " has the ID " + d.Lookup.ID
	if d.Lookup.ID == "" {
		searched = "stack " + at.Stack + " of this store has no " + at.Bare().String()
	}
	switch {
	case len(found) == 1 && found[0].Condition == resource.Unreadable:
		return nil, &NotFound{
			Ref: d.Ref, Unread: true, Why: fmt.Sprintf("%s could not be read: %s", found[0].ID, found[0].Message),
		}
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, &NotFound{Ref: d.Ref, Why: fmt.Sprintf("%d resources in %s are it", len(found), at.Scope())}
	}
	if err := p.Live.Covers(at); err != nil {
		return nil, &NotFound{Ref: d.Ref, Why: err.Error(), Unread: true}
	}
	return nil, &NotFound{Ref: d.Ref, Why: searched}
}

// lookupPolicy blocks what refers to a resource that was not found, and so cannot be made as configured.
type lookupPolicy struct {
	notFound []NotFound
	lookups  map[resource.Ref]bool
}

// lookupPolicyOf returns the policy of a plan.
func lookupPolicyOf(p *Planning) lookupPolicy {
	out := lookupPolicy{p.NotFound, map[resource.Ref]bool{}}
	for i := range p.Intents {
		for k := range p.Intents[i].Lookups {
			out.lookups[p.Intents[i].Lookups[k].Ref] = true
		}
	}
	return out
}

// Name implements decider.Policy.
func (lookupPolicy) Name() string { return LookupPolicy }

// Review implements decider.Policy.
func (l lookupPolicy) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Desired == nil || !d.Proposed.Executes() {
			continue
		}
		for _, r := range d.Desired.Refs() {
			if l.lookups[r] {
				out[i] = decider.Blocker{Reason: l.why(r)}
			}
		}
	}
	return out, nil
}

func (l lookupPolicy) why(r resource.Ref) string {
	for _, n := range l.notFound {
		switch {
		case n.Ref == r && n.Unread:
			return "it refers to " + r.Short() + ", which could not be looked up: " + n.Why
		case n.Ref == r:
			return "it refers to " + r.Short() + ", which was not found: " + n.Why
		}
	}
	return "it refers to an attribute of " + r.Short() + " that has no value"
}
