package wal_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// TestEveryAnchorEverGivenVerifies, however often the log was appended to, opened and trimmed since.
func TestEveryAnchorEverGivenVerifies(t *testing.T) {
	drawn.Check(t, func(r *rapid.T) {
		m := vfs.NewMem(1)
		l := mustOpen(t, m)
		var anchors []wal.Option
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			switch rapid.SampledFrom([]string{"append", "append", "anchor", "trim", "open"}).Draw(r, "step") {
			case "append":
				for range rapid.IntRange(1, 9).Draw(r, "batches") {
					appendN(t, l, rapid.IntRange(1, 4).Draw(r, "records"))
				}
			case "anchor":
				a, err := l.Anchor()
				if err != nil {
					r.Fatal(err)
				}
				anchors = append(anchors, wal.WithAnchor(a))
			case "trim":
				if _, err := l.Trim(l.Frontier().Seq); err != nil {
					r.Fatal(err)
				}
			case "open":
				mustClose(t, l)
				l = mustOpen(t, m)
			}
		}
		mustClose(t, l)
		report, err := wal.Verify(dir, publicKey(), small(m, anchors...)...)
		if err != nil {
			r.Fatal(err)
		}
		l = mustOpen(t, m)
		a, err := l.Anchor()
		if err != nil || report.Tree.Root() != a.Root || report.Tree.End != a.Batches {
			r.Fatalf("the tree verified ends at %d, the anchor is of %d: %v", report.Tree.End, a.Batches, err)
		}
		mustClose(t, l)
	})
}
