package etcd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// Changes replays etcd's events up to the one that moved the head to the revision.
func (s *Store) Changes(ctx context.Context, prefix string, after, upTo storage.Revision) iter.Seq2[storage.Entry,
	error] {
	return func(yield func(storage.Entry, error) bool) {
		st, err := s.stateFor(ctx, storage.Now)
		if err != nil {
			yield(storage.Entry{}, err)
			return
		}
		if upTo == storage.Now {
			upTo = storage.Revision(st.head)
		}
		if err := errors.Join(st.check(upTo), st.check(after)); err != nil {
			yield(storage.Entry{}, err)
			return
		}
		if after >= upTo {
			return
		}
		var batch []storage.Entry // of one outside revision: a large commit is sorted
		s.replay(ctx, s.under(prefix), max(int64(after)+1, st.born), int64(upTo), func(ev *clientv3.Event) bool {
			e, show, err := s.change(st, ev)
			if err != nil {
				return yield(storage.Entry{}, err)
			}
			if !show {
				return true
			}
			if len(batch) > 0 && batch[0].Modified != e.Modified {
				if !flush(batch, yield) {
					return false
				}
				batch = batch[:0]
			}
			batch = append(batch, e)
			return true
		}, func(err error) {
			if err != nil {
				yield(storage.Entry{}, err)
				return
			}
			flush(batch, yield)
		})
	}
}

// History is the events of one key, after the version at the last compaction, by ovi or by a
// policy of the cluster.
func (s *Store) History(ctx context.Context, key string) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		st, err := s.stateFor(ctx, storage.Now)
		if err != nil {
			yield(storage.Entry{}, err)
			return
		}
		now, err := s.version(ctx, st, key, 0)
		if err != nil || (now != nil && now.Lease != 0) { // a leased key has only its current version
			s.yieldVersion(st, now, err, yield)
			return
		}
		keys, to := s.onlyKey(key), st.head
		if now != nil { // the key's last event ends it: no others are needed
			keys, to = keySpan{start: s.data(key)}, min(now.ModRevision, to)
		}
		from := st.compacted
		var gone *compactedAt
		if err := s.historyFrom(ctx, st, key, keys, from, to, yield); errors.As(err, &gone) {
			err = s.historyFrom(ctx, st, key, keys, gone.rev, to, yield)
			s.yieldVersion(st, nil, err, yield)
		} else {
			s.yieldVersion(st, nil, err, yield)
		}
	}
}

// historyFrom yields the version at a revision (0 means none) and the events after it, up to another.
// An error is returned, not yielded, unless it is errStopped.
func (s *Store) historyFrom(ctx context.Context, st state, key string, keys keySpan, from, to int64,
	yield func(storage.Entry, error) bool,
) error {
	if from > 0 {
		base, err := s.version(ctx, st, key, from)
		if errors.Is(err, storage.ErrCompacted) { // by a policy of the cluster, meanwhile
			rev, failed := s.forgotten(ctx, from)
			if failed != nil {
				return failed
			}
			return &compactedAt{rev, err}
		}
		if err != nil {
			return err
		}
		if base != nil && base.Lease == 0 && !s.yieldVersion(st, base, nil, yield) {
			return errStopped
		}
	}
	var result error
	s.replay(ctx, keys, max(from+1, st.born), to, func(ev *clientv3.Event) bool {
		e, show, err := s.change(st, ev)
		if err != nil {
			result = err
			return false
		}
		if show && !yield(e, nil) {
			result = errStopped
			return false
		}
		return true
	}, func(err error) { result = err })
	return result
}

// errStopped: the caller ended the sequence.
var errStopped = errors.New("stopped by the reader")

// version is a key at an etcd revision (0 means now); nil if it did not exist.
func (s *conn) version(ctx context.Context, st state, key string, at int64) (*mvccpb.KeyValue, error) {
	ctx, cancel, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	var opts []clientv3.OpOption
	if at > 0 {
		opts = append(opts, clientv3.WithRev(at))
	}
	resp, err := s.client.Get(ctx, s.data(key), opts...)
	if err != nil {
		return nil, s.explain("read", err)
	}
	if len(resp.Kvs) == 0 {
		return nil, nil
	}
	return resp.Kvs[0], nil
}

// yieldVersion yields a version or an error, and reports whether to continue.
func (s *Store) yieldVersion(st state, kv *mvccpb.KeyValue, err error, yield func(storage.Entry, error) bool) bool {
	switch {
	case errors.Is(err, errStopped):
		return false
	case err != nil:
		return yield(storage.Entry{}, err)
	case kv == nil:
		return true
	}
	e, err := s.entry(st, kv)
	return yield(e, err) && err == nil
}

// compactedAt is the error for events that the cluster has compacted, up to a revision.
type compactedAt struct {
	rev int64
	err error
}

