package project

import (
	"cmp"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Steps of a replacement that start or end a binding, as package replace names them.
const (
	stepCreate    = "create"
	stepDeleteOld = "delete_old"
	stepDeleteNew = "delete_new"
	stepRestore   = "restore"
)

// Creates reports whether the action, or its phase or step, creates a resource.
func Creates(a decider.Action, phase, step string) bool {
	return step == stepCreate || step == "" && (a == decider.Create || phase == event.PhaseCreate)
}

// Deletes reports whether the action, or its phase or step, deletes a resource.
func Deletes(a decider.Action, phase, step string) bool {
	return step == stepDeleteOld || step == stepDeleteNew || step == "" && (a == decider.Delete || phase == event.PhaseDelete)
}

// ownership applies the events of bindings that no action makes; false if the event is another.
func (p *projection) ownership(r event.Record) (bool, error) {
	switch e := r.Event.(type) {
	case event.Adopted:
		b := resource.Binding{Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key, Adopted: true}
		if err := p.bind(r, b, e.Signature); err != nil {
			return true, err
		}
		if e.Applied != nil {
			if err := p.put(rows.Of(rows.KeyApplied, e.Ref), e.Applied); err != nil {
				return true, err
			}
		}
		return true, p.owns(e.Ref)
	case event.Disowned:
		if err := p.disowned(e.Ref, e.ID); err != nil {
			return true, err
		}
		return true, p.unbind(e.Ref, e.ID, e.Signature)
	case event.Lost:
		return true, p.unbind(e.Ref, e.ID, e.Signature)
	case event.Dismissed:
		return true, p.dismissed(r, e)
	case event.Moved:
		return true, p.moved(r, e)
	}
	return false, nil
}

// bind starts a binding. What was bound to the ref before becomes former, unless the new one is
// the new resource of a replacement. What the id was bound to before ends.
func (p *projection) bind(r event.Record, b resource.Binding, signed *event.Signature) error {
	var was resource.Ref
	if found, err := p.load(rows.IdentityOf(b.Ref, b.ID), &was); err != nil {
		return err
	} else if found && was != b.Ref {
		if err := p.unbind(was, b.ID, nil); err != nil {
			return err
		}
	}
	var all rows.Bound
	if _, err := p.load(rows.BoundOf(b.Ref), &all); err != nil {
		return err
	}
	live := []string{b.ID}
	for _, id := range all.Live {
		switch {
		case id == b.ID:
		case b.Role == resource.RoleNew:
			live = append(live, id)
		default:
			if err := p.rebind(b.Ref, id, func(old *rows.Binding) { old.Former = true }); err != nil {
				return err
			}
		}
	}
	all.Live, all.Generation = live, next(all.Generation, signed)
	b.Generation, b.Seq, b.Instance, b.At = all.Generation, uint64(r.Seq), r.Instance, r.At
	if err := p.put(rows.BoundOf(b.Ref), all); err != nil {
		return err
	}
	if err := p.put(rows.IdentityOf(b.Ref, b.ID), b.Ref); err != nil {
		return err
	}
	return p.put(rows.BindingOf(b.Ref, b.ID), rows.Binding{Binding: b, Signature: signed})
}

// next is the generation after a change: the signed one, or one more.
func next(was uint64, signed *event.Signature) uint64 {
	if signed != nil {
		return signed.Generation
	}
	return was + 1
}

// unbind ends a binding. Its row stays.
func (p *projection) unbind(ref resource.Ref, id string, signed *event.Signature) error {
	var all rows.Bound
	if found, err := p.load(rows.BoundOf(ref), &all); err != nil || !found {
		return err
	}
	all.Live = slices.DeleteFunc(all.Live, func(x string) bool { return x == id })
	if signed != nil {
		all.Generation = signed.Generation
	}
	err := p.rebind(ref, id, func(b *rows.Binding) {
		if b.Ended = true; signed != nil {
			b.Generation, b.Signature = signed.Generation, signed
		}
	})
	if err != nil {
		return err
	}
	if err := p.put(rows.BoundOf(ref), all); err != nil {
		return err
	}
	var now resource.Ref
	if found, err := p.load(rows.IdentityOf(ref, id), &now); err != nil || !found || now != ref {
		return err
	}
	return p.delete(rows.IdentityOf(ref, id))
}

// rebind changes a recorded binding; there may be none.
func (p *projection) rebind(ref resource.Ref, id string, change func(*rows.Binding)) error {
	b := rows.NewBinding(ref, id)
	found, err := p.load(rows.BindingOf(ref, id), &b)
	if err != nil || !found {
		return err
	}
	change(&b)
	return p.put(rows.BindingOf(ref, id), b)
}

// finishedBinding starts or ends the binding of a finished action.
func (p *projection) finishedBinding(r event.Record, e event.Finished, open rows.OpenAction) error {
	switch {
	case Deletes(e.Action, e.Phase, e.Step):
		return p.unbind(e.Ref, cmp.Or(e.ID, open.Have), e.Signature)
	case Creates(e.Action, e.Phase, e.Step) && e.ID != "":
		b := resource.Binding{Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key}
		if e.Step != "" {
			b.Role = resource.RoleNew
		}
		return p.bind(r, b, e.Signature)
	}
	return nil
}

// recoveredBinding does so for an action that an observation found done.
func (p *projection) recoveredBinding(r event.Record, e event.Recovered, open rows.OpenAction) error {
	switch {
	case Deletes(open.Action, open.Phase, open.Step):
		return p.unbind(e.Ref, open.Have, e.Signature)
	case Creates(open.Action, open.Phase, open.Step) && e.ID != "":
		b := resource.Binding{Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key}
		if open.Step != "" {
			b.Role = resource.RoleNew
		}
		return p.bind(r, b, e.Signature)
	}
	return nil
}

// dismissed records an id that blocks nothing.
func (p *projection) dismissed(r event.Record, e event.Dismissed) error {
	return p.put(rows.BindingOf(e.Ref, e.ID), rows.Binding{Binding: resource.Binding{
		Ref: e.Ref, ID: e.ID, Dismissed: true, Seq: uint64(r.Seq), Instance: r.Instance, At: r.At,
	}})
}

// moved gives a binding, and what is recorded under its ref, another ref.
func (p *projection) moved(r event.Record, e event.Moved) error {
	b := resource.Binding{Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key, Adopted: e.Adopted, Origin: e.Origin, OriginLog: e.OriginLog, Since: e.Since}
	if e.From != e.Ref {
		if err := p.moveFacts(e.From, e.Ref); err != nil {
			return err
		}
		if err := p.unbind(e.From, e.ID, nil); err != nil {
			return err
		}
	}
	if err := p.bind(r, b, e.Signature); err != nil {
		return err
	}
	return p.owns(e.Ref)
}

// disowned makes the recorded resource one that was managed before, as an observation would.
func (p *projection) disowned(ref resource.Ref, id string) error {
	key := rows.Of(rows.KeyResource, ref)
	value, err := p.get(key)
	if err != nil || value == nil {
		return err
	}
	o, err := resource.ParseObserved(value)
	if err != nil || o.ID != id {
		return err
	}
	o.Ownership, o.Role, o.Adopted = resource.Former, "", false
	return p.set(storage.Op{Key: key, Value: o.AppendJSON(nil)})
}

// moveFacts moves what was applied and the rollout. The resource itself is recorded under its new ref
// by the next observation, and its protection by an event of its own.
func (p *projection) moveFacts(from, to resource.Ref) error {
	for _, prefix := range []string{rows.KeyApplied, rows.KeyLastGood, rows.KeyExhausted} {
		value, err := p.get(rows.Of(prefix, from))
		if err != nil {
			return err
		}
		if value == nil {
			continue
		}
		if err := p.set(storage.Op{Key: rows.Of(prefix, to), Value: value}); err != nil {
			return err
		}
		if err := p.delete(rows.Of(prefix, from)); err != nil {
			return err
		}
	}
	return p.delete(rows.Of(rows.KeyResource, from))
}
