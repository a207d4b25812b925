package decider

import (
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
)

// Decide makes the plan. Policies review it in the order given. An error means that there is no
// plan: a dependency cycle (a *resource.CycleError), or a difference of an unknown type.
func Decide(r comparator.Result, kinds Kinds, f Facts, policies ...Policy) (Plan, error) {
	p := Plan{
		Unchanged: r.Unchanged, Owned: r.Owned, NotVerified: r.NotVerified, Kept: r.Kept, Renames: r.Renames,
		Unreachable: unreachableScopes(r.Differences, f), Offline: offlineScopes(f), UnreachableKinds: unreachableKinds(f),
		InFlight: scopesInFlight(f), Pins: f.Pins, StackPins: f.StackPins,
	}
	if len(r.Differences) == 0 {
		return p, nil
	}
	table := decisionTable()
	p.Decisions = make([]Decision, len(r.Differences))
	for i := range r.Differences {
		var err error
		if p.Decisions[i], err = propose(table, &r.Differences[i], kinds); err != nil {
			return Plan{}, err
		}
	}
	tellDeleted(p.Decisions, f)
	tellAbsent(p.Decisions, f)
	tellDestroyed(p.Decisions, f)
	tellFollows(p.Decisions, f)
	tellExchanged(p.Decisions, f)
	tellAlike(p.Decisions)
	originate(p.Decisions, f)
	tellEnded(p.Decisions, f)
	lose(p.Decisions, kinds, f)
	keep(p.Decisions, kinds, f)
	link(p.Decisions, kinds)
	linkRecorded(p.Decisions, f)
	outlive(p.Decisions, kinds)
	used := usersOf(p.Decisions, kinds)
	chooseStrategies(p.Decisions, kinds)
	used.keepUsed(p.Decisions, kinds)
	downgrade(p.Decisions)
	used.blockUsed(p.Decisions, kinds)
	tellOtherUsers(p.Decisions, kinds, f)
	blockUndeletable(p.Decisions, kinds, f)
	linkRenames(p.Decisions, f)
	if err := arrange(p.Decisions); err != nil {
		return Plan{}, err
	}
	var each reviews
	for _, policy := range policies {
		each.review(p, f, policy)
	}
	blockTaken(p.Decisions, kinds, f)
	blockUnderStaying(p.Decisions, kinds, f)
	for spreadBlocks(p.Decisions, used); takeTurns(p.Decisions, f); {
		spreadBlocks(p.Decisions, used)
	}
	tellNames(p.Decisions, f)
	for i := range p.Decisions {
		if d := &p.Decisions[i]; len(d.Blockers) > 0 {
			d.Action = Notify
		}
	}
	return p, nil
}

// tellDeleted sets the reason of creates whose resource was deleted outside ovi.
func tellDeleted(all []Decision, f Facts) {
	for i := range all {
		if d := &all[i]; d.Reason == ReasonMissing && f.Deleted[d.Ref] != "" {
			d.Reason, d.Message = ReasonDeleted, "it was deleted outside ovi"
			if f.Attempts == nil {
				continue
			}
			deleting := (&Decision{Ref: d.Ref, Action: Delete}).DesiredDigest()
			if a, _ := f.Attempts(d.Ref, deleting); a.Lost > 0 || a.Cause == provider.UnknownResult {
				d.Message += ", or by an earlier delete whose result is unknown"
			}
		}
	}
}

// tellAbsent names the block that no longer configures a resource, in the reason of its delete.
func tellAbsent(all []Decision, f Facts) {
	for i := range all {
		if d := &all[i]; d.Reason == ReasonUnwanted && f.Absent != nil {
			if why := f.Absent(d.Ref); why != "" {
				d.Message += ": " + why
			}
		}
	}
}

// tellDestroyed sets the reason of deletes whose resource is deleted with its stack.
func tellDestroyed(all []Decision, f Facts) {
	for i := range all {
		if d := &all[i]; f.Destroy && d.Difference == comparator.Unwanted && d.Proposed == Delete {
			d.Reason, d.Message = ReasonDestroyed, "`ovi destroy` was run on stack "+d.Ref.Stack
		}
	}
}

