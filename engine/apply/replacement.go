package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/oklog/ulid/v2"
	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// inSteps reports whether an action is performed by the steps of a replacement: a replace that
// keeps the old resource, and whatever goes on with a replacement in progress or ends it.
func (a *apply) inSteps(d *decider.Decision) bool {
	_, open := a.plan.Replacing[d.Ref]
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
// resource of it is left, or none. It is recorded with that action. Recorded separately, a crash
// between the two would leave the replacement in progress.
func (a *apply) closing(d *decider.Decision, phase decider.Phase) []event.Event {
	open, is := a.plan.Replacing[d.Ref]
	if !is || phase == decider.DeletePhase {
		return nil
	}
	f := event.ReplaceFinished{Ref: d.Ref, Key: open.Key, Reverted: true}
	if d.Observed != nil && d.Proposed != decider.Replace {
		f.ID, f.Reverted = d.Observed.ID, d.Observed.ID == open.Old
	}
	return []event.Event{f}
}

// replacement carries out one phase of a replacement under its claim. The create phase ends when
// the new resource is in service, and the delete phase starts when all that refers to the old one
// is updated. Each step follows from an observation, not from the step before it.
type replacement struct {
	*apply
	replace.Replacement
	claim    parts.Claim
	guard    storage.Guard
	d        *decider.Decision
	phase    decider.Phase
	recorded bool             // ReplaceStarted is
	begun    bool             // this phase has recorded the start of a step
	at       storage.Revision // that has the start which is about to be called, if it is the first one
	applied  *event.Applied   // what the new resource was created with, if that is recorded
	blinks   int              // observations in a row that failed
	repeated bool             // the step was about to be repeated, and waited first
	last     replace.Step
	refused  error // a step that failed for good, so that the replacement goes back
	pause    pauses
	seconds  float64
}

// replace performs a phase of a replacement. Both phases of a decision come here; the second one
// finds the result of a replacement that the first one already finished.
func (a *apply) replace(ctx context.Context, c parts.Claim, d *decider.Decision, phase decider.Phase) Outcome {
	out := Outcome{Ref: d.Ref, Action: d.Action, Status: Failed}
	if done, ok := a.replacedBefore(d.Ref); ok {
		out.Status, out.ID = Done, done
		return out
	}
	r, err := a.replacement(ctx, c, d, phase)
	if err != nil {
		out.Status, out.Err = Unprepared, a.readFailed(ctx, err)
		out.Detail = out.Err.Error()
		return out
	}
	out = r.run(ctx)
	out.Ref, out.Action, out.Seconds = d.Ref, d.Action, r.seconds
	return out
}

// replacement returns the replacement in progress, or a new one. A replacement that has a new
// resource keeps its strategy, its key and its old resource. Without one the configured strategy
// starts it again, with the same key for the same configuration.
func (a *apply) replacement(
	ctx context.Context, c parts.Claim, d *decider.Decision, phase decider.Phase,
) (*replacement, error) {
	open, is, err := a.engine.Ledger.Replacement(ctx, d.Ref)
	if err != nil {
		return nil, err
	}
	r := &replacement{apply: a, claim: c, guard: coordinator.Guard(c.Ref, c.Token), d: d, phase: phase}
	r.Replacement = replace.Replacement{
		Ref: d.Ref, Strategy: d.Strategy, Desired: d.DesiredDigest(), Key: ulid.Make().String(),
	}
	if t := a.plan.Tries[d.Ref].Of(r.Desired); t.Key != "" {
		r.Key = t.Key // an earlier attempt may still arrive
	}
	if d.Observed != nil {
		r.Old = d.Observed.ID
	}
	same := open.Desired == r.Desired
	switch {
	case !is:
	// Only the create phase of a replace without a new resource may start again, and only with
	// another configuration or strategy. Anything else goes on from the record.
	case d.Action != decider.Replace || d.New != nil || phase == decider.DeletePhase,
		same && resource.Strategy(open.Strategy) == d.Strategy:
		r.recorded, r.applied = true, open.Applying
		r.Strategy, r.Desired, r.Reverting = resource.Strategy(open.Strategy), open.Desired, open.Reverting
		r.Old, r.Key = open.Old, open.Key
	// Another strategy starts it again. An earlier create may still arrive, so the key stays.
	case same:
		r.Key = open.Key
	}
	if d.Desired != nil {
		r.Stopped = d.Desired.State == resource.StateStopped
	}
	r.extend()
	return r, nil
}

// extend sets the deadline for the resource that is starting. The time counts from this call,
// because the time in which no engine ran says nothing about the resource.
func (r *replacement) extend() {
	k := r.engine.Kind(r.d.Ref)
	r.Deadline, r.pause, r.repeated = r.engine.Now().Add(r.pends(r.d.Ref, create, k)), pauses{}, false
}

// about returns a request with the attributes of the decision, for errors of reads between the steps.
func (r *replacement) about() *provider.Request {
	q := &provider.Request{Desired: resource.Desired{Ref: r.d.Ref}}
	if r.d.Desired != nil {
		q.Desired = *r.d.Desired
	}
	if r.d.Observed != nil {
		q.Have = *r.d.Observed
	}
	return q
}

// run does one step after the other. It observes the resources before each step, because a crash or
// another run may have changed them. The number of observations that fail in a row is limited.
func (r *replacement) run(ctx context.Context) Outcome {
	for {
		s, err := r.stage(ctx)
		if err = quiet(r.engine, err, r.about()); err != nil {
			// Neither an ended proof nor a broken ledger passes with time.
			var unproven *unprovenError
			if r.blinks++; r.blinks >= cmp.Or(r.o.Tries, mostBlinks) || errors.As(err, &unproven) || r.broken() != nil ||
				!r.pause.wait(r.apply, ctx, r.soft) {
				return r.stops(ctx, err)
			}
			continue
		}
		r.blinks = 0
		step := r.next(s)
		switch {
		case step.Ends():
			return r.end(ctx, step, s)
		// The new resource is in service: what refers to the old one is updated before the next step.
		case r.phase == decider.CreatePhase && (step == replace.References || step == replace.DeleteOld):
			r.noteResource(r.d.Ref, s.New)
			return Outcome{Status: Done, ID: s.New.ID}
		// A step failed for good, and there is no way back. The next plan decides from the stage
		// that it observes.
		case r.refused != nil && step != replace.Revert && !r.Reverting:
			return r.stops(ctx, r.refused)
		// A step that follows itself had no visible effect yet. It waits once, and is then
		// repeated.
		case step == replace.Wait || step == r.last && !r.repeated:
			if r.repeated = true; !r.pause.wait(r.apply, ctx, r.soft) {
				return r.leaves(ctx, r.interrupted(s))
			}
			continue
		}
		if out := r.do(ctx, step, s); out != nil {
			return *out
		}
	}
}

// next is the next step of the replacement, or of the action on it.
func (r *replacement) next(s replace.Stage) replace.Step {
	switch {
	case r.d.Action == decider.Delete && s.New != nil:
		return replace.DeleteNew
	case r.d.Action == decider.Delete && s.Old != nil:
		return replace.DeleteOld
	case r.d.Action == decider.Delete:
		return replace.Done
	case r.d.Action == decider.Revert && !r.Revertible(s) && s.Old != nil:
		return replace.GiveUp
	case (r.d.Action == decider.Revert || r.refused != nil) && !r.Reverting && r.Revertible(s):
		return replace.Revert
	}
	return r.Next(s)
}

// stops is the outcome of a replacement that stops before its end. It stays in progress, and the
// next plan goes on with it. Nothing is undone: the stage that the next plan observes decides
// whether it goes on or back.
func (r *replacement) stops(ctx context.Context, err error) Outcome {
	out := Outcome{
		Status: Failed, Err: err, Detail: err.Error(), Cause: provider.CauseOf(err), Passes: provider.Passes(err),
	}
	var unproven *unprovenError
	switch cause := context.Cause(ctx); {
	case errors.As(err, &unproven) && r.last == "":
		out.Status = Stale
	case errors.Is(cause, coordinator.ErrLost) && r.last == "":
		out.Status, out.Detail = Claimed, "the claim was lost before it started"
	case r.recorded:
		if ctx.Err() != nil && !errors.Is(cause, coordinator.ErrLost) {
			out.Status = Uncertain
		}
		out.Passes = true
		out.Detail += "; the next apply goes on with the replacement"
	}
	if out.Status == Failed && r.last == "" {
		out.Status = Unprepared // this apply recorded no result of a step
	}
	return out
}

// leaves is the outcome of a replacement that an interrupt stopped. Once it has started, only the next plan finds out
// how it goes on.
func (r *replacement) leaves(ctx context.Context, err error) Outcome {
	if excluded := (*excludedError)(nil); errors.As(err, &excluded) {
		return turnedBack(ctx, Outcome{Err: err})
	}
	out := r.stops(ctx, err)
	switch {
	case out.Status != Failed && out.Status != Unprepared:
	case r.recorded:
		out.Status = Uncertain
	default:
		out.Status, out.Err = Interrupted, nil
	}
	return out
}

// interrupted is the error of a replacement whose wait was interrupted.
func (r *replacement) interrupted(s replace.Stage) error {
	waitsFor := s.New
	if waitsFor == nil {
		waitsFor = s.Old
	}
	if waitsFor == nil {
		return errors.New("the apply was interrupted")
	}
	return fmt.Errorf("the apply was interrupted while %s was %s", waitsFor.ID, waitsFor.Health)
}

// replacedBefore returns the id of the resource that is left of a replacement which this apply has
// finished.
func (a *apply) replacedBefore(ref resource.Ref) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id, ok := a.replaced[ref]
	return id, ok
}
