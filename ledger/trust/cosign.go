package trust

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

// ToCosign returns the events that record how far the logs of other instances reached: those that moved and
// were last recorded an hour ago, or with soon all that moved. A cosignature makes the own log longer,
// which the others see in turn. A log that grew by no more records than there are other logs is not due, so
// that instances without work do not cosign each other again and again.
func (p *Proofs) ToCosign(ctx context.Context, soon bool) ([]event.Event, error) {
	heads, err := p.heads(ctx)
	if err != nil {
		return nil, err
	}
	var out []event.Event
	for _, of := range slices.Sorted(maps.Keys(heads)) {
		head := heads[of]
		last, own, err := p.lastSeen(ctx, of)
		if err != nil {
			return nil, err
		}
		e, err := p.Get(ctx, rows.CosignedOf(of, p.Instance()), storage.Now)
		switch {
		case err != nil:
			return nil, err
		// the row, which finds a rewritten log, was removed or edited
		case own != nil && !bytes.Equal(e.Value, own):
			out = append(out, event.Cosigned{Instance: of, Seq: last.Seq, Chain: last.Chain})
		case head.Seq > last.Seq+wal.Seq(len(heads)) && (soon || p.clock().Sub(last.At) >= cosignEvery):
			// what moved by less are cosignatures
			out = append(out, event.Cosigned{Instance: of, Seq: head.Seq, Chain: head.Chain})
		}
	}
	return out, nil
}

// wentBack lists the logs of other instances that end before, or otherwise than, where this instance saw
// them: they were put back, or made again. The own log is the witness, because whoever rewrites a log may
// also edit the rows of the store.
func (p *Proofs) wentBack(ctx context.Context) ([]Contradiction, error) {
	if !p.shared {
		return nil, nil
	}
	heads, err := p.heads(ctx)
	if err != nil {
		return nil, err
	}
	var out []Contradiction
	for _, of := range slices.Sorted(maps.Keys(heads)) {
		last, _, err := p.lastSeen(ctx, of)
		if err != nil {
			return nil, err
		}
		if head := heads[of]; head.Seq < last.Seq || head.Seq == last.Seq && head.Chain != last.Chain {
			out = append(out, Contradiction{
				rows.KeyLog + of,
				fmt.Sprintf("the log of instance %s was put back or made again: this instance saw its record %d on %s",
					of, last.Seq, last.At.UTC().Format(time.DateOnly)),
				of,
			})
		}
	}
	return out, nil
}

// heads returns the recorded ends of the other instances' logs.
func (p *Proofs) heads(ctx context.Context) (map[string]rows.Head, error) {
	out := map[string]rows.Head{}
	err := p.Entries(ctx, rows.KeyLog, storage.Now, func(e storage.Entry) error {
		var h rows.Head
		if err := json.Unmarshal(e.Value, &h); err != nil {
			return fmt.Errorf("ledger: %s: %w", e.Key, err)
		}
		if of := strings.TrimPrefix(e.Key, rows.KeyLog); of != p.Instance() && h.Chain != "" {
			out[of] = h
		}
		return nil
	})
	return out, err
}

// lastSeen returns the length of a log that this instance recorded last, according to its own log, and the
// row that the store should have, nil if it recorded none.
func (p *Proofs) lastSeen(ctx context.Context, of string) (last rows.Cosigned, row []byte, err error) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if err := p.table.follow(ctx, p); err != nil {
		return last, nil, err
	}
	if row = p.table.get(rows.CosignedOf(of, p.Instance())); row != nil {
		err = json.Unmarshal(row, &last)
	}
	return last, row, err
}

// Cosigned makes wal.Verify require the lengths of this instance's log that the other instances recorded. A
// row of the store counts only with a valid signature by a trusted key; any other row proves nothing and is
// skipped.
func (p *Proofs) Cosigned(ctx context.Context) ([]wal.Option, error) {
	var out []wal.Option
	prefix := rows.KeyCosigned + p.Instance() + "/"
	var found []storage.Entry
	err := p.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
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
		if json.Unmarshal(e.Value, &c) != nil || !ofCosigned(by, p.Instance(), c.Seq, c.Chain).verify(c.Signature) {
			continue
		}
		if err := p.trusts(ctx, by, c.Signature.Key, false); errors.Is(err, ErrUnproven) {
			continue
		} else if err != nil {
			return nil, err
		}
		chain, err := wal.ParseChain(c.Chain)
		if err != nil {
			continue
		}
		out = append(out,
			wal.WithSeen("what instance "+by+" saw of it on "+c.At.UTC().Format(time.DateOnly),
				wal.Frontier{Seq: c.Seq, Chain: chain}))
	}
	return out, nil
}
