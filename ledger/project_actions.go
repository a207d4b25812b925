package ledger

import (
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// remember keeps the record for the history of the thing it is about, without the content
// that stands elsewhere.
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
	return err
}

// finishActs writes one value for all that the batch says of a thing.
func (p *projection) finishActs() error {
	for ref, list := range p.acts {
		if err := p.put(rows.KeyActions+ref.String(), list); err != nil {
			return err
		}
	}
	return nil
}

// ended closes the open action, unless only observing can tell how it ended.
func (p *projection) ended(r event.Record, e event.Finished) error {
	var open OpenAction
	found, err := p.load(rows.KeyOpen+e.Ref.String(), &open)
	if err != nil {
		return err
	}
	found = found && open.Key == e.Key
	switch e.Outcome {
	case event.Done:
		if err := p.finishedBinding(r, e); err != nil {
			return err
		}
		return p.done(e.Ref, e.Stack, open.Started, found, e.Resource, e.Action == decider.Delete || e.Phase == event.PhaseDelete)
	case event.Failed:
		if err := p.failed(r, e); err != nil || !found {
			return err
		}
		if makes(e.Action, e.Phase) { // it may have created something all the same: observing tells
			open.Uncertain, open.Error, open.Failed = true, e.Error, !e.Recoverable
			return p.put(rows.KeyOpen+e.Ref.String(), open)
		}
		return p.delete(rows.KeyOpen + e.Ref.String())
	default:
		if !found {
			return nil
		}
		open.Uncertain, open.Error = true, e.Error
		return p.put(rows.KeyOpen+e.Ref.String(), open)
	}
}

// done is what a deed means, whether its end was recorded or found by observing.
func (p *projection) done(ref resource.Ref, stack string, started event.Started, found bool, res *resource.Observed, deleted bool) error {
	name := ref.String()
	if found {
		if err := p.delete(rows.KeyOpen + name); err != nil {
			return err
		}
	}
	if err := p.delete(rows.KeyTries + name); err != nil {
		return err
	}
	if deleted {
		if err := p.delete(rows.KeyApplied + name); err != nil {
			return err
		}
		return p.delete(rows.KeyResource + name)
	}
	if found && started.Applying != nil {
		if err := p.put(rows.KeyApplied+name, started.Applying); err != nil {
			return err
		}
	}
	if res == nil {
		return nil
	}
	if err := p.set(storage.Op{Key: rows.KeyResource + name, Value: res.AppendJSON(nil)}); err != nil {
		return err
	}
	if stack == "" {
		return nil
	}
	return p.owns(stack, ref.Scope())
}

// owns notes that the stack has something in the scope.
func (p *projection) owns(stack string, s resource.Scope) error {
	key := rows.StackOf(stack, s)
	if b, err := p.get(key); err != nil || b != nil {
		return err
	}
	if err := p.first(s, true); err != nil {
		return err
	}
	return p.set(storage.Op{Key: key, Value: []byte("{}")})
}

// failed counts failures in a row of one wish.
func (p *projection) failed(r event.Record, e event.Finished) error {
	key := rows.KeyTries + e.Ref.String()
	var t rows.Tries
	if _, err := p.load(key, &t); err != nil {
		return err
	}
	if t.Desired != e.Desired {
		t = rows.Tries{Desired: e.Desired}
	}
	t.Failures++
	t.Last, t.Error, t.Key = r.At, e.Error, ""
	if len(e.RecreateOnly) > 0 {
		t.RecreateOnly, t.ID = e.RecreateOnly, e.ID
	}
	if makes(e.Action, e.Phase) && e.Recoverable {
		t.Key = e.Key
	}
	return p.put(key, t)
}

// abandoned closes the open action as the observation says.
func (p *projection) abandoned(r event.Record, e event.Recovered) error {
	var open OpenAction
	found, err := p.load(rows.KeyOpen+e.Ref.String(), &open)
	if err != nil || !found || open.Key != e.Key {
		return err
	}
	switch e.Finding {
	case event.FoundDone:
		if err := p.recoveredBinding(r, e, open); err != nil {
			return err
		}
		return p.done(e.Ref, open.Stack, open.Started, true, nil, !makes(open.Action, open.Phase) && takes(open.Action, open.Phase))
	case event.FoundNotDone:
		if err := p.delete(rows.KeyOpen + e.Ref.String()); err != nil || !makes(open.Action, open.Phase) || open.Failed {
			return err
		}
		return p.keepKey(e.Ref, open.Started)
	default:
		open.Checked = r.At
		return p.put(rows.KeyOpen+e.Ref.String(), open)
	}
}

// keepKey lets the next try of the same wish use the same key.
func (p *projection) keepKey(ref resource.Ref, b event.Started) error {
	key := rows.KeyTries + ref.String()
	var t rows.Tries
	if _, err := p.load(key, &t); err != nil {
		return err
	}
	if t.Desired != b.Desired {
		t = rows.Tries{Desired: b.Desired}
	}
	t.Key = b.Key
	return p.put(key, t)
}

// makes says that the action, or half of it, brings a thing into being; takes the opposite.
func makes(a decider.Action, half string) bool {
	return a == decider.Create || half == event.PhaseCreate
}
func takes(a decider.Action, half string) bool {
	return a == decider.Delete || half == event.PhaseDelete
}
