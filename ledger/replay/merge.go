package replay

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/record"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// source is a log to be merged with others.
type source struct {
	openLog
	live  bool // the live store is known: how far the log is in it, and where
	upTo  rows.Head
	since wal.Seq // first record in the store's history
	at    map[wal.Seq]storage.Revision
}

// source reads what a live store has of a log at a revision. Without a store all of the log counts.
func (l openLog) source(ctx context.Context, live ledger.StoreReads, at storage.Revision) (*source, error) {
	s := &source{openLog: l, at: map[wal.Seq]storage.Revision{}}
	if live == nil {
		return s, nil
	}
	s.live = true
	for e, err := range live.History(ctx, rows.KeyLog+l.instance) {
		if err != nil {
			return nil, fmt.Errorf("ledger: merge: %w", err)
		}
		var h rows.Head
		if at != storage.Now && e.Modified > at {
			break
		}
		if err := json.Unmarshal(e.Value, &h); err != nil {
			return nil, fmt.Errorf("ledger: %s at revision %d: %w", e.Key, e.Modified, err)
		}
		if _, known := s.at[h.Seq]; !known { // a later version of the same position only fences
			s.at[h.Seq] = h.Reached(e)
		}
		if s.upTo = h; s.since == 0 {
			s.since = h.Seq
		}
	}
	return s, nil
}

// placedStep is a batch that counts, with its position among the batches of all logs.
type placedStep struct {
	from     *source
	location revisionOrder
	mark     rows.Mark
	step     project.LogBatch
}

// batches returns the batches of the log that count, in order. A batch is kept back until the next
// one is read, since only that one has the revision which it made. No batch is placed before the
// one that it follows in its log, whatever the marks say: the order of each log holds, so that
// merging can rely on sorted inputs.
func (s *source) batches() iter.Seq2[placedStep, error] {
	return func(yield func(placedStep, error) bool) {
		var held *placedStep
		last := revisionOrder{}
		flush := func() bool {
			if held == nil {
				return true
			}
			if held.location.compare(last) < 0 {
				held.location = last
			}
			last = held.location
			return yield(*held, nil)
		}
		for step, err := range project.ReadBatches(s.log.Read(0)) {
			if err == nil {
				err = s.check(step)
			}
			if err != nil {
				yield(placedStep{}, fmt.Errorf("ledger: merge: %s: %w", s.instance, err))
				return
			}
			if s.live && step.Batch.Last > s.upTo.Seq {
				break
			}
			m := rows.DecodeMark(step.Batch.Meta)
			if held != nil {
				held.location = held.location.resolve(held.mark, m)
			}
			if step.Refused {
				continue
			}
			if !flush() {
				return
			}
			held = &placedStep{s, s.started(m, step, last), m, step}
		}
		flush()
	}
}

// started returns the position of a batch that is known without the next one. A batch without a
// mark follows the batch before it in its log, unless the next batch places it.
func (s *source) started(m rows.Mark, step project.LogBatch, last revisionOrder) revisionOrder {
	if rev, ok := s.at[step.Batch.Last]; ok {
		return revisionOrder{live: true, at: rev}
	}
	if m.Known {
		return revisionOrder{epoch: m.Epoch, at: m.Base, made: true}
	}
	return last
}

// check compares a batch with the live store's entries of the log. The last record must have the
// same chain hash in both. Each other batch since the store's history begins must be in that
// history, or be refused. Otherwise the log is an altered or older copy, and the merge would give
// another past than the live one.
func (s *source) check(step project.LogBatch) error {
	b := step.Batch
	switch _, there := s.at[b.Last]; {
	case !s.live:
		return nil
	case b.Last == s.upTo.Seq && b.Chain.String() != s.upTo.Chain:
		return fmt.Errorf("record %d is not the one that the store has: %w", b.Last, ledger.ErrForeignLog)
	case b.Last > s.since && b.Last <= s.upTo.Seq && !there && !step.Refused:
		return fmt.Errorf("record %d is neither in the store nor refused", b.Last)
	}
	return nil
}

// merged are the batches of all logs in one order. The first batches are read from the last log to
// the first, because a log without any is removed from the list. If two positions are equal, the
// log that was named first comes first, so that each merge of the same list has the same order.
func merged(logs []*source) iter.Seq2[placedStep, error] {
	return func(yield func(placedStep, error) bool) {
		type cursor struct {
			at   placedStep
			next func() (placedStep, error, bool)
		}
		var open []cursor
		for _, s := range logs {
			next, stop := iter.Pull2(s.batches())
			defer stop()
			open = append(open, cursor{next: next})
		}
		advance := func(i int) error {
			p, err, more := open[i].next()
			if open[i].at = p; !more {
				open = append(open[:i], open[i+1:]...)
			}
			return err
		}
		for i := len(open) - 1; i >= 0; i-- {
			if err := advance(i); err != nil {
				yield(placedStep{}, err)
				return
			}
		}
		for len(open) > 0 {
			first := 0
			for i := range open {
				if open[i].at.location.compare(open[first].at.location) < 0 {
					first = i
				}
			}
			if !yield(open[first].at, nil) {
				return
			}
			if err := advance(first); err != nil {
				yield(placedStep{}, err)
				return
			}
		}
	}
}

// projectAll projects all logs into an empty store, and returns the number of batches, and the
// epoch of the last of them. Each log has a projector of its own, since positions and refusals
// count per log. After an error the new store has a part of the batches.
func projectAll(ctx context.Context, logs []*source, into storage.Store) (n, era int, err error) {
	replicas := map[*source]*record.Projector{}
	for p, err := range merged(logs) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return n, era, err
		}
		era = max(era, p.mark.Epoch)
		to := replicas[p.from]
		if to == nil {
			if to, err = record.NewProjector(ctx, p.from.instance, into); err != nil {
				return n, era, err
			}
			replicas[p.from] = to
		}
		if err := to.Project(ctx, p.step); err != nil {
			return n, era, fmt.Errorf("ledger: merge: %s, record %d: %w", p.from.instance, p.step.Batch.First, err)
		}
		n++
	}
	return n, era, nil
}

// sum adds a key and its value, and whether it was deleted. The lengths come first, so that moving
// a byte from the key to the value changes the digest.
func sum(h interface{ Write([]byte) (int, error) }, e storage.Entry) {
	var b [9]byte
	binary.LittleEndian.PutUint32(b[0:], uint32(len(e.Key)))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(e.Value)))
	if e.Deleted {
		b[8] = 1
	}
	_, _ = h.Write(b[:])
	_, _ = h.Write([]byte(e.Key))
	_, _ = h.Write(e.Value)
}
