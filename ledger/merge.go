package ledger

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Merge projects the logs of all instances that record into one store into an empty one, in
// the order of the revisions that their batches committed. Afterwards Content of it equals
// that of the live store, as long as the live one's own history is not compacted.
func Merge(ctx context.Context, logs []*Ledger, into storage.Store) error {
	var all []placed
	for _, l := range logs {
		mine, err := l.placed(ctx)
		if err != nil {
			return err
		}
		all = append(all, mine...)
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.revision, b.revision) })
	replicas := map[*Ledger]*Ledger{}
	for _, p := range all {
		to := replicas[p.from]
		if to == nil {
			cfg := p.from.cfg
			cfg.Shared = false // nobody else writes into it
			to = &Ledger{cfg: cfg, instance: p.from.instance, log: p.from.log, store: into}
			replicas[p.from] = to
		}
		p.step.last, p.step.guards = false, nil // it is in the store: it counted
		if err := to.replay(ctx, nil, p.step); err != nil {
			return fmt.Errorf("ledger: merge: %s, record %d: %w", p.from.instance, p.step.batch.First, err)
		}
	}
	return nil
}

// placed is a batch with the revision it committed.
type placed struct {
	from     *Ledger
	revision storage.Revision
	step     step
}

// placed are the batches of a log that count, in order.
func (l *Ledger) placed(ctx context.Context) ([]placed, error) {
	at := map[wal.Seq]storage.Revision{}
	err := l.versions(ctx, l.headKey(), func(e storage.Entry) error {
		var h head
		if err := json.Unmarshal(e.Value, &h); err != nil {
			return err
		}
		if _, known := at[h.Seq]; !known { // a later version of the same place fences only
			at[h.Seq] = e.Modified
		}
		return nil
	})
	var out []placed
	for s, bad := range steps(l.log.Read(1)) {
		if bad != nil || err != nil {
			return nil, fmt.Errorf("ledger: merge: %w", cmp.Or(err, bad))
		}
		if revision, ok := at[s.batch.Last]; ok && !s.refused {
			out = append(out, placed{l, revision, s})
		} else if !s.refused && !s.last {
			return nil, fmt.Errorf("ledger: merge: record %d of %s is neither in the store nor refused", s.batch.Last, l.instance)
		}
	}
	return out, err
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
		if !strings.HasPrefix(e.Key, keyLog) && !strings.HasPrefix(e.Key, keyClaim) {
			sum(h, e)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// keyClaim is where claims stand: leased, and none of the ledger's.
const keyClaim = "claim/"

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
