package bolt

import (
	"context"
	"iter"
	"slices"

	"github.com/ovi-project/ovi/storage"
)

// History implements storage.Store.
func (s *Store) History(ctx context.Context, key string) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		h := &history{key: []byte(key)}
		for load := h.start; !h.done; load = h.next {
			if err := s.view(ctx, load); err != nil {
				yield(storage.Entry{}, err)
				return
			}
			for _, e := range h.out.entries {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// A history reads one key's versions: first the chain backwards, then the versions in order of
// time.
type history struct {
	key    []byte
	steps  []storage.Revision // what superseded each older version; the oldest is last
	newest *version
	done   bool
	out    chunk
}

func (h *history) start(r *reader) error {
	if v, ok, err := r.leasedNow(h.key); err != nil || ok {
		h.done = true
		h.out.add(h.key, &v)
		h.out.seal()
		return err
	}
	v, ok, err := r.newest(h.key)
	if err != nil {
		return err
	}
	if !ok { // rare: check whether the group has lost a page
		h.done = true
		return r.checkGroup(groupOf(string(h.key)))
	}
	newest := v
	newest.value = slices.Clone(v.value)
	h.newest = &newest
	for v.flags&flagPrev != 0 && v.modified > r.st.compacted {
		h.steps = append(h.steps, v.modified)
		if v, err = r.before(h.key, v.modified); err != nil {
			return err
		}
	}
	return h.next(r)
}

// next reads one chunk of versions, oldest first.
func (h *history) next(r *reader) error {
	h.out.reset()
	for len(h.steps) > 0 && !h.out.full() {
		step := h.steps[len(h.steps)-1]
		h.steps = h.steps[:len(h.steps)-1]
		if step <= r.st.compacted {
			continue // compacted while this history was being read
		}
		v, err := r.before(h.key, step)
		if err != nil {
			return err
		}
		h.add(r, &v)
	}
	if len(h.steps) == 0 {
		h.add(r, h.newest)
		h.done = true
	}
	h.out.seal()
	return nil
}

// add skips a deletion whose earlier versions are compacted.
func (h *history) add(r *reader, v *version) {
	if !v.deleted() || v.modified > r.st.compacted {
		h.out.add(h.key, v)
	}
}
