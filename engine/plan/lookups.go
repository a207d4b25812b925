package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/lookup"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/pins"
)

// lookUp replaces the references to resources of others by the values that were observed, so that nothing later
// distinguishes them from values in the file. References without a result stay, and are blocked. The plan pins
// the resources that were found.
func (p *Planning) lookUp(finder *lookup.Finder) {
	found := map[resource.Ref]*resource.Observed{}
	for i := range p.Intents {
		for k := range p.Intents[i].Lookups {
			d := &p.Intents[i].Lookups[k]
			o, missing := finder.Find(d)
			if missing != nil {
				p.NotFound = append(p.NotFound, *missing)
				continue
			}
			found[d.Ref] = o
			p.pins = append(p.pins, pins.Pin{Ref: d.Ref, ID: o.ID})
		}
	}
	if len(found) == 0 {
		return
	}
	pins.Sort(p.pins)
	p.Repinned = pins.Changes(p.pins, finder.Known)
	p.recordedPins = finder.Known
	p.Intents = slices.Clone(p.Intents)
	for i := range p.Intents {
		if len(p.Intents[i].Lookups) > 0 {
			p.Intents[i].Resources = substitute(p.Intents[i].Resources, found)
			p.Intents[i].Outputs = lookedUp(p.Intents[i].Outputs, found)
		}
	}
}

// finder returns what looks resources of others up. Only a plan with lookups reads the record for it.
func (e *Planner) finder(ctx context.Context, p *Planning) (*lookup.Finder, error) {
	f := &lookup.Finder{Live: p.Live, Kind: e.Kind, Approved: p.o.approved}
	if !slices.ContainsFunc(p.Intents, func(in resource.Intent) bool { return len(in.Lookups) > 0 }) {
		return f, nil
	}
	for _, o := range p.Observations {
		if o.Recorded {
			f.Recorded = append(f.Recorded, o.Scope)
		}
	}
	var err error
	if f.Known, err = query.LookedUp(ctx, e.Ledger.Reader(), p.o.At); err != nil {
		return nil, fmt.Errorf("read the recorded lookups: %w", err)
	}
	return f, nil
}

// recordPins records the lookups of a plan that has nothing to apply.
func (e *Planner) recordPins(ctx context.Context, p *Planning) error {
	events := p.PinEvents()
	if len(events) == 0 {
		return nil
	}
	if _, err := e.Ledger.Record(ctx, events...); err != nil {
		return fmt.Errorf("record the lookups: %w", err)
	}
	return nil
}

// PinEvents returns the events for the lookups of a plan that found another resource than recorded.
func (p *Planned) PinEvents() []event.Event {
	var out []event.Event
	for _, x := range pins.New(p.Plan.Pins, p.recordedPins) {
		out = append(out, event.LookedUp{Ref: x.Ref, ID: x.ID, Was: p.recordedPins[x.Ref]})
	}
	return out
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
	for _, n := range p.NotFound {
		if outputs.IsRef(n.Ref) {
			out.lookups[n.Ref] = true
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
				out[i] = l.blocker(r)
			}
		}
	}
	return out, nil
}

// refersToMissing returns why a configuration cannot be applied, if it refers to a lookup without a result.
func (p *Planned) refersToMissing(d *resource.Desired) *decider.Blocker {
	if d == nil {
		return nil
	}
	for _, r := range d.Refs() {
		if slices.ContainsFunc(p.NotFound, func(n NotFound) bool { return n.Ref == r && !n.Named }) {
			b := lookupPolicy{notFound: p.NotFound}.blocker(r)
			b.Policy = LookupPolicy
			return &b
		}
	}
	return nil
}

func (l lookupPolicy) blocker(r resource.Ref) decider.Blocker {
	of := "it refers to " + r.Short()
	for _, n := range l.notFound {
		switch {
		case n.Ref != r:
		case n.Stale, n.Unfit:
			return decider.Blocker{Reason: of + ": " + n.Why, Suggestion: n.Suggestion}
		case n.Several:
			return decider.Blocker{Reason: of + ", which is not unique: " + n.Why, Suggestion: n.Suggestion}
		case n.Unread:
			return decider.Blocker{Reason: of + ", which could not be looked up: " + n.Why}
		default:
			return decider.Blocker{Reason: of + ", which was not found: " + n.Why, Suggestion: n.Suggestion}
		}
	}
	return decider.Blocker{Reason: "it refers to an attribute of " + r.Short() + " that has no value"}
}
