package project

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// accept records what a part of a source configures. A large part comes in several events; only the
// last one, which has no More, writes the row of the source. Until then the row keeps the former
// version. An empty digest removes the source.
func (p *projection) accept(r event.Record, e event.SourceAccepted) error {
	for i := range e.Changed {
		b, err := event.Marshal(e.Changed[i])
		if err != nil {
			return err
		}
		p.bulk(storage.Op{Key: rows.AcceptedOf(e.Changed[i].Ref), Value: b})
	}
	for _, ref := range e.Gone {
		p.bulk(storage.Op{Key: rows.AcceptedOf(ref), Delete: true})
		if err := p.left(ref); err != nil {
			return err
		}
	}
	switch key := rows.SourceOf(e.Stack, e.Part); {
	case e.More:
		return nil
	case e.Digest == "":
		return p.delete(key)
	default:
		return p.put(key, rows.Source{Version: e.Version, Digest: e.Digest, At: r.At, Settings: e.Settings})
	}
}

// left forgets that a resource was moved to a ref from another stack, because its own stack has configured the ref.
func (p *projection) left(ref resource.Ref) error {
	key := rows.Of(rows.KeyMoved, ref)
	raw, err := p.get(key)
	if err != nil || raw == nil {
		return err
	}
	var m rows.Moved
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("read where the resource of %s came from: %w", ref, err)
	}
	if m.Arrived.IsZero() {
		return nil
	}
	m.Arrived = resource.Ref{}
	return p.put(key, m)
}

// renameAccepted renames a resource in the last accepted configuration, so that a source that is unread then configures
// the resource under its recorded name.
func (p *projection) renameAccepted(from, to resource.Ref) error {
	raw, err := p.get(rows.AcceptedOf(from))
	if err != nil || raw == nil {
		return err
	}
	there, err := p.get(rows.AcceptedOf(to))
	if err != nil {
		return err
	}
	if there != nil {
		return nil // the configuration with the new name was accepted before, and may use the former name again
	}
	if err := p.putAccepted(to, raw); err != nil {
		return err
	}
	return p.delete(rows.AcceptedOf(from))
}

// exchangeAccepted exchanges two resources in the last accepted configuration. If only one of them was accepted,
// neither row changes.
func (p *projection) exchangeAccepted(a, b resource.Ref) error {
	ofA, errA := p.get(rows.AcceptedOf(a))
	ofB, errB := p.get(rows.AcceptedOf(b))
	if err := errors.Join(errA, errB); err != nil || ofA == nil || ofB == nil {
		return err
	}
	return errors.Join(p.putAccepted(b, ofA), p.putAccepted(a, ofB))
}

// putAccepted writes the accepted configuration of another ref under a ref.
func (p *projection) putAccepted(ref resource.Ref, raw []byte) error {
	var a event.AcceptedResource
	if err := json.Unmarshal(raw, &a); err != nil {
		return fmt.Errorf("read the accepted configuration of %s: %w", ref, err)
	}
	a.Ref = ref
	return p.put(rows.AcceptedOf(ref), a)
}
