package wal

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Inclusion proves that a batch is in the tree of an anchor, together with that anchor.
type Inclusion struct {
	Index  uint64 // of the batch in the tree, from 0
	Before Chain  // the chain value before the batch
	Frame  []byte // the batch as its segment has it, without its own chain value
	Path   []Hash // what its leaf is joined with, from the leaf to the root
}

// Prove proves that the batches which hold some records are in the tree of an anchor of this log, in the
// order of the log. It reads the whole log. A record that was trimmed is ErrTrimmed, one behind the anchor ErrBehind.
func (l *Log) Prove(under Anchor, seqs []Seq) ([]Inclusion, error) {
	if under.Log != l.id || !under.Valid() {
		return nil, errors.New("wal: prove: the checkpoint is of another log")
	}
	p := prover{wanted: slices.Compact(slices.Sorted(slices.Values(seqs))), under: under}
	d, err := readDirectory(l.o.fs, l.dir)
	if err != nil {
		return nil, err
	}
	if p.tree = newSubtrees(d.trimmedTree()); p.tree.end > under.Batches {
		return nil, fmt.Errorf("%w: all batches up to the checkpoint of record %d", ErrTrimmed, under.Seq)
	}
	r := &reader{fs: l.o.fs, dir: l.dir, from: 1, until: l.visible(), frame: p.add}
	if err := r.run(0, nil); err != nil {
		return nil, err
	}
	return p.inclusions()
}

// prover collects the leaves of the tree, and the batches to be proved.
type prover struct {
	wanted []Seq // that were not reached yet
	under  Anchor
	tree   subtrees
	found  []Inclusion
}

// add takes the next batch of the log.
func (p *prover) add(f frame, end Chain) error {
	if p.tree.end == p.under.Batches {
		return nil
	}
	if len(p.wanted) > 0 && p.wanted[0] < f.first {
		return fmt.Errorf("%w: record %d; the oldest kept is %d", ErrTrimmed, p.wanted[0], f.first)
	}
	n := 0
	for n < len(p.wanted) && p.wanted[n] <= f.last() {
		n++
	}
	if n > 0 {
		p.wanted = p.wanted[n:]
		p.found = append(p.found, Inclusion{Index: p.tree.end, Before: f.before, Frame: bytes.Clone(f.raw)})
	}
	p.tree.add(leafOf(end))
	return nil
}

// inclusions completes what was found with the hashes up to the root.
func (p *prover) inclusions() ([]Inclusion, error) {
	if len(p.wanted) > 0 {
		return nil, fmt.Errorf("%w: record %d is behind the checkpoint of record %d", ErrBehind, p.wanted[0], p.under.Seq)
	}
	if p.tree.end != p.under.Batches || p.tree.root(0, p.tree.end) != p.under.Root {
		return nil, &CorruptError{Segment: segmentName(1), Seq: p.under.Seq, Reason: "the log is not that of the checkpoint"}
	}
	for i, x := range p.found {
		p.found[i].Path = p.tree.path(x.Index, 0, p.tree.end)
	}
	return p.found, nil
}

// subtrees has the leaves of a tree, of the first of which only the hashes of whole subtrees are known.
type subtrees struct {
	begin uint64 // of the leaves
	end   uint64
	leaf  []Hash
	whole map[node]Hash // by level and index; the hash of the key is zero
}

func newSubtrees(before Tree) subtrees {
	s := subtrees{begin: before.End, end: before.End, whole: map[node]Hash{}}
	for _, n := range before.nodes {
		s.whole[node{level: n.level, index: n.index}] = n.hash
	}
	return s
}

func (s *subtrees) add(leaf Hash) {
	s.leaf = append(s.leaf, leaf)
	s.end++
}

// rootOfMany is the size from which whole subtrees are kept, for the next path.
const rootOfMany = 64

// root is the hash over the leaves from lo up to hi, as RFC 6962 defines it.
func (s *subtrees) root(lo, hi uint64) Hash {
	size := hi - lo
	at := node{level: uint(bits.TrailingZeros64(size))}
	isWhole := size&(size-1) == 0 && lo%max(size, 1) == 0
	if isWhole && size > 0 {
		at.index = lo >> at.level
		if h, ok := s.whole[at]; ok {
			return h
		}
	}
	switch {
	case size == 0:
		return Tree{}.Root()
	case size == 1:
		return s.leaf[lo-s.begin]
	}
	middle := lo + half(size)
	h := parent(s.root(lo, middle), s.root(middle, hi))
	if isWhole && size >= rootOfMany {
		s.whole[at] = h
	}
	return h
}

// path lists what a leaf is joined with, from the leaf to the root over lo up to hi.
func (s *subtrees) path(leaf, lo, hi uint64) []Hash {
	if hi-lo == 1 {
		return nil
	}
	middle := lo + half(hi-lo)
	if leaf < middle {
		return append(s.path(leaf, lo, middle), s.root(middle, hi))
	}
	return append(s.path(leaf, middle, hi), s.root(lo, middle))
}

// half is the largest power of two below n, which is at least 2.
func half(n uint64) uint64 { return 1 << (bits.Len64(n-1) - 1) }
