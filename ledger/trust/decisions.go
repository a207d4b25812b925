package trust

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// ErrOldDecision is returned for a decision about a key that has the number of an earlier one: its signature was used
// before.
var ErrOldDecision = errors.New("a newer decision about the key is recorded")

// maxNumber is far above the numbers that operators reach: a row with a higher one was edited, and does not count.
const maxNumber = 1 << 48

// keyDecision is a decision about a key, or about pins. Each has a higher number than all before it. The decision with
// the highest number counts, wherever an older one is recorded: in an older directory, in a row that was put back, in
// a baseline.
type keyDecision struct {
	rows.Trust
	made bool
}

// newestDecision returns the decision that counts under a key of the store: the own log has it, or a confirmed
// instance recorded a newer one. refused is the newest row that does not count. Earlier versions of the row are
// read too: an instance whose key is not confirmed may have written over a decision that counts.
func newestDecision(ctx context.Context, p *Proofs, key string) (d keyDecision, refused *rows.Trust, err error) {
	if d, err = ownDecision(ctx, p, key); err != nil || !p.shared {
		return d, nil, err
	}
	e, err := p.Get(ctx, key, storage.Now)
	if err != nil || e.Value == nil {
		return d, nil, err
	}
	versions := [][]byte{e.Value}
	if e.Created != e.Modified {
		versions = nil
		err = p.Versions(ctx, key, func(e storage.Entry) error {
			versions = append(versions, bytes.Clone(e.Value))
			return nil
		})
		if err != nil {
			return d, nil, err
		}
	}
	for _, value := range versions {
		var t rows.Trust
		if json.Unmarshal(value, &t) != nil || d.made && t.Number <= d.Number || t.Number >= maxNumber {
			continue
		}
		err := decidedThere(ctx, p, key, t)
		switch {
		case errors.Is(err, ErrUnproven):
			refused = &t
		case err != nil:
			return d, nil, err
		default:
			d = keyDecision{t, true}
		}
	}
	return d, refused, nil
}

// ownDecision returns the decision that the log of this instance has. A decision of another instance, which a
// baseline may have kept, does not count as one of this log.
func ownDecision(ctx context.Context, p *Proofs, key string) (d keyDecision, err error) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if err := p.table.follow(ctx, p); err != nil {
		return d, err
	}
	value := p.table.get(key)
	if value == nil {
		return d, nil
	}
	err = json.Unmarshal(value, &d.Trust)
	d.made = d.Instance == "" || d.Instance == p.Instance()
	if !d.made {
		d.Trust = rows.Trust{}
	}
	return d, err
}

// decidedThere fails with ErrUnproven if the row of a decision does not count: its instance is not confirmed, or no
// person signed it though there is a roster. A requirement of trust needs neither. A key cannot decide about
// itself.
func decidedThere(ctx context.Context, p *Proofs, key string, t rows.Trust) error {
	about, ofKey := bytes.CutPrefix([]byte(key), []byte(rows.KeyTrust))
	s := statement{Instance: t.Instance, Trust: string(about), On: t.On, Number: t.Number}
	switch {
	case !s.verify(t.Signature) || ofKey && t.Signature.Key == string(about):
		return unproven("instance %s did not sign it", t.Instance)
	case t.Instance == p.Instance() && t.Signature.Key == p.Key(): // the own log is older than the store
		return nil
	case t.Instance == p.Instance():
		return unproven("it was signed in the name of this instance with another key")
	// it raises the protection, so no confirmation is needed
	case !ofKey && t.On:
		return nil
	}
	if near, err := near(ctx, p, t.Signature.Key); err != nil {
		return err
	} else if !near {
		return unproven("no operator has confirmed the key of instance %s here", t.Instance)
	}
	if !ofKey {
		off := event.TrustRequired{Reason: t.Reason, SignedAt: t.SignedAt, Number: t.Number}
		return personal(ctx, p, t, off.As(t.Who, t.SignedBy))
	}
	e := event.Trusted{Key: string(about), On: t.On, Reason: t.Reason, SignedAt: t.SignedAt, Number: t.Number}
	return personal(ctx, p, t, e.As(t.Who, t.SignedBy))
}

// rowOfDecision returns the key of the store and the number of a decision; false if an event is none.
func rowOfDecision(e event.Event) (key string, number uint64, is bool) {
	switch e := e.(type) {
	case event.Trusted:
		return rows.KeyTrust + e.Key, e.Number, true
	case event.TrustRequired:
		return rows.KeyRequired, e.Number, true
	}
	return "", 0, false
}

// NextDecision returns the number of the next decision of the kind of an event; 0 for another event.
func (p *Proofs) NextDecision(ctx context.Context, e event.Event) (uint64, error) {
	key, _, is := rowOfDecision(e)
	if !is {
		return 0, nil
	}
	last, refused, err := newestDecision(ctx, p, key)
	n := last.Number
	if refused != nil && key == rows.KeyRequired { // so that a confirmed instance ends it
		n = max(n, refused.Number)
	}
	return n + 1, err
}

// laterNumbers fails if a batch has a decision with a number that is not above those before it. Otherwise a signed
// decision could be recorded once more after a later one, and would count again.
func laterNumbers(ctx context.Context, p *Proofs, events []event.Event) error {
	for _, e := range events {
		key, number, is := rowOfDecision(e)
		if !is || number == 0 { // it gets its number when it is signed
			continue
		}
		last, _, err := newestDecision(ctx, p, key)
		if err != nil {
			return err
		}
		if number <= last.Number {
			return fmt.Errorf("%w: it has number %d, and the newest %d", ErrOldDecision, number, last.Number)
		}
	}
	return nil
}
