package engine

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// inSteps reports whether an action is performed by the steps of a replacement: a replace that
// keeps the old resource, and whatever goes on with a replacement in progress or ends it.
func (a *apply) inSteps(d *decider.Decision) bool {
	_, open := a.plan.replacing[d.Ref]
	switch d.Action {
	case decider.Replace:
		return d.Strategy != "" && d.Strategy.KeepsOld()
	case decider.Revert:
		return true
	case decider.Update:
		return open && d.Reason == decider.ReasonResumes
	case decider.Delete:
		return open
	default:
		return false
	}
}

// closing returns the end of a replacement in progress that another action makes obsolete: only one
// resource of it is left, or none. It is recorded with that action.
func (a *apply) closing(d *decider.Decision, phase decider.Phase) []event.Event {
	open, is := a.plan.replacing[d.Ref]
	if !is || phase == decider.DeletePhase {
		return nil
	}
	f := event.ReplaceFinished{Ref: d.Ref, Key: open.Key, Reverted: true}
	if d.Observed != nil && d.Proposed != decider.Replace {
		f.ID, f.Reverted = d.Observed.ID, d.Observed.ID == open.Old
	}
	return []event.Event{f}
}

// replacements reads the replacements in progress, and which of their new resources others refer to.
func (e *Engine) replacements(ctx context.Context, p *Planned, at storage.Revision) error {
	all, err := e.cfg.Ledger.Replacements(ctx, at)
	if err != nil {
		return fmt.Errorf("read the replacements in progress: %w", err)
	}
	p.replacing, p.used = all, map[resource.Ref]bool{}
	for ref, open := range all {
		if created := createdBy(p.live.Scopes[ref.Scope()], open); created != nil {
			p.used[ref] = e.refersTo(p.live, created)
		}
	}
	return nil
}

// createdBy returns the new resource of a replacement; nil if it does not exist.
func createdBy(s resource.Snapshot, r ledger.Replacement) *resource.Observed {
	for i := range s.Resources {
		if o := &s.Resources[i]; o.Ref == r.Ref && o.Managed() && o.ID != r.Old {
			return o
		}
	}
	return nil
}

// refersTo reports whether any resource holds the ID of another one.
func (e *Engine) refersTo(live resource.LiveState, to *resource.Observed) bool {
	for _, s := range live.Scopes {
		for i := range s.Resources {
			o := &s.Resources[i]
			if k, ok := e.cfg.Providers.Kind(o.Ref.Provider, o.Ref.Kind); ok && o.Ref != to.Ref && decider.Refers(o, k.Attrs, to) {
				return true
			}
		}
	}
	return false
}

// staysOf returns the resource that stays of each replacement with two resources.
func staysOf(p decider.Plan) map[resource.Ref]*resource.Observed {
	out := map[resource.Ref]*resource.Observed{}
	for i := range p.Decisions {
		switch d := &p.Decisions[i]; {
		case d.New == nil:
		case d.Proposed == decider.Replace:
			out[d.Ref] = d.New
		default:
			out[d.Ref] = d.Observed
		}
	}
	return out
}

// inProgress returns the replacement in progress of a ref, for the comparison.
func (p *Planned) inProgress(ref resource.Ref) (comparator.Replacing, bool) {
	open, ok := p.replacing[ref]
	return comparator.Replacing{
		Desired: open.Desired, Old: open.Old, Strategy: resource.Strategy(open.Strategy), Reverting: open.Reverting, Used: p.used[ref],
	}, ok
}
