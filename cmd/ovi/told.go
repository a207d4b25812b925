package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// remindAfter is when a concern that lasts is told again, by whoever leads then.
const remindAfter = 12 * time.Hour

// toldWait bounds what remembering asks of the store: telling twice is better than waiting.
const toldWait = 3 * time.Second

// toldPrefix is where the store keeps which concerns were told: in leased keys, so that they
// are neither history nor record and end by themselves when it is time to tell again.
const toldPrefix = "told/"

// memory keeps which concerns of a stack were told, for whoever leads it next. What cannot be
// remembered is told again.
type memory interface {
	recall(stack string) (map[string]notice, error)
	keep(stack, key string, n notice) error
	drop(stack, key string) error
}

// sharedStore is where the record is, while it is open.
func (k *keeper) sharedStore() storage.Store {
	if l := k.line.Load(); l != nil {
		return l.ledger.Store()
	}
	return nil
}

// storeMemory is a memory in the store that the instances share.
type storeMemory struct {
	ctx   context.Context
	store func() storage.Store // nil while the record is not open
}

type toldEntry struct {
	Key    string `json:"key"`
	Notice notice `json:"notice"`
}

func toldKey(stack, key string) string {
	sum := sha256.Sum256([]byte(key))
	return toldPrefix + url.PathEscape(stack) + "/" + hex.EncodeToString(sum[:16])
}

func (m storeMemory) recall(stack string) (map[string]notice, error) {
	out := map[string]notice{}
	err := m.with(func(ctx context.Context, s storage.Store) error {
		seq, _, err := s.Range(ctx, toldPrefix+url.PathEscape(stack)+"/", storage.Now)
		if err != nil {
			return err
		}
		for e, err := range seq {
			var t toldEntry
			if err != nil {
				return err
			}
			if err := json.Unmarshal(e.Value, &t); err != nil {
				return err
			}
			out[t.Key] = t.Notice
		}
		return nil
	})
	return out, err
}

func (m storeMemory) keep(stack, key string, n notice) error {
	value, err := json.Marshal(toldEntry{key, n})
	if err != nil {
		return err
	}
	return m.with(func(ctx context.Context, s storage.Store) error {
		lease, err := s.Grant(ctx, remindAfter)
		if err == nil {
			_, err = s.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: toldKey(stack, key), Value: value, Lease: lease}}})
		}
		return err
	})
}

func (m storeMemory) drop(stack, key string) error {
	return m.with(func(ctx context.Context, s storage.Store) error {
		_, err := s.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: toldKey(stack, key), Delete: true}}})
		return err
	})
}

func (m storeMemory) with(do func(context.Context, storage.Store) error) error {
	s := m.store()
	if s == nil {
		return errBack
	}
	ctx, cancel := context.WithTimeout(m.ctx, toldWait)
	defer cancel()
	return do(ctx, s)
}
