package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/storage"
)

// remindAfter is when an alert that lasts is reported again, by the instance that leads then.
const remindAfter = 12 * time.Hour

// memoryWait bounds what remembering asks of the store: reporting twice is better than waiting.
const memoryWait = 3 * time.Second

// memory keeps which alerts of a stack were reported, for the next leader. What cannot be
// remembered is reported again.
type memory interface {
	recall(stack string) (map[string]Notice, error)
	keep(stack, key string, n Notice) error
	drop(stack, key string) error
}

// StoreMemory is a memory in the store that the instances share.
type StoreMemory struct {
	Context context.Context
	Store   func() storage.Store // nil while the data directory is not open
}

var errNotOpen = errors.New("the data directory is not open")

type alertEntry struct {
	Key    string `json:"key"`
	Notice Notice `json:"notice"`
}

// noteName is a key as the name of a note.
func noteName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

func (m StoreMemory) recall(stack string) (map[string]Notice, error) {
	out := map[string]Notice{}
	err := m.with(stack, func(ctx context.Context, notes coordinator.Notes) error {
		all, err := notes.All(ctx)
		for _, value := range all {
			var t alertEntry
			if err := json.Unmarshal(value, &t); err != nil {
				return err
			}
			out[t.Key] = t.Notice
		}
		return err
	})
	return out, err
}

func (m StoreMemory) keep(stack, key string, n Notice) error {
	value, err := json.Marshal(alertEntry{key, n})
	if err != nil {
		return err
	}
	return m.with(stack, func(ctx context.Context, notes coordinator.Notes) error {
		return notes.Leave(ctx, noteName(key), value, remindAfter)
	})
}

func (m StoreMemory) drop(stack, key string) error {
	return m.with(stack, func(ctx context.Context,
		notes coordinator.Notes,
	) error {
		return notes.Drop(ctx, noteName(key))
	})
}

// with opens the notes about the alerts of a stack.
func (m StoreMemory) with(stack string, do func(context.Context, coordinator.Notes) error) error {
	s := m.Store()
	if s == nil {
		return errNotOpen
	}
	ctx, cancel := context.WithTimeout(m.Context, memoryWait)
	defer cancel()
	return do(ctx, coordinator.NotesOn(s, "alerts-"+url.PathEscape(stack)))
}
