package project

import (
	"errors"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// remember keeps the record for the history of its resource, without what other keys have.
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

// finishActs writes one value for all records of the batch about a resource.
func (p *projection) finishActs() error {
	for ref, list := range p.acts {
		if err := p.put(rows.Of(rows.KeyActions, ref), list); err != nil {
			return err
		}
	}
	return nil
}

// action applies the events of actions; false if the event is another.
func (p *projection) action(r event.Record) (bool, error) {
	switch e := r.Event.(type) {
	case event.Started:
		if err := errors.Join(p.restarted(r, e), p.useApprovals(e)); err != nil {
			return true, err
		}
		return true, p.put(rows.Of(rows.KeyOpen, e.Ref), rows.OpenAction{Started: e, At: r.At, Instance: r.Instance, Run: r.Run, User: r.User})
	case event.Finished:
		return true, p.finished(r, e)
	case event.Recovered:
		return true, p.recovered(r, e)
	}
	return false, nil
}

// finished closes the open action, unless only an observation can find its result.
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
		if err := p.finishedDown(r, e); err != nil {
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
		return p.done(e.Ref, open.Started, found, e.Resource, Deletes(e.Action, e.Phase, e.Step))
	case event.Failed:
		if err := p.failed(r, e); err != nil || !found {
			return err
		}
		if Creates(e.Action, e.Phase, e.Step) { // it may have created something: an observation finds out
			open.Uncertain, open.Error, open.Failed, open.Counted = true, e.Error, !e.Recoverable, true
			return p.put(rows.Of(rows.KeyOpen, e.Ref), open)
		}
		return p.delete(rows.Of(rows.KeyOpen, e.Ref))
	case event.Accepted:
		return p.accepted(r, e, open, found)
	default:
		if !found {
			return nil
		}
		open.Uncertain, open.Error = true, e.Error
		return p.put(rows.Of(rows.KeyOpen, e.Ref), open)
	}
}

