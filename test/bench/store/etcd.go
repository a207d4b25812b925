package main

import (
	"context"
	"net/url"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"golang.org/x/sync/errgroup"
)

// etc is one etcd member within this process, asked without a network: 128 operations a
// transaction (its limit unless configured), 8 in flight. A snapshot of more is not atomic.
type etc struct {
	server *embed.Etcd
	client *clientv3.Client
	revs   []int64
}

func openEtcd(ctx context.Context, dir string) (system, error) {
	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.LogLevel = "fatal"
	cfg.ListenClientUrls = []url.URL{{Scheme: "unix", Host: dir + "/c"}}
	cfg.ListenPeerUrls = []url.URL{{Scheme: "unix", Host: dir + "/p"}}
	cfg.AdvertiseClientUrls = cfg.ListenClientUrls
	cfg.AdvertisePeerUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	cfg.InitialCluster = cfg.Name + "=" + cfg.AdvertisePeerUrls[0].String()
	server, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, err
	}
	select {
	case <-server.Server.ReadyNotify():
	case <-time.After(30 * time.Second):
		server.Close()
		return nil, context.DeadlineExceeded
	}
	return &etc{server: server, client: v3client.New(server.Server)}, nil
}

func (e *etc) write(ctx context.Context, _ int, records []record) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for start := 0; start < len(records); start += 128 {
		part := records[start:min(start+128, len(records))]
		g.Go(func() error {
			ops := make([]clientv3.Op, len(part))
			for i, r := range part {
				ops[i] = clientv3.OpPut(r.key, string(r.value))
			}
			_, err := e.client.Txn(ctx).Then(ops...).Commit()
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	resp, err := e.client.Get(context.Background(), "obs/", clientv3.WithCountOnly())
	if err == nil {
		e.revs = append(e.revs, resp.Header.Revision)
	}
	return err
}

func (e *etc) liveState(ctx context.Context, rev int, see func(key, value []byte)) error {
	opts := []clientv3.OpOption{clientv3.WithPrefix()}
	if rev > 0 {
		opts = append(opts, clientv3.WithRev(e.revs[rev-1]))
	}
	resp, err := e.client.Get(ctx, "obs/", opts...)
	if err != nil {
		return err
	}
	for _, kv := range resp.Kvs {
		see(kv.Key, kv.Value)
	}
	return nil
}

// history goes back from each version to the one before it.
func (e *etc) history(ctx context.Context, key string, see func(value []byte)) error {
	for rev := int64(0); ; {
		resp, err := e.client.Get(ctx, key, clientv3.WithRev(rev))
		if err != nil || len(resp.Kvs) == 0 {
			return err
		}
		see(resp.Kvs[0].Value)
		if resp.Kvs[0].Version == 1 {
			return nil
		}
		rev = resp.Kvs[0].ModRevision - 1
	}
}

func (e *etc) close() error {
	e.server.Close()
	return nil
}
