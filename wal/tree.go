package wal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Hash is a hash of the Merkle tree.
type Hash [sha256.Size]byte

// Tree is a part of the Merkle tree of RFC 6962 over the batches of a log: those from Begin up to End,
// as the hashes of the fewest whole subtrees. One that begins at 0 has a root. Two that follow each
// other can be joined, so a tree of O(log n) hashes proves how one root comes from another.
type Tree struct {
	Begin, End uint64
	nodes      []node
}

// node is a whole subtree: of 1<<level leaves, the index-th of its level.
type node struct {
	level uint
	index uint64
	hash  Hash
}

// leafOf is the leaf of the batch that ends with a chain value, which covers all of it.
func leafOf(end Chain) Hash { return sha256.Sum256(slices.Concat([]byte{0}, end[:])) }

// Leaf is the hash of a batch in the tree.
func (b Batch) Leaf() Hash { return leafOf(b.Chain) }

func parent(left, right Hash) Hash {
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

// Append adds the next leaf.
func (t *Tree) Append(leaf Hash) {
	t.push(node{index: t.End, hash: leaf})
	t.End++
}

// push adds a subtree, and merges siblings.
func (t *Tree) push(n node) {
	for k := len(t.nodes); k > 0; k-- {
		left := t.nodes[k-1]
		if left.level != n.level || left.index+1 != n.index || left.index%2 != 0 {
			break
		}
		t.nodes = t.nodes[:k-1]
		n = node{n.level + 1, left.index / 2, parent(left.hash, n.hash)}
	}
	t.nodes = append(t.nodes, n)
}

// Join is both parts as one; the second must begin where the first ends.
func (t Tree) Join(next Tree) (Tree, error) {
	if t.End != next.Begin {
		return t, fmt.Errorf("wal: batches up to %d and from %d are not one tree", t.End, next.Begin)
	}
	out := Tree{t.Begin, next.End, slices.Clone(t.nodes)}
	for _, n := range next.nodes {
		out.push(n)
	}
	return out, nil
}

// Root is the hash of the tree with all leaves up to End; the tree must begin at 0.
func (t Tree) Root() Hash {
	if len(t.nodes) == 0 {
		return sha256.Sum256(nil)
	}
	root := t.nodes[len(t.nodes)-1].hash
	for _, n := range slices.Backward(t.nodes[:len(t.nodes)-1]) {
		root = parent(n.hash, root)
	}
	return root
}

// String lists the hashes; Begin and End say which they are.
func (t Tree) String() string {
	out := make([]string, len(t.nodes))
	for i, n := range t.nodes {
		out[i] = hex.EncodeToString(n.hash[:])
	}
	return strings.Join(out, ",")
}

// ParseTree is the inverse of String.
func ParseTree(begin, end uint64, text string) (Tree, error) {
	t := Tree{Begin: begin, End: end}
	if begin > end {
		return t, errors.New("wal: a tree ends before it begins")
	}
	var hashes []string
	if text != "" {
		hashes = strings.Split(text, ",")
	}
	for at := begin; at < end; {
		n := node{}
		for at%(2<<n.level) == 0 && at+2<<n.level <= end && n.level < 62 {
			n.level++
		}
		if len(hashes) == 0 {
			return t, errors.New("wal: a hash of the tree is missing")
		}
		b, err := hex.DecodeString(hashes[0])
		if err != nil || len(b) != len(n.hash) {
			return t, fmt.Errorf("wal: invalid hash %q of the tree", hashes[0])
		}
		n.index, n.hash, hashes = at>>n.level, Hash(b), hashes[1:]
		t.nodes, at = append(t.nodes, n), at+1<<n.level
	}
	if len(hashes) > 0 {
		return t, errors.New("wal: the tree has more hashes than subtrees")
	}
	return t, nil
}
