package bolt

import (
	"encoding/binary"
	"fmt"

	"github.com/ovi-project/ovi/storage"
)

const (
	magic  = "ovistore"
	format = 1
)

// state describes the store in one record, written with every commit.
type state struct {
	revision  storage.Revision
	compacted storage.Revision
	keys      int64            // live
	counter   storage.Revision // of leased keys
	lastLease storage.LeaseID
}

const stateSize = len(magic) + 2 + 5*8 + 4

func (st state) encode() []byte {
	b := make([]byte, 0, stateSize)
	b = append(b, magic...)
	b = binary.BigEndian.AppendUint16(b, format)
	for _, n := range [...]int64{
		int64(st.revision), int64(st.compacted), st.keys, int64(st.counter),
		int64(st.lastLease),
	} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return binary.LittleEndian.AppendUint32(b, sumOf([]byte("state"), b))
}

// decodeState checks magic and format first: they have the same offset in every format, so that a
// newer store is rejected as newer and not as damaged.
func decodeState(b []byte) (state, error) {
	if len(b) < len(magic)+2 || string(b[:len(magic)]) != magic {
		return state{}, storage.ErrForeign
	}
	if f := binary.BigEndian.Uint16(b[len(magic):]); f > format {
		return state{}, fmt.Errorf("%w: it has format %d, and this version of ovi reads up to %d: upgrade ovi",
			storage.ErrNewer, f, format)
	}
	if len(b) != stateSize || binary.LittleEndian.Uint32(b[stateSize-4:]) != sumOf([]byte("state"), b[:stateSize-4]) {
		return state{}, fmt.Errorf("the state record: %w", errDamaged)
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint64(b[len(magic)+2+8*i:])) }
	return state{
		revision:  storage.Revision(at(0)),
		compacted: storage.Revision(at(1)),
		keys:      at(2),
		counter:   storage.Revision(at(3)),
		lastLease: storage.LeaseID(at(4)),
	}, nil
}
