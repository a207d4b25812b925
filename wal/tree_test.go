package wal_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/wal"
)

// reference is the Merkle tree hash as RFC 6962, section 2.1, defines it.
func reference(leaves []wal.Hash) wal.Hash {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return leaves[0]
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	left, right := reference(leaves[:k]), reference(leaves[k:])
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

func leaf(b ...byte) wal.Hash { return sha256.Sum256(append([]byte{0}, b...)) }

// TestTheTreeIsThatOfRFC6962 uses the leaves and roots of Certificate Transparency's own tests.
func TestTheTreeIsThatOfRFC6962(t *testing.T) {
	leaves := []wal.Hash{
		leaf(), leaf(0), leaf(0x10), leaf(0x20, 0x21), leaf(0x30, 0x31), leaf(0x40, 0x41, 0x42, 0x43),
		leaf(0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57),
		leaf(0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f),
	}
	roots := map[int]string{
		0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	}
	var tree wal.Tree
	for n := 0; ; n++ {
		root := tree.Root()
		if want, known := roots[n]; known && hex.EncodeToString(root[:]) != want {
			t.Errorf("the root of %d leaves is %x, want %s", n, root, want)
		}
		if n == len(leaves) {
			break
		}
		tree.Append(leaves[n])
	}
}

// TestPartsOfATreeJoin: two parts have the root of the whole, wherever it is cut, also as text; and no
// other hash in them has it.
func TestPartsOfATreeJoin(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		leaves := make([]wal.Hash, rapid.IntRange(0, 70).Draw(t, "leaves"))
		for i := range leaves {
			leaves[i] = leaf(byte(i))
		}
		part := func(from, to int) wal.Tree {
			p := wal.Tree{Begin: uint64(from), End: uint64(from)}
			for _, l := range leaves[from:to] {
				p.Append(l)
			}
			back, err := wal.ParseTree(p.Begin, p.End, p.String())
			if err != nil || back.String() != p.String() {
				t.Fatalf("[%d, %d) came back as %s: %v", from, to, back, err)
			}
			return back
		}
		cut := rapid.IntRange(0, len(leaves)).Draw(t, "cut")
		rest := part(cut, len(leaves))
		whole, err := part(0, cut).Join(rest)
		if err != nil || whole.Root() != reference(leaves) {
			t.Fatalf("cut at %d: %x, want %x: %v", cut, whole.Root(), reference(leaves), err)
		}
		if text := []byte(rest.String()); len(text) > 0 {
			i := rapid.IntRange(0, len(text)-1).Draw(t, "changed")
			if text[i] == 'f' || text[i] == ',' {
				return
			}
			text[i] = 'f'
			changed, err := wal.ParseTree(rest.Begin, rest.End, string(text))
			if err != nil {
				return
			}
			if whole, _ := part(0, cut).Join(changed); whole.Root() == reference(leaves) {
				t.Fatal("another tree has the same root")
			}
		}
	})
}
