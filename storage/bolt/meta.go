package bolt

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
)

// Where bbolt keeps the sum of a meta page, and what it covers: the page header is 16 bytes,
// the record has its FNV-1a sum in its last 8 of 64.
const (
	metaStart = 16
	metaSum   = metaStart + 56
	metaEnd   = metaSum + 8
)

// checkPages refuses a file of which one of the two meta pages is damaged. bbolt goes on
// with the other one, which is the state before the last commit: an acknowledged commit
// would vanish in silence. A power cut does not tear these 80 bytes: they lie in one sector.
func (s *Store) checkPages(file *os.File, size int) error {
	var page [metaEnd]byte
	var root, newest uint64
	for i := range int64(2) {
		if _, err := file.ReadAt(page[:], i*int64(size)); err != nil {
			return s.corrupt(fmt.Errorf("meta page %d: %w", i, err))
		}
		h := fnv.New64a()
		h.Write(page[metaStart:metaSum])
		if binary.NativeEndian.Uint64(page[metaSum:]) != h.Sum64() {
			return s.corrupt(fmt.Errorf("meta page %d: %w", i, errDamaged))
		}
		if txid := binary.NativeEndian.Uint64(page[metaTxid:]); txid >= newest {
			root, newest = binary.NativeEndian.Uint64(page[metaRoot:]), txid
		}
	}
	return s.checkRoot(file, size, root, 0)
}
