// Package replaytest names the content of stores for tests.
package replaytest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// Content is a digest of the current content of a store, whatever its revisions: two stores with one
// content answer every question about the present alike. The position of each log and the leases are
// omitted.
func Content(ctx context.Context, store ledger.StoreReads) (string, error) {
	h := sha256.New()
	entries, _, err := store.Range(ctx, "", storage.Now)
	if err != nil {
		return "", err
	}
	for e, err := range entries {
		if err != nil {
			return "", err
		}
		if !rows.IsFact(e.Key) {
			continue
		}
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
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Digest names the content of a store from a revision on: what lived then, and every version
// since. Leased keys are omitted. Two stores with one digest answer every query alike.
func Digest(ctx context.Context, store ledger.StoreReads, from storage.Revision) (string, error) {
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
