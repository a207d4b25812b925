package wal

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/vfs"
)

const lied = "data/log"

func liar() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte("not-a-secret-key-not-a-secret-key")[:ed25519.SeedSize])
}

// forged is a log with the identity and the key of an honest one, whose records were rewritten, behind a
// trim notice of the forger's own.
func forged(t *testing.T, honest Anchor, notice func(*trimNotice)) vfs.FS {
	t.Helper()
	fs := vfs.NewMem(1)
	o, err := newOptions(lied, []Option{WithFS(fs), WithSigningKey(liar()), WithSegmentSize(4096), WithPrefill(1024)})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fs.MkdirAll("data", dirMode), fs.MkdirAll(lied, dirMode)); err != nil {
		t.Fatal(err)
	}
	var tree Tree
	for i := range honest.Batches + 3 {
		tree.Append(leafOf(Chain{byte(i), 1}))
	}
	n := trimNotice{segment: 2, tree: tree, anchors: map[uint64]located{}, end: Anchor{
		Checkpoint: Checkpoint{Log: honest.Log, Seq: honest.Seq + 3, Chain: Chain{1}, At: honest.At}, Batches: tree.End,
		Root: tree.Root(),
	}}
	notice(&n)
	if err := writeWhole(fs, filepath.Join(lied, trimName), []byte(n.sign(liar()).text())); err != nil {
		t.Fatal(err)
	}
	f, _, _, err := createSegment(o, lied, segmentHeader{
		log: honest.Log, index: 2, first: n.end.Seq + 1,
		prev: n.end.Chain,
	}, liar())
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	l, err := Open(lied, WithFS(fs), WithSigningKey(liar()), WithSegmentSize(4096), WithPrefill(1024))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if _, err := l.Append(context.Background(), fmt.Appendf(nil, "a story %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return fs
}

// TestALogRewrittenBehindATrimIsFound by an anchor from before, though the honest key signed all of it.
func TestALogRewrittenBehindATrimIsFound(t *testing.T) {
	l, err := Open(lied, WithFS(vfs.NewMem(1)), WithSigningKey(liar()), WithSegmentSize(4096), WithPrefill(1024))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if _, err := l.Append(context.Background(), fmt.Appendf(nil, "the truth %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	honest, err := l.Anchor()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		notice func(*trimNotice)
		want   string
	}{
		"without a trace of the anchor": {func(*trimNotice) {}, "cannot be located"},
		"with an anchor of its own": {func(n *trimNotice) {
			var before, after Tree
			after.Begin, after.End = honest.Batches, honest.Batches
			for i := range n.tree.End {
				part := &before
				if i >= honest.Batches {
					part = &after
				}
				part.Append(leafOf(Chain{byte(i), 1}))
			}
			n.anchors[honest.Batches] = located{before, after}
		}, "do not match the checkpoint of record 10"},
		"with the anchor in the kept part": {func(n *trimNotice) {
			var tree Tree
			tree.Append(leafOf(Chain{1}))
			n.tree, n.end.Batches, n.end.Root, n.end.Seq = tree, 1, tree.Root(), 1
		}, "record"},
	} {
		fs := forged(t, honest, c.notice)
		key := liar().Public().(ed25519.PublicKey)
		if _, err := Verify(lied, key, WithFS(fs), WithSigningKey(liar())); err != nil {
			t.Errorf("%s: the forgery is clumsy: %v", name, err)
		}
		_, err := Verify(lied, key, WithFS(fs), WithSigningKey(liar()), WithAnchor(honest))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestATrimNoticeThatJoinsNothing: hashes that do not lead from an anchor to what was trimmed.
func TestATrimNoticeThatJoinsNothing(t *testing.T) {
	var tree, other Tree
	for i := range 5 {
		tree.Append(leafOf(Chain{byte(i)}))
	}
	other.Append(leafOf(Chain{9}))
	n := trimNotice{segment: 2, tree: tree, end: Anchor{Batches: 5, Root: tree.Root()}, anchors: map[uint64]located{
		1: {other, Tree{Begin: 1, End: 5, nodes: tree.nodes}},
	}}
	if _, err := parseTrim(n.sign(liar()).text()); err == nil {
		t.Error("it was taken")
	}
}
