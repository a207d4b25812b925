package coordinator

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// notePrefix is the prefix of notes in the store.
const notePrefix = "note/"

// Notes are short-lived messages between instances about a topic, in leased keys: they have no
// history, are not recorded, and expire.
type Notes struct {
	store  storage.Store
	prefix string
}

// NotesOn returns the notes about a topic, whose name has no slash.
func NotesOn(store storage.Store, topic string) Notes {
	return Notes{store, notePrefix + topic + "/"}
}

// All returns the current notes by name.
func (n Notes) All(ctx context.Context) (map[string][]byte, error) {
	seq, _, err := n.store.Range(ctx, n.prefix, storage.Now)
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	out := map[string][]byte{}
	for e, err := range seq {
		if err != nil {
			return nil, fmt.Errorf("notes: %w", err)
		}
		out[strings.TrimPrefix(e.Key, n.prefix)] = e.Value
	}
	return out, nil
}

// Leave writes a note that expires, in place of one of the same name.
func (n Notes) Leave(ctx context.Context, name string, value []byte, good time.Duration) error {
	lease, err := n.store.Grant(ctx, good)
	if err == nil {
		err = n.commit(ctx, storage.Op{Key: n.prefix + name, Value: value, Lease: lease})
	}
	if err != nil {
		return fmt.Errorf("write a note: %w", err)
	}
	return nil
}

// Drop deletes a note; a missing one is not an error.
func (n Notes) Drop(ctx context.Context, name string) error {
	if err := n.commit(ctx, storage.Op{Key: n.prefix + name, Delete: true}); err != nil {
		return fmt.Errorf("delete a note: %w", err)
	}
	return nil
}

// commit applies an operation, again if its response is lost: nothing guards it.
func (n Notes) commit(ctx context.Context, op storage.Op) error {
	return storage.RetryShort(ctx, lost, func() error {
		_, err := n.store.Commit(ctx, storage.Tx{Ops: []storage.Op{op}})
		return err
	})
}
