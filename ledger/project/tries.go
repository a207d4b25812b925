package project

import (
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// failed counts an attempt that failed, or a failure that passes. A step back is an attempt of
// none. A cause that may have arrived keeps the key of the create: the next attempt uses it again,
// so that the system recognizes the same request.
func (p *draft) failed(r event.Record, e event.Finished) error {
	if e.Step == stepDeleteNew || e.Step == stepRestore {
		return nil
	}
	return p.tried(e.Ref, e.Desired, func(t *rows.Tried) {
		t.Last, t.Error, t.Cause, t.Key, t.Kept = r.At, e.Error, e.Cause, "", ""
		if e.Counts() {
			if t.Failures++; e.Cause == provider.Configuration {
				t.Configuration++
			}
			t.Other, t.Since = 0, time.Time{}
		} else {
			passes(t, r.At)
		}
		if len(e.RecreateOnly) > 0 {
			t.RecreateOnly, t.ID = e.RecreateOnly, e.ID
		}
		if Creates(e.Action, e.Phase, e.Step) && provider.HandlingOf(e.Cause).MayArrive {
			t.Key = e.Key
		}
	})
}

// passes notes a failure that does not count. Since is the time of the first of several such failures in a
// row.
func passes(t *rows.Tried, at time.Time) {
	if t.Other++; t.Since.IsZero() {
		t.Since = at
	}
}

// tried changes what is recorded of the attempts of a configuration. If it is another configuration than
// the last one, an exhausted one is forgotten, unless it is the one that is tried or the resource returns
// to its last good one.
func (p *draft) tried(ref resource.Ref, desired string, change func(*rows.Tried)) error {
	key := rows.Of(rows.KeyTries, ref)
	var t rows.Tries
	if _, err := p.load(key, &t); err != nil {
		return err
	}
	if last, ok := t.Last(); ok && last.Desired != desired {
		if err := p.unexhaust(ref, func(e event.Exhausted) bool {
			return e.Desired != desired && e.Back != desired
		}); err != nil {
			return err
		}
	}
	t.Change(desired, change)
	return p.put(key, t)
}

// unexhaust forgets that the attempts of a configuration are used up, if that is over. It is not where
// the resource only returns to another one.
func (p *draft) unexhaust(ref resource.Ref, over func(event.Exhausted) bool) error {
	key := rows.Of(rows.KeyExhausted, ref)
	var e event.Exhausted
	if found, err := p.load(key, &e); err != nil || !found || !over(e) {
		return err
	}
	return p.delete(key)
}

// succeeded forgets the attempts of a configuration that was applied. The attempts of other configurations
// stay: applying another configuration in between is no reason to try a failed one again.
func (p *draft) succeeded(ref resource.Ref, desired string) error {
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
	var back event.Exhausted
	if returned, err := p.load(rows.Of(rows.KeyExhausted, ref), &back); err != nil {
		return err
	} else if !returned {
		t.Pass()
	}
	return p.put(key, t)
}

// notDone counts an attempt of which nothing was observed, unless its result counted already: with
// a recorded result, that was uncertain; without, its run ended in the middle. A run that ended in
// the middle counts as lost and not as a failure: the configuration is not to blame.
func (p *draft) notDone(r event.Record, open rows.OpenAction) error {
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
			passes(t, r.At)
			t.Last, t.Error, t.Cause = r.At, open.Error, provider.UnknownResult
		case open.Accepted:
			t.Lost++
			t.Error, t.Cause = "it was accepted, and not done", ""
		case open.Step != "" && open.Step != stepCreate: // the replacement goes on where it was
		default:
			t.Lost++
			t.Error, t.Cause = "the run ended before it recorded a result", ""
		}
	})
}
