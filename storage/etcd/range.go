package etcd

import (
	"context"
	"iter"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// Range reads in pages of one etcd revision.
func (s *Store) Range(ctx context.Context, prefix string, at storage.Revision) (iter.Seq2[storage.Entry, error],
	storage.Revision, error,
) {
	if at == storage.Now {
		return s.rangeNow(ctx, prefix)
	}
	if seq, ok, err := s.rangePast(ctx, prefix, at); ok || err != nil {
		return seq, at, err
	}
	st, err := s.stateFor(ctx, at)
	if err != nil {
		return nil, 0, err
	}
	return s.rangeAt(ctx, prefix, st, at)
}

// rangePast requests the first page together with the current and the past state of the store. It
// is false where that takes more: a large commit was being applied, or the revision does not exist.
func (s *Store) rangePast(ctx context.Context, prefix string,
	at storage.Revision,
) (seq iter.Seq2[storage.Entry, error], ok bool, err error) {
	reqCtx, cancel, err := s.enter(ctx)
	if err != nil {
		return nil, false, err
	}
	defer cancel()
	v := view{s: &s.conn, prefix: s.data(prefix), rev: int64(at)}
	resp, err := s.reads(reqCtx, append(s.standing(), s.stood(v.rev), clientv3.OpGet(v.prefix, v.options()...))...)
	switch {
	case err != nil && unanswered(err):
		return nil, false, s.explain("read", err)
	case err != nil:
		return nil, false, nil // single requests give the error
	}
	now, err := s.stands(resp)
	if err != nil || now.check(at) != nil {
		return nil, false, err
	}
	if v.st, err = s.standsPast(now, v.rev, resp.Responses[2].GetResponseRange().Kvs); err != nil || v.st.staged != nil {
		return nil, false, err
	}
	return v.all(ctx, (*clientv3.GetResponse)(resp.Responses[3].GetResponseRange())), true, nil
}

// rangeNow requests the first page together with the state of the store.
func (s *Store) rangeNow(ctx context.Context, prefix string) (iter.Seq2[storage.Entry, error], storage.Revision,
	error,
) {
	reqCtx, cancel, err := s.enter(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer cancel()
	all := view{s: &s.conn, prefix: s.data(prefix), leased: true}
	resp, err := s.reads(reqCtx, append(s.standing(), clientv3.OpGet(all.prefix, all.options()...))...)
	if err != nil {
		return nil, 0, s.explain("read", err)
	}
	st, err := s.stands(resp)
	if err != nil {
		return nil, 0, err
	}
	if st.staged != nil {
		return s.rangeAt(ctx, prefix, st, storage.Now)
	}
	all.st, all.rev = st, st.at
	first := (*clientv3.GetResponse)(resp.Responses[2].GetResponseRange())
	return all.all(ctx, first), storage.Revision(st.head), nil
}

func (s *Store) rangeAt(ctx context.Context, prefix string, st state,
	at storage.Revision,
) (iter.Seq2[storage.Entry, error], storage.Revision, error) {
	rev := storage.Revision(st.head)
	if at != storage.Now {
		rev = at
	}
	view := view{s: &s.conn, st: st, prefix: s.data(prefix), rev: st.at, leased: at == storage.Now}
	if st.staged != nil { // partly applied: unleased keys are read at the revision before
		view.rev, view.leased = st.head, false
	}
	first, err := view.page(ctx, view.prefix)
	if err != nil {
		return nil, 0, err
	}
	seq := view.all(ctx, first)
	if st.staged != nil && at == storage.Now {
		leasedOnly := view
		leasedOnly.rev, leasedOnly.leased, leasedOnly.only = st.at, true, true
		seq = merge(seq, leasedOnly.all(ctx, nil))
	}
	return seq, rev, nil
}

// view reads a prefix at an etcd revision.
type view struct {
	s      *conn
	st     state
	prefix string
	rev    int64
	leased bool // include leased keys
	only   bool // and no others
}

func (v view) page(ctx context.Context, from string) (*clientv3.GetResponse, error) {
	ctx, cancel, err := v.s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	resp, err := v.s.client.Get(ctx, from, v.options()...)
	if err != nil {
		return nil, v.s.explain("read", err)
	}
	return resp, nil
}

func (v view) options() []clientv3.OpOption {
	out := []clientv3.OpOption{
		clientv3.WithRange(clientv3.GetPrefixRangeEnd(v.prefix)), clientv3.WithLimit(pageSize),
		clientv3.WithSort(clientv3.SortByKey, clientv3.SortAscend),
	}
	if v.rev > 0 {
		out = append(out, clientv3.WithRev(v.rev))
	}
	return out
}

func (v view) all(ctx context.Context, page *clientv3.GetResponse) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		resp, from := page, v.prefix
		for {
			if resp == nil {
				var err error
				if resp, err = v.page(ctx, from); err != nil {
					yield(storage.Entry{}, err)
					return
				}
			}
			for _, kv := range resp.Kvs {
				if !v.shows(kv) {
					continue
				}
				e, err := v.s.entry(v.st, kv)
				if !yield(e, err) || err != nil {
					return
				}
			}
			if !resp.More || len(resp.Kvs) == 0 {
				return
			}
			from, resp = string(resp.Kvs[len(resp.Kvs)-1].Key)+"\x00", nil
		}
	}
}

func (v view) shows(kv *mvccpb.KeyValue) bool {
	if kv.Lease != 0 {
		return v.leased
	}
	return !v.only
}

// merge joins two sequences in key order; an error of either ends it.
func merge(a, b iter.Seq2[storage.Entry, error]) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		next, stop := iter.Pull2(b)
		defer stop()
		e, err, ok := next()
		for x, xerr := range a {
			for ok && xerr == nil && (err != nil || e.Key < x.Key) {
				if !yield(e, err) || err != nil {
					return
				}
				e, err, ok = next()
			}
			if !yield(x, xerr) || xerr != nil {
				return
			}
		}
		for ok {
			if !yield(e, err) || err != nil {
				return
			}
			e, err, ok = next()
		}
	}
}
