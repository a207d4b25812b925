package main

import (
	"context"
	"path/filepath"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

// ovi is the product's store through its interface: opened, checked and closed for each
// operation, each value summed, copies handed out.
type ovi struct {
	s    *bolt.Store
	revs []storage.Revision
}

func openOvi(_ context.Context, dir string) (system, error) {
	s, err := bolt.Open(filepath.Join(dir, "store.db"))
	return &ovi{s: s}, err
}

func (o *ovi) write(ctx context.Context, _ int, records []record) error {
	tx := storage.Tx{Ops: make([]storage.Op, len(records))}
	for i, r := range records {
		tx.Ops[i] = storage.Op{Key: r.key, Value: r.value}
	}
	rev, err := o.s.Commit(ctx, tx)
	o.revs = append(o.revs, rev)
	return err
}

func (o *ovi) liveState(ctx context.Context, rev int, see func(key, value []byte)) error {
	at := storage.Now
	if rev > 0 {
		at = o.revs[rev-1]
	}
	seq, _, err := storage.Scan(ctx, o.s, "obs/", at)
	if err != nil {
		return err
	}
	for e, err := range seq {
		if err != nil {
			return err
		}
		see(nil, e.Value)
	}
	return nil
}

func (o *ovi) history(ctx context.Context, key string, see func(value []byte)) error {
	for e, err := range o.s.History(ctx, key) {
		if err != nil {
			return err
		}
		see(e.Value)
	}
	return nil
}

func (o *ovi) close() error { return o.s.Close() }
