package etcd

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ovi-project/ovi/storage"
)

// Open connects and checks the format of the store under the prefix; an empty prefix becomes a
// store. It fails within seconds if no endpoint answers, and at once if none can be used, with
// an *Error that explains why.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if len(cfg.Endpoints) == 0 {
		return nil, fmt.Errorf("etcd: no endpoint: use etcd://host:2379/prefix")
	}
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	prefix := "/" + cmp.Or(strings.Trim(cfg.Prefix, "/"), "ovi") + "/"
	s := &Store{conn{place: place{layout{prefix}, strings.Join(cfg.Endpoints, ","), cfg.Username}}}
	if err := s.refused(ctx, cfg); err != nil {
		return nil, err
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: cfg.Endpoints, TLS: cfg.TLS, Username: cfg.Username, Password: cfg.Password,
		DialTimeout: dialTimeout, DialKeepAliveTime: 10 * time.Second, DialKeepAliveTimeout: 5 * time.Second,
		Logger: zap.NewNop(),
	})
	if err != nil {
		return nil, s.unopened(ctx, cfg, "connect", err)
	}
	s.client = client
	if err := s.checkFormat(ctx, cfg); err != nil {
		_ = client.Close()
		return nil, err
	}
	return s, nil
}

// checkFormat reads first: a cluster that is out of space can still be read.
func (s *Store) checkFormat(ctx context.Context, cfg Config) error {
	bounded, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	key := s.control("format")
	resp, err := s.client.Get(bounded, key)
	if err == nil && len(resp.Kvs) == 0 {
		err = s.again(bounded, func() error {
			_, err := s.txn(bounded, []clientv3.Cmp{clientv3.Compare(clientv3.CreateRevision(key), "=", 0)},
				clientv3.OpPut(key, strconv.Itoa(format)))
			return err
		})
		if err == nil { // by this client, or by another at the same time
			resp, err = s.client.Get(bounded, key)
		}
	}
	if err != nil {
		return s.unopened(ctx, cfg, "open", err)
	}
	s.id = fmt.Sprintf("cluster %x, prefix %s", resp.Header.ClusterId, s.prefix)
	if len(resp.Kvs) == 0 {
		return fmt.Errorf("etcd: %s at %s: the format key was deleted after it was written: another program deletes keys "+
			"there", s.prefix, s.where)
	}
	n, err := strconv.Atoi(string(resp.Kvs[0].Value))
	switch {
	case err != nil:
		return fmt.Errorf("etcd: %s at %s: %w: its format is %q", s.prefix, s.where, storage.ErrForeign, resp.Kvs[0].Value)
	case n > format:
		return fmt.Errorf("etcd: %s at %s: %w: it has format %d, and this version of ovi reads %d: upgrade ovi", s.prefix,
			s.where, storage.ErrNewer, n, format)
	}
	return nil
}
