package wal

import (
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
	end     Anchor             // of what was removed
	segment uint64             // the first that is kept
	tree    Tree               // over what was removed
	anchors map[uint64]located // the anchors given of it, by their number of batches
}

// id is the identity of the log.
func (t trimNotice) id() logID { return t.end.Log }

func (t trimNotice) message() []byte {
	b := binary.LittleEndian.AppendUint64([]byte(trimDomain), t.segment)
	rest := sha256.Sum256([]byte(t.rest()))
	return append(append(b, t.end.message()...), rest[:]...)
}

func (t trimNotice) sign(key ed25519.PrivateKey) trimNotice {
	t.end.Key = key.Public().(ed25519.PublicKey)
	t.end.Signature = ed25519.Sign(key, t.message())
	return t
}

func (t trimNotice) valid() bool {
	return len(t.end.Key) == ed25519.PublicKeySize && ed25519.Verify(t.end.Key, t.message(), t.end.Signature)
}

// text is the notice as it is stored.
func (t trimNotice) text() string {
	rest := strings.TrimPrefix(t.end.String(), checkpointPrefix)
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
	t := &trimNotice{end: a, segment: segment, anchors: map[uint64]located{}}
	for line := range strings.Lines(rest) {
		if err := t.parseLine(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, err
		}
	}
	if t.text() != text || !t.valid() || t.tree.Root() != t.end.Root {
		return nil, errors.New("invalid signature of the trim notice")
	}
	return t, nil
}

// parseLine reads a line behind the first.
func (t *trimNotice) parseLine(line string) (err error) {
	if hashes, ok := strings.CutPrefix(line, "tree "); ok {
		t.tree, err = ParseTree(0, t.end.Batches, hashes)
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
	after, err2 := ParseTree(n, t.end.Batches, part[3])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if whole, err := before.Join(after); err != nil || whole.Root() != t.end.Root {
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

// resignTrim signs the notice of a trusted key with the own key, which vouches for it from now on.
func resignTrim(fsys vfs.FS, dir string, t *trimNotice, own ed25519.PrivateKey) error {
	if t == nil || t.end.Key.Equal(publicOf(own)) {
		return nil
	}
	return writeWhole(fsys, filepath.Join(dir, trimName), []byte(t.sign(own).text()))
}

// located is what a trim keeps of an anchor: the tree up to it, and the tree from there to the end of
// what was trimmed.
type located struct{ before, after Tree }

// locate finds an anchor in what was trimmed.
func (t *trimNotice) locate(a Anchor) error {
	x, ok := t.anchors[a.Batches]
	ok = ok || a.Batches == 0 // of an empty log: every log continues it
	e := &CorruptError{Segment: trimName, Seq: a.Seq}
	switch {
	case !ok:
		e.Reason = fmt.Sprintf(
			"the checkpoint of record %d cannot be located: what was removed up to record %d does not lead to it",
			a.Seq, t.end.Seq)
	case x.before.Root() != a.Root:
		e.Reason = fmt.Sprintf("the records trimmed up to %d do not match the checkpoint of record %d",
			t.end.Seq, a.Seq)
	default:
		return nil
	}
	return e
}

// anchorsName is the file with the sizes of the trees of which anchors were given, one a line, in
// order. Without it a trim keeps nothing to locate them, and verifying them fails.
const anchorsName = "anchors"

// givenAnchors are the numbers of batches up to which anchors were given, in order.
func givenAnchors(fsys vfs.FS, dir string) ([]uint64, error) {
	text, err := readAll(fsys, filepath.Join(dir, anchorsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []uint64
	for line := range strings.Lines(string(text)) {
		n, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("wal: %s: %w", filepath.Join(dir, anchorsName), err)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), err
}
