package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// cosignEvery is after how long the head of another log is recorded again, if it moved.
const cosignEvery = time.Hour

// ofCosigned is the statement that one instance saw the log of another at a record.
func ofCosigned(by, of string, seq wal.Seq, chain string) statement {
	return statement{Instance: by, Act: rows.CosignedOf(of, by), Content: fmt.Sprintf("%d %s", seq, chain)}
}

// Cosign records how far the logs of the other instances reached that the store has, and puts it into
// the store with the signature of this one: see Cosigned. It records a log that moved at most once an
// hour; soon asks for it now. In a store of one instance it does nothing.
func (l *Ledger) Cosign(ctx context.Context, soon bool) error {
	if !l.cfg.Shared {
		return nil
	}
	due, err := l.toCosign(ctx, soon) // mostly nothing: then the append lock is not needed
	if err != nil || len(due) == 0 {
		return err
	}
	_, err = l.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) { return l.toCosign(ctx, soon) }})
	return err
}

func (l *Ledger) toCosign(ctx context.Context, soon bool) ([]event.Event, error) {
	heads, err := l.heads(ctx)
	if err != nil {
		return nil, err
	}
	var out []event.Event
	for _, of := range slices.Sorted(maps.Keys(heads)) {
		head := heads[of]
		last, own, err := l.lastSeen(ctx, of)
		if err != nil {
			return nil, err
		}
		e, err := l.Get(ctx, rows.CosignedOf(of, l.instance), storage.Now)
		switch {
		case err != nil:
			return nil, err
		case own != nil && !bytes.Equal(e.Value, own): // the row was removed or edited: it is what finds a rewritten log
			out = append(out, event.Cosigned{Instance: of, Seq: last.Seq, Chain: last.Chain})
		case head.Seq > last.Seq+wal.Seq(len(heads)) && (soon || l.cfg.Clock().Sub(last.At) >= cosignEvery):
			out = append(out, event.Cosigned{Instance: of, Seq: head.Seq, Chain: head.Chain}) // what moved by less are cosignatures
		}
	}
	return out, nil
}

// wentBack lists the logs of other instances that end before, or otherwise than, where this instance saw
// them: they were put back, or made again.
func (l *Ledger) wentBack(ctx context.Context) ([]Contradiction, error) {
	if !l.cfg.Shared {
		return nil, nil
	}
	heads, err := l.heads(ctx)
	if err != nil {
		return nil, err
	}
	var out []Contradiction
	for _, of := range slices.Sorted(maps.Keys(heads)) {
		last, _, err := l.lastSeen(ctx, of)
		if err != nil {
			return nil, err
		}
		if head := heads[of]; head.Seq < last.Seq || head.Seq == last.Seq && head.Chain != last.Chain {
			out = append(out, Contradiction{rows.KeyLog + of, fmt.Sprintf("the log of instance %s was put back or made again: this instance saw its record %d on %s", of, last.Seq, last.At.UTC().Format(time.DateOnly)), of})
		}
	}
	return out, nil
}

// heads are where the logs of the other instances end that the store has.
func (l *Ledger) heads(ctx context.Context) (map[string]rows.Head, error) {
	out := map[string]rows.Head{}
	err := l.Entries(ctx, rows.KeyLog, storage.Now, func(e storage.Entry) error {
		var h rows.Head
		if err := json.Unmarshal(e.Value, &h); err != nil {
			return fmt.Errorf("ledger: %s: %w", e.Key, err)
		}
		if of := strings.TrimPrefix(e.Key, rows.KeyLog); of != l.instance && h.Chain != "" {
			out[of] = h
		}
		return nil
	})
	return out, err
}

// lastSeen is how far this instance recorded last that it saw a log, as its own log has it: also as the row
// that the store should have, nil if it never did.
func (l *Ledger) lastSeen(ctx context.Context, of string) (last rows.Cosigned, row []byte, err error) {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	if err := l.table.follow(ctx, l); err != nil {
		return last, nil, err
	}
	if row = l.table.get(rows.CosignedOf(of, l.instance)); row != nil {
		err = json.Unmarshal(row, &last)
	}
	return last, row, err
}

// Cosigned makes wal.Verify require what the other instances saw of the log of this one, as far as their
// signatures and keys count. A row of the store that does not count is passed over: it proves nothing.
func (l *Ledger) Cosigned(ctx context.Context) ([]wal.Option, error) {
	var out []wal.Option
	prefix := rows.KeyCosigned + l.instance + "/"
	var found []storage.Entry
	err := l.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
		e.Value = bytes.Clone(e.Value)
		found = append(found, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		by := strings.TrimPrefix(e.Key, prefix)
		var c rows.Cosigned
		if json.Unmarshal(e.Value, &c) != nil || !ofCosigned(by, l.instance, c.Seq, c.Chain).verify(c.Signature) {
			continue
		}
		if err := l.trusts(ctx, by, c.Signature.Key, false); errors.Is(err, ErrUnproven) {
			continue
		} else if err != nil {
			return nil, err
		}
		chain, err := wal.ParseChain(c.Chain)
		if err != nil {
			continue
		}
		out = append(out, wal.WithSeen("what instance "+by+" saw of it on "+c.At.UTC().Format(time.DateOnly), wal.Frontier{Seq: c.Seq, Chain: chain}))
	}
	return out, nil
}
