package trust

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

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// logView is a part of the store that is derived from the log of this instance alone, so a row that was
// edited in the store proves nothing. It follows the log while it grows. The changes of the last batch are
// pending, because only the batch after it shows whether it counts.
type logView struct {
	part     part
	mu       sync.Mutex
	loaded   bool
	rows     map[string][]byte
	pending  map[string][]byte // changes of the last batch, which the next one may refuse; nil means deleted
	resumeAt wal.Seq           // the last batch, where reading goes on
	readTo   wal.Seq           // the last record read
	others   bool              // other instances record into the store too

	everCertified         bool // the log certifies the part somewhere
	changesSinceCertified int
	recordsSinceCertified int
}

// part says which keys a part of the store has, and which events change it or say whether a batch counts.
type part struct {
	has       func(key string) bool
	concerns  func(record []byte) bool
	certified func(event.Event) bool
	prime     func(context.Context, *Proofs, *logView) error
}

// bindingPart is the table of bindings and trusted keys.
func bindingPart() part {
	return part{
		has: inTable, prime: primeBindings, concerns: func(record []byte) bool {
			return tableEvent(event.TypeOf(record))
		},
		certified: func(e event.Event) bool { _, ok := e.(event.Certified); return ok },
	}
}

// inTable reports whether a key belongs to the table.
func inTable(key string) bool {
	for _, prefix := range [...]string{
		rows.KeyBinding, rows.KeyBound, rows.KeyIdentity, rows.KeyOpen, rows.KeyLate, rows.KeyReplace, rows.KeyPin,
		rows.KeyTrust, rows.KeyRequired, rows.KeyCosigned,
	} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// tableEvent reports whether events of a type change the table, or say whether a batch counts. An event
// of a type that is missing here is skipped, and the table then lacks its changes.
func tableEvent(name string) bool {
	switch name {
	case event.TypeStarted, event.TypeFinished, event.TypeRecovered, event.TypeReplaceStarted,
		event.TypeReplaceReverted, event.TypeReplaceFinished, event.TypeAdopted, event.TypeDisowned,
		event.TypeDismissed, event.TypeMoved, event.TypeLost, event.TypeKeyPinned, event.TypeTrusted,
		event.TypeTrustRequired, event.TypeRefused, event.TypeBaseline, event.TypeCertified, event.TypeCosigned:
		return true
	}
	return false
}

// get returns the row of a key, with the changes of the last batch; nil if the key is absent. The caller
// has the lock.
func (v *logView) get(key string) []byte {
	if value, ok := v.pending[key]; ok {
		return value
	}
	return v.rows[key]
}

// follow reads what was appended to the log since the last call. The caller has the lock. It reads the
// last batch of the previous call again, and makes its changes final only if the next batch does not
// refuse it.
func (v *logView) follow(ctx context.Context, p *Proofs) error {
	if !v.loaded {
		v.rows, v.pending, v.resumeAt, v.loaded, v.others = map[string][]byte{}, nil, 0, true, p.shared
		if err := v.part.prime(ctx, p, v); err != nil {
			return err
		}
	}
	var held *project.LogBatch
	for b, err := range p.log.Read(v.resumeAt) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("ledger: read what the log proves: %w", err)
		}
		s, err := v.part.decode(b)
		if err != nil {
			return err
		}
		if b.Last > v.readTo { // the batch read last is read again
			v.recordsSinceCertified, v.readTo = v.recordsSinceCertified+len(b.Records), b.Last
		}
		if held != nil && !s.Refuses(held.Batch) {
			v.keep()
		}
		if v.pending, err = v.changes(ctx, s.Records); err != nil {
			return err
		}
		held, v.resumeAt = &s, b.First
	}
	return nil
}

// keep makes the changes of the last batch final.
func (v *logView) keep() {
	for key, value := range v.pending {
		if v.changesSinceCertified++; value == nil {
			delete(v.rows, key)
			continue
		}
		v.rows[key] = value
	}
	v.pending = nil
}

// decode decodes the records of a batch that matter to the part.
func (p part) decode(b wal.Batch) (project.LogBatch, error) {
	s := project.LogBatch{Batch: b}
	for i, raw := range b.Records {
		if !p.concerns(raw) {
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

// changes projects records onto the part. A baseline is reduced to the keys of the part, since it has the
// facts of the whole store.
func (v *logView) changes(ctx context.Context, records []event.Record) (map[string][]byte, error) {
	mine := make([]event.Record, len(records))
	for i, r := range records {
		if b, ok := r.Event.(event.Baseline); ok {
			b.Facts = slices.DeleteFunc(slices.Clone(b.Facts), func(f event.Fact) bool { return !v.part.has(f.Key) })
			r.Event = b
		}
		if v.part.certified(r.Event) {
			v.changesSinceCertified, v.recordsSinceCertified, v.everCertified = 0, 0, true
		}
		mine[i] = r
	}
	ops, err := project.Onto(ctx, mine, func(key string) []byte { return v.rows[key] }, v.others)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, op := range ops {
		if v.part.has(op.Key) {
			out[op.Key] = op.Value
		}
	}
	return out, nil
}

// primeBindings starts from the last recorded digest, if the rows of the store at its revision have that
// digest, else from the beginning of the log. Where to find the digest is only a hint.
func primeBindings(ctx context.Context, p *Proofs, v *logView) error {
	if p.shared {
		return nil // the store has the rows of others too
	}
	e, err := p.Get(ctx, rows.KeyCertified+p.Instance(), storage.Now)
	if err != nil || e.Value == nil {
		return err
	}
	at, digest, ok := p.certifiedAt(e)
	if !ok {
		return nil
	}
	base := map[string][]byte{}
	err = p.Entries(ctx, "", e.Modified, func(e storage.Entry) error {
		if inTable(e.Key) {
			base[e.Key] = bytes.Clone(e.Value)
		}
		return nil
	})
	if err == nil && digestOf(base) == digest {
		v.rows, v.resumeAt, v.everCertified = base, at, true
	}
	return nil //nolint:nilerr // the store has forgotten that revision: the log has it all
}

// digestOf names the rows of a table. The lengths come before the texts, so that two different tables
// cannot have the same bytes.
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
