package etcd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// spans are the large commits that a handle has read. They never change and are never deleted:
// what they wrote has the revision that ended them. Every request needs them, so only those that
// are still unknown are requested.
type spans struct {
	mu   sync.Mutex
	upTo int64  // the etcd revision up to which all are known
	all  []span // by Last; they do not overlap. Appended to, never changed in place
}

// span is a commit that took several etcd revisions. What it wrote carries Last outside.
type span struct{ First, Last int64 }

// standing are the requests for the state of the store, to be part of a transaction. Its first
// two answers go to stands.
func (s *Store) standing() []clientv3.Op {
	s.spans.mu.Lock()
	from := s.spans.upTo + 1
	s.spans.mu.Unlock()
	rest := s.control("c") // what sorts behind c/big/
	return []clientv3.Op{
		clientv3.OpGet(rest, clientv3.WithRange(clientv3.GetPrefixRangeEnd(s.control("")))),
		clientv3.OpGet(s.control("big/"), clientv3.WithPrefix(), clientv3.WithMinModRev(from)),
	}
}

// stands reads the answers to standing.
func (s *Store) stands(resp *clientv3.TxnResponse) (state, error) {
	st := state{at: resp.Header.Revision}
	var fresh []span
	for i := range 2 {
		for _, kv := range resp.Responses[i].GetResponseRange().Kvs {
			if i == 0 {
				if err := s.read(&st, kv); err != nil {
					return state{}, err
				}
				continue
			}
			sp, err := s.span(kv)
			if err != nil {
				return state{}, err
			}
			fresh = append(fresh, sp)
		}
	}
	st.big = s.spans.learn(fresh, st.at)
	return st, nil
}

func (s *Store) span(kv *mvccpb.KeyValue) (span, error) {
	first, err := strconv.ParseInt(string(kv.Value), 10, 64)
	if err != nil {
		err = fmt.Errorf("etcd: %s: %w: %w", kv.Key, storage.ErrCorrupt, err)
	}
	return span{first, kv.ModRevision}, err
}

// learn adds what was read at a revision, and returns all.
func (p *spans) learn(fresh []span, at int64) []span {
	slices.SortFunc(fresh, func(a, b span) int { return cmp.Compare(a.Last, b.Last) })
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, sp := range fresh {
		if sp.Last > p.upTo { // another request may have added it
			p.all = append(p.all, sp)
		}
	}
	p.upTo = max(p.upTo, at)
	return p.all
}

// ending finds the first span that ends at an etcd revision or after it.
func (st state) ending(rev int64) (span, bool) {
	i, _ := slices.BinarySearchFunc(st.big, rev, func(sp span, rev int64) int { return cmp.Compare(sp.Last, rev) })
	if i == len(st.big) {
		return span{}, false
	}
	return st.big[i], true
}

// outside is the store's revision for an etcd revision: that of the commit.
func (st state) outside(rev int64) storage.Revision {
	if sp, ok := st.ending(rev); ok && sp.First <= rev {
		return storage.Revision(sp.Last)
	}
	return storage.Revision(rev)
}

// inside is the span of etcd revisions of one revision of the store.
func (st state) inside(rev storage.Revision) span {
	if sp, ok := st.ending(int64(rev)); ok && sp.Last == int64(rev) {
		return sp
	}
	return span{int64(rev), int64(rev)}
}
