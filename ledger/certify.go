package ledger

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

// due reports whether the table was read here and has changed much since its last digest.
func (l *Ledger) due() bool {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	return l.table.primed && l.table.since+len(l.table.last) >= certifyAfter && !l.cfg.Shared && l.Broken() == nil
}

// certify records the digest of the table, as the log gives it. It fails if the store has other
// bindings.
func (l *Ledger) certify(ctx context.Context) error {
	_, err := l.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
		l.table.mu.Lock()
		defer l.table.mu.Unlock()
		if err := l.table.follow(ctx, l); err != nil {
			return nil, err
		}
		if err := l.agrees(ctx); err != nil {
			return nil, err
		}
		if l.table.known && l.table.since == 0 && len(l.table.last) == 0 {
			return nil, nil // the last digest is that of the table
		}
		now := l.table.now()
		return []event.Event{event.Certified{Bindings: digestOf(now), Count: len(now)}}, nil
	}})
	return err
}

// provenRows fails if the store has other bindings than the log.
func (l *Ledger) provenRows(ctx context.Context) error {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	if err := l.table.follow(ctx, l); err != nil {
		return err
	}
	return l.agrees(ctx)
}

// agrees holds the rows of the store against the table. In a store that instances share, the rows
// of others are proven by their signatures.
func (l *Ledger) agrees(ctx context.Context) error {
	if l.cfg.Shared {
		return nil
	}
	seen := 0
	for _, prefix := range [...]string{rows.KeyBinding, rows.KeyBound, rows.KeyIdentity, rows.KeyPin, rows.KeyTrust, rows.KeyRequired} {
		err := l.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
			if seen++; !bytes.Equal(l.table.get(e.Key), e.Value) {
				return fmt.Errorf("%w: the store has another value than the log", ErrUnproven)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for key := range l.table.rows {
		e, err := l.Get(ctx, key, storage.Now)
		if err != nil {
			return err
		}
		if !bytes.Equal(e.Value, l.table.get(key)) {
			return fmt.Errorf("ledger: %s: %w: the store has another value than the log", key, ErrUnproven)
		}
	}
	return nil
}

// certifiedAt finds the digest that a row of the store points to, in the log.
func (l *Ledger) certifiedAt(e storage.Entry) (at wal.Seq, digest string, ok bool) {
	var hint rows.Certified
	if json.Unmarshal(e.Value, &hint) != nil {
		return 0, "", false
	}
	picker := l.log.RandomReader()
	defer func() { _ = picker.Close() }()
	b, err := picker.Batch(wal.Seq(hint.Seq))
	if err != nil {
		return 0, "", false
	}
	r, err := event.DecodeRecord(b.Records[wal.Seq(hint.Seq)-b.First])
	c, ok := r.Event.(event.Certified)
	return b.First, c.Bindings, ok && err == nil && r.Instance == l.instance
}
