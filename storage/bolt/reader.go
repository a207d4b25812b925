package bolt

import (
	"bytes"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/ovi-project/ovi/storage"
)

var (
	bucketMeta   = []byte("meta")
	bucketCur    = []byte("cur")
	bucketHist   = []byte("hist")
	bucketLog    = []byte("log")
	bucketGroups = []byte("groups")
	bucketLeased = []byte("leased")
	bucketLeases = []byte("leases")
	keyState     = []byte("state")
)

func buckets() [][]byte {
	return [][]byte{bucketMeta, bucketCur, bucketHist, bucketLog, bucketGroups, bucketLeased, bucketLeases}
}

// A reader reads the store within one transaction.
type reader struct {
	s      *Store
	tx     *bbolt.Tx
	st     state
	cur    *bbolt.Bucket
	past   *bbolt.Bucket
	trails map[storage.Revision]*bbolt.Cursor // where the last find superseded then was; nil when writing
	groups *bbolt.Bucket
	leased *bbolt.Bucket
	leases *bbolt.Bucket
	keyBuf []byte
}

func (s *Store) reader(tx *bbolt.Tx) (*reader, error) {
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		return nil, fmt.Errorf("%s: %w: a bbolt file of another program; name another file", s.path, storage.ErrForeign)
	}
	st, err := decodeState(meta.Get(keyState))
	switch {
	case errors.Is(err, storage.ErrForeign), errors.Is(err, storage.ErrNewer):
		return nil, fmt.Errorf("%s: %w", s.path, err)
	case err != nil:
		return nil, s.corrupt(err)
	}
	r := &reader{
		s: s, tx: tx, st: st,
		cur:    tx.Bucket(bucketCur),
		past:   tx.Bucket(bucketHist),
		trails: map[storage.Revision]*bbolt.Cursor{},
		groups: tx.Bucket(bucketGroups),
		leased: tx.Bucket(bucketLeased),
		leases: tx.Bucket(bucketLeases),
	}
	for i, b := range []*bbolt.Bucket{r.cur, r.past, r.groups, r.leased, r.leases} {
		if b == nil {
			return nil, s.corrupt(fmt.Errorf("bucket %d is missing", i+1))
		}
	}
	return r, nil
}

// resolve checks that a revision can be read.
func (r *reader) resolve(at storage.Revision) (storage.Revision, error) {
	switch {
	case at == storage.Now:
		return r.st.revision, nil
	case at < r.st.compacted:
		return 0, fmt.Errorf("store %s: revision %d: %w: the oldest is %d", r.s.path, at, storage.ErrCompacted,
			r.st.compacted)
	case at > r.st.revision:
		return 0, fmt.Errorf("store %s: revision %d: %w: the newest is %d", r.s.path, at, storage.ErrFuture, r.st.revision)
	}
	return at, nil
}

// decode reads the version under a key, or returns that it is damaged.
func (r *reader) decode(key, raw []byte) (version, error) {
	v, err := decodeVersion(key, raw)
	if err != nil {
		return v, r.s.corrupt(fmt.Errorf("key %q: %w", key, err))
	}
	return v, nil
}

// newest returns the newest version of a key; ok is false if there is none.
func (r *reader) newest(key []byte) (v version, ok bool, err error) {
	_, v, ok, err = r.find(r.cur, key)
	return v, ok, err
}

// find returns the version under a key in cur or leased. It reports a key as absent only if the
// neighbors are valid and the key would be between them: a search misled by damaged keys always
// ends next to one of them.
func (r *reader) find(b *bbolt.Bucket, key []byte) (raw []byte, v version, ok bool, err error) {
	c := b.Cursor()
	found, raw := c.Seek(key)
	if found != nil {
		if v, err = r.decode(found, raw); err != nil || bytes.Equal(found, key) {
			return raw, v, err == nil, err
		}
	}
	if bytes.Compare(found, key) < 0 && found != nil {
		return nil, v, false, r.s.corrupt(fmt.Errorf("key %q follows %q", found, key))
	}
	below, raw := c.Prev()
	if found == nil {
		below, raw = last(b)
	}
	if below == nil {
		return nil, version{}, false, nil
	}
	if _, err = r.decode(below, raw); err == nil && bytes.Compare(below, key) >= 0 {
		err = r.s.corrupt(fmt.Errorf("key %q precedes %q", below, key))
	}
	return nil, version{}, false, err
}

// last returns the last key of a bucket and its value; nil if it has none. Cursor.Last of bbolt 1.5.0 does not return
// if the transaction deleted all keys of a bucket with several pages, as the first one after many leases ended does.
func last(b *bbolt.Bucket) (key, value []byte) {
	c := b.Cursor()
	if first, _ := c.First(); first == nil {
		return nil, nil
	}
	return c.Last()
}

// before returns the version of key that was superseded at a revision.
func (r *reader) before(key []byte, superseded storage.Revision) (version, error) {
	r.keyBuf = histKey(r.keyBuf[:0], superseded, key)
	found, raw := r.follow(superseded)
	if !bytes.Equal(found, r.keyBuf) {
		return version{}, r.s.corrupt(fmt.Errorf("key %q: the version before revision %d is missing", key, superseded))
	}
	v, err := r.decode(key, raw)
	if err == nil && v.modified >= superseded {
		err = r.s.corrupt(fmt.Errorf("key %q: the version before revision %d claims to be of %d", key, superseded,
			v.modified))
	}
	return v, err
}

// follow finds keyBuf. A scan requests what one revision superseded in the order in which it is
// stored, so the next one is nearly always right behind the last one.
func (r *reader) follow(superseded storage.Revision) (found, raw []byte) {
	c := r.trails[superseded]
	if c != nil {
		if found, raw = c.Next(); bytes.Equal(found, r.keyBuf) {
			return found, raw
		}
	} else {
		c = r.past.Cursor()
		if r.trails != nil && len(r.trails) < 128 {
			r.trails[superseded] = c
		}
	}
	return c.Seek(r.keyBuf)
}

// visible returns the version of key for a read at a revision, starting from a newer
// or equal one; ok is false if the key had none yet. The revision is not below compacted.
func (r *reader) visible(key []byte, v version, at storage.Revision) (version, bool, error) {
	for v.modified > at {
		if v.flags&flagPrev == 0 {
			return version{}, false, nil
		}
		// The jump leads to a version that was superseded at v.jump: not too far back
		// if that happened after the revision.
		step := v.modified
		if v.jump > at {
			step = v.jump
		}
		var err error
		if v, err = r.before(key, step); err != nil {
			return version{}, false, err
		}
	}
	return v, true, nil
}

// leasedNow returns the version of a leased key, unless its lease has ended.
func (r *reader) leasedNow(key []byte) (v version, ok bool, err error) {
	if _, v, ok, err = r.find(r.leased, key); err != nil || !ok {
		return version{}, false, err
	}
	_, ok, err = r.lease(v.underLease)
	return v, ok, err
}

// present returns the live version of a key on either side, or the zero entry.
func (r *reader) present(key string) (storage.Entry, error) {
	k := []byte(key)
	v, ok, err := r.leasedNow(k)
	if err != nil || ok {
		return v.entry(key, nil), err
	}
	v, ok, err = r.newest(k)
	if err != nil || !ok || v.deleted() {
		return storage.Entry{}, err
	}
	return v.entry(key, nil), nil
}
