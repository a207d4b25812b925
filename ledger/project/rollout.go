package project

import (
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// replaceReverted records that the open replacement goes back, which may be a failed attempt. An
// event with another key belongs to an earlier replacement and changes nothing.
func (p *projection) replaceReverted(r event.Record, e event.ReplaceReverted) error {
	open, found, err := p.openReplacement(e.Ref, e.Key)
	if err != nil || !found {
		return err
	}
	open.Reverting, open.Why = true, e.Why
	if err := p.put(rows.Of(rows.KeyReplace, e.Ref), open); err != nil || e.Failed == "" {
		return err
	}
	return p.failed(r, event.Finished{Ref: e.Ref, Desired: e.Failed, Error: e.Why})
}

// replaceFinished closes the open replacement: the resource that is left has no role. If it is the new one,
// its configuration is the last applied one.
func (p *projection) replaceFinished(r event.Record, e event.ReplaceFinished) error {
	if e.Binding != nil {
		if err := p.leave(r, e); err != nil {
			return err
		}
	}
	open, found, err := p.openReplacement(e.Ref, e.Key)
	if err != nil || !found {
		return err
	}
	if e.Binding == nil {
		if err := p.leaveUnsigned(e.Ref, e.ID); err != nil {
			return err
		}
	}
	if err := p.leaveRole(e.Ref, e.ID); err != nil {
		return err
	}
	if err := p.delete(rows.Of(rows.KeyReplace, e.Ref)); err != nil {
		return err
	}
	if e.Reverted {
		var t rows.Tries
		found, err := p.load(rows.Of(rows.KeyTries, e.Ref), &t)
		if err != nil || !found {
			return err
		}
		if last, ok := t.Last(); !ok || last.Desired != open.Desired || last.Last.Before(open.At) {
			return nil
		}
		t.Change(open.Desired, func(x *rows.Tried) { x.Kept = e.ID }) // the last attempt was reverted
		return p.put(rows.Of(rows.KeyTries, e.Ref), t)
	}
	if e.ID == "" { // a replacement that ends without a resource removes all facts of the ref
		return p.forget(e.Ref)
	}
	if err := p.succeeded(e.Ref, open.Desired); err != nil || open.Applying == nil {
		return err
	}
	return p.put(rows.Of(rows.KeyApplied, e.Ref), open.Applying)
}

// found is false if the open replacement has another key.
func (p *projection) openReplacement(ref resource.Ref, key string) (open rows.Replacement, found bool, err error) {
	found, err = p.load(rows.Of(rows.KeyReplace, ref), &open)
	return open, found && open.Key == key, err
}

// rollout records the facts of rollouts; false if the event is another. An operator's retry removes
// the counts of attempts, restarts and values set again, so that no limit stops the next plan.
func (p *projection) rollout(r event.Record) (bool, error) {
	switch e := r.Event.(type) {
	case event.ReplaceStarted:
		if err := p.put(rows.Of(rows.KeyReplace, e.Ref), rows.Replacement{
			ReplaceStarted: e, At: r.At, Instance: r.Instance, Run: r.Run,
		}); err != nil {
			return true, err
		}
		return true, p.rebind(e.Ref, e.Old, func(b *rows.Binding) { b.Role = resource.RoleOld })
	case event.ReplaceReverted:
		return true, p.replaceReverted(r, e)
	case event.ReplaceFinished:
		return true, p.replaceFinished(r, e)
	case event.LastGood:
		return true, p.put(rows.Of(rows.KeyLastGood, e.Ref), e)
	case event.LookedUp:
		return true, p.put(rows.Of(rows.KeyLookedUp, e.Ref), e)
	case event.Exhausted:
		return true, p.put(rows.Of(rows.KeyExhausted, e.Ref), e)
	case event.Retried:
		for _, key := range []string{rows.KeyTries, rows.KeyRestarts, rows.KeyFights} {
			if err := p.delete(rows.Of(key, e.Ref)); err != nil {
				return true, err
			}
		}
		if err := p.delete(rows.Of(rows.KeyExhausted, e.Ref)); err != nil {
			return true, err
		}
		return true, p.resumed(e.Ref)
	case event.Wave:
		key := rows.WaveOf(e.Stack, e.Kind, e.Name)
		var was event.Wave
		if _, err := p.load(key, &was); err != nil {
			return true, err
		}
		// The first event has the resources that had the configuration before. A later one counts resources that got
		// it from this rollout.
		if was.Version == e.Version {
			e.Had = was.Had
		}
		return true, p.put(key, e)
	case event.Ordered:
		key := rows.OrderOf(e.Stack, string(e.Order), e.Location, e.Name)
		if !e.On {
			return true, p.delete(key)
		}
		return true, p.put(key, e)
	case event.Alarmed:
		return true, nil
	}
	return false, nil
}

// resumed lets a halted rollout continue if its other failures allow it.
func (p *projection) resumed(ref resource.Ref) error {
	key := rows.WaveOf(ref.Stack, ref.Kind, ref.Name)
	var w event.Wave
	if found, err := p.load(key, &w); err != nil || !found || !w.Halted {
		return err
	}
	w.Halted, w.Why = false, ""
	return p.put(key, w)
}
