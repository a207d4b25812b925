package apply

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
)

// stage observes the resources of a replacement. A location that could not be read in full is an
// error: its resources have no stage. A resource whose proof has ended since the plan is an
// *unprovenError: the replacement must not touch it.
func (r *replacement) stage(ctx context.Context) (replace.Stage, error) {
	s := replace.Stage{Moved: r.phase == decider.DeletePhase, Used: r.used()}
	snapshot, err := r.engine.ObserveRef(ctx, r.d.Ref)
	if err != nil {
		return s, err
	}
	for i := range snapshot.Resources {
		o := &snapshot.Resources[i]
		switch {
		case o.Ref.Kind != r.d.Ref.Kind || o.Ref != r.d.Ref && o.ID != r.Old:
		case !o.Managed() && (o.ID != r.Old || r.d.Action == decider.Update): // it was forgotten before the plan
		case !o.Managed():
			return s, &unprovenError{r.d.Ref, o.ID, fmt.Errorf("its ownership is %s now", o.Ownership)}
		case o.Condition == resource.Unreadable:
			return s, fmt.Errorf("%s could not be read: %s", o.ID, o.Message)
		// Others may use a resource whose creation has ended after all. The reason for its
		// replacement is gone.
		case o.ID == r.Old && r.d.Reason == decider.ReasonUnfinished && o.Condition != resource.Unfinished:
			return s, fmt.Errorf("%s is no longer unfinished: plan again", o.ID)
		case o.ID == r.Old:
			s.Old, s.Aside = o, o.Aside()
		default:
			s.New = o
		}
	}
	s.Now = r.engine.Clock()
	return s, nil
}

// used reports whether something refers to the new resource: as observed by the plan, or because
// this apply has changed what refers to it.
func (r *replacement) used() bool {
	if r.plan.Used[r.d.Ref] {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.plan.Plan.Decisions {
		d := &r.plan.Plan.Decisions[i]
		o, done := r.outcomes[stepOf{i, decider.CreatePhase}]
		if done && d.Desired != nil && d.Ref != r.d.Ref && slices.Contains(d.Desired.Refs(), r.d.Ref) &&
			(o.Status.called() || o.Status == ByOther) {
			return true
		}
	}
	return false
}
