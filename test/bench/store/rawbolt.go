package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"

	"go.etcd.io/bbolt"
)

var errNot = errors.New("it cannot")

var data = []byte("data")

// options are the best that were measured for bbolt; the file stays open.
func openRaw(dir string) (*bbolt.DB, error) {
	db, err := bbolt.Open(filepath.Join(dir, "raw.db"), 0o600, &bbolt.Options{
		InitialMmapSize: 4 << 30, FreelistType: bbolt.FreelistMapType, NoStatistics: true,
	})
	if err != nil {
		return nil, err
	}
	return db, db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(data)
		return err
	})
}

// newest is bbolt with a value for each key and nothing else: no history, no checksums. It is the
// cost of the bytes alone.
type newest struct{ db *bbolt.DB }

func openNewest(_ context.Context, dir string) (system, error) {
	db, err := openRaw(dir)
	return newest{db}, err
}

func (n newest) write(_ context.Context, _ int, records []record) error {
	return n.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(data)
		b.FillPercent = 0.9
		for _, r := range records {
			if err := b.Put([]byte(r.key), r.value); err != nil {
				return err
			}
		}
		return nil
	})
}

func (n newest) liveState(_ context.Context, rev int, see func(key, value []byte)) error {
	if rev > 0 {
		return errNot
	}
	return n.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(data).ForEach(func(k, v []byte) error { see(k, v); return nil })
	})
}

func (n newest) history(context.Context, string, func([]byte)) error { return errNot }
func (n newest) close() error                                        { return n.db.Close() }

// keyMajor is history by hand in bbolt: key, 0, and the revision counted down.
type keyMajor struct{ db *bbolt.DB }

func openKeyMajor(_ context.Context, dir string) (system, error) {
	db, err := openRaw(dir)
	return keyMajor{db}, err
}

func versionKey(key string, rev int) []byte {
	k := append([]byte(key), 0)
	return binary.BigEndian.AppendUint64(k, ^uint64(rev))
}

func revOf(k []byte) int { return int(^binary.BigEndian.Uint64(k[len(k)-8:])) }

func (s keyMajor) write(_ context.Context, rev int, records []record) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(data)
		b.FillPercent = 0.9
		for _, r := range records {
			if err := b.Put(versionKey(r.key, rev), r.value); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s keyMajor) liveState(_ context.Context, rev int, see func(key, value []byte)) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(data).Cursor()
		var last []byte
		for k, v := c.First(); k != nil; k, v = c.Next() {
			name := k[:len(k)-9]
			if bytes.Equal(name, last) || rev > 0 && revOf(k) > rev {
				continue
			}
			last = name
			see(name, v)
		}
		return nil
	})
}

func (s keyMajor) history(_ context.Context, key string, see func(value []byte)) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(data).Cursor()
		prefix := append([]byte(key), 0)
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			see(v)
		}
		return nil
	})
}

func (s keyMajor) close() error { return s.db.Close() }
