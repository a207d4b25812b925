package decider

import (
	"fmt"

	"github.com/ovi-project/ovi/resource/rules"
)

// SkipDestructive blocks deletes and replaces, in the stacks whose rules set it, or Everywhere: by an option of the
// command, or of a Loop without the option that allows them.
type SkipDestructive struct{ Everywhere, Loop bool }

// Name implements Policy.
func (SkipDestructive) Name() string { return "skip_destructive" }

// Review implements Policy.
func (s SkipDestructive) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Proposed.Destroys() && (s.Everywhere || f.Rules[d.Ref.Stack].SkipDestructive) {
			allow := "remove skip_destructive from the configuration to allow it"
			switch {
			case s.Everywhere && s.Loop:
				allow = "run `ovi apply`, or add --allow-destroy to `ovi run`, to allow it"
			case s.Everywhere:
				allow = "omit --skip-destructive to allow it"
			}
			out[i] = Blocker{Reason: "deletes and replaces are off", Suggestion: allow}
		}
	}
	return out, nil
}

// MaxDestroy limits how many resources of a stack one plan may destroy. Above the limit it blocks
// all of them, because a part of an accident is one too. Limit, if set, overrides the limits of
// all stacks.
type MaxDestroy struct{ Limit rules.Budget }

// Name implements Policy.
func (MaxDestroy) Name() string { return "max_destroy" }

// Review implements Policy. Actions that earlier policies blocked do not count; actions of running applies do.
func (m MaxDestroy) Review(p Plan, f Facts) (map[int]Blocker, error) {
	doomed := map[string][]int{}
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Proposed.Destroys() && len(d.Blockers) == 0 {
			doomed[d.Ref.Stack] = append(doomed[d.Ref.Stack], i)
		}
	}
	out := map[int]Blocker{}
	for stack, indices := range doomed {
		limit := m.Limit
		if !limit.Set {
			limit = f.Rules[stack].MaxDestroy
		}
		running := f.Destroying[stack]
		if limit.Allows(len(indices)+running, p.Owned[stack]) {
			continue
		}
		b := Blocker{
			Reason: fmt.Sprintf("%d of %d resources in stack %s would be destroyed; the limit is %s",
				len(indices), p.Owned[stack], stack, limit),
			Suggestion: "raise max_destroy, or use --target",
		}
		if running > 0 {
			b.Reason = fmt.Sprintf("%d of %d resources in stack %s would be destroyed, and %d are being destroyed; "+
				"the limit is %s", len(indices), p.Owned[stack], stack, running, limit)
		}
		for _, i := range indices {
			out[i] = b
		}
	}
	return out, nil
}
