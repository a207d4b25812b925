package vfs

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// sector is the unit of a disk's writes; a power cut may tear it all the same.
const sector = 512

// Kill returns the file system as the next process finds it after all processes
// that use this one were killed: only their locks are gone. This one stops.
func (m *Mem) Kill() *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
	return m.clone(m.files, func(n *inode) *inode {
		return &inode{data: slices.Clone(n.data), durable: slices.Clone(n.durable), unsynced: slices.Clone(n.unsynced)}
	}, m.pending)
}

// Crash returns what a power cut leaves, at random: of the bytes that were not
// synced each sector survives or not, one in eight is torn, and where a file had
// grown there may be garbage; each change to a directory survives or not. This
// file system stops.
func (m *Mem) Crash(draw *rand.Rand) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
	names := maps.Clone(m.durable)
	for _, c := range m.pending {
		if draw.IntN(2) == 0 {
			c.apply(names)
		}
	}
	return m.clone(names, func(n *inode) *inode { return settled(survive(n, draw)) }, nil)
}

// CrashAfter returns what a power cut leaves if only the first n unsynced bytes of
// each file survive, and all changes to directories.
func (m *Mem) CrashAfter(n int) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
	return m.clone(m.files, func(node *inode) *inode {
		data, left := slices.Clone(node.durable), n
		for _, c := range node.unsynced {
			if c.data != nil {
				c.data = c.data[:min(left, len(c.data))]
				left -= len(c.data)
			}
			if data = c.apply(data); left == 0 {
				break
			}
		}
		return settled(data)
	}, nil)
}

// Unsynced returns how many bytes of a file a power cut could lose.
func (m *Mem) Unsynced(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	if node := m.files[name]; node != nil {
		for _, c := range node.unsynced {
			n += len(c.data)
		}
	}
	return n
}

func settled(data []byte) *inode { return &inode{data: data, durable: slices.Clone(data)} }

// clone copies the file system with each inode copied once.
func (m *Mem) clone(names map[string]*inode, copied func(*inode) *inode, pending []dirChange) *Mem {
	next := NewMem(m.chance.Uint64())
	next.dirs = maps.Clone(m.dirs)
	done := map[*inode]*inode{nil: nil}
	once := func(n *inode) *inode {
		if _, ok := done[n]; !ok {
			done[n] = copied(n)
		}
		return done[n]
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		next.files[name] = once(names[name])
	}
	if pending == nil {
		next.durable = maps.Clone(next.files)
		return next
	}
	for _, name := range slices.Sorted(maps.Keys(m.durable)) {
		next.durable[name] = once(m.durable[name])
	}
	for _, c := range pending {
		next.pending = append(next.pending, dirChange{c.set, once(c.node), c.unset})
	}
	return next
}

// survive returns what may be on the disk of a file whose last changes were
// not synced.
func survive(n *inode, draw *rand.Rand) []byte {
	data := slices.Clone(n.durable)
	old := int64(len(data))
	for _, c := range n.unsynced {
		if c.data == nil {
			if draw.IntN(2) == 0 {
				data = resize(data, c.at)
			}
			continue
		}
		for _, piece := range c.sectors() {
			switch fate := draw.IntN(8); {
			case fate == 0: // torn
				data = put(data, piece.data[:draw.IntN(len(piece.data)+1)], piece.at)
			case fate < 4:
				data = put(data, piece.data, piece.at)
			case fate == 4 && piece.at >= old: // the length survived, the bytes did not
				garbage := make([]byte, len(piece.data))
				for i := range garbage {
					garbage[i] = byte(draw.Uint32())
				}
				data = put(data, garbage, piece.at)
			}
		}
	}
	return data
}

// sectors splits a write at the disk's sectors.
func (c change) sectors() []change {
	var pieces []change
	for at, b := c.at, c.data; len(b) > 0; {
		n := min(len(b), int(sector-at%sector))
		pieces = append(pieces, change{at, b[:n]})
		at, b = at+int64(n), b[n:]
	}
	return pieces
}
