package trust

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// certifyAfter is after how many changes of the table Close records its digest again, so that the
// next run need not read the whole log to prove a binding.
const certifyAfter = 256

// DigestDue reports whether the table was read here and has changed much since its last digest. A
// shared store has rows of other instances, so a digest of it would not help the next run.
func (p *Proofs) DigestDue() bool {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	return p.table.loaded && p.table.changesSinceCertified+len(p.table.pending) >= certifyAfter && !p.shared
}

// Digest returns the event that records the digest of the table, as the log gives it; none if the last
// one has the same. It fails if the store has other bindings. A digest of a store that differs from
// the log would let the next run take edited rows for proven ones.
func (p *Proofs) Digest(ctx context.Context) ([]event.Event, error) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if err := p.table.follow(ctx, p); err != nil {
		return nil, err
	}
	if err := p.agrees(ctx); err != nil {
		return nil, err
	}
	if p.table.everCertified && p.table.changesSinceCertified == 0 && len(p.table.pending) == 0 {
		return nil, nil // the last digest is the digest of the table
	}
	now := p.table.now()
	return []event.Event{event.Certified{Bindings: digestOf(now), Count: len(now)}}, nil
}

// provenRows fails if the store has other bindings than the log.
func (p *Proofs) provenRows(ctx context.Context) error {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if err := p.table.follow(ctx, p); err != nil {
		return err
	}
	return p.agrees(ctx)
}

// agrees holds the rows of the store against the table. In a store that instances share, the rows of
// others are proven by their signatures. A row that only the log has was removed from the store, so
// the rows of the table are read as well.
func (p *Proofs) agrees(ctx context.Context) error {
	if p.shared {
		return nil
	}
	for _, prefix := range [...]string{
		rows.KeyBinding, rows.KeyBound, rows.KeyIdentity, rows.KeyPin, rows.KeyTrust, rows.KeyRequired,
	} {
		err := p.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
			if !bytes.Equal(p.table.get(e.Key), e.Value) {
				return fmt.Errorf("%w: the store has another value than the log", ErrUnproven)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for key := range p.table.rows {
		e, err := p.Get(ctx, key, storage.Now)
		if err != nil {
			return err
		}
		if !bytes.Equal(e.Value, p.table.get(key)) {
			return fmt.Errorf("ledger: %s: %w: the store has another value than the log", key, ErrUnproven)
		}
	}
	return nil
}

// certifiedAt finds the digest that a row of the store points to, in the log. The row is a hint that
// may be wrong or edited: the record must be a digest that this instance recorded.
func (p *Proofs) certifiedAt(e storage.Entry) (at wal.Seq, digest string, ok bool) {
	var hint rows.Certified
	if json.Unmarshal(e.Value, &hint) != nil {
		return 0, "", false
	}
	picker := p.log.RandomReader()
	defer func() { _ = picker.Close() }()
	b, err := picker.Batch(wal.Seq(hint.Seq))
	if err != nil {
		return 0, "", false
	}
	r, err := event.DecodeRecord(b.Records[wal.Seq(hint.Seq)-b.First])
	c, ok := r.Event.(event.Certified)
	return b.First, c.Bindings, ok && err == nil && r.Instance == p.Instance()
}
