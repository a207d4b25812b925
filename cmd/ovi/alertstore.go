package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/storage"
)

// remindAfter is when a concern that lasts is told again, by whoever leads then.
const remindAfter = 12 * time.Hour

// toldWait bounds what remembering asks of the store: telling twice is better than waiting.
const toldWait = 3 * time.Second

// memory keeps which concerns of a stack were told, for whoever leads it next. What cannot be
// remembered is told again.
type memory interface {
	recall(stack string) (map[string]notice, error)
	keep(stack, key string, n notice) error
	drop(stack, key string) error
}

// sharedStore is where the record is, while it is open.
func (k *runner) sharedStore() storage.Store {
	if l := k.line.Load(); l != nil {
		return l.ledger.Claims()
	}
	return nil
}

// storeMemory is a memory in the notes of the store that the instances share.
type storeMemory struct {
	ctx   context.Context
	store func() storage.Store // nil while the record is not open
}

type alertEntry struct {
	Key    string `json:"key"`
	Notice notice `json:"notice"`
}

// nameOf is a key as the name of a note.
func nameOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

func (m storeMemory) recall(stack string) (map[string]notice, error) {
	out := map[string]notice{}
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

func (m storeMemory) keep(stack, key string, n notice) error {
	value, err := json.Marshal(alertEntry{key, n})
	if err != nil {
		return err
	}
	return m.with(stack, func(ctx context.Context, notes coordinator.Notes) error {
		return notes.Leave(ctx, nameOf(key), value, remindAfter)
	})
}

func (m storeMemory) drop(stack, key string) error {
	return m.with(stack, func(ctx context.Context, notes coordinator.Notes) error { return notes.Drop(ctx, nameOf(key)) })
}

// with asks the notes about what was told of a stack.
func (m storeMemory) with(stack string, do func(context.Context, coordinator.Notes) error) error {
	s := m.store()
	if s == nil {
		return errBack
	}
	ctx, cancel := context.WithTimeout(m.ctx, toldWait)
	defer cancel()
	return do(ctx, coordinator.NotesOn(s, "told-"+url.PathEscape(stack)))
}
