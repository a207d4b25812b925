package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/wal"
)

// ReadLog reads the records of a log that need not be this instance's: a copy, or another
// one's. dir is the log's folder or the data directory it is in. Nothing is written there.
func ReadLog(ctx context.Context, dir string, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if inner := filepath.Join(dir, logName); isDir(inner) {
			dir = inner
		}
		if !isDir(dir) {
			yield(Record{}, fmt.Errorf("ledger: read the log in %s: %w", dir, fs.ErrNotExist))
			return
		}
		log, err := wal.Open(dir, wal.ReadOnly())
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer func() { _ = log.Close() }()
		var end wal.Seq
		readLog(ctx, log, f, &end, yield)
	}
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func readLog(ctx context.Context, log *wal.Log, f Filter, next *wal.Seq, yield func(Record, error) bool) {
	match := f.matcher()
	for b, err := range log.Read(f.From) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			yield(Record{}, err)
			return
		}
		for i, raw := range b.Records {
			r, ok, err := match(raw)
			r.Seq = b.First + seq(i)
			if err != nil {
				yield(r, fmt.Errorf("record %d: %w", r.Seq, err))
				return
			}
			*next = r.Seq + 1
			if ok && !yield(r, nil) {
				return
			}
		}
	}
}
