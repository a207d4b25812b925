//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// segmentSize is small, so that cuts fall into rotations too.
const segmentSize = 32 << 10

// content is what record number seq holds; some are long enough to be torn.
func content(seq wal.Seq) []byte {
	b := fmt.Appendf(nil, "record %d ", seq)
	if seq%5 == 0 {
		b = append(b, bytes.Repeat([]byte{byte(seq), byte(seq >> 3), byte(seq * 7)}, 1000)...)
	}
	return b
}

// appendForEver appends and says after each append how far it is.
func appendForEver(dir string, nosync bool) error {
	opts := []wal.Option{wal.WithSegmentSize(segmentSize), wal.WithPrefill(8 << 10), wal.WithCheckpointEvery(20)}
	if nosync {
		opts = append(opts, wal.WithFS(careless{vfs.OS()}))
	}
	l, err := wal.Open(dir, opts...)
	if err != nil {
		return err
	}
	for {
		next := l.Frontier().Seq + 1
		records := [][]byte{content(next)}
		for len(records) < 1+int(next%4) {
			records = append(records, content(next+wal.Seq(len(records))))
		}
		b, err := l.Append(context.Background(), records...)
		if err != nil {
			return nil // the power is off
		}
		fmt.Println(uint64(b.Last))
	}
}

// careless is a file system that does not sync.
type careless struct{ vfs.FS }

func (careless) SyncDir(string) error { return nil }

func (c careless) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := c.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return carelessFile{f}, nil
}

type carelessFile struct{ vfs.File }

func (carelessFile) Sync() error { return nil }
