package bolt

import "github.com/ovi-project/ovi/storage"

// A chunk is copies of entries, made while the file is locked. Values are cut from blocks
// and keys from one string, which costs a tenth of the allocations; a caller who keeps one
// value keeps a block of 16 KiB. All else is used again for the next chunk.
type chunk struct {
	entries []storage.Entry
	keys    []byte
	ends    []int // where each key ends in keys
	block   []byte
	bytes   int
}

// chunkBytes is how much a long read takes along each time it locks the file: enough that
// locking does not show, little enough that the caller still finds it in the processor's
// cache, and that other processes do not feel it.
const chunkBytes = 512 << 10

func (c *chunk) reset() {
	c.entries, c.keys, c.ends, c.bytes = c.entries[:0], c.keys[:0], c.ends[:0], 0
}

const blockSize = 16 << 10

func (c *chunk) full() bool { return c.bytes >= chunkBytes }

func (c *chunk) add(key []byte, v *version) {
	c.keys = append(c.keys, key...)
	c.ends = append(c.ends, len(c.keys))
	c.entries = append(c.entries, v.entry("", c.copy(v.value)))
	c.bytes += len(key) + len(v.value) + 64
}

func (c *chunk) copy(value []byte) []byte {
	if len(value) == 0 || len(value) > blockSize/4 {
		return append([]byte{}, value...)
	}
	if cap(c.block)-len(c.block) < len(value) {
		size := blockSize
		if c.bytes < blockSize && c.block == nil {
			size = max(1<<10, 2*c.bytes, len(value)) // a read of a few keys keeps little
		}
		c.block = make([]byte, 0, size)
	}
	start := len(c.block)
	c.block = append(c.block, value...)
	return c.block[start:len(c.block):len(c.block)]
}

// seal gives the entries their keys.
func (c *chunk) seal() {
	all, start := string(c.keys), 0
	for i, end := range c.ends {
		c.entries[i].Key = all[start:end]
		start = end
	}
}
