package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// ErrUnproven: the record does not prove that a resource was created or adopted here.
var ErrUnproven = errors.New("ledger: not proven by the record")

// Bindings are all bindings of a scope, ended and former ones too, sorted by ref and id.
func (r *Reader) Bindings(ctx context.Context, s resource.Scope) ([]resource.Binding, error) {
	var out []resource.Binding
	err := r.Entries(ctx, rows.KeyBinding+s.String()+"/", storage.Now, func(e storage.Entry) error {
		var b resource.Binding
		if err := json.Unmarshal(e.Value, &b); err != nil {
			return fmt.Errorf("%s: %w", e.Key, err)
		}
		if b.Ref.Scope() == s {
			out = append(out, b)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: bindings in %s: %w", s, err)
	}
	return out, nil
}

// Binding finds the live binding of a ref; ErrNotFound if there is none. Of a replacement
// under way it is that of the old resource.
func (r *Reader) Binding(ctx context.Context, ref resource.Ref) (resource.Binding, error) {
	var all refBindings
	if _, err := r.Load(ctx, rows.KeyBound+ref.String(), storage.Now, &all); err != nil {
		return resource.Binding{}, err
	}
	for _, id := range all.Live {
		var b resource.Binding
		found, err := r.Load(ctx, bindingKey(ref, id), storage.Now, &b)
		if err != nil {
			return b, err
		}
		if found && b.Live() && (b.Role != resource.RoleNew || len(all.Live) == 1) {
			return b, nil
		}
	}
	return resource.Binding{}, fmt.Errorf("ledger: a binding of %s: %w", ref, ErrNotFound)
}

// Proof finds the record that a live binding of an id rests on and holds the binding against
// it: a row of the store is no proof by itself. The error wraps ErrUnproven where the record
// does not say what the row says.
func (r *Reader) Proof(ctx context.Context, ref resource.Ref, id string) (resource.Binding, error) {
	var b resource.Binding
	found, err := r.Load(ctx, bindingKey(ref, id), storage.Now, &b)
	switch {
	case err != nil:
		return b, err
	case !found || !b.Live() || b.Ref != ref || b.ID != id:
		return b, fmt.Errorf("%w: nothing binds %s to %s", ErrUnproven, id, ref)
	case b.Instance != r.instance:
		return b, nil // another instance's log; its store is shared with this one
	}
	e, err := r.record(wal.Seq(b.Seq))
	if err != nil {
		return b, fmt.Errorf("ledger: record %d, which proves %s: %w", b.Seq, id, err)
	}
	if !starts(e, b) {
		return b, fmt.Errorf("%w: record %d does not say that %s was created or adopted as %s", ErrUnproven, b.Seq, id, ref)
	}
	return b, nil
}

// record reads one event of the log.
func (r *Reader) record(at wal.Seq) (event.Event, error) {
	for b, err := range r.log.Read(at) {
		if err != nil {
			return nil, err
		}
		if at < b.First || at > b.Last {
			break
		}
		x, err := event.DecodeRecord(b.Records[at-b.First])
		return x.Event, err
	}
	return nil, ErrNotFound
}

// starts reports that an event starts the binding.
func starts(e event.Event, b resource.Binding) bool {
	switch e := e.(type) {
	case event.Finished:
		return e.Ref == b.Ref && e.ID == b.ID && e.Outcome == event.Done && makes(e.Action, e.Phase)
	case event.Recovered:
		return e.Ref == b.Ref && e.ID == b.ID && e.Finding == event.FoundDone
	case event.Adopted:
		return e.Ref == b.Ref && e.ID == b.ID
	case event.Moved:
		return e.Ref == b.Ref && e.ID == b.ID
	}
	return false
}

func bindingKey(ref resource.Ref, id string) string { return rows.KeyBinding + ref.String() + "/" + id }

// identityKey is where it stands which ref an id is bound to: one id, one ref.
func identityKey(ref resource.Ref, id string) string {
	return rows.KeyIdentity + ref.Scope().String() + "/" + ref.Kind + "/" + id
}

// refBindings is the value of bound/<ref>.
type refBindings struct {
	Generation uint64   `json:"generation"`
	Live       []string `json:"live,omitempty"` // ids
}

// bind starts a binding. What was bound to the ref before becomes former, unless the new one
// is the new resource of a replacement; what the id was bound to before ends.
func (p *projection) bind(r event.Record, b resource.Binding) error {
	var was resource.Ref
	if found, err := p.load(identityKey(b.Ref, b.ID), &was); err != nil {
		return err
	} else if found && was != b.Ref {
		if err := p.unbind(was, b.ID); err != nil {
			return err
		}
	}
	var all refBindings
	if _, err := p.load(rows.KeyBound+b.Ref.String(), &all); err != nil {
		return err
	}
	all.Generation++
	live := []string{b.ID}
	for _, id := range all.Live {
		switch {
		case id == b.ID:
		case b.Role == resource.RoleNew:
			live = append(live, id)
		default:
			if err := p.rebind(b.Ref, id, func(old *resource.Binding) { old.Former = true }); err != nil {
				return err
			}
		}
	}
	all.Live = live
	b.Generation, b.Seq, b.Instance, b.At = all.Generation, uint64(r.Seq), r.Instance, r.At
	if err := p.put(rows.KeyBound+b.Ref.String(), all); err != nil {
		return err
	}
	if err := p.put(identityKey(b.Ref, b.ID), b.Ref); err != nil {
		return err
	}
	return p.put(bindingKey(b.Ref, b.ID), b)
}

// unbind ends a binding; the row stays.
func (p *projection) unbind(ref resource.Ref, id string) error {
	if err := p.rebind(ref, id, func(b *resource.Binding) { b.Ended = true }); err != nil {
		return err
	}
	var all refBindings
	if found, err := p.load(rows.KeyBound+ref.String(), &all); err != nil || !found {
		return err
	}
	var live []string
	for _, x := range all.Live {
		if x != id {
			live = append(live, x)
		}
	}
	all.Live = live
	if err := p.put(rows.KeyBound+ref.String(), all); err != nil {
		return err
	}
	return p.delete(identityKey(ref, id))
}

// rebind changes a binding that is on record; one that is not stays so.
func (p *projection) rebind(ref resource.Ref, id string, change func(*resource.Binding)) error {
	var b resource.Binding
	found, err := p.load(bindingKey(ref, id), &b)
	if err != nil || !found {
		return err
	}
	change(&b)
	return p.put(bindingKey(ref, id), b)
}

// finishedBinding is what a finished action means to the bindings of its ref.
func (p *projection) finishedBinding(r event.Record, e event.Finished) error {
	switch {
	case e.Action == decider.Delete || e.Phase == event.PhaseDelete:
		return p.unbind(e.Ref, e.ID)
	case makes(e.Action, e.Phase):
		return p.bind(r, resource.Binding{Stack: e.Stack, Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key})
	}
	return nil
}

// recoveredBinding is the same for an action that an observation found done.
func (p *projection) recoveredBinding(r event.Record, e event.Recovered, open OpenAction) error {
	switch {
	case takes(open.Action, open.Phase):
		return p.unbind(e.Ref, open.Have)
	case makes(open.Action, open.Phase):
		return p.bind(r, resource.Binding{Stack: open.Stack, Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key})
	}
	return nil
}

// dismissed notes an id that blocks nothing, if it is not bound.
func (p *projection) dismissed(r event.Record, e event.Dismissed) error {
	return p.put(bindingKey(e.Ref, e.ID), resource.Binding{
		Ref: e.Ref, ID: e.ID, Dismissed: true, Seq: uint64(r.Seq), Instance: r.Instance, At: r.At,
	})
}

// moved gives a binding, and what is on record under its name, another name.
func (p *projection) moved(r event.Record, e event.Moved) error {
	var b resource.Binding
	found, err := p.load(bindingKey(e.From, e.ID), &b)
	if err != nil || !found {
		return err
	}
	if e.From != e.Ref {
		for _, prefix := range []string{rows.KeyApplied, rows.KeyBlessed, rows.KeyResource} {
			value, err := p.get(prefix + e.From.String())
			if err != nil {
				return err
			}
			if value == nil {
				continue
			}
			if prefix != rows.KeyResource { // the next observation writes it under its new name
				if err := p.set(storage.Op{Key: prefix + e.Ref.String(), Value: value}); err != nil {
					return err
				}
			}
			if err := p.delete(prefix + e.From.String()); err != nil {
				return err
			}
		}
		if err := p.unbind(e.From, e.ID); err != nil {
			return err
		}
	}
	b.Ref, b.Stack, b.Ended = e.Ref, e.Stack, false
	if err := p.bind(r, b); err != nil {
		return err
	}
	return p.owns(e.Stack, e.Ref.Scope())
}