// tellFollows says which decisions are about the last good configuration of a resource.
func tellFollows(all []Decision, f Facts) {
	for i := range all {
		d := &all[i]
		switch x, ok := f.Follows[d.Ref]; {
		case !ok || !d.Proposed.Executes():
		case x.Back:
			d.Reason, d.Message = ReasonBack, x.Why
		default:
			d.Message += "; " + x.Why
		}
	}
}

// unreachableScopes collects the scopes that were not read.
func unreachableScopes(diffs []comparator.Difference, f Facts) map[resource.Scope]string {
	out := map[resource.Scope]string{}
	for s, err := range f.Unreachable {
		out[s] = err.Error()
	}
	for i := range diffs {
		d := &diffs[i]
		if _, partly := f.UnreachableKinds[d.Ref.Scope()]; d.Type != comparator.Unreachable || d.Observed != nil || partly {
			continue
		}
		if s := d.Ref.Scope(); out[s] == "" && d.Cause != nil {
			out[s] = d.Cause.Error()
		} else if out[s] == "" {
			out[s] = resource.ErrNotObserved.Error()
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// offlineScopes collects the scopes that are offline, and since when.
func offlineScopes(f Facts) map[resource.Scope]time.Time {
	var out map[resource.Scope]time.Time
	for s, err := range f.Unreachable {
		if since, is := offline.Since(err); is {
			if out == nil {
				out = map[resource.Scope]time.Time{}
			}
			out[s] = since
		}
	}
	return out
}

// scopesInFlight collects the scopes inside resources on which an action runs.
func scopesInFlight(f Facts) map[resource.Scope]bool {
	var out map[resource.Scope]bool
	for s, err := range f.Unreachable {
		if comparator.InFlight(err) {
			if out == nil {
				out = map[resource.Scope]bool{}
			}
			out[s] = true
		}
	}
	return out
}

// unreachableKinds collects, by scope, the kinds that were not read in full.
func unreachableKinds(f Facts) map[resource.Scope]map[string]string {
	if len(f.UnreachableKinds) == 0 {
		return nil
	}
	out := make(map[resource.Scope]map[string]string, len(f.UnreachableKinds))
	for s, kinds := range f.UnreachableKinds {
		out[s] = make(map[string]string, len(kinds))
		for k, err := range kinds {
			out[s][k] = err.Error()
		}
	}
	return out
}

// reviews evaluates policies one after the other. The decisions of 10,000 resources have 9 MB, so that the copy of
// one policy is used for the next.
type reviews struct{ copied []Decision }

// review evaluates one policy. The policy gets a copy of the plan, so that it can only block. If
// it fails, or blocks decisions that do not exist, every destroying action is blocked.
func (r *reviews) review(p Plan, f Facts, policy Policy) {
	blockers, err := policy.Review(r.copyOf(p), f)
	for i := range blockers {
		if i < 0 || i >= len(p.Decisions) {
			err = errOutside
		}
	}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		v, blocked := blockers[i]
		if err != nil && d.Proposed.Destroys() {
			v, blocked = Blocker{Reason: "the policy cannot be evaluated, so nothing is destroyed: " + err.Error()}, true
		}
		if !blocked || !d.Proposed.Executes() {
			continue
		}
		if v.Policy == "" {
			v.Policy = policy.Name()
		}
		d.Blockers = append(d.Blockers, v)
	}
	if w, ok := policy.(Warner); ok {
		warnings := w.Warn(r.copyOf(p), f)
		for i := range p.Decisions {
			p.Decisions[i].Warnings = append(p.Decisions[i].Warnings, warnings[i]...)
		}
	}
}

func (r *reviews) copyOf(p Plan) Plan {
	r.copied = append(r.copied[:0], p.Decisions...)
	p.Decisions = r.copied
	for i := range p.Decisions {
		d := &p.Decisions[i]
		d.Blockers = slices.Clone(d.Blockers)
		d.Changes = slices.Clone(d.Changes)
		d.DependsOn = slices.Clone(d.DependsOn)
	}
	return p
}
