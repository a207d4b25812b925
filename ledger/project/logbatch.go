package project

import (
	"errors"
	"fmt"
	"iter"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// LogBatch is one decoded batch of a log.
type LogBatch struct {
	wal.Batch
	Records []event.Record
	Refused bool // the next batch says that this one does not count
	Last    bool // no batch follows

	Guards []storage.Guard
}

// ReadBatches decodes batches and marks those that the next one refuses. A batch is held until the
// next one is read, because a refusal follows the batch that it refuses. The sequence ends after
// its first error.
func ReadBatches(batches iter.Seq2[wal.Batch, error]) iter.Seq2[LogBatch, error] {
	return func(yield func(LogBatch, error) bool) {
		var held *LogBatch
		for b, err := range batches {
			s, err2 := decodeStep(b)
			if err = errors.Join(err, err2); err != nil {
				yield(LogBatch{}, err)
				return
			}
			if held != nil {
				held.Refused = s.Refuses(held.Batch)
				if !yield(*held, nil) {
					return
				}
			}
			held = &s
		}
		if held != nil {
			held.Last = true
			yield(*held, nil)
		}
	}
}

// decodeStep decodes a batch with the claims under which its records count. Consecutive records under one
// claim have one guard. A batch that only ends rights has no guards, see OnlyForfeits.
func decodeStep(b wal.Batch) (LogBatch, error) {
	s := LogBatch{Batch: b}
	for i, raw := range b.Records {
		r, under, err := event.Decode(raw)
		if err != nil {
			return s, fmt.Errorf("record %d: %w", b.First+wal.Seq(i), err)
		}
		r.Seq = b.First + wal.Seq(i)
		s.Records = append(s.Records, r)
		if under != nil && (len(s.Guards) == 0 || s.Guards[len(s.Guards)-1].Key != under.Key) {
			s.Guards = append(s.Guards, storage.Guard{Key: under.Key, Created: under.Created})
		}
	}
	if s.OnlyForfeits() {
		s.Guards = nil
	}
	return s, nil
}

// OnlyForfeits reports whether a batch only ends ovi's right to change resources. Such a batch counts even
// if its claim has ended: a store that was put back looks like one that a crash left behind, and a resource
// that an operator has forgotten must not be managed again.
func (s LogBatch) OnlyForfeits() bool {
	for _, r := range s.Records {
		switch r.Event.(type) {
		case event.Disowned, event.Dismissed:
		default:
			return false
		}
	}
	return len(s.Records) > 0
}

// Refuses reports whether a record of this batch refuses the batch before.
func (s LogBatch) Refuses(before wal.Batch) bool {
	for _, r := range s.Records {
		if e, ok := r.Event.(event.Refused); ok && e.From == before.First && e.To == before.Last && e.From != 0 {
			return true
		}
	}
	return false
}

// BaselineSize limits the keys and values of one record, in bytes.
const BaselineSize = 1 << 20
