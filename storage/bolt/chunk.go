package bolt

import (
	"bytes"

	"github.com/ovi-project/ovi/storage"
)

// A chunk is copies of entries, made while the file is locked. Values are slices of blocks and
// keys are slices of one string, which costs a tenth of the allocations; a caller that keeps one
// value keeps a block of 16 KiB. Everything else is reused for the next chunk, and so is the
// block of values that are only lent.
type chunk struct {
	lends   bool
	lent    []byte
	entries []storage.Entry
	keys    []byte
	ends    []int    // where each key ends in keys
	waiting [][]byte // values of the last entries, still in the file
	size    int      // of those
	bytes   int
}

func (s *Store) chunk(lends bool) *chunk {
	c, ok := s.chunks.Get().(*chunk)
	if !ok {
		c = &chunk{}
	}
	c.lends = lends
	c.reset()
	return c
}

// chunkBytes is how much a long read copies each time it locks the file: enough that locking
// costs little, and little enough that the data stays in the processor's cache and other
// processes hardly wait.
const chunkBytes = 512 << 10

const blockSize = 16 << 10

func (c *chunk) reset() {
	c.entries, c.keys, c.ends, c.lent, c.bytes = c.entries[:0], c.keys[:0], c.ends[:0], c.lent[:0], 0
}

func (c *chunk) full() bool { return c.bytes >= chunkBytes }

func (c *chunk) add(key []byte, v *version) {
	if !c.lends && c.size+len(v.value) > blockSize {
		c.flush()
	}
	c.keys = append(c.keys, key...)
	c.ends = append(c.ends, len(c.keys))
	c.entries = append(c.entries, storage.Entry{Created: v.created, Modified: v.modified, Deleted: v.deleted()})
	if c.lends {
		// The value goes into the block of the chunk before. Values of a block that became too small stay
		// valid as long as they may be used.
		start := len(c.lent)
		c.lent = append(c.lent, v.value...)
		c.entries[len(c.entries)-1].Value = c.lent[start:len(c.lent):len(c.lent)]
	} else {
		c.waiting = append(c.waiting, v.value)
		c.size += len(v.value)
	}
	c.bytes += len(key) + len(v.value) + 64
}

// flush copies the waiting values into one block, while they are still in the processor's cache
// from computing their sum.
func (c *chunk) flush() {
	if len(c.waiting) == 0 {
		return
	}
	block := bytes.Join(c.waiting, nil)
	if block == nil {
		block = []byte{} // an empty value is not nil
	}
	first, start := len(c.entries)-len(c.waiting), 0
	for i, value := range c.waiting {
		end := start + len(value)
		c.entries[first+i].Value = block[start:end:end]
		start = end
	}
	c.waiting, c.size = c.waiting[:0], 0
}

// seal makes the entries independent of the file.
func (c *chunk) seal() {
	c.flush()
	all, start := string(c.keys), 0
	for i, end := range c.ends {
		c.entries[i].Key = all[start:end]
		start = end
	}
}
