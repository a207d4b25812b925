package ledger

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/ledger/record"
	"github.com/ovi-project/ovi/wal"
)

// StorePath returns the path of a data directory's own store. The caller opens it.
func StorePath(dir string) string { return filepath.Join(dir, "store.db") }

// LogPath returns the path of a data directory's log.
func LogPath(dir string) string { return record.LogPath(dir) }

// LogDir finds a log by its own folder or by the data directory it is in.
func LogDir(dir string) (string, error) {
	for _, name := range []string{LogPath(dir), dir} {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return name, nil
		}
	}
	return "", fmt.Errorf("ledger: read the log in %s: %w", dir, fs.ErrNotExist)
}

// OpenLog opens a log to read it, by its own folder or by the data directory it is in.
func OpenLog(dir string) (*wal.Log, error) {
	dir, err := LogDir(dir)
	if err != nil {
		return nil, err
	}
	return wal.Open(dir, wal.ReadOnly())
}
