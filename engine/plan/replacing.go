package plan

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// replacements reads the replacements in progress, and which of their new resources others refer to.
func (e *Planner) replacements(ctx context.Context, p *Planning, at storage.Revision) error {
	all, err := e.Ledger.Replacements(ctx, at)
	if err != nil {
		return fmt.Errorf("read the replacements in progress: %w", err)
	}
	p.Replacing, p.Used = all, map[resource.Ref]bool{}
	for ref, open := range all {
		if created := createdBy(p.Live.Scopes[ref.Scope()], open); created != nil {
			p.Used[ref] = e.refersTo(p.Live, created)
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
func (e *Planner) refersTo(live resource.LiveState, to *resource.Observed) bool {
	for _, s := range live.Scopes {
		for i := range s.Resources {
			o := &s.Resources[i]
			if k, ok := e.Providers.Kind(o.Ref.Provider, o.Ref.Kind); ok && o.Ref != to.Ref && decider.Refers(o, k.Attrs, to) {
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
func (p *Planning) inProgress(ref resource.Ref) (comparator.Replacing, bool) {
	open, ok := p.Replacing[ref]
	return comparator.Replacing{
		Desired: open.Desired, Old: open.Old, Strategy: resource.Strategy(open.Strategy), Reverting: open.Reverting,
		Used: p.Used[ref],
	}, ok
}
