package bolt

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/ovi-project/ovi/storage"
)

// Range implements storage.Store.
func (s *Store) Range(ctx context.Context, prefix string, at storage.Revision) (iter.Seq2[storage.Entry, error],
	storage.Revision, error,
) {
	return s.scan(ctx, prefix, at, false)
}

// Lend implements storage.Borrower.
func (s *Store) Lend(ctx context.Context, prefix string, at storage.Revision) (iter.Seq2[storage.Entry, error],
	storage.Revision, error,
) {
	return s.scan(ctx, prefix, at, true)
}

func (s *Store) scan(ctx context.Context, prefix string, at storage.Revision,
	lends bool,
) (iter.Seq2[storage.Entry, error], storage.Revision, error) {
	first := &scan{prefix: prefix, at: at, out: s.chunk(lends)}
	if err := s.view(ctx, first.start); err != nil {
		return nil, 0, err
	}
	rev := first.at
	var unused atomic.Pointer[scan] // the current chunk serves the first iteration
	unused.Store(first)
	return func(yield func(storage.Entry, error) bool) {
		sc := unused.Swap(nil)
		if sc == nil {
			sc = &scan{prefix: prefix, at: rev, now: first.now, out: s.chunk(lends)}
			if err := s.view(ctx, sc.start); err != nil {
				yield(storage.Entry{}, err)
				return
			}
		}
		s.run(ctx, sc, yield)
	}, rev, nil
}

// run yields chunk after chunk. The file is locked only within next.
func (s *Store) run(ctx context.Context, sc *scan, yield func(storage.Entry, error) bool) {
	defer func() {
		clear(sc.out.entries) // drop references to entries that belong to the caller
		s.chunks.Put(sc.out)
	}()
	for {
		for _, e := range sc.out.entries {
			for len(sc.leased) > 0 && sc.leased[0].Key < e.Key {
				if !yield(sc.leased[0], nil) {
					return
				}
				sc.leased = sc.leased[1:]
			}
			if !yield(e, nil) {
				return
			}
		}
		if sc.done {
			break
		}
		if err := s.view(ctx, sc.next); err != nil {
			yield(storage.Entry{}, err)
			return
		}
	}
	for _, e := range sc.leased {
		if !yield(e, nil) {
			return
		}
	}
}

// A scan reads a prefix at one revision, one chunk at a time.
type scan struct {
	prefix string
	at     storage.Revision
	now    bool             // leased keys too
	base   storage.Revision // the newest one when the scan started
	want   group            // the expected sum of the versions newest at base
	known  bool             // whether want is known
	seen   group
	from   []byte
	done   bool
	out    *chunk
	leased []storage.Entry
}

// start pins the revision and reads the first chunk.
func (sc *scan) start(r *reader) error {
	rev, err := r.resolve(sc.at)
	if err != nil {
		return err
	}
	sc.now = sc.now || sc.at == storage.Now
	sc.at, sc.base, sc.from = rev, r.st.revision, []byte(sc.prefix)
	if sc.now {
		if sc.leased, err = r.leasedUnder(sc.prefix); err != nil {
			return err
		}
	}
	if sc.want, sc.known, err = r.expected(sc.prefix); err != nil {
		return err
	}
	if _, _, _, err = r.find(r.cur, sc.from); err != nil {
		return err
	}
	return sc.next(r)
}

// next reads one chunk. Commits since the last one are ignored: what they replaced is among the
// older versions.
func (sc *scan) next(r *reader) error {
	if sc.at < r.st.compacted {
		_, err := r.resolve(sc.at)
		return err
	}
	sc.out.reset()
	prefix, cur := []byte(sc.prefix), r.cur.Cursor()
	last, first := sc.from, true
	key, raw := cur.Seek(sc.from)
	for ; key != nil && bytes.HasPrefix(key, prefix); key, raw = cur.Next() {
		if order := bytes.Compare(key, last); order < 0 || order == 0 && !first {
			return r.s.corrupt(fmt.Errorf("key %q: out of order", key))
		}
		if sc.out.full() {
			sc.from = bytes.Clone(key)
			sc.out.seal()
			return nil
		}
		if err := sc.take(r, key, raw); err != nil {
			return err
		}
		last, first = key, false
	}
	sc.done = true
	sc.out.seal()
	if key != nil { // the next key must be valid and in order, or a key may be hidden
		if _, err := r.decode(key, raw); err != nil || bytes.Compare(key, last) < 0 {
			return cmp.Or(err, r.s.corrupt(fmt.Errorf("key %q: out of order", key)))
		}
	}
	if sc.known {
		return r.compare(sc.prefix, sc.seen, sc.want)
	}
	return nil
}

// take adds the version of one key that the scan sees.
func (sc *scan) take(r *reader, key, raw []byte) error {
	v, err := r.decode(key, raw)
	if err != nil {
		return err
	}
	var ok bool
	if v.modified > sc.base {
		if v, ok, err = r.visible(key, v, sc.base); err != nil || !ok {
			return err
		}
	}
	sc.seen.add(&v)
	if v.modified > sc.at {
		if v, ok, err = r.visible(key, v, sc.at); err != nil || !ok {
			return err
		}
	}
	if !v.deleted() {
		sc.out.add(key, &v)
	}
	return nil
}

// leasedUnder returns the leased keys under a prefix: few, so all at once.
func (r *reader) leasedUnder(prefix string) ([]storage.Entry, error) {
	var found []storage.Entry
	c := r.leased.Cursor()
	for key, raw := c.Seek([]byte(prefix)); key != nil && strings.HasPrefix(string(key), prefix); key, raw = c.Next() {
		v, err := r.decode(key, raw)
		if err != nil {
			return nil, err
		}
		if _, ok, err := r.lease(v.underLease); err != nil {
			return nil, err
		} else if ok {
			found = append(found, v.entry(string(key), bytes.Clone(v.value)))
		}
	}
	return found, nil
}
