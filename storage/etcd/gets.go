package etcd

import (
	"context"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// Gets implements storage.Getter with a request for each hundred keys.
func (s *Store) Gets(ctx context.Context, keys []string) (map[string]storage.Entry, error) {
	out := make(map[string]storage.Entry, len(keys))
	for some := range slices.Chunk(keys, maxOps) {
		if err := s.gets(ctx, some, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Store) gets(ctx context.Context, keys []string, out map[string]storage.Entry) error {
	reqCtx, cancel, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	gets := s.standing()
	for _, key := range keys {
		gets = append(gets, clientv3.OpGet(s.data(key)))
	}
	resp, err := s.reads(reqCtx, gets...)
	if err != nil {
		return s.explain("read", err)
	}
	st, err := s.stands(resp)
	if err != nil {
		return err
	}
	if st.staged != nil { // partly applied: the keys are not consistent
		for _, key := range keys {
			e, err := storage.Get(ctx, s, key, storage.Now)
			if err != nil {
				return err
			}
			if e.Created != 0 {
				out[key] = e
			}
		}
		return nil
	}
	for _, r := range resp.Responses[2:] {
		for _, kv := range r.GetResponseRange().Kvs {
			e, err := s.entry(st, kv)
			if err != nil {
				return err
			}
			out[e.Key] = e
		}
	}
	return nil
}
