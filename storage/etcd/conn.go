package etcd

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// conn reads the state of a store, and sends transactions to it.
type conn struct {
	place
	client *clientv3.Client
	id     string
	closed atomic.Bool
	spans  spans
}

// txn sends one transaction.
func (s *conn) txn(ctx context.Context, compares []clientv3.Cmp, ops ...clientv3.Op) (*clientv3.TxnResponse, error) {
	resp, err := s.client.Do(ctx, clientv3.OpTxn(compares, ops, nil))
	return resp.Txn(), err
}

// reads sends requests that change nothing in one transaction, and repeats it if the response is lost. The client
// repeats only single reads.
func (s *conn) reads(ctx context.Context, gets ...clientv3.Op) (resp *clientv3.TxnResponse, err error) {
	err = s.again(ctx, func() error {
		resp, err = s.txn(ctx, nil, gets...)
		return err
	})
	return resp, err
}

// again repeats a request that may be applied twice while etcd does not answer.
func (s *conn) again(ctx context.Context, do func() error) error {
	return storage.RetryShort(ctx, func(err error) bool { return storage.Transient(s.explain("", err)) }, do)
}

// enter bounds a call and rejects it on a closed handle.
func (s *conn) enter(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if s.closed.Load() {
		return nil, nil, fmt.Errorf("etcd: %w", storage.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	return ctx, cancel, nil
}

// state reads the current state of the store.
func (s *conn) state(ctx context.Context) (state, error) {
	resp, err := s.reads(ctx, s.standing()...)
	if err != nil {
		return state{}, s.explain("read", err)
	}
	return s.stands(resp)
}

// standing are the requests for the state of the store, to be part of a transaction. Its first
// two answers go to stands.
func (s *conn) standing() []clientv3.Op {
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
func (s *conn) stands(resp *clientv3.TxnResponse) (state, error) {
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

// stateFor is the state for a read at a revision, or why it cannot be read.
func (s *conn) stateFor(ctx context.Context, at storage.Revision) (state, error) {
	reqCtx, cancel, err := s.enter(ctx)
	if err != nil {
		return state{}, err
	}
	defer cancel()
	now, err := s.state(reqCtx)
	if err != nil || at == storage.Now {
		return now, err
	}
	if err := now.check(at); err != nil {
		return state{}, err
	}
	resp, err := s.client.Do(reqCtx, s.stood(int64(at)))
	if err != nil {
		return state{}, s.explain("read", err)
	}
	return s.standsPast(now, int64(at), resp.Get().Kvs) // with the large commits known now
}

// Limits of one etcd transaction, below etcd's defaults (--max-txn-ops 128, of which guards
// and bookkeeping take some, and --max-request-bytes 1.5 MiB).
const (
	maxOps   = 100
	maxBytes = 1 << 20
	pageSize = 1000
	// longest a single request may take; a context's own deadline may be shorter.
	requestTimeout = 15 * time.Second
	dialTimeout    = 5 * time.Second
)
