package engine

import (
	"fmt"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// request is what the provider is asked. References in it are ids of things that were seen
// or have just been made.
func (a *apply) request(c Claim, d *decider.Decision, half decider.Phase) (*provider.Request, error) {
	r := &provider.Request{Token: c.Token, Stack: d.Stack, Owner: a.engine.cfg.Owner}
	if d.Observed != nil && verbOf(d.Action, half) != create {
		r.Have = *d.Observed
		r.MarkKey = a.plan.keyOf(d.Ref, d.Observed.ID)
	}
	if half == decider.DeletePhase {
		return r, nil
	}
	var missing []resource.Ref
	resolve := func(ref resource.Reference) resource.Value {
		id, ok := a.idOf(ref.Ref)
		if !ok {
			missing = append(missing, ref.Ref)
		}
		return resource.String(id)
	}
	r.Desired = *d.Desired
	r.Desired.Attrs = resource.MapRefs(d.Desired.Attrs, resolve).(resource.Attrs)
	if verbOf(d.Action, half) == update {
		r.Changes = make([]resource.Change, len(d.Changes))
		for i, change := range d.Changes {
			change.To = resource.MapRefs(change.To, resolve)
			r.Changes[i] = change
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s refers to %s, which has no id: it is neither there nor was it made", d.Ref, missing[0])
	}
	return r, nil
}
