package etcd

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// version is what a commit needs to know of a key before it writes.
type version struct {
	created, modified int64
	leased            bool
}

// known holds the keys of a commit that exist.
type known map[string]version

// look reads the state of the store and the versions of all keys of a commit, in transactions of
// gets: in one, and so at one revision, unless the commit is large. It reads the values too,
// because a read of keys only does not show which are leased.
func (s *conn) look(ctx context.Context, guards []storage.Guard, ops []storage.Op) (st state, k known, err error) {
	keys := make([]string, 0, len(guards)+len(ops))
	for _, g := range guards {
		keys = append(keys, g.Key)
	}
	for _, op := range ops {
		keys = append(keys, op.Key)
	}
	k = known{}
	n := min(len(keys), maxOps)
	if st, err = s.versions(ctx, keys[:n], k); err != nil {
		return st, nil, err
	}
	for keys = keys[n:]; len(keys) > 0; keys = keys[n:] {
		n = min(len(keys), maxOps)
		if _, err := s.versions(ctx, keys[:n], k); err != nil {
			return st, nil, err
		}
	}
	return st, k, nil
}

// versions reads the control keys, and adds the versions of keys to what is known.
func (s *conn) versions(ctx context.Context, keys []string, out known) (state, error) {
	gets := s.standing()
	for _, k := range keys {
		gets = append(gets, clientv3.OpGet(s.data(k)))
	}
	resp, err := s.reads(ctx, gets...)
	if err != nil {
		return state{}, s.explain("read", err)
	}
	st, err := s.stands(resp)
	if err != nil {
		return state{}, err
	}
	for i, r := range resp.Responses[2:] {
		for _, kv := range r.GetResponseRange().Kvs {
			out[keys[i]] = version{kv.CreateRevision, kv.ModRevision, kv.Lease != 0}
		}
	}
	return st, nil
}

func (k known) holds(st state, g storage.Guard) bool {
	v := k[g.Key]
	return g.Holds(storage.Entry{Created: st.outside(v.created), Modified: st.outside(v.modified)})
}

// effective drops deletes of absent keys, and rejects a key that is leased and would not be, or
// the other way around.
func (k known) effective(ops []storage.Op) ([]storage.Op, error) {
	out := make([]storage.Op, 0, len(ops))
	for _, op := range ops {
		v, exists := k[op.Key]
		switch {
		case op.Delete && !exists:
			continue
		case !op.Delete && exists && v.leased != (op.Lease != 0):
			return nil, fmt.Errorf("etcd: %w: %q cannot change between leased and not leased", storage.ErrInvalid, op.Key)
		}
		out = append(out, op)
	}
	return out, nil
}

// withKnown marks deletes of leased keys as leased ops.
func withKnown(ops []storage.Op, k known) []storage.Op {
	out := make([]storage.Op, len(ops))
	for i, op := range ops {
		if op.Delete && k[op.Key].leased {
			op.Lease = 1
		}
		out[i] = op
	}
	return out
}
