package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
)

// bbolt stores small buckets inside the page of the parent bucket, and copies them to Go's heap
// to read them. A damaged length there makes slices that point outside of the copy, for which the
// garbage collector ends the process. So the bounds in these few pages are checked before bbolt
// reads them. Elsewhere a wrong length causes a fault, which can be recovered.
//
//	page:    id(8) flags(2) count(2) overflow(4), then an element for each key
//	branch:  pos(4) ksize(4) page(8)
//	leaf:    flags(4) pos(4) ksize(4) vsize(4); pos counts from the element
//	bucket:  root page(8) sequence(8), and if root is 0 a page
const (
	pageHeader   = 16
	pageElement  = 16
	pageBranch   = 0x01
	pageLeaf     = 0x02
	isBucket     = 0x01
	bucketHeader = 16
	metaRoot     = metaStart + 16
	metaTxid     = metaStart + 48
	maxDepth     = 8
)

var errBounds = errors.New("its lengths point outside of it")

// checkRoot checks the pages that hold the buckets' own records.
func (s *Store) checkRoot(h *handle, page uint64, depth int) error {
	raw := h.page
	if _, err := h.file.ReadAt(raw, int64(page)*pageSize); err != nil {
		return s.corrupt(fmt.Errorf("page %d: %w", page, err))
	}
	if over := int(binary.NativeEndian.Uint32(raw[12:])); over > 0 && over < 1<<10 {
		raw = make([]byte, pageSize*(over+1))
		if _, err := h.file.ReadAt(raw, int64(page)*pageSize); err != nil {
			return s.corrupt(fmt.Errorf("page %d: %w", page, err))
		}
	}
	below, err := checkBounds(raw)
	if err == nil && len(below) > 0 && depth >= maxDepth {
		err = errors.New("it is nested too deeply")
	}
	if err != nil {
		return s.corrupt(fmt.Errorf("page %d: %w", page, err))
	}
	for _, child := range below {
		if err := s.checkRoot(h, child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// checkBounds checks one page with what is inside it, and returns the pages below a branch.
func checkBounds(page []byte) (below []uint64, err error) {
	if len(page) < pageHeader {
		return nil, errBounds
	}
	order := binary.NativeEndian
	flags, count := order.Uint16(page[8:]), int(order.Uint16(page[10:]))
	if flags != pageBranch && flags != pageLeaf || pageHeader+count*pageElement > len(page) {
		return nil, errBounds
	}
	for at := pageHeader; count > 0; at, count = at+pageElement, count-1 {
		e := page[at:]
		if flags == pageBranch {
			if uint64(at)+uint64(order.Uint32(e))+uint64(order.Uint32(e[4:])) > uint64(len(page)) {
				return nil, errBounds
			}
			below = append(below, order.Uint64(e[8:]))
			continue
		}
		start := uint64(at) + uint64(order.Uint32(e[4:])) + uint64(order.Uint32(e[8:]))
		end := start + uint64(order.Uint32(e[12:]))
		if end > uint64(len(page)) {
			return nil, errBounds
		}
		if err := checkBucket(order.Uint32(e), page[start:end]); err != nil {
			return nil, err
		}
	}
	return below, nil
}

func checkBucket(flags uint32, value []byte) error {
	if flags&isBucket == 0 {
		return nil
	}
	if len(value) < bucketHeader {
		return errBounds
	}
	if binary.NativeEndian.Uint64(value) != 0 {
		return nil // it has its own pages
	}
	below, err := checkBounds(value[bucketHeader:])
	if err == nil && len(below) > 0 {
		err = errBounds
	}
	return err
}

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
