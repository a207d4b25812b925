package coordinator

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// notePrefix is where notes stand in the store, beside the claims.
const notePrefix = "note/"

// Notes are what the instances leave for each other about a topic, and may forget: in leased
// keys, which are neither history nor record and end by themselves.
type Notes struct {
	store  storage.Store
	prefix string
}

// NotesOn are the notes about a topic, whose name has no slash.
func NotesOn(store storage.Store, topic string) Notes {
	return Notes{store, notePrefix + topic + "/"}
}

// All are the notes that stand now, by name.
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

// Leave leaves a note for as long as it is good for, in place of one of the same name.
func (n Notes) Leave(ctx context.Context, name string, value []byte, good time.Duration) error {
	lease, err := n.store.Grant(ctx, good)
	if err == nil {
		_, err = n.store.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: n.prefix + name, Value: value, Lease: lease}}})
	}
	if err != nil {
		return fmt.Errorf("leave a note: %w", err)
	}
	return nil
}

// Drop takes a note away; one that is not there is no error.
func (n Notes) Drop(ctx context.Context, name string) error {
	if _, err := n.store.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: n.prefix + name, Delete: true}}}); err != nil {
		return fmt.Errorf("take a note away: %w", err)
	}
	return nil
}
