package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// verified is the table of bindings and trusted keys as this instance's log alone gives it, so
// that a row that was edited in the store proves nothing. It follows the log as it is read.
type verified struct {
	mu     sync.Mutex
	primed bool
	rows   map[string][]byte
	last   map[string][]byte // what the last batch changes, which the next one may refuse; nil: deleted
	next   wal.Seq           // where to go on reading: at the last batch
	since  int               // changes since the last digest in the log
	known  bool              // the log has a digest
}

// inTable reports whether a key belongs to the table.
func inTable(key string) bool {
	for _, prefix := range [...]string{
		rows.KeyBinding, rows.KeyBound, rows.KeyIdentity, rows.KeyOpen, rows.KeyReplace, rows.KeyPin, rows.KeyTrust, rows.KeyRequired,
	} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// tableEvents are those that change the table, or say whether a batch counts.
func tableEvent(name string) bool {
	switch name {
	case event.TypeStarted, event.TypeFinished, event.TypeRecovered, event.TypeReplaceStarted, event.TypeReplaceReverted,
		event.TypeReplaceFinished, event.TypeAdopted, event.TypeDisowned, event.TypeDismissed, event.TypeMoved, event.TypeLost,
		event.TypeKeyPinned, event.TypeTrusted, event.TypeTrustRequired, event.TypeRefused, event.TypeBaseline, event.TypeCertified:
		return true
	}
	return false
}

func (v *verified) get(key string) []byte {
	if value, ok := v.last[key]; ok {
		return value
	}
	return v.rows[key]
}

// follow reads what was appended to the log since the last call. The caller has the lock.
func (v *verified) follow(ctx context.Context, l *Ledger) error {
	if !v.primed {
		if err := v.prime(ctx, l); err != nil {
			return err
		}
	}
	var held *LogBatch
	for b, err := range l.log.Read(v.next) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("ledger: read the bindings from the log: %w", err)
		}
		s, err := tableBatch(b)
		if err != nil {
			return err
		}
		if held != nil && !s.refuses(held.Batch) {
			v.keep()
		}
		if v.last, err = v.changes(ctx, s.Records); err != nil {
			return err
		}
		held, v.next = &s, b.First
	}
	return nil
}

// keep makes the changes of the last batch final.
func (v *verified) keep() {
	for key, value := range v.last {
		if v.since++; value == nil {
			delete(v.rows, key)
			continue
		}
		v.rows[key] = value
	}
	v.last = nil
}

// tableBatch decodes the records of a batch that matter to the table.
func tableBatch(b wal.Batch) (LogBatch, error) {
	s := LogBatch{Batch: b}
	for i, raw := range b.Records {
		if !tableEvent(event.TypeOf(raw)) {
			continue
		}
		r, err := event.DecodeRecord(raw)
		if r.Seq = b.First + wal.Seq(i); err != nil {
			return s, fmt.Errorf("record %d: %w", r.Seq, err)
		}
		s.Records = append(s.Records, r)
	}
	return s, nil
}

// changes projects records onto the table.
func (v *verified) changes(ctx context.Context, records []event.Record) (map[string][]byte, error) {
	p := &projection{ctx: ctx, wrote: map[string]int{}, lookup: func(key string) []byte { return v.rows[key] }}
	for _, r := range records {
		if b, ok := r.Event.(event.Baseline); ok {
			b.Facts = slices.DeleteFunc(slices.Clone(b.Facts), func(f event.Fact) bool { return !inTable(f.Key) })
			r.Event = b
		}
		if _, ok := r.Event.(event.Certified); ok {
			v.since, v.known = 0, true
		}
		if err := p.write(r); err != nil {
			return nil, fmt.Errorf("record %d: %w", r.Seq, err)
		}
	}
	out := map[string][]byte{}
	for _, op := range p.tidy() {
		if inTable(op.Key) {
			out[op.Key] = op.Value
		}
	}
	return out, nil
}

// prime starts from the last digest on record, if the rows of the store at its revision have that
// digest, else from the beginning of the log. Where to find the digest is only a hint.
func (v *verified) prime(ctx context.Context, l *Ledger) error {
	v.rows, v.last, v.next, v.primed = map[string][]byte{}, nil, 0, true
	if l.cfg.Shared {
		return nil // the store has the rows of others too
	}
	e, err := l.Get(ctx, rows.KeyCertified+l.instance, storage.Now)
	if err != nil || e.Value == nil {
		return err
	}
	at, digest, ok := l.certifiedAt(e)
	if !ok {
		return nil
	}
	base := map[string][]byte{}
	err = l.Entries(ctx, "", e.Modified, func(e storage.Entry) error {
		if inTable(e.Key) {
			base[e.Key] = bytes.Clone(e.Value)
		}
		return nil
	})
	if err == nil && digestOf(base) == digest {
		v.rows, v.next, v.known = base, at, true
	}
	return nil //nolint:nilerr // the store has forgotten that revision: the log has it all
}

// digestOf names the rows of a table.
func digestOf(table map[string][]byte) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(table)) {
		var b [8]byte
		binary.LittleEndian.PutUint32(b[:4], uint32(len(key)))
		binary.LittleEndian.PutUint32(b[4:], uint32(len(table[key])))
		h.Write(b[:])
		h.Write([]byte(key))
		h.Write(table[key])
	}
	return hex.EncodeToString(h.Sum(nil))
}
