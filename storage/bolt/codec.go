package bolt

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/ovi-project/ovi/storage"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	flagDeleted = 1 << iota // this version deleted the key
	flagPrev                // an earlier version exists: ordinal and jump follow
	flagLease               // tied to a lease, whose id follows
	flagsKnown  = 1<<iota - 1
)

// A version is one version of one key as it is stored.
type version struct {
	flags      byte
	modified   storage.Revision
	created    storage.Revision
	ordinal    uint64           // how many versions came before it
	jump       storage.Revision // what superseded the version that the jump leads to; 0 means none
	underLease storage.LeaseID
	value      []byte
	sum        uint32
}

var errDamaged = errors.New("the bytes do not match their checksum")

func (v *version) deleted() bool { return v.flags&flagDeleted != 0 }

func (v *version) entry(key string, value []byte) storage.Entry {
	return storage.Entry{Key: key, Value: value, Created: v.created, Modified: v.modified, Deleted: v.deleted()}
}

// encodedMax bounds what a version adds to its value.
const encodedMax = 4 + 1 + 5*binary.MaxVarintLen64

// appendVersion appends the version's bytes and sets its checksum.
func appendVersion(dst []byte, key string, v *version) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, v.flags)
	dst = binary.AppendUvarint(dst, uint64(v.modified))
	dst = binary.AppendUvarint(dst, uint64(v.modified-v.created))
	if v.flags&flagPrev != 0 {
		dst = binary.AppendUvarint(dst, v.ordinal)
		dst = binary.AppendUvarint(dst, uint64(v.jump))
	}
	if v.flags&flagLease != 0 {
		dst = binary.AppendUvarint(dst, uint64(v.underLease))
	}
	dst = append(dst, v.value...)
	v.sum = sumOf([]byte(key), dst[start+4:])
	binary.LittleEndian.PutUint32(dst[start:], v.sum)
	return dst
}

// decodeVersion is the inverse of appendVersion. The value is a slice of raw.
func decodeVersion(key, raw []byte) (version, error) {
	var v version
	if len(raw) < 7 {
		return v, errDamaged
	}
	v.sum = binary.LittleEndian.Uint32(raw)
	if sumOf(key, raw[4:]) != v.sum {
		return v, errDamaged
	}
	v.flags = raw[4]
	if v.flags&^flagsKnown != 0 {
		return v, errDamaged
	}
	r := uvarints{rest: raw[5:]}
	v.modified = storage.Revision(r.next())
	v.created = v.modified - storage.Revision(r.next())
	if v.flags&flagPrev != 0 {
		v.ordinal = r.next()
		v.jump = storage.Revision(r.next())
	}
	if v.flags&flagLease != 0 {
		v.underLease = storage.LeaseID(r.next())
	}
	v.value = r.rest
	if r.bad {
		return v, errDamaged
	}
	return v, nil
}

func sumOf(key, rest []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, key), castagnoli, rest)
}

// uvarints reads numbers in sequence and records whether one was cut off.
type uvarints struct {
	rest []byte
	bad  bool
}

func (r *uvarints) next() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// jumpTarget returns the older version (counted from 0) that the nth one jumps to: n less the
// last digit of n written in skew binary, whose digits are 1, 3, 7, 15...
func jumpTarget(n uint64) uint64 {
	digit := uint64(1)
	for digit*2+1 <= n {
		digit = digit*2 + 1
	}
	for rest := n; ; digit /= 2 {
		for rest >= digit {
			rest -= digit
			if rest == 0 {
				return n - digit
			}
		}
	}
}

// histKey appends the key of a superseded version.
func histKey(dst []byte, superseded storage.Revision, key []byte) []byte {
	return append(binary.BigEndian.AppendUint64(dst, uint64(superseded)), key...)
}
