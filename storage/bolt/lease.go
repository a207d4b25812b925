package bolt

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// A lease is stored as sum(4) ttl(8) deadline(8) boot.
type lease struct {
	ttl      time.Duration
	deadline time.Duration // on the clock of the boot
	boot     string
}

func leaseKey(id storage.LeaseID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func (l lease) encode(key []byte) []byte {
	b := make([]byte, 4, 20+len(l.boot))
	b = binary.BigEndian.AppendUint64(b, uint64(l.ttl))
	b = binary.BigEndian.AppendUint64(b, uint64(l.deadline))
	b = append(b, l.boot...)
	binary.LittleEndian.PutUint32(b, sumOf(key, b[4:]))
	return b
}

func decodeLease(key, raw []byte) (lease, error) {
	if len(key) != 8 || len(raw) < 20 || binary.LittleEndian.Uint32(raw) != sumOf(key, raw[4:]) {
		return lease{}, errDamaged
	}
	return lease{
		ttl:      time.Duration(binary.BigEndian.Uint64(raw[4:])),
		deadline: time.Duration(binary.BigEndian.Uint64(raw[12:])),
		boot:     string(raw[20:]),
	}, nil
}

// ended reports whether the lease has expired by this host's clock. All leases of an earlier boot
// have: their holders ended with it.
func (l lease) ended(boot string, now time.Duration) bool {
	return l.boot != boot || now >= l.deadline
}

// lease returns a lease that has not ended.
func (r *reader) lease(id storage.LeaseID) (l lease, ok bool, err error) {
	key := leaseKey(id)
	raw := r.leases.Get(key)
	if raw == nil {
		return l, false, r.eachLease(func([]byte, lease) {}) // deleted, or hidden by damage?
	}
	if l, err = decodeLease(key, raw); err != nil {
		return l, false, r.s.corrupt(fmt.Errorf("lease %d: %w", id, err))
	}
	return l, !l.ended(r.s.clock()), nil
}

func (r *reader) eachLease(fn func(key []byte, l lease)) error {
	return r.leases.ForEach(func(key, raw []byte) error {
		l, err := decodeLease(key, raw)
		if err != nil {
			return r.s.corrupt(fmt.Errorf("lease %x: %w", key, err))
		}
		fn(key, l)
		return nil
	})
}
