package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Merge projects the logs of all instances that record into one store into an empty one, in
// the order in which their batches came into the store. Afterwards Content of it equals that
// of the live store.
func Merge(ctx context.Context, logs []*Ledger, into storage.Store) error {
	var all []*source
	for _, l := range logs {
		s, err := l.source(ctx, l.store, storage.Now)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	_, _, err := project(ctx, all, into)
	return err
}

// source is a log to be merged with others.
type source struct {
	*Ledger
	live  bool // the live store is known: what follows says how far the log is in it, and where
	upTo  head
	since wal.Seq // from which place on the store's history goes
	at    map[wal.Seq]storage.Revision
}

// source reads what a live store knows of a log at a revision. Without a store nothing is
// known: all of the log counts.
func (l *Ledger) source(ctx context.Context, live storage.Store, at storage.Revision) (*source, error) {
	s := &source{Ledger: l, at: map[wal.Seq]storage.Revision{}}
	if live == nil {
		return s, nil
	}
	s.live = true
	for e, err := range live.History(ctx, l.headKey()) {
		if err != nil {
			return nil, fmt.Errorf("ledger: merge: %w", err)
		}
		var h head
		if at != storage.Now && e.Modified > at {
			break
		}
		if err := json.Unmarshal(e.Value, &h); err != nil {
			return nil, fmt.Errorf("ledger: %s at revision %d: %w", e.Key, e.Modified, err)
		}
		if _, known := s.at[h.Seq]; !known { // a later version of the same place fences only
			s.at[h.Seq] = h.reached(e)
		}
		if s.upTo = h; s.since == 0 {
			s.since = h.Seq
		}
	}
	return s, nil
}

// placedStep is a batch that counts, and where it stands among those of all logs.
type placedStep struct {
	from     *source
	location revisionOrder
	mark     mark
	step     step
}

// batches are those of the log that count, in order.
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
		for step, err := range steps(s.log.Read(0)) {
			if err == nil {
				err = s.check(step)
			}
			if err != nil {
				yield(placedStep{}, fmt.Errorf("ledger: merge: %s: %w", s.instance, err))
				return
			}
			if s.live && step.batch.Last > s.upTo.Seq {
				break
			}
			m := decodeMark(step.batch.Meta)
			if held != nil {
				held.location = held.location.settle(held.mark, m)
			}
			if step.refused {
				continue
			}
			if !flush() {
				return
			}
			held = &placedStep{s, s.begun(m, step, last), m, step}
		}
		flush()
	}
}

// begun is where a batch stands as far as is known without what comes behind it.
func (s *source) begun(m mark, step step, last revisionOrder) revisionOrder {
	if rev, ok := s.at[step.batch.Last]; ok {
		return revisionOrder{live: true, at: rev}
	}
	if m.known {
		return revisionOrder{epoch: m.epoch, at: m.base, made: true}
	}
	return last
}

// check holds a batch against what the live store knows of the log.
func (s *source) check(step step) error {
	b := step.batch
	switch _, there := s.at[b.Last]; {
	case !s.live:
		return nil
	case b.Last == s.upTo.Seq && b.Chain.String() != s.upTo.Chain:
		return fmt.Errorf("record %d is another than the one the store has seen: %w", b.Last, ErrForeignLog)
	case b.Last > s.since && b.Last <= s.upTo.Seq && !there && !step.refused:
		return fmt.Errorf("record %d is neither in the store nor refused", b.Last)
	}
	return nil
}

// merged are the batches of all logs in one order.
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

// project projects all logs into an empty store, and says how many batches that took, and which
// era the last of them is of.
func project(ctx context.Context, logs []*source, into storage.Store) (n, era int, err error) {
	replicas := map[*source]*Ledger{}
	for p, err := range merged(logs) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return n, era, err
		}
		era = max(era, p.mark.epoch)
		to := replicas[p.from]
		if to == nil {
			cfg := p.from.cfg
			cfg.Shared = false // nobody else writes into it
			to = &Ledger{cfg: cfg, instance: p.from.instance, log: p.from.log, store: into}
			replicas[p.from] = to
		}
		p.step.last, p.step.guards = false, nil // it is in the store: it counted
		if err := to.replay(ctx, nil, p.step); err != nil {
			return n, era, fmt.Errorf("ledger: merge: %s, record %d: %w", p.from.instance, p.step.batch.First, err)
		}
		n++
	}
	return n, era, nil
}

// Content names what stands in a store now, whatever its revisions: two stores with one
// content answer every question about the present alike. How far each log has come, and what
// is leased, is left out.
func Content(ctx context.Context, store storage.Store) (string, error) {
	h := sha256.New()
	entries, _, err := store.Range(ctx, "", storage.Now)
	if err != nil {
		return "", err
	}
	for e, err := range entries {
		if err != nil {
			return "", err
		}
		if isFact(e.Key) {
			sum(h, e)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// keyClaim and keyNote are where claims and notes stand: leased, and none of the ledger's.
const (
	keyClaim = "claim/"
	keyNote  = "note/"
)

// isFact says that a key comes from the records: it is no claim or note, and none that only
// keeps order among those who share the store.
func isFact(key string) bool {
	for _, prefix := range [...]string{keyLog, keyClaim, keyNote, keyFirst} {
		if strings.HasPrefix(key, prefix) {
			return false
		}
	}
	return key != keyEpoch
}

// sum adds a key and its value, and whether it ended.
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
