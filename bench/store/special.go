package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

// special measures what only ovi's store is asked for.
func special(ctx context.Context, page *bytes.Buffer, rounds int) error {
	fmt.Fprintf(page, "## What ovi asks of its own store, medians of %d\n\n| what | figure |\n| --- | --- |\n", rounds)
	for _, m := range []struct {
		what, format string
		fn           func(ctx context.Context, dir string) (float64, error)
	}{
		{"20 scans of 5,000 things that did not change add (one small record each, file as it lies on disk)", "%.0f kB", quietScans},
		{"opening after a million events (10,000 commits of 100 keys): Open", "%.2f ms", openAfterMillion},
		{"the same store: one small commit, opened and closed around it", "%.2f ms", commitAfterMillion},
		{"a commit of one key into 10,000 things", "%.2f ms", tinyCommit},
		{"claims taken and given back, one after another", "%.0f a second", claims},
		{"the same by the bare store: two guarded commits", "%.0f a second", bareClaims},
	} {
		var all []float64
		for range rounds {
			dir, err := os.MkdirTemp("", "ovi-bench-store-")
			if err != nil {
				return err
			}
			v, err := m.fn(ctx, dir)
			os.RemoveAll(dir)
			if err != nil {
				return fmt.Errorf("%s: %w", m.what, err)
			}
			all = append(all, v)
		}
		fmt.Fprintf(page, "| %s | "+m.format+" |\n", m.what, median(all))
	}
	return nil
}

func fresh(dir string) (*bolt.Store, error) { return bolt.Open(filepath.Join(dir, "store.db")) }

func put(ctx context.Context, s storage.Store, key string, value []byte) error {
	_, err := s.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: key, Value: value}}})
	return err
}

func fill(ctx context.Context, s storage.Store, all []record) error {
	return (&ovi{s: s.(*bolt.Store)}).write(ctx, 1, all)
}