func (c *compactedAt) Error() string { return c.err.Error() }
func (c *compactedAt) Unwrap() error { return c.err }

func flush(batch []storage.Entry, yield func(storage.Entry, error) bool) bool {
	slices.SortFunc(batch, func(a, b storage.Entry) int { return strings.Compare(a.Key, b.Key) })
	for _, e := range batch {
		if !yield(e, nil) {
			return false
		}
	}
	return true
}

// change turns an event into an entry, unless its key is leased.
func (s *Store) change(st state, ev *clientv3.Event) (storage.Entry, bool, error) {
	if ev.Type == mvccpb.PUT {
		e, err := s.entry(st, ev.Kv)
		return e, ev.Kv.Lease == 0, err
	}
	e := storage.Entry{Key: s.key(ev.Kv.Key), Value: []byte{}, Modified: st.outside(ev.Kv.ModRevision), Deleted: true}
	if ev.PrevKv != nil {
		if ev.PrevKv.Lease != 0 {
			return e, false, nil
		}
		e.Created = st.outside(ev.PrevKv.CreateRevision)
	}
	return e, true, nil
}

// keySpan is what a replay watches: the keys from start up to end ("" means only start), filtered by
// want (nil means all).
type keySpan struct {
	start, end string
	want       func(key string) bool
}

// under and onlyKey watch from the head to the keys in question, because the head's own event ends a
// replay: "c/head" sorts before "d/".
func (s *Store) under(prefix string) keySpan {
	prefix = s.data(prefix)
	return keySpan{
		s.control("head"), clientv3.GetPrefixRangeEnd(prefix),
		func(key string) bool { return strings.HasPrefix(key, prefix) },
	}
}

func (s *Store) onlyKey(key string) keySpan {
	key = s.data(key)
	return keySpan{s.control("head"), key + "\x00", func(k string) bool { return k == key }}
}

// replay calls each for the events of keys in the revisions from and to, and done at the end.
// One of the watched keys has an event in the last of them, or later: a watch delivers all
// events of a revision before those of a later one, so that one ends it.
func (s *Store) replay(ctx context.Context, keys keySpan, from, to int64, each func(*clientv3.Event) bool,
	done func(error),
) {
	if from > to {
		done(nil)
		return
	}
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	opts := []clientv3.OpOption{clientv3.WithRev(from), clientv3.WithPrevKV()}
	if keys.end != "" {
		opts = append(opts, clientv3.WithRange(keys.end))
	}
	for resp := range s.client.Watch(ctx, keys.start, opts...) {
		if resp.CompactRevision > 0 {
			done(&compactedAt{resp.CompactRevision, s.explain("replay", resp.Err())})
			return
		}
		if err := resp.Err(); err != nil {
			done(s.explain("replay", err))
			return
		}
		for _, ev := range resp.Events {
			rev := ev.Kv.ModRevision
			if rev > to {
				done(nil)
				return
			}
			if (keys.want == nil || keys.want(string(ev.Kv.Key))) && !each(ev) {
				return
			}
		}
		if last(resp.Events) >= to {
			done(nil)
			return
		}
	}
	if err := ctx.Err(); err != nil {
		done(s.explain("replay", err))
		return
	}
	done(fmt.Errorf("etcd at %s: replay: the watch ended early; retry", s.where))
}

// last is the revision of the last event. The events of one revision come in one response.
func last(events []*clientv3.Event) int64 {
	if len(events) == 0 {
		return 0
	}
	return events[len(events)-1].Kv.ModRevision
}

// Oldest implements storage.OldestReader. The cluster may have compacted more than ovi did: by a
// policy of its own, or for another of its users.
func (s *Store) Oldest(ctx context.Context) (storage.Revision, error) {
	st, err := s.stateFor(ctx, storage.Now)
	if err != nil {
		return 0, err
	}
	oldest := st.compacted
	if _, err = s.version(ctx, st, "", max(oldest, st.born)); errors.Is(err, storage.ErrCompacted) {
		oldest, err = s.forgotten(ctx, max(oldest, st.born))
	}
	return st.outside(oldest), err // nothing can be read within a large commit
}

// forgotten is the revision up to which the cluster is compacted, given a readable one: a watch
// that starts there reports it.
func (s *Store) forgotten(ctx context.Context, from int64) (int64, error) {
	ctx, cancel, err := s.enter(clientv3.WithRequireLeader(ctx))
	if err != nil {
		return 0, err
	}
	defer cancel()
	for resp := range s.client.Watch(ctx, s.control("head"), clientv3.WithRev(from)) {
		if resp.CompactRevision > 0 {
			return resp.CompactRevision, nil
		}
		if err := resp.Err(); err != nil {
			return 0, s.explain("find the oldest revision", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, s.explain("find the oldest revision", err)
	}
	return 0, fmt.Errorf("etcd at %s: find the oldest revision: the watch ended early; retry", s.where)
}
