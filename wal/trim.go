package wal

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/vfs"
)

// trimPrefix starts the first line of the trim notice.
const trimPrefix = "ovi-trim-v1"

// trimNotice is a signed statement: the segments before this one were removed
// by Trim, and they ended at Seq and Chain. Without it a log that does not start
// with segment 1 is corrupt.
type trimNotice struct {
	Anchor                     // of what was removed
	segment uint64             // the first that is kept
	tree    Tree               // over what was removed
	anchors map[uint64]located // the anchors given of it, by their number of batches
}

func (t trimNotice) message() []byte {
	b := binary.LittleEndian.AppendUint64([]byte(trimDomain), t.segment)
	rest := sha256.Sum256([]byte(t.rest()))
	return append(append(b, t.Anchor.message()...), rest[:]...)
}

func (t trimNotice) sign(key ed25519.PrivateKey) trimNotice {
	t.Key = key.Public().(ed25519.PublicKey)
	t.Signature = ed25519.Sign(key, t.message())
	return t
}

func (t trimNotice) valid() bool {
	return len(t.Key) == ed25519.PublicKeySize && ed25519.Verify(t.Key, t.message(), t.Signature)
}

// text is the notice as it is stored.
func (t trimNotice) text() string {
	rest := strings.TrimPrefix(t.Anchor.String(), checkpointPrefix)
	return trimPrefix + ":" + strconv.FormatUint(t.segment, 10) + rest + "\n" + t.rest()
}

// rest is what follows the first line.
func (t trimNotice) rest() string {
	var b strings.Builder
	b.WriteString("tree " + t.tree.String() + "\n")
	for _, n := range slices.Sorted(maps.Keys(t.anchors)) {
		x := t.anchors[n]
		fmt.Fprintf(&b, "anchor %d %s %s\n", n, x.before, x.after)
	}
	return b.String()
}

func parseTrim(text string) (*trimNotice, error) {
	line, rest, _ := strings.Cut(text, "\n")
	head, fields, _ := strings.Cut(strings.TrimPrefix(line, trimPrefix+":"), ":")
	segment, err := strconv.ParseUint(head, 10, 64)
	if err != nil || !strings.HasPrefix(line, trimPrefix+":") {
		return nil, errors.New("invalid trim notice")
	}
	a, err := splitAnchor(checkpointPrefix + ":" + fields)
	if err != nil {
		return nil, err
	}
	t := &trimNotice{Anchor: a, segment: segment, anchors: map[uint64]located{}}
	for line := range strings.Lines(rest) {
		if err := t.parseLine(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, err
		}
	}
	if t.text() != text || !t.valid() || t.tree.Root() != t.Root {
		return nil, errors.New("invalid signature of the trim notice")
	}
	return t, nil
}

// parseLine reads a line behind the first.
func (t *trimNotice) parseLine(line string) (err error) {
	if hashes, ok := strings.CutPrefix(line, "tree "); ok {
		t.tree, err = ParseTree(0, t.Batches, hashes)
		return err
	}
	part := strings.Split(line, " ")
	if len(part) != 4 || part[0] != "anchor" {
		return errors.New("invalid line of the trim notice")
	}
	n, err := strconv.ParseUint(part[1], 10, 64)
	if err != nil {
		return err
	}
	before, err1 := ParseTree(0, n, part[2])
	after, err2 := ParseTree(n, t.Batches, part[3])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if whole, err := before.Join(after); err != nil || whole.Root() != t.Root {
		return fmt.Errorf("the anchor of %d batches is not of the log that was trimmed", n)
	}
	t.anchors[n] = located{before, after}
	return nil
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
		tree, anchors, err := l.removed(d, kept.first)
		if err != nil {
			return 0, err
		}
		notice := trimNotice{segment: kept.index, tree: tree, anchors: anchors, Anchor: Anchor{
			Checkpoint: Checkpoint{Log: l.id, Seq: kept.first - 1, Chain: kept.prev, At: l.o.clock()}, Batches: tree.End, Root: tree.Root(),
		}}
		text := notice.sign(l.key).text()
		if err := writeWhole(l.o.fs, filepath.Join(l.dir, trimName), []byte(text)); err != nil {
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
