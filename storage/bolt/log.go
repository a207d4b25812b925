package bolt

import (
	"encoding/binary"
	"fmt"

	"github.com/ovi-project/ovi/storage"
)

// The log lists the keys that each revision changed, in order, so that the changes between two
// revisions are found without a scan of all keys. One revision is one or more parts:
//
//	key:   revision(8) part(2)
//	value: sum(4) flags(1), then for each key: shared(uvarint) rest(uvarint) bytes
//
// shared is how many bytes the key has in common with the one before it in the part.
const (
	partSize = 16 << 10
	partMore = 1 // in flags: another part follows
)

// logBucket is the part of a bucket that the log uses.
type logBucket interface {
	Get(key []byte) []byte
	Put(key, value []byte) error
}

// putLog records the keys, which are sorted.
func putLog(b logBucket, rev storage.Revision, keys []string) error {
	var raw []byte
	var before string
	number := uint16(0)
	flush := func(flags byte) error {
		key := logKey(rev, number)
		raw[4] = flags
		binary.LittleEndian.PutUint32(raw, sumOf(key, raw[4:]))
		number++
		return b.Put(key, raw)
	}
	for _, key := range keys {
		if len(raw) >= partSize {
			if err := flush(partMore); err != nil {
				return err
			}
			raw, before = nil, ""
		}
		if raw == nil {
			raw = make([]byte, 5, 64)
		}
		shared := sharedPrefix(before, key)
		raw = binary.AppendUvarint(raw, uint64(shared))
		raw = binary.AppendUvarint(raw, uint64(len(key)-shared))
		raw = append(raw, key[shared:]...)
		before = key
	}
	return flush(0)
}

func logKey(rev storage.Revision, part uint16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint64(nil, uint64(rev)), part)
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// changed calls fn with each key that a revision changed, until fn returns false. Revisions are
// dense: one that is missing in the log is damage.
func changed(b logBucket, rev storage.Revision, fn func(key []byte) (stop bool, err error)) error {
	for part := uint16(0); ; part++ {
		at := logKey(rev, part)
		raw := b.Get(at)
		if raw == nil {
			return fmt.Errorf("the changes of revision %d, part %d: missing", rev, part)
		}
		more, stop, err := eachKey(at, raw, fn)
		if err != nil || stop || !more {
			return err
		}
	}
}

// eachKey reads one part.
func eachKey(at, raw []byte, fn func(key []byte) (stop bool, err error)) (more, stop bool, err error) {
	if len(raw) < 5 || binary.LittleEndian.Uint32(raw) != sumOf(at, raw[4:]) {
		return false, false, fmt.Errorf("the changes at %x: %w", at, errDamaged)
	}
	var key []byte
	for r := (uvarints{rest: raw[5:]}); len(r.rest) > 0; {
		shared, rest := r.next(), r.next()
		if r.bad || shared > uint64(len(key)) || rest > uint64(len(r.rest)) {
			return false, false, fmt.Errorf("the changes at %x: %w", at, errDamaged)
		}
		key = append(key[:shared], r.rest[:rest]...)
		r.rest = r.rest[rest:]
		if stop, err = fn(key); stop || err != nil {
			return false, stop, err
		}
	}
	return raw[4]&partMore != 0, false, nil
}