// accepted keeps the action open until its result is observed. What it created is bound; what it deletes is
// until it is observed to be gone.
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
func (p *projection) done(ref resource.Ref, started event.Started, found bool, res *resource.Observed, deleted bool) error {
	if found {
		if err := p.delete(rows.Of(rows.KeyOpen, ref)); err != nil {
			return err
		}
	}
	if started.Step != "" {
		return p.stepDone(started)
	}
	if deleted {
		return p.forget(ref)
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

// forget removes what is recorded of a resource that does not exist any more, besides its bindings.
func (p *projection) forget(ref resource.Ref) error {
	for _, key := range []string{rows.KeyTries, rows.KeyExhausted, rows.KeyRestarts, rows.KeyLastGood, rows.KeyApplied, rows.KeyResource} {
		if err := p.delete(rows.Of(key, ref)); err != nil {
			return err
		}
	}
	return nil
}

// owns records that the stack of a ref has something in its scope.
func (p *projection) owns(ref resource.Ref) error {
	s := ref.Scope()
	if ref.Stack == "" {
		return nil
	}
	key := rows.StackOf(ref.Stack, s)
	if b, err := p.get(key); err != nil || b != nil {
		return err
	}
	if err := p.first(s, true); err != nil {
		return err
	}
	return p.set(storage.Op{Key: key, Value: []byte("{}")})
}

// failed counts an attempt that failed, or a transient error. A step back is an attempt of none.
func (p *projection) failed(r event.Record, e event.Finished) error {
	if e.Step == stepDeleteNew || e.Step == stepRestore {
		return nil
	}
	return p.tried(e.Ref, e.Desired, func(t *rows.Tried) {
		t.Last, t.Error, t.Key, t.Kept = r.At, e.Error, "", ""
		if e.Recoverable {
			transient(t, r.At)
		} else {
			if t.Failures++; e.Class == string(resource.Permanent) {
				t.Permanent++
			}
			t.Transient, t.Since = 0, time.Time{}
		}
		if len(e.RecreateOnly) > 0 {
			t.RecreateOnly, t.ID = e.RecreateOnly, e.ID
		}
		if Creates(e.Action, e.Phase, e.Step) && e.Recoverable {
			t.Key = e.Key
		}
	})
}

// transient counts an error that does not count as an attempt.
func transient(t *rows.Tried, at time.Time) {
	if t.Transient++; t.Since.IsZero() {
		t.Since = at
	}
}

// tried changes what is recorded of the attempts of a configuration.
func (p *projection) tried(ref resource.Ref, desired string, change func(*rows.Tried)) error {
	key := rows.Of(rows.KeyTries, ref)
	var t rows.Tries
	if _, err := p.load(key, &t); err != nil {
		return err
	}
	if last, ok := t.Last(); ok && last.Desired != desired {
		if err := p.unexhaust(ref, func(e event.Exhausted) bool { return e.Desired != desired && e.Back != desired }); err != nil {
			return err
		}
	}
	t.Change(desired, change)
	return p.put(key, t)
}

// unexhaust forgets that the attempts of a configuration are used up, if that is over. It is not where
// the resource only returns to another one.
func (p *projection) unexhaust(ref resource.Ref, over func(event.Exhausted) bool) error {
	key := rows.Of(rows.KeyExhausted, ref)
	var e event.Exhausted
	if found, err := p.load(key, &e); err != nil || !found || !over(e) {
		return err
	}
	return p.delete(key)
}

// succeeded forgets the attempts of a configuration that was applied. Those of others stay: a
// configuration that failed is not tried again because another one was applied in between.
func (p *projection) succeeded(ref resource.Ref, desired string) error {
	key := rows.Of(rows.KeyTries, ref)
	var t rows.Tries
	found, err := p.load(key, &t)
	if err != nil || !found {
		return err
	}
	if err := p.unexhaust(ref, func(e event.Exhausted) bool { return e.Back != desired }); err != nil {
		return err
	}
	if t.Drop(desired); len(t.Of) == 0 {
		return p.delete(key)
	}
	return p.put(key, t)
}

// notDone counts an attempt of which nothing was observed, unless its result counted already: with a
// recorded result, that was uncertain; without, its run ended in the middle.
func (p *projection) notDone(r event.Record, open rows.OpenAction) error {
	keeps := Creates(open.Action, open.Phase, open.Step) && !open.Failed
	if open.Counted && !keeps || open.Step == stepDeleteNew || open.Step == stepRestore {
		return nil
	}
	return p.tried(open.Ref, open.Desired, func(t *rows.Tried) {
		if keeps { // the next attempt of the same configuration uses the same key
			t.Key = open.Key
		}
		switch {
		case open.Counted:
		case open.Uncertain:
			transient(t, r.At)
			t.Last, t.Error = r.At, open.Error
		case open.Accepted:
			t.Lost++
			t.Error = "it was accepted, and not done"
		case open.Step != "" && open.Step != stepCreate: // the replacement goes on where it was
		default:
			t.Lost++
			t.Error = "the run ended before it recorded a result"
		}
	})
}

// partly notes that what is recorded as applied may have been applied in part: its action created the
// resource, and has no result.
func (p *projection) partly(ref resource.Ref, open rows.OpenAction) error {
	var applied event.Applied
	if !Creates(open.Action, open.Phase, open.Step) {
		return nil
	}
	found, err := p.load(rows.Of(rows.KeyApplied, ref), &applied)
	if err != nil || !found {
		return err
	}
	applied.Recovered = true
	return p.put(rows.Of(rows.KeyApplied, ref), applied)
}

// recovered closes the open action as observed.
func (p *projection) recovered(r event.Record, e event.Recovered) error {
	var open rows.OpenAction
	found, err := p.load(rows.Of(rows.KeyOpen, e.Ref), &open)
	if err != nil || !found || open.Key != e.Key {
		return err
	}
	switch e.Finding {
	case event.FoundDone:
		if !open.Accepted || Deletes(open.Action, open.Phase, open.Step) { // else it was bound when it was accepted
			if err := p.recoveredBinding(r, e, open); err != nil {
				return err
			}
		}
		if err := p.done(e.Ref, open.Started, true, nil, Deletes(open.Action, open.Phase, open.Step)); err != nil {
			return err
		}
		return p.partly(e.Ref, open)
	case event.FoundFailed:
		if err := p.delete(rows.Of(rows.KeyOpen, e.Ref)); err != nil {
			return err
		}
		if e.ID != "" && open.Applying != nil && open.Step == "" { // it has the configuration, and fails with it
			if err := p.put(rows.Of(rows.KeyApplied, e.Ref), open.Applying); err != nil {
				return err
			}
		}
		failed := event.Finished{Ref: e.Ref, Key: e.Key, Action: open.Action, Desired: open.Desired, Error: e.Evidence, Class: e.Class, Recoverable: e.Class == string(resource.Transient)}
		if failed.Recoverable && open.Reason == decider.ReasonState {
			if err := p.notRestarted(e.Ref); err != nil {
				return err
			}
		}
		return p.failed(r, failed)
	case event.FoundNotDone:
		if err := p.delete(rows.Of(rows.KeyOpen, e.Ref)); err != nil {
			return err
		}
		return p.notDone(r, open)
	default:
		open.Checked = r.At
		return p.put(rows.Of(rows.KeyOpen, e.Ref), open)
	}
}
