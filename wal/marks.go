package wal

import (
	"slices"
	"sync/atomic"
)

// mostMarks is the number of positions that a Log remembers: more than the readers that follow it.
const mostMarks = 32

// readMarks are positions between batches that a Read of this process verified. A later Read goes on from the
// nearest one. They are only in memory: a process that opens a log trusts no position of another one. The zero value
// has none. A lost mark costs time alone, so two that are noted at once need no lock.
type readMarks struct{ ends atomic.Pointer[[]position] }

// noteEnd keeps a position, and forgets the oldest one of too many. The zero position is ignored.
func (m *readMarks) noteEnd(p position) {
	old := m.ends.Load()
	var ends []position
	if old != nil {
		ends = *old
	}
	if p.segment == 0 || slices.Contains(ends, p) {
		return
	}
	ends = append(slices.Clone(ends[max(0, len(ends)+1-mostMarks):]), p)
	m.ends.CompareAndSwap(old, &ends)
}

// endBefore returns the last position before a record, or the zero position.
func (m *readMarks) endBefore(seq Seq) position {
	var last position
	if ends := m.ends.Load(); ends != nil {
		for _, p := range *ends {
			if p.seq < seq && (p.seq > last.seq || p.segment > last.segment) {
				last = p
			}
		}
	}
	return last
}
