package etcd

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/ovi-project/ovi/storage"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal puts a checksum before a value: etcd verifies its log when it reads it, but not the pages
// of its database.
func seal(value []byte) string {
	b := make([]byte, 4, 4+len(value))
	binary.BigEndian.PutUint32(b, crc32.Checksum(value, castagnoli))
	return string(append(b, value...))
}

// unseal is the inverse; the value is a copy.
func unseal(b []byte) ([]byte, error) {
	if len(b) < 4 || crc32.Checksum(b[4:], castagnoli) != binary.BigEndian.Uint32(b) {
		return nil, fmt.Errorf("%w: the value does not match its checksum: rebuild the store with: ovi audit replay --into",
			storage.ErrCorrupt)
	}
	return slices.Clone(b[4:]), nil
}
