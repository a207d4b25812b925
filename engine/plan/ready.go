package plan

import (
	"context"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// healthOf is the health of a managed resource as the plan observed it, for decider.Facts.
func (p *Planning) healthOf(ref resource.Ref) (resource.Health, bool) {
	o, exists := p.ResourceAt(ref)
	if !exists {
		return "", false
	}
	if h, is := p.unready[ref]; is {
		return h, true
	}
	switch {
	case o.Condition == resource.Unreadable:
		return resource.Unclear, true
	case StoppedAsConfigured(p.Intents, o):
		return resource.Healthy, true
	}
	return o.Health, true
}

// StoppedAsConfigured reports whether a resource is stopped according to its configuration.
func StoppedAsConfigured(intents []resource.Intent, o *resource.Observed) bool {
	if o.Health != resource.Stopped {
		return false
	}
	d := ConfiguredIn(intents, o.Ref)
	return d != nil && d.State == resource.StateStopped
}

// askReady asks the providers which resources of sets with turns are not in service though they are
// observed as healthy, and reports whether there are any. If a provider cannot answer now, the apply asks
// again before the turn.
func (e *Planner) askReady(ctx context.Context, p *Planning) (any bool) {
	if p.Past || p.Mode == event.ForDrift {
		return false
	}
	asked := map[resource.Ref]bool{}
	var sets map[resource.Ref][]resource.Ref
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		of := resource.SetOf(d.Desired)
		r, ok := e.Providers[d.Ref.Provider].(provider.Readier)
		if d.Turn == nil || asked[of] || !ok {
			continue
		}
		asked[of] = true
		if sets == nil {
			sets = decider.SetsOf(p.Intents)
		}
		var members []resource.Observed
		for _, ref := range sets[of] {
			if o, exists := p.ResourceAt(ref); exists && o.Health == resource.Healthy {
				members = append(members, *o)
			}
		}
		members, _ = r.Ready(ctx, members)
		for _, o := range members {
			if o.Health != resource.Healthy {
				if p.unready == nil {
					p.unready = map[resource.Ref]resource.Health{}
				}
				p.unready[o.Ref], any = o.Health, true
			}
		}
	}
	return any
}
