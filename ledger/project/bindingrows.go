package project

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// bind starts a binding. The earlier binding of the ref becomes former, unless the new one is the
// new resource of a replacement. The earlier binding of the id ends. An ID has one ref at a time,
// and a ref has one live ID, or two during a replacement. The generation of a ref grows with each
// change, so that the signatures of older bindings cannot be used again.
func (p *draft) bind(r event.Record, b resource.Binding, signed *event.Signature) error {
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
	all.Live = live
	all.Generation++
	if signed != nil { // a signature is valid only for the generation that it contains
		all.Generation = signed.Generation
	}
	b.Generation, b.Seq, b.Instance, b.At = all.Generation, uint64(r.Seq), r.Instance, r.At
	if err := p.put(rows.BoundOf(b.Ref), all); err != nil {
		return err
	}
	if err := p.put(rows.IdentityOf(b.Ref, b.ID), b.Ref); err != nil {
		return err
	}
	if err := p.delete(rows.Of(rows.KeyLate, b.Ref)); err != nil { // it is given no second resource
		return err
	}
	return p.put(rows.BindingOf(b.Ref, b.ID), rows.Binding{Binding: b, Signature: signed})
}

// unbind ends a binding. Its row stays. An unsigned end keeps the generation.
func (p *draft) unbind(ref resource.Ref, id string, signed *event.Signature) error {
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
func (p *draft) rebind(ref resource.Ref, id string, change func(*rows.Binding)) error {
	b := rows.NewBinding(ref, id)
	found, err := p.load(rows.BindingOf(ref, id), &b)
	if err != nil || !found {
		return err
	}
	change(&b)
	return p.put(rows.BindingOf(ref, id), b)
}

// dropKeys forgets the keys of creates that may still take effect. An operator decided about a resource that may have
// one of them, and a create with the same key would return it.
func (p *draft) dropKeys(ref resource.Ref) error {
	var t rows.Tries
	if found, err := p.load(rows.Of(rows.KeyTries, ref), &t); err != nil {
		return err
	} else if found && t.UnkeyAll() {
		if err := p.put(rows.Of(rows.KeyTries, ref), t); err != nil {
			return err
		}
	}
	return p.delete(rows.Of(rows.KeyLate, ref))
}

// disowned makes the recorded resource one that was managed before, as an observation would. Only
// the record of the same ID changes: under the ref there may be another resource by now.
func (p *draft) disowned(ref resource.Ref, id string) error {
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

// moveFacts moves what is recorded of a resource to another ref, except its protection, which has
// an event of its own, and its health, which the next observation records. A fact that the old name
// does not have is removed from the new one: otherwise facts of a former resource with the new name
// would count for this one.
func (p *draft) moveFacts(from, to resource.Ref) error {
	for _, prefix := range movable() {
		value, err := p.get(rows.Of(prefix, from))
		if err != nil {
			return err
		}
		if err := errors.Join(p.putFact(prefix, to, value), p.delete(rows.Of(prefix, from))); err != nil {
			return err
		}
	}
	return nil
}

// exchangeFacts exchanges what is recorded of two resources. It reads both sides before it writes one.
func (p *draft) exchangeFacts(a, b resource.Ref) error {
	for _, prefix := range movable() {
		ofA, errA := p.get(rows.Of(prefix, a))
		ofB, errB := p.get(rows.Of(prefix, b))
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		if err := errors.Join(p.putFact(prefix, b, ofA), p.putFact(prefix, a, ofB)); err != nil {
			return err
		}
	}
	return nil
}

// movable lists the prefixes of the facts that move with a resource.
func movable() []string {
	return []string{
		rows.KeyApplied, rows.KeyLastGood, rows.KeyExhausted, rows.KeyTries, rows.KeyRestarts, rows.KeyFights,
		rows.KeyOutage, rows.KeyResource,
	}
}

// putFact writes what another ref had as the fact of a ref; nil deletes the fact.
func (p *draft) putFact(prefix string, ref resource.Ref, value []byte) (err error) {
	if value == nil {
		return p.delete(rows.Of(prefix, ref))
	}
	if value, err = renamed(prefix, value, ref); err != nil {
		return err
	}
	return p.set(storage.Op{Key: rows.Of(prefix, ref), Value: value})
}

// renamed returns a value with another ref, if it contains its ref.
func renamed(prefix string, value []byte, to resource.Ref) ([]byte, error) {
	switch prefix {
	case rows.KeyLastGood:
		var e event.LastGood
		if err := json.Unmarshal(value, &e); err != nil {
			return nil, err
		}
		e.Ref = to
		return event.Marshal(e)
	case rows.KeyExhausted:
		var e event.Exhausted
		if err := json.Unmarshal(value, &e); err != nil {
			return nil, err
		}
		e.Ref = to
		return event.Marshal(e)
	case rows.KeyResource:
		o, err := resource.ParseObserved(value)
		if err != nil {
			return nil, err
		}
		o.Rename(to)
		return o.AppendJSON(nil), nil
	}
	return value, nil
}

// alone makes a binding the only live one of its ref: another resource that it still has was
// deleted outside ovi. It reports the next generation, if none is given, and whether the binding was
// a live one.
func (p *draft) alone(ref resource.Ref, id string, generation uint64) (next uint64, was bool, err error) {
	var all rows.Bound
	if _, err := p.load(rows.BoundOf(ref), &all); err != nil {
		return 0, false, err
	}
	was = slices.Contains(all.Live, id)
	if !was && generation == 0 {
		return 0, false, nil
	}
	for _, other := range all.Live {
		if other == id {
			continue
		}
		if err := p.rebind(ref, other, func(b *rows.Binding) { b.Former, b.Role = true, "" }); err != nil {
			return 0, false, err
		}
	}
	if all.Live = []string{id}; generation == 0 {
		generation = all.Generation + 1
	}
	all.Generation = generation
	return generation, was, p.put(rows.BoundOf(ref), all)
}

// leave writes the signed binding of the resource that is left. The log of another instance may not
// have it.
func (p *draft) leave(r event.Record, e event.ReplaceFinished) error {
	b := rows.Binding{Binding: *e.Binding, Signature: e.Signature}
	if b.Seq == 0 {
		b.Seq = uint64(r.Seq)
	}
	if _, _, err := p.alone(e.Ref, e.ID, b.Generation); err != nil {
		return err
	}
	if err := p.put(rows.IdentityOf(e.Ref, e.ID), e.Ref); err != nil {
		return err
	}
	return p.put(rows.BindingOf(e.Ref, e.ID), b)
}

// leaveUnsigned makes the binding of the resource that is left the newest one. A binding that was not live is not
// changed.
func (p *draft) leaveUnsigned(ref resource.Ref, id string) error {
	generation, was, err := p.alone(ref, id, 0)
	if err != nil || !was {
		return err
	}
	return p.rebind(ref, id, func(b *rows.Binding) { b.Role, b.Generation = "", generation })
}

// leaveRole removes the role from the last observation.
func (p *draft) leaveRole(ref resource.Ref, id string) error {
	value, err := p.get(rows.Of(rows.KeyResource, ref))
	if err != nil || value == nil {
		return err
	}
	o, err := resource.ParseObserved(value)
	if err != nil || o.ID != id || o.Role == "" {
		return err
	}
	o.Role = ""
	return p.set(storage.Op{Key: rows.Of(rows.KeyResource, ref), Value: o.AppendJSON(nil)})
}
