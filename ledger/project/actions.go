package project

import (
	"errors"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// remember keeps the record for the history of its resource, without the parts that other keys
// have. An event that is about no resource has no history. The omitted parts have rows of their
// own: the applied configuration and the resource.
func (p *projection) remember(r event.Record) error {
	ref := r.Event.About()
	if ref.IsZero() {
		return nil
	}
	switch e := r.Event.(type) {
	case event.Started:
		e.Applying = nil
		r.Event = e
	case event.Finished:
		e.Resource = nil
		r.Event = e
	}
	raw, err := event.EncodeRecord(r)
	if err != nil {
		return err
	}
	b, err := event.Marshal(rows.Action{Seq: r.Seq, Record: raw})
	p.acts[ref] = append(p.acts[ref], b)
	if e, ok := r.Event.(event.Moved); ok && e.From != ref { // it is the end of the old name's history too
		p.acts[e.From] = append(p.acts[e.From], b)
	}
	return err
}

// finishActs writes one value for all records of the batch about a resource. The value is replaced,
// not extended: each revision of the key has the records of one batch, and the history is the
// sequence of its revisions.
func (p *projection) finishActs() error {
	for ref, list := range p.acts {
		if err := p.put(rows.Of(rows.KeyActions, ref), list); err != nil {
			return err
		}
	}
	return nil
}

// action applies the events of actions; false if the event is another. Started writes the open
// action before the provider is called, so that after a crash the next run knows which call may
// have happened.
func (p *projection) action(r event.Record) (bool, error) {
	switch e := r.Event.(type) {
	case event.Started:
		if err := errors.Join(p.restarted(r, e), p.useApprovals(e)); err != nil {
			return true, err
		}
		return true, p.put(rows.Of(rows.KeyOpen, e.Ref), rows.OpenAction{
			Started: e, At: r.At, Instance: r.Instance, Run: r.Run, User: r.User,
		})
	case event.Finished:
		return true, p.finished(r, e)
	case event.Recovered:
		return true, p.recovered(r, e)
	case event.OutageEnded:
		return true, p.delete(rows.Of(rows.KeyOutage, e.Ref))
	}
	return false, nil
}

// finished closes the open action, unless only an observation can find its result. A result with
// another key than the open action belongs to an earlier one and does not close it. A failed create
// stays open: only an observation can tell whether the resource exists.
func (p *projection) finished(r event.Record, e event.Finished) error {
	var open rows.OpenAction
	found, err := p.load(rows.Of(rows.KeyOpen, e.Ref), &open)
	if err != nil {
		return err
	}
	if found = found && open.Key == e.Key; !found {
		open = rows.OpenAction{Started: event.Started{Desired: e.Desired}}
	}
	if e.Outcome == event.Done || e.Outcome == event.Accepted {
		if err := errors.Join(p.finishedDown(r, e), p.setBack(r, open.Started)); err != nil {
			return err
		}
	}
	switch e.Outcome {
	case event.Done:
		if err := p.finishedBinding(r, e, open); err != nil {
			return err
		}
		if open.Step == "" {
			open.Ref, open.Step = e.Ref, e.Step
		}
		if err := p.outages(r, e.Ref, open.Started, Deletes(e.Action, e.Phase, e.Step)); err != nil {
			return err
		}
		return p.done(e.Ref, open.Started, found, e.Resource, Deletes(e.Action, e.Phase, e.Step))
	case event.Failed:
		if err := p.failed(r, e); err != nil || !found {
			return err
		}
		if Creates(e.Action, e.Phase, e.Step) { // it may have created something: an observation finds out
			open.Uncertain, open.Error, open.Counted = true, e.Error, true
			open.Failed = !provider.HandlingOf(e.Cause).MayArrive
			return p.put(rows.Of(rows.KeyOpen, e.Ref), open)
		}
		return p.delete(rows.Of(rows.KeyOpen, e.Ref))
	case event.Accepted:
		return p.accepted(r, e, open, found)
	case event.NotCalled:
		if !found {
			return nil
		}
		// The provider was not called: the action counts neither as an attempt nor as a restart.
		if open.Reason == decider.ReasonState {
			if err := p.notRestarted(e.Ref); err != nil {
				return err
			}
		}
		return p.delete(rows.Of(rows.KeyOpen, e.Ref))
	default:
		// the result is unknown, or came after the claim was lost: only an observation can close the action
		if !found {
			return nil
		}
		open.Uncertain, open.Error = true, e.Error
		return p.put(rows.Of(rows.KeyOpen, e.Ref), open)
	}
}

// accepted keeps the action open until its result is observed. A created resource is bound at once;
// a deleted one stays bound until an observation shows that it is gone. The time that the scope has
// been away so far is stored with the action, so that its deadline can be moved by the time that is
// added later.
func (p *projection) accepted(r event.Record, e event.Finished, open rows.OpenAction, found bool) error {
	if !Deletes(e.Action, e.Phase, e.Step) {
		if err := p.finishedBinding(r, e, open); err != nil {
			return err
		}
	}
	if !found {
		return nil
	}
	var scan rows.Scan
	if _, err := p.load(rows.KeyScan+e.Ref.Scope().String(), &scan); err != nil {
		return err
	}
	open.Accepted, open.ID, open.UID, open.Deadline, open.Away = true, e.ID, e.UID, e.Deadline, scan.Away
	if err := p.put(rows.Of(rows.KeyOpen, e.Ref), open); err != nil || e.Resource == nil || e.Step != "" {
		return err
	}
	if err := p.set(storage.Op{Key: rows.Of(rows.KeyResource, e.Ref), Value: e.Resource.AppendJSON(nil)}); err != nil {
		return err
	}
	return p.owns(e.Ref)
}

// done closes an action, whether its result was recorded or observed. The observation after a step
// of a replacement records what exists, and the end of it what was applied.
func (p *projection) done(
	ref resource.Ref, started event.Started, found bool, res *resource.Observed, deleted bool,
) error {
	if found {
		if err := p.delete(rows.Of(rows.KeyOpen, ref)); err != nil {
			return err
		}
	}
	if started.Step != "" {
		return p.stepDone(started)
	}
	if deleted {
		if err := p.forget(ref); err != nil || started.Phase != event.PhaseDelete || started.Desired == "" {
			return err
		}
		return p.put(rows.Of(rows.KeyRoom, ref), rows.Room{Desired: started.Desired})
	}
	if err := p.succeeded(ref, started.Desired); err != nil {
		return err
	}
	if found && started.Applying != nil {
		if err := p.put(rows.Of(rows.KeyApplied, ref), started.Applying); err != nil {
			return err
		}
	}
	if res == nil {
		return nil
	}
	if err := p.set(storage.Op{Key: rows.Of(rows.KeyResource, ref), Value: res.AppendJSON(nil)}); err != nil {
		return err
	}
	return p.owns(ref)
}

// recovered closes the open action as observed. A recovery of an action that is no longer open
// changes nothing: another run was faster. A create that was observed not done can be found done later.
func (p *projection) recovered(r event.Record, e event.Recovered) error {
	var open rows.OpenAction
	found, err := p.load(rows.Of(rows.KeyOpen, e.Ref), &open)
	if err != nil || found && open.Key != e.Key {
		return err
	}
	if !found {
		var late rows.Late
		if _, err := p.load(rows.Of(rows.KeyLate, e.Ref), &late); err != nil {
			return err
		}
		if open, found = late.With(e.Key); !found || e.Finding != event.FoundDone {
			return nil
		}
	}
	switch e.Finding {
	case event.FoundDone:
		return p.foundDone(r, e, open)
	case event.FoundFailed:
		if err := p.delete(rows.Of(rows.KeyOpen, e.Ref)); err != nil {
			return err
		}
		if e.ID != "" && open.Applying != nil && open.Step == "" { // it has the configuration, and fails with it
			if err := p.put(rows.Of(rows.KeyApplied, e.Ref), open.Applying); err != nil {
				return err
			}
		}
		failed := event.Finished{
			Ref: e.Ref, Key: e.Key, Action: open.Action, Desired: open.Desired, Error: e.Evidence, Cause: e.Cause,
		}
		if !failed.Counts() && open.Reason == decider.ReasonState {
			if err := p.notRestarted(e.Ref); err != nil {
				return err
			}
		}
		return p.failed(r, failed)
	case event.FoundNotDone:
		if err := p.delete(rows.Of(rows.KeyOpen, e.Ref)); err != nil {
			return err
		}
		return errors.Join(p.mayArrive(open), p.notDone(r, open))
	default:
		open.Checked = r.At
		return p.put(rows.Of(rows.KeyOpen, e.Ref), open)
	}
}

// foundDone records the effects that the action's own result would have had, except for the state of the resource:
// the observation that found it has recorded that.
func (p *projection) foundDone(r event.Record, e event.Recovered, open rows.OpenAction) error {
	deleted := Deletes(open.Action, open.Phase, open.Step)
	if !open.Accepted || deleted { // else it was bound when it was accepted
		if err := p.recoveredBinding(r, e, open); err != nil {
			return err
		}
	}
	if err := p.outages(r, e.Ref, open.Started, deleted); err != nil {
		return err
	}
	if err := p.done(e.Ref, open.Started, true, nil, deleted); err != nil {
		return err
	}
	return p.partly(e.Ref, open)
}

// mayArrive keeps a create that was observed not done: the request may be on its way. The create of a replacement's
// step is not kept, because the step is repeated with the same key.
func (p *projection) mayArrive(open rows.OpenAction) error {
	if !Creates(open.Action, open.Phase, open.Step) || open.Failed || open.Step != "" {
		return nil
	}
	key := rows.Of(rows.KeyLate, open.Ref)
	var late rows.Late
	if _, err := p.load(key, &late); err != nil {
		return err
	}
	late.Add(open)
	return p.put(key, late)
}

// stepDone keeps what a step of a replacement means for the next one: what the new resource was
// created with, and that the key of its creation is not used again.
func (p *projection) stepDone(started event.Started) error {
	if started.Step != stepCreate {
		return nil
	}
	var t rows.Tries
	if found, err := p.load(rows.Of(rows.KeyTries, started.Ref), &t); err != nil {
		return err
	} else if found && t.Unkey(started.Desired) {
		if err := p.put(rows.Of(rows.KeyTries, started.Ref), t); err != nil {
			return err
		}
	}
	var open rows.Replacement
	if found, err := p.load(rows.Of(rows.KeyReplace, started.Ref), &open); err != nil || !found ||
		started.Applying == nil {
		return err
	}
	open.Applying = started.Applying
	return p.put(rows.Of(rows.KeyReplace, started.Ref), open)
}
