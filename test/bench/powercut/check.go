//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// errReissued: the token of a claim is not newer than an earlier one.
var errReissued = errors.New("a token was given again")

// heard is what was acknowledged to the writer, in this file system.
type heard struct {
	acks     map[wal.Seq]string // the last record of each acknowledged batch
	fresh    int                // of them, those not checked yet
	revision storage.Revision   // the newest that was acknowledged
	tokens   map[string]int64   // the last token of each ref
}

func newHeard() heard { return heard{acks: map[wal.Seq]string{}, tokens: map[string]int64{}} }

// forget implements traffic.
func (h *heard) forget() int {
	n := h.fresh
	*h = newHeard()
	return n
}

// hear implements traffic.
func (h *heard) hear(line string, sum *tally) error {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "record":
		return h.record(rest, sum)
	case "claim":
		return h.claim(rest, sum)
	}
	return fmt.Errorf("the writer says, with the power on: %s", line)
}

func (h *heard) record(text string, sum *tally) error {
	var seq wal.Seq
	var rev storage.Revision
	var sort, key string
	if _, err := fmt.Sscan(text, &seq, &rev, &sort, &key); err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	if _, twice := h.acks[seq]; twice {
		return fmt.Errorf("record %d was acknowledged twice", seq)
	}
	h.acks[seq], h.revision = sort+" "+key, max(h.revision, rev)
	h.fresh++
	sum.acknowledged++
	return nil
}

// claim requires that the tokens of a ref grow, whatever power cuts are between them.
func (h *heard) claim(text string, sum *tally) error {
	var ref string
	var token int64
	if _, err := fmt.Sscan(text, &ref, &token); err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	if last := h.tokens[ref]; token <= last {
		return fmt.Errorf("%w: %d for %s after %d", errReissued, token, ref, last)
	}
	h.tokens[ref] = token
	sum.claims++
	return nil
}

// check implements traffic. The log verifies and holds what was acknowledged; so does the store,
// before the log is replayed into it; then it equals the replay.
func (t *recordTraffic) check(dir string, sum *tally) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		sum.lost += t.forget()
		return nil
	}
	if err := t.checkStore(filepath.Join(dir, "store.db")); err != nil {
		return err
	}
	l, err := openRecord(dir)
	if err != nil {
		return fmt.Errorf("open after the cut: %w", err)
	}
	if l.Log().TornWrite() != nil {
		sum.torn++
	}
	err = errors.Join(t.checkLog(l, sum), checkReplay(l, dir, sum), freeClaims(l), l.Close())
	if err != nil {
		return err
	}
	_, err = wal.Verify(filepath.Join(dir, "wal"), nil)
	return err
}

func (h *heard) checkStore(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && len(h.acks) > 0 {
		return fmt.Errorf("the store is gone, with %d acknowledged records", len(h.acks))
	}
	s, err := bolt.Open(path)
	if err != nil {
		return err
	}
	stats, err := s.Stats(context.Background())
	if err == nil && stats.Revision < h.revision {
		err = fmt.Errorf("the store is at revision %d, and %d was acknowledged", stats.Revision, h.revision)
	}
	return errors.Join(err, s.Close())
}

func (h *heard) checkLog(l *ledger.Ledger, sum *tally) error {
	missing := len(h.acks)
	for r, err := range history.New(l.Reader()).LogRecords(context.Background(), history.Filter{}) {
		if err != nil {
			return err
		}
		want, ok := h.acks[r.Seq]
		if !ok {
			continue
		}
		if got := r.Event.Type() + " " + keyOf(r.Event); got != want {
			return fmt.Errorf("record %d is %q, acknowledged was %q", r.Seq, got, want)
		}
		missing--
		sum.checked++
	}
	sum.lost += missing
	h.fresh = 0
	if missing > 0 {
		*h = newHeard()
	}
	return nil
}

func keyOf(e event.Event) string {
	switch e := e.(type) {
	case event.Started:
		return e.Key
	case event.Finished:
		return e.Key
	case event.Observed:
		return e.Scope.Location
	}
	return ""
}

func checkReplay(l *ledger.Ledger, dir string, sum *tally) error {
	rebuilt := mem.New()
	got, err := replay.Replay(context.Background(), dir, rebuilt)
	if err != nil {
		return err
	}
	c, err := replay.CompareHistories(context.Background(), l.Store(), rebuilt, 0, got.Revision)
	if err == nil && !c.Equal {
		err = fmt.Errorf("the store and the replay of the log part at %q of revision %d and %q of revision %d", c.PartA.Key,
			c.PartA.Modified, c.PartB.Key, c.PartB.Modified)
	}
	sum.replays++
	return errors.Join(err, rebuilt.Close())
}
