package etcd

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// format is the version of the layout in doc.go.
const format = 1

func (s *Store) control(name string) string { return s.prefix + "c/" + name }
func (s *Store) data(key string) string     { return s.prefix + "d/" + key }
func (s *Store) key(k []byte) string        { return strings.TrimPrefix(string(k), s.prefix+"d/") }

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

// state reads the current state of the store.
func (s *Store) state(ctx context.Context) (state, error) {
	resp, err := s.client.Txn(ctx).Then(s.standing()...).Commit()
	if err != nil {
		return state{}, s.explain("read", err)
	}
	return s.stands(resp)
}

// past is the state of the store at an etcd revision, with the large commits known now.
func (s *Store) past(ctx context.Context, now state, at int64) (state, error) {
	resp, err := s.client.Do(ctx, s.stood(at))
	if err != nil {
		return state{}, s.explain("read", err)
	}
	return s.standsPast(now, at, resp.Get().Kvs)
}

// stood is the request for the state of the store at an etcd revision.
func (s *Store) stood(at int64) clientv3.Op {
	return clientv3.OpGet(s.control("c"), clientv3.WithRange(clientv3.GetPrefixRangeEnd(s.control(""))), clientv3.WithRev(at))
}

func (s *Store) standsPast(now state, at int64, kvs []*mvccpb.KeyValue) (state, error) {
	st := state{at: at, big: now.big}
	for _, kv := range kvs {
		if err := s.read(&st, kv); err != nil {
			return state{}, err
		}
	}
	return st, nil
}

func (s *Store) read(st *state, kv *mvccpb.KeyValue) error {
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

func (s *Store) entry(st state, kv *mvccpb.KeyValue) (storage.Entry, error) {
	value, err := unseal(kv.Value)
	if err != nil {
		return storage.Entry{}, fmt.Errorf("etcd: %s: %w", kv.Key, err)
	}
	return storage.Entry{
		Key: s.key(kv.Key), Value: value,
		Created: st.outside(kv.CreateRevision), Modified: st.outside(kv.ModRevision),
	}, nil
}

// aliveID is the large commit whose writer keeps this key alive.
func (s *Store) aliveID(key string) (string, bool) {
	return strings.CutPrefix(key, s.prefix+"s/alive/")
}

// partID is the large commit the key is a part of.
func (s *Store) partID(key string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(key, s.prefix+"s/"), "/")
	return id
}
