package wal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
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
	if len(p.wanted) > 0 {
		return nil, fmt.Errorf("%w: record %d is behind the checkpoint of record %d", ErrBehind, p.wanted[0], p.under.Seq)
	}
	if p.tree.end != p.under.Batches || p.tree.root() != p.under.Root {
		return nil, &CorruptError{Segment: segmentName(1), Seq: p.under.Seq, Reason: "the checkpoint belongs to a " +
			"different log"}
	}
	for i, x := range p.found { // each gets the hashes up to the root
		path, err := p.tree.path(x.Index)
		if err != nil {
			return nil, fmt.Errorf("wal: prove: %w", err)
		}
		p.found[i].Path = path
	}
	return p.found, nil
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

// subtrees has the leaves of a tree, of the first of which only the hashes of whole subtrees are known.
type subtrees struct {
	begin uint64 // of the leaves
	end   uint64
	leaf  []Hash
	whole map[compact.NodeID][]byte
}

func newSubtrees(before Tree) subtrees {
	s := subtrees{begin: before.End, end: before.End, whole: map[compact.NodeID][]byte{}}
	for i, id := range compact.RangeNodes(0, before.End, nil) {
		s.whole[id] = before.nodes[i]
	}
	return s
}

func (s *subtrees) add(leaf Hash) {
	s.leaf = append(s.leaf, leaf)
	s.end++
}

// keepLevel is the level from which the hashes of subtrees are kept, for the next path.
const keepLevel = 6

// node is the hash of a whole subtree.
func (s *subtrees) node(id compact.NodeID) []byte {
	if h, ok := s.whole[id]; ok {
		return h
	}
	if id.Level == 0 {
		return s.leaf[id.Index-s.begin][:]
	}
	left := compact.NewNodeID(id.Level-1, 2*id.Index)
	h := parent(s.node(left), s.node(left.Sibling()))
	if id.Level >= keepLevel {
		s.whole[id] = h
	}
	return h
}

func (s *subtrees) hashesOf(ids []compact.NodeID) [][]byte {
	out := make([][]byte, len(ids))
	for i, id := range ids {
		out[i] = s.node(id)
	}
	return out
}

// root is the hash over all leaves.
func (s *subtrees) root() Hash {
	return Tree{End: s.end, nodes: s.hashesOf(compact.RangeNodes(0, s.end, nil))}.Root()
}

// path lists what a leaf is joined with, from the leaf to the root.
func (s *subtrees) path(leaf uint64) ([]Hash, error) {
	need, err := proof.Inclusion(leaf, s.end)
	if err != nil {
		return nil, err
	}
	hashes, err := need.Rehash(s.hashesOf(need.IDs), parent)
	if err != nil {
		return nil, err
	}
	var out []Hash
	for _, h := range hashes {
		out = append(out, Hash(h))
	}
	return out, nil
}
