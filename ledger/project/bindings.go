package project

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// ownership applies the events of bindings that no action makes; false if the event is another. An
// adoption ends an outage of the resource: the place is taken again.
func (p *projection) ownership(r event.Record) (bool, error) {
	switch e := r.Event.(type) {
	case event.Adopted:
		b := resource.Binding{Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key, Adopted: true}
		if err := errors.Join(
			p.bind(r, b, e.Signature), p.dropKeys(e.Ref), p.delete(rows.Of(rows.KeyOutage, e.Ref)),
		); err != nil {
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
	case event.Dismissed: // the id blocks nothing
		if err := p.dropKeys(e.Ref); err != nil {
			return true, err
		}
		return true, p.put(rows.BindingOf(e.Ref, e.ID), rows.Binding{Binding: resource.Binding{
			Ref: e.Ref, ID: e.ID, Dismissed: true, Seq: uint64(r.Seq), Instance: r.Instance, At: r.At,
		}})
	case event.Moved:
		return true, p.moved(r, e)
	}
	return false, nil
}

// finishedBinding starts or ends the binding of a finished action. A step of a replacement binds
// the resource as the new one, next to the old one. A creation without an ID binds nothing; the
// open action remains for an observation.
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

// recoveredBinding does so for an action that an observation found done. The ID of a deleted resource comes from
// the open action, which names the resource that it acts on.
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

// moved changes the ref of a binding and of the records under its ref.
func (p *projection) moved(r event.Record, e event.Moved) error {
	if e.Other != nil {
		return p.exchanged(r, e)
	}
	if e.From != e.Ref {
		if err := p.moveFacts(e.From, e.Ref); err != nil {
			return err
		}
		if e.From.Stack == e.Ref.Stack { // what another stack configures is not known from this one
			if err := p.renameAccepted(e.From, e.Ref); err != nil {
				return err
			}
		}
		if err := p.movedAway(e); err != nil {
			return err
		}
		if err := p.unbind(e.From, e.ID, nil); err != nil {
			return err
		}
	}
	return p.bindMoved(r, e)
}

// bindMoved starts the binding under the new ref. Its origin comes from the event, so that the record of the
// creation stays the proof.
func (p *projection) bindMoved(r event.Record, e event.Moved) error {
	b := resource.Binding{
		Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key, Adopted: e.Adopted, Origin: e.Origin, OriginLog: e.OriginLog,
		Since: e.Since,
	}
	if err := p.bind(r, b, e.Signature); err != nil {
		return err
	}
	return p.owns(e.Ref)
}

// exchanged exchanges the refs of two bindings, and the records under both. Each name is used again, so that
// nothing is moved away from it. Both bindings end before one of them starts again, because an ID has one ref at a
// time.
func (p *projection) exchanged(r event.Record, e event.Moved) error {
	configured := map[resource.Ref]string{}
	for _, m := range e.Halves() {
		raw, err := p.get(rows.Of(rows.KeyApplied, m.From))
		if err != nil {
			return err
		}
		var a event.Applied
		if raw != nil {
			if err := json.Unmarshal(raw, &a); err != nil {
				return fmt.Errorf("read the configuration applied last to %s: %w", m.From, err)
			}
		}
		configured[m.From] = a.Desired
	}
	if err := errors.Join(p.exchangeFacts(e.From, e.Ref), p.exchangeAccepted(e.From, e.Ref)); err != nil {
		return err
	}
	for _, m := range e.Halves() {
		earlier, err := p.earlierRenames(m.From, m.Ref)
		if err != nil {
			return err
		}
		away := rows.Moved{Earlier: append(earlier, m.Ref), Exchanged: m.Ref, Desired: configured[m.From]}
		if err := p.put(rows.Of(rows.KeyMoved, m.From), away); err != nil {
			return err
		}
		if err := p.unbind(m.From, m.ID, nil); err != nil {
			return err
		}
	}
	for _, m := range e.Halves() {
		if err := p.bindMoved(r, m); err != nil {
			return err
		}
	}
	return nil
}

// movedAway records the name that the resource under a name was given. The new name is used again, so that nothing is
// moved away from it; its earlier renames stay done, except the one that leads back.
func (p *projection) movedAway(e event.Moved) error {
	at, err := p.earlierRenames(e.Ref, e.From)
	if err != nil {
		return err
	}
	from, err := p.earlierRenames(e.From, e.Ref)
	if err != nil {
		return err
	}
	there := rows.Moved{Earlier: at}
	if e.From.Stack != e.Ref.Stack {
		there.Arrived = e.From
	}
	key := rows.Of(rows.KeyMoved, e.Ref)
	if len(at) == 0 && there.Arrived.IsZero() {
		err = p.delete(key)
	} else {
		err = p.put(key, there)
	}
	away := rows.Moved{To: e.Ref, ID: e.ID, ByIdentity: e.ByIdentity, Earlier: from}
	return errors.Join(err, p.put(rows.Of(rows.KeyMoved, e.From), away))
}

// earlierRenames lists the names that resources under a name were given, except one.
func (p *projection) earlierRenames(of, except resource.Ref) (out []resource.Ref, err error) {
	raw, err := p.get(rows.Of(rows.KeyMoved, of))
	if err != nil || raw == nil {
		return nil, err
	}
	var before rows.Moved
	if err := json.Unmarshal(raw, &before); err != nil {
		return nil, fmt.Errorf("read the earlier renames of %s: %w", of, err)
	}
	for _, r := range append(before.Earlier, before.To) {
		if !r.IsZero() && r != except && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out, nil
}
