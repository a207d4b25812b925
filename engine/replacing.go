package engine

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/replace"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// phaseOf returns the phase of a replacement that an action is, and, for a strategy that keeps the
// old resource until the new one is healthy, its step.
func phaseOf(d *decider.Decision, phase decider.Phase) (name string, step replace.Step) {
	keeps := d.Strategy != "" && d.Strategy.KeepsOld()
	switch {
	case d.Reason == decider.ReasonReverts:
		return event.PhaseDelete, replace.DeleteNew
	case d.Action != decider.Replace:
		return "", ""
	case phase == decider.CreatePhase && keeps:
		return event.PhaseCreate, replace.Create
	case phase == decider.CreatePhase:
		return event.PhaseCreate, ""
	case keeps:
		return event.PhaseDelete, replace.DeleteOld
	}
	return event.PhaseDelete, ""
}

// opening returns the events before the first step of a replacement that keeps the old resource,
// and before the step that reverts it.
func (a *apply) opening(d *decider.Decision, s event.Started) []event.Event {
	switch replace.Step(s.Step) {
	case replace.Create:
		return []event.Event{event.ReplaceStarted{
			Plan: s.Plan, Ref: s.Ref, Stack: s.Stack, Key: s.Key, Strategy: string(d.Strategy), Desired: s.Desired, Old: d.Observed.ID,
		}}
	case replace.DeleteNew:
		return []event.Event{event.ReplaceReverted{Ref: s.Ref, Key: a.plan.replacing[s.Ref].Key, Why: d.Message}}
	}
	return nil
}

// closing returns the events after the last step of such a replacement.
func (a *apply) closing(d *decider.Decision, e event.Finished) []event.Event {
	if e.Outcome != event.Done {
		return nil
	}
	open := a.plan.replacing[e.Ref]
	switch replace.Step(e.Step) {
	case replace.Create:
		a.mu.Lock()
		a.replaceKeys[e.Ref] = e.Key
		a.mu.Unlock()
	case replace.DeleteOld:
		f := event.ReplaceFinished{Ref: e.Ref, Key: open.Key}
		a.mu.Lock()
		if key, ok := a.replaceKeys[e.Ref]; ok {
			f.Key = key
		}
		f.ID = a.made[e.Ref].ID
		a.mu.Unlock()
		if d.New != nil {
			f.ID = d.New.ID
		}
		return []event.Event{f}
	case replace.DeleteNew:
		return []event.Event{event.ReplaceFinished{Ref: e.Ref, Key: open.Key, ID: open.Old, Reverted: true}}
	}
	return nil
}

// newIsHealthy reports whether the new resource of a replacement is in service. Before that the
// old one is not deleted.
func (a *apply) newIsHealthy(d *decider.Decision) bool {
	if d.New != nil {
		return d.New.Health != resource.Failing && d.New.Health != resource.Pending
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	o, ok := a.made[d.Ref]
	return ok && o.Health != resource.Failing && o.Health != resource.Pending
}

// leftReplacements finishes the replacements that a crash interrupted after their last step: only
// the new resource exists.
func (a *apply) leftReplacements() []event.Event {
	var out []event.Event
	for ref, open := range a.plan.replacing {
		var left []string
		for _, o := range a.plan.live.Scopes[ref.Scope()].Resources {
			if o.Ref == ref && o.Managed() {
				left = append(left, o.ID)
			}
		}
		if _, pending := a.plan.open[ref]; len(left) == 1 && left[0] != open.Old && !pending {
			out = append(out, event.ReplaceFinished{Ref: ref, Key: open.Key, ID: left[0]})
		}
	}
	slices.SortFunc(out, func(x, y event.Event) int { return x.About().Compare(y.About()) })
	return out
}

// replacements reads the replacements in progress.
func (e *Engine) replacements(ctx context.Context, p *Planned, at storage.Revision) (err error) {
	if at == storage.Now {
		p.replacing, err = e.cfg.Ledger.Replacements(ctx)
	}
	return err
}
