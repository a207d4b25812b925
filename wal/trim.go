package wal

import (
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/vfs"
)

// trimPrefix starts the one line of the trim notice.
const trimPrefix = "ovi-trim-v1"

// trimNotice is a signed statement: the segments before this one were removed
// by Trim, and they ended at Seq and Chain. Without it a log that does not start
// with segment 1 is corrupt.
type trimNotice struct {
	Checkpoint
	segment uint64 // the first that is kept
}

func (t trimNotice) message() []byte {
	b := binary.LittleEndian.AppendUint64([]byte(trimDomain), t.segment)
	return append(b, t.Checkpoint.message()...)
}

func (t trimNotice) sign(key ed25519.PrivateKey) trimNotice {
	t.Key = key.Public().(ed25519.PublicKey)
	t.Signature = ed25519.Sign(key, t.message())
	return t
}

func (t trimNotice) valid() bool {
	return len(t.Key) == ed25519.PublicKeySize && ed25519.Verify(t.Key, t.message(), t.Signature)
}

func (t trimNotice) line() string {
	rest := strings.TrimPrefix(t.Checkpoint.String(), checkpointPrefix)
	return trimPrefix + ":" + strconv.FormatUint(t.segment, 10) + rest + "\n"
}

func parseTrim(line string) (*trimNotice, error) {
	head, rest, _ := strings.Cut(strings.TrimPrefix(line, trimPrefix+":"), ":")
	segment, err := strconv.ParseUint(head, 10, 64)
	if err != nil || !strings.HasPrefix(line, trimPrefix+":") {
		return nil, errors.New("invalid trim notice")
	}
	c, err := splitCheckpoint(checkpointPrefix + ":" + strings.TrimSuffix(rest, "\n"))
	if err != nil {
		return nil, err
	}
	t := &trimNotice{Checkpoint: c, segment: segment}
	if !t.valid() || t.line() != line {
		return nil, errors.New("invalid signature of the trim notice")
	}
	return t, nil
}

// readTrim returns nil if nothing was ever trimmed.
func readTrim(fsys vfs.FS, dir string) (*trimNotice, error) {
	text, err := readAll(fsys, filepath.Join(dir, trimName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := parseTrim(string(text))
	if err != nil {
		return nil, &CorruptError{Segment: trimName, Reason: err.Error()}
	}
	return t, nil
}

// Trimmable returns the number of the first record that Trim(keep) would keep,
// and changes nothing.
func (l *Log) Trimmable(keep Seq) (Seq, error) {
	d, err := scanForward(l.o.fs, l.dir)
	if err != nil || len(d.segments) == 0 {
		return 0, err
	}
	return d.segments[d.before(keep)].first, nil
}

// before counts the segments that contain only records before keep; the last one
// never counts.
func (d *directory) before(keep Seq) (n int) {
	for n+1 < len(d.segments) && d.segments[n+1].first <= keep {
		n++
	}
	return n
}

// Trim removes the oldest segments that contain only records before keep, and
// writes a signed notice of where the log starts now, so that what is kept still
// verifies. The active segment is always kept. It returns the number of the
// first record that is kept.
func (l *Log) Trim(keep Seq) (Seq, error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.o.lockWait)
	defer cancel()
	t, err := l.Lock(ctx)
	if err != nil {
		return 0, err
	}
	first, err := l.trim(keep)
	return first, errors.Join(err, t.Unlock())
}

// trim writes the notice before it removes segments: those that a crash leaves
// are removed when the log is opened next.
func (l *Log) trim(keep Seq) (Seq, error) {
	d, err := readDirectory(l.o.fs, l.dir)
	if err != nil {
		return 0, err
	}
	n := d.before(keep)
	kept := d.segments[n]
	if n > 0 {
		notice := trimNotice{segment: kept.index, Checkpoint: Checkpoint{
			Log: l.id, Seq: kept.first - 1, Chain: kept.prev, At: l.o.clock(),
		}}
		line := notice.sign(l.key).line()
		if err := writeWhole(l.o.fs, filepath.Join(l.dir, trimName), []byte(line)); err != nil {
			return 0, fmt.Errorf("wal: trim: %w", err)
		}
	}
	for _, h := range d.segments[:n] {
		d.stale = append(d.stale, segmentName(h.index))
	}
	return kept.first, l.removeStale(d.stale)
}

// removeStale deletes files that the log no longer needs.
func (l *Log) removeStale(names []string) error {
	for _, name := range names {
		err := l.o.fs.Remove(filepath.Join(l.dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("wal: remove a file no longer needed: %w", err)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return l.o.fs.SyncDir(l.dir)
}
