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

// A question is answered by one or more figures.
type question struct {
	what []string // with the format of the figure
	fn   func(ctx context.Context, dir string) ([]float64, error)
}

func questions() []question {
	return []question{
		{
			[]string{"20 scans of 5,000 things that did not change add (one small record each, as it lies on disk) | %.0f kB"},
			quietScans,
		},
		{[]string{
			"opening after a million events (10,000 commits of 100 keys) | %.2f ms",
			"the same store: a commit of one key | %.2f ms",
			"the same store: the history of one key of 100 versions | %.2f ms",
			"the same store: its size | %.0f MB",
		}, million},
		{[]string{"a commit of one key among 10,000 things | %.2f ms"}, tinyCommit},
		{[]string{"claims taken and given back, one after another | %.0f a second"}, claims},
		{[]string{"the same by the bare store, two guarded commits | %.0f a second"}, bareClaims},
	}
}

// special measures what only ovi's store does.
func special(ctx context.Context, page *bytes.Buffer, rounds int) error {
	fmt.Fprintf(page, "## What ovi asks of its own store, medians of %d\n\n| what | figure |\n| --- | --- |\n", rounds)
	for _, q := range questions() {
		answers := make([][]float64, len(q.what))
		for range rounds {
			dir, err := os.MkdirTemp("", "ovi-bench-store-")
			if err != nil {
				return err
			}
			figures, err := q.fn(ctx, dir)
			os.RemoveAll(dir)
			if err != nil {
				return fmt.Errorf("%s: %w", q.what[0], err)
			}
			for i, f := range figures {
				answers[i] = append(answers[i], f)
			}
		}
		for i, what := range q.what {
			fmt.Fprintf(page, "| "+what+" |\n", median(answers[i]))
		}
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
