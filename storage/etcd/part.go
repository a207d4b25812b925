package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

func (s *Store) writeParts(ctx context.Context, id string, ops []storage.Op, renew func() error) (int, error) {
	n := 0
	for len(ops) > 0 {
		if n%aliveParts == aliveParts-1 {
			if err := renew(); err != nil {
				return 0, s.explain("stage", err)
			}
		}
		var p part
		for size := 0; len(ops) > 0 && len(p) < maxOps &&
			(len(p) == 0 || size+len(ops[0].Value) < maxBytes/2); ops = ops[1:] {
			op := ops[0]
			size += len(op.Key) + len(op.Value)
			p = append(p, partOp{op.Key, op.Value, op.Delete, int64(op.Lease)})
		}
		b, err := json.Marshal(p)
		if err != nil {
			return 0, err
		}
		err = s.again(ctx, func() error {
			_, err := s.client.Put(ctx, s.partKey(id, n), string(b))
			return err
		})
		if err != nil {
			return 0, s.explain("stage", err)
		}
		n++
	}
	return n, nil
}

// readPart is one part; nil if another client has finished the commit.
func (s *Store) readPart(ctx context.Context, plan staged, n int) (p part, err error) {
	resp, err := s.client.Get(ctx, s.partKey(plan.ID, n))
	if err != nil {
		return nil, s.explain("apply a large commit", err)
	}
	if len(resp.Kvs) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(resp.Kvs[0].Value, &p); err != nil {
		return nil, fmt.Errorf("etcd: large commit %s, part %d: %w: %w", plan.ID, n, storage.ErrCorrupt, err)
	}
	return p, nil
}

// applyPart applies one part, unless that was done. The keys of a lease that ended meanwhile are
// not written.
func (s *Store) applyPart(ctx context.Context, plan staged, p part, mine clientv3.Cmp) error {
	for {
		ops, todo := s.todo(plan, p)
		err := s.again(ctx, func() error { // once applied, it is no longer to do
			_, err := s.txn(ctx, append(todo, mine), ops...)
			return err
		})
		if err == nil {
			return nil
		}
		ended := false
		if errors.Is(err, rpctypes.ErrLeaseNotFound) {
			if ended, err = s.withoutEnded(ctx, p); err == nil && !ended {
				err = rpctypes.ErrLeaseNotFound
			}
		}
		if !ended || err != nil {
			return s.explain("apply a large commit", err)
		}
	}
}

// withoutEnded turns writes under ended leases into deletes; false if no lease has ended.
func (s *Store) withoutEnded(ctx context.Context, p part) (ended bool, err error) {
	lives := map[int64]bool{}
	for i := range p {
		id := p[i].Lease
		if id == 0 || p[i].Delete {
			continue
		}
		if _, asked := lives[id]; !asked {
			resp, err := s.client.TimeToLive(ctx, clientv3.LeaseID(id))
			if err != nil {
				return false, err
			}
			lives[id] = resp.TTL >= 0
		}
		if !lives[id] {
			p[i].Value, p[i].Delete, ended = nil, true, true
		}
	}
	return ended, nil
}
