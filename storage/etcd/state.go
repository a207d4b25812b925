package etcd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// staged is the value of c/staged: a decided commit that is being applied.
type staged struct {
	ID    string `json:"id"`    // of its parts
	Parts int    `json:"parts"` // how many
	Alive string `json:"alive"` // a leased key that exists while the writer runs
	rev   int64  // create revision of c/staged
}

// state is the state of the store at one etcd revision.
type state struct {
	at        int64 // the etcd revision it was read at
	born      int64 // when the store was created: nothing of it is older
	head      int64
	compacted int64
	staged    *staged
	big       []span
}

// span is a commit that took several etcd revisions. What it wrote carries Last outside.
type span struct{ First, Last int64 }

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

// check returns an error if a revision cannot be read.
func (st state) check(at storage.Revision) error {
	switch {
	case int64(at) > st.head:
		return fmt.Errorf("etcd: revision %d: %w: the newest is %d", at, storage.ErrFuture, st.head)
	case int64(at) < st.compacted:
		return fmt.Errorf("etcd: revision %d: %w: the oldest is %d", at, storage.ErrCompacted, st.compacted)
	}
	return nil
}

// stood is the request for the state of the store at an etcd revision.
func (s layout) stood(at int64) clientv3.Op {
	return clientv3.OpGet(s.control("c"), clientv3.WithRange(clientv3.GetPrefixRangeEnd(s.control(""))),
		clientv3.WithRev(at))
}

func (s layout) standsPast(now state, at int64, kvs []*mvccpb.KeyValue) (state, error) {
	st := state{at: at, big: now.big}
	for _, kv := range kvs {
		if err := s.read(&st, kv); err != nil {
			return state{}, err
		}
	}
	return st, nil
}

func (s layout) read(st *state, kv *mvccpb.KeyValue) error {
	name := strings.TrimPrefix(string(kv.Key), s.control(""))
	var err error
	switch {
	case name == "format":
		st.born = kv.CreateRevision
	case name == "head":
		st.head = kv.ModRevision
	case name == "compacted":
		st.compacted, err = strconv.ParseInt(string(kv.Value), 10, 64)
	case name == "staged":
		st.staged = &staged{rev: kv.CreateRevision}
		err = json.Unmarshal(kv.Value, st.staged)
	}
	if err != nil {
		return fmt.Errorf("etcd: %s: %w: %w", kv.Key, storage.ErrCorrupt, err)
	}
	return nil
}

func (s layout) span(kv *mvccpb.KeyValue) (span, error) {
	first, err := strconv.ParseInt(string(kv.Value), 10, 64)
	if err != nil {
		err = fmt.Errorf("etcd: %s: %w: %w", kv.Key, storage.ErrCorrupt, err)
	}
	return span{first, kv.ModRevision}, err
}

func (s layout) entry(st state, kv *mvccpb.KeyValue) (storage.Entry, error) {
	value, err := unseal(kv.Value)
	if err != nil {
		return storage.Entry{}, fmt.Errorf("etcd: %s: %w", kv.Key, err)
	}
	return storage.Entry{
		Key: s.key(kv.Key), Value: value,
		Created: st.outside(kv.CreateRevision), Modified: st.outside(kv.ModRevision),
	}, nil
}
