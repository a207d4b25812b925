package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble"
)

// peb is history by hand in pebble, the same keys as keyMajor, synced commits.
type peb struct{ db *pebble.DB }

func openPebble(_ context.Context, dir string) (system, error) {
	db, err := pebble.Open(dir, &pebble.Options{Logger: quiet{}})
	return peb{db}, err
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}

// Fatalf ends the process, as pebble requires of a logger.
func (quiet) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "store: pebble: "+format+"\n", args...)
	os.Exit(1)
}

func (p peb) write(_ context.Context, rev int, records []record) error {
	b := p.db.NewBatch()
	defer b.Close()
	for _, r := range records {
		if err := b.Set(versionKey(r.key, rev), r.value, nil); err != nil {
			return err
		}
	}
	return b.Commit(pebble.Sync)
}

func (p peb) liveState(_ context.Context, rev int, see func(key, value []byte)) error {
	it, err := p.db.NewIter(nil)
	if err != nil {
		return err
	}
	defer it.Close()
	var last []byte
	for ok := it.First(); ok; ok = it.Next() {
		k := it.Key()
		name := k[:len(k)-9]
		if bytes.Equal(name, last) || rev > 0 && revOf(k) > rev {
			continue
		}
		last = append(last[:0], name...)
		see(name, it.Value())
	}
	return it.Error()
}

func (p peb) history(_ context.Context, key string, see func(value []byte)) error {
	prefix := append([]byte(key), 0)
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: append([]byte(key), 1)})
	if err != nil {
		return err
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		see(it.Value())
	}
	return it.Error()
}

func (p peb) close() error { return p.db.Close() }
