package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/ovi-project/ovi/storage"
)

// Changes implements storage.Store.
func (s *Store) Changes(ctx context.Context, prefix string, after, upTo storage.Revision) iter.Seq2[storage.Entry,
	error] {
	return func(yield func(storage.Entry, error) bool) {
		c := &changes{prefix: []byte(prefix), rev: after, upTo: upTo}
		for load := c.start; !c.done; load = c.next {
			if err := s.view(ctx, load); err != nil {
				yield(storage.Entry{}, err)
				return
			}
			for _, e := range c.out.entries {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// changes reads what a span of revisions wrote, one chunk at a time.
type changes struct {
	prefix   []byte
	rev      storage.Revision // the next to read
	upTo     storage.Revision
	last     []byte // in rev, up to and including this key is done
	observed int
	done     bool
	out      chunk
}

func (c *changes) start(r *reader) (err error) {
	if c.upTo, err = r.resolve(c.upTo); err != nil {
		return err
	}
	c.rev++
	return c.next(r)
}

// errChunk stops a reading of the log when a chunk is full.
var errChunk = errors.New("chunk is full")

func (c *changes) next(r *reader) error {
	if c.rev-1 < r.st.compacted {
		return fmt.Errorf("store %s: changes after revision %d: %w: the oldest is %d", r.s.path, c.rev-1,
			storage.ErrCompacted, r.st.compacted)
	}
	c.out.reset()
	c.observed = 0
	log := r.tx.Bucket(bucketLog)
	for ; c.rev <= c.upTo; c.rev++ {
		err := changed(log, c.rev, func(key []byte) (bool, error) { return c.take(r, key) })
		if errors.Is(err, errChunk) {
			c.out.seal()
			return nil
		}
		if err != nil && !errors.Is(err, storage.ErrCorrupt) {
			err = r.s.corrupt(err)
		}
		if err != nil {
			return err
		}
		c.last = nil
	}
	c.done = true
	c.out.seal()
	return nil
}

// take adds the version of one key at the revision. Chunks are bounded by the keys examined too:
// a narrow prefix may match none for long.
func (c *changes) take(r *reader, key []byte) (stop bool, err error) {
	if c.last != nil && bytes.Compare(key, c.last) <= 0 {
		return false, nil
	}
	if c.observed++; c.out.full() || c.observed > 100_000 {
		return false, errChunk
	}
	c.last = append(c.last[:0], key...)
	if !bytes.HasPrefix(key, c.prefix) {
		return bytes.Compare(key, c.prefix) > 0, nil
	}
	v, ok, err := r.newest(key)
	if ok {
		v, ok, err = r.visible(key, v, c.rev)
	}
	if err != nil {
		return false, err
	}
	if !ok || v.modified != c.rev {
		return false, fmt.Errorf("key %q: the version of revision %d is missing", key, c.rev)
	}
	c.out.add(key, &v)
	return false, nil
}
