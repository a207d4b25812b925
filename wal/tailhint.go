package wal

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/ovi-project/ovi/internal/vfs"
)

// The content of the lock file is a hint: it is never synced, so after a power
// cut it may be old or unreadable, but it is never ahead of the segments. It
// holds the owner of the append lock and the end of the log, so that the next
// holder need not scan, and it distinguishes an append that was never
// acknowledged from damage in one that was.
const (
	hintMagic = "OVITIP\r\n"
	hintSize  = 112
)

type tailHint struct {
	locked bool
	pid    uint64
	since  int64 // nanoseconds since 1970; of the holder's clock
	log    logID
	at     position
}

func (t tailHint) encode() []byte {
	b := make([]byte, hintSize)
	copy(b, hintMagic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], formatVersion)
	if t.locked {
		le.PutUint32(b[12:], 1)
	}
	le.PutUint64(b[16:], t.pid)
	le.PutUint64(b[24:], uint64(t.since))
	copy(b[32:], t.log[:])
	le.PutUint64(b[48:], t.at.segment)
	le.PutUint64(b[56:], uint64(t.at.offset))
	le.PutUint64(b[64:], uint64(t.at.seq))
	copy(b[72:], t.at.chain[:])
	le.PutUint32(b[104:], crc32.Checksum(b[:104], castagnoli))
	return b
}

// decodeHint reads a hint; ok is false if it is incomplete or damaged.
func decodeHint(b []byte) (t tailHint, ok bool) {
	le := binary.LittleEndian
	if len(b) != hintSize || string(b[:8]) != hintMagic || le.Uint32(b[8:]) != formatVersion ||
		le.Uint32(b[104:]) != crc32.Checksum(b[:104], castagnoli) {
		return tailHint{}, false
	}
	t = tailHint{
		locked: le.Uint32(b[12:]) != 0, pid: le.Uint64(b[16:]), since: int64(le.Uint64(b[24:])),
		at: position{
			segment: le.Uint64(b[48:]), offset: int64(le.Uint64(b[56:])), seq: Seq(le.Uint64(b[64:])),
		},
	}
	copy(t.log[:], b[32:])
	copy(t.at.chain[:], b[72:])
	return t, true
}

// readHint reads the hint. Another process may be writing it: half of one does
// not match its checksum, and is read again.
func readHint(f vfs.File) (tailHint, bool) {
	if f == nil {
		return tailHint{}, false
	}
	b := make([]byte, hintSize)
	for range 3 {
		if readFull(f, b, 0) != nil {
			return tailHint{}, false
		}
		if t, ok := decodeHint(b); ok {
			return t, true
		}
	}
	return tailHint{}, false
}
