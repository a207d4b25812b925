package etcd

import (
	"context"
	"crypto/tls"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ovi-project/ovi/storage"
)

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

// Config is the location of the store and the credentials.
type Config struct {
	Endpoints []string // host:port
	Prefix    string   // of all keys; "" is "/ovi"
	TLS       *tls.Config
	Username  string
	Password  string
}

// Store is a store in etcd. It may be used from many goroutines and hosts.
type Store struct {
	client *clientv3.Client
	prefix string
	where  string // for errors; no credentials
	user   string // for errors
	id     string
	closed atomic.Bool
	spans  spans
}

var (
	_ storage.Store         = (*Store)(nil)
	_ storage.Watcher       = (*Store)(nil)
	_ storage.BoundedLeaser = (*Store)(nil)
	_ storage.OldestReader  = (*Store)(nil)
)

// ID identifies the store, whatever the names of its endpoints: the cluster's id and the prefix.
func (s *Store) ID() string { return s.id }

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
	s := &Store{where: strings.Join(cfg.Endpoints, ","), user: cfg.Username, prefix: "/" + strings.Trim(cfg.Prefix, "/") + "/"}
	if strings.Trim(cfg.Prefix, "/") == "" {
		s.prefix = "/ovi/"
	}
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
		_, err = s.client.Txn(bounded).
			If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, strconv.Itoa(format))).Commit()
		if err == nil { // by this client, or by another at the same time
			resp, err = s.client.Get(bounded, key)
		}
	}
	if err != nil {
		return s.unopened(ctx, cfg, "open", err)
	}
	s.id = fmt.Sprintf("cluster %x, prefix %s", resp.Header.ClusterId, s.prefix)
	if len(resp.Kvs) == 0 {
		return fmt.Errorf("etcd: %s at %s: the format key was deleted after it was written: another program deletes keys there", s.prefix, s.where)
	}
	n, err := strconv.Atoi(string(resp.Kvs[0].Value))
	switch {
	case err != nil:
		return fmt.Errorf("etcd: %s at %s: %w: its format is %q", s.prefix, s.where, storage.ErrForeign, resp.Kvs[0].Value)
	case n > format:
		return fmt.Errorf("etcd: %s at %s: %w: it has format %d, and this version of ovi reads %d: upgrade ovi", s.prefix, s.where, storage.ErrNewer, n, format)
	}
	return nil
}

// Close ends the connection. It does not end leases.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.client.Close()
}

// enter bounds a call and rejects it on a closed handle.
func (s *Store) enter(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if s.closed.Load() {
		return nil, nil, fmt.Errorf("etcd: %w", storage.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	return ctx, cancel, nil
}
