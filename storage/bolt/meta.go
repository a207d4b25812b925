package bolt

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// Where bbolt stores the checksum of a meta page, and what it covers: the page header is 16 bytes,
// the record has its FNV-1a sum in its last 8 of 64.
const (
	metaStart = 16
	metaSum   = metaStart + 56
	metaEnd   = metaSum + 8
)

// checkPages returns the file's last transaction. It rejects a file of which one of the two meta
// pages is damaged: bbolt would use the other one, which is the state before the last commit, and
// lose an acknowledged commit silently. A power cut does not tear these 80 bytes: they are in one
// sector.
func (s *Store) checkPages(h *handle) (txid uint64, err error) {
	var page [metaEnd]byte
	var root uint64
	for i := range int64(2) {
		if _, err := h.file.ReadAt(page[:], i*pageSize); err != nil {
			return 0, s.corrupt(fmt.Errorf("meta page %d: %w", i, err))
		}
		sum := fnv.New64a()
		sum.Write(page[metaStart:metaSum])
		if binary.NativeEndian.Uint64(page[metaSum:]) != sum.Sum64() {
			return 0, s.corrupt(fmt.Errorf("meta page %d: %w", i, errDamaged))
		}
		if id := binary.NativeEndian.Uint64(page[metaTxid:]); id >= txid {
			root, txid = binary.NativeEndian.Uint64(page[metaRoot:]), id
		}
	}
	if h.sound != txid {
		err = s.checkRoot(h, root, 0)
		h.sound = txid
	}
	return txid, err
}
