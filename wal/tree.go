package wal

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

// Hash is a hash of the Merkle tree.
type Hash [32]byte

// Tree is a part of the Merkle tree of RFC 6962 over the batches of a log: those from Begin up to End,
// as the hashes of the fewest whole subtrees. One that begins at 0 has a root. Two that follow each
// other can be joined, so a tree of O(log n) hashes proves how one root comes from another.
type Tree struct {
	Begin, End uint64
	nodes      [][]byte // the hashes of compact.RangeNodes(Begin, End)
}

// parent is the hash of a node with two children.
func parent(left, right []byte) []byte { return rfc6962.DefaultHasher.HashChildren(left, right) }

// leafOf is the leaf of the batch that ends with a chain value, which covers all of it.
func leafOf(end Chain) Hash { return Hash(rfc6962.DefaultHasher.HashLeaf(end[:])) }

// Leaf is the hash of a batch in the tree.
func (b Batch) Leaf() Hash { return leafOf(b.Chain) }

// Append adds the next leaf.
func (t *Tree) Append(leaf Hash) {
	*t, _ = t.joined(Tree{t.End, t.End + 1, [][]byte{leaf[:]}}, t.nodes)
}

// Join is both parts as one; the second must begin where the first ends.
func (t Tree) Join(next Tree) (Tree, error) {
	if t.End != next.Begin {
		return t, fmt.Errorf("wal: batches up to %d and from %d are not one tree", t.End, next.Begin)
	}
	return t.joined(next, slices.Clone(t.nodes))
}

// joined is Join in the memory of nodes.
func (t Tree) joined(next Tree, nodes [][]byte) (Tree, error) {
	ranges := compact.RangeFactory{Hash: parent}
	left, err := ranges.NewRange(t.Begin, t.End, nodes)
	if err != nil {
		return t, fmt.Errorf("wal: tree: %w", err)
	}
	right, err := ranges.NewRange(next.Begin, next.End, next.nodes)
	if err == nil {
		err = left.AppendRange(right, nil)
	}
	if err != nil {
		return t, fmt.Errorf("wal: tree: %w", err)
	}
	return Tree{t.Begin, next.End, left.Hashes()}, nil
}

// Root is the hash of the tree with all leaves up to End; the tree must begin at 0.
func (t Tree) Root() Hash {
	all, err := (&compact.RangeFactory{Hash: parent}).NewRange(t.Begin, t.End, t.nodes)
	if err != nil {
		return Hash{}
	}
	root, err := all.GetRootHash(nil)
	if err != nil {
		return Hash{}
	}
	if root == nil {
		root = rfc6962.DefaultHasher.EmptyRoot()
	}
	return Hash(root)
}

// String lists the hashes; Begin and End say which they are.
func (t Tree) String() string {
	out := make([]string, len(t.nodes))
	for i, n := range t.nodes {
		out[i] = hex.EncodeToString(n)
	}
	return strings.Join(out, ",")
}

// ParseTree is the inverse of String.
func ParseTree(begin, end uint64, text string) (Tree, error) {
	t := Tree{Begin: begin, End: end}
	if begin > end {
		return t, errors.New("wal: a tree ends before it begins")
	}
	if text != "" {
		for part := range strings.SplitSeq(text, ",") {
			b, err := hex.DecodeString(part)
			if err != nil || len(b) != len(Hash{}) {
				return t, fmt.Errorf("wal: invalid hash %q of the tree", part)
			}
			t.nodes = append(t.nodes, b)
		}
	}
	if n := compact.RangeSize(begin, end); len(t.nodes) != n {
		return t, fmt.Errorf("wal: the tree has %d hashes, its subtrees are %d", len(t.nodes), n)
	}
	return t, nil
}
