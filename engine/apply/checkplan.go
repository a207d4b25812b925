package apply

import (
	"context"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Check asks the providers to check everything that the plan would create, replace or change,
// and adds their errors to the plan as warnings.
func Check(ctx context.Context, e *recovery.Recovery, p *plan.Planned) {
	a := newApply(ctx, e, p, Options{})
	p.Checked = map[resource.Ref]error{}
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		if !d.Action.Executes() || d.Action == decider.Delete {
			continue
		}
		r := provider.Request{Key: a.keyFor(d), Owner: e.Owner, Changes: d.Changes}
		if d.Observed != nil {
			r.Have = *d.Observed
		}
		err := a.ask(ctx, d, r)
		p.Checked[d.Ref] = err
		if err != nil {
			d.Warnings = append(d.Warnings, decider.Warning{Policy: "check", Text: refusal(err)})
		}
	}
}
