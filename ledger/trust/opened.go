package trust

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// ofStarted is the statement that an open action rests on in a store that instances share. The content includes the
// key of the action, so that the signature of one action opens no other one.
func ofStarted(e event.Started) (statement, error) {
	plain, _ := e.Unsigned()
	text, err := event.Marshal(plain)
	sum := sha256.Sum256(text)
	return statement{Act: rows.Of(rows.KeyOpen, e.Ref), Content: hex.EncodeToString(sum[:])}, err
}

// ProvenOpen returns the open actions that were recorded: by this log or, in a store that instances share, with the
// signature of another instance. A row of the store alone opens nothing. A forged row would otherwise keep its
// resource from being changed. The given slice is not changed.
func ProvenOpen(ctx context.Context, p *Proofs, all []rows.OpenAction) ([]rows.OpenAction, error) {
	out := all[:0:0]
	for _, o := range all {
		switch err := opened(ctx, p, o, true); {
		case errors.Is(err, ErrUnproven):
		case err != nil:
			return nil, err
		default:
			out = append(out, o)
		}
	}
	return out, nil
}

// opened fails if a row says of an action that it is open, and no record does.
func opened(ctx context.Context, p *Proofs, o rows.OpenAction, pin bool) error {
	if o.Instance == p.Instance() {
		return openedHere(ctx, p, o)
	}
	if !p.shared {
		return unproven("the audit log does not have an action of instance %s", o.Instance).differs()
	}
	s, err := ofStarted(o.Started)
	if err != nil {
		return err
	}
	if s.Instance = o.Instance; !s.verify(o.Signature) {
		return unproven("instance %s did not sign that the action started", o.Instance)
	}
	return p.trusts(ctx, o.Instance, o.Signature.Key, pin)
}

// openedHere fails if the log of this instance does not have the action, or has another result of it.
func openedHere(ctx context.Context, p *Proofs, o rows.OpenAction) error {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if err := p.table.follow(ctx, p); err != nil {
		return err
	}
	own, has := p.openHere(o)
	if !has {
		return unproven("the audit log has no open action on it").differs()
	}
	if own.Accepted != o.Accepted || own.ID != o.ID {
		return unproven("the audit log has another result of the action").differs()
	}
	was, err1 := event.Marshal(own.Started) // the rest depends on observations too
	is, err2 := event.Marshal(o.Started)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if !bytes.Equal(was, is) {
		return unproven("the audit log has another open action on it").differs()
	}
	return nil
}

// openHere returns the action as this log has it: open, or a create that may arrive late. The caller has the lock of
// the table.
func (p *Proofs) openHere(o rows.OpenAction) (own rows.OpenAction, has bool) {
	value := p.table.get(rows.Of(rows.KeyOpen, o.Ref))
	has = value != nil && json.Unmarshal(value, &own) == nil
	if has && own.Key == o.Key {
		return own, true
	}
	var late rows.Late
	if value := p.table.get(rows.Of(rows.KeyLate, o.Ref)); value == nil || json.Unmarshal(value, &late) != nil {
		return own, has
	}
	if x, is := late.With(o.Key); is {
		return x, true
	}
	return own, has
}

// Recoverable fails if this instance may not record the result of an open action: only a pinned key signed that it
// started, and the own signature of the result would confirm a binding. The error wraps ErrUnproven.
func Recoverable(ctx context.Context, p *Proofs, o rows.OpenAction) error {
	if err := opened(ctx, p, o, true); err != nil || o.Instance == p.Instance() {
		return err
	}
	return p.confirms(ctx, o.Instance, o.Signature)
}

// forgedOpen calls doubt for each open action and each late create of the store that no record has.
func forgedOpen(ctx context.Context, p *Proofs, doubt func(key string, why error)) error {
	check := func(key string, all ...rows.OpenAction) error {
		for _, o := range all {
			switch err := opened(ctx, p, o, false); {
			case errors.Is(err, ErrUnproven):
				doubt(key, err)
			case err != nil:
				return err
			}
		}
		return nil
	}
	err := p.Entries(ctx, rows.KeyOpen, storage.Now, func(e storage.Entry) error {
		var o rows.OpenAction
		if err := json.Unmarshal(e.Value, &o); err != nil {
			return err
		}
		return check(e.Key, o)
	})
	if err != nil {
		return err
	}
	return p.Entries(ctx, rows.KeyLate, storage.Now, func(e storage.Entry) error {
		var late rows.Late
		if err := json.Unmarshal(e.Value, &late); err != nil {
			return err
		}
		return check(e.Key, late.Of...)
	})
}
