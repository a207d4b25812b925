package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/ovi-project/ovi/storage"
)

// Rebuild projects the whole log into an empty store. Afterwards Digest of it equals that of
// the live one, if the log still has its beginning.
func (l *Ledger) Rebuild(ctx context.Context, into storage.Store) (storage.Revision, error) {
	cfg := l.cfg
	cfg.Shared = false // nobody else writes into it
	other := &Ledger{cfg: cfg, instance: l.instance, log: l.log, store: into}
	if err := other.readHead(ctx, into); err != nil {
		return 0, err
	}
	if other.head.Seq != 0 {
		return 0, fmt.Errorf("ledger: rebuild: the store is not empty: it has seen record %d", other.head.Seq)
	}
	for step, err := range steps(l.log.Read(0)) {
		if err != nil {
			return 0, fmt.Errorf("ledger: rebuild: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if step.last {
			step.guards = nil // it was acknowledged, or nothing was done in its trust
		}
		if err := other.replay(ctx, nil, step); err != nil {
			return 0, fmt.Errorf("ledger: rebuild: record %d: %w", step.batch.First, err)
		}
	}
	return other.at.Modified, nil
}

// Digest names the content of a store from a revision on: what lived then, and every version
// since. Leased keys are left out. Two stores with one digest answer every query alike.
func Digest(ctx context.Context, store storage.Store, from storage.Revision) (string, error) {
	h := sha256.New()
	add := func(e storage.Entry) {
		var b [8 * 3]byte
		binary.LittleEndian.PutUint64(b[0:], uint64(e.Created))
		binary.LittleEndian.PutUint64(b[8:], uint64(e.Modified))
		binary.LittleEndian.PutUint32(b[16:], uint32(len(e.Key)))
		binary.LittleEndian.PutUint32(b[20:], uint32(len(e.Value)))
		h.Write(b[:])
		h.Write([]byte(e.Key))
		h.Write(e.Value)
		if e.Deleted {
			h.Write([]byte{1})
		}
	}
	if from > 0 {
		entries, _, err := store.Range(ctx, "", from)
		if err != nil {
			return "", err
		}
		for e, err := range entries {
			if err != nil {
				return "", err
			}
			add(e)
		}
	}
	for e, err := range store.Changes(ctx, "", from, storage.Now) {
		if err != nil {
			return "", err
		}
		add(e)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
