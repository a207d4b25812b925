package main

import (
	"errors"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
)

// TestTheOneThatLeadsCompacts: with --keep-history the leader compacts the store and etcd, once an
// hour, and records it. Current values stay, and the logs keep everything.
func TestTheOneThatLeadsCompacts(t *testing.T) {
	t.Parallel()
	s := siteOn(t, etcdtest.Start(t), fleet(3))
	s.run("ann", "0", "apply", "--sandbox", "--auto-approve")
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{s.server.Endpoint}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	old, err := client.Get(t.Context(), "/site/c/head")
	if err != nil || len(old.Kvs) != 1 {
		t.Fatalf("the head of the store: %v %v", old, err)
	}
	first := old.Kvs[0].CreateRevision // of the store's first record
	s.keep("ann", "--keep-history", "1ms", "--claim-ttl", "1m")
	s.keep("bob", "--keep-history", "1ms", "--claim-ttl", "1m")
	store := s.openStore()
	eventually(t, "the store is compacted", func() bool {
		stats, err := store.Stats(t.Context())
		return err == nil && stats.Compacted > storage.Revision(first)
	})
	eventually(t, "etcd is compacted", func() bool {
		_, err := client.Get(t.Context(), "/site/c/head", clientv3.WithRev(first))
		return errors.Is(err, rpctypes.ErrCompacted)
	})
	s.converged(3)
	compacted := 0
	for _, who := range []string{"ann", "bob"} {
		n := strings.Count(s.run(who, "0", "audit", "log", "--type", "compacted", "--output", "json"), `"compacted"`)
		if who != s.leader() && n > 0 {
			t.Errorf("%s does not lead, but compacted", who)
		}
		compacted += n
		s.run(who, "0", "audit", "verify")
	}
	if compacted != 1 {
		t.Errorf("compacted %d times within the hour", compacted)
	}
	if out := s.run("ann", "0", "audit", "log", "--type", "finished"); strings.Count(out, "web-") < 3 {
		t.Errorf("the log does not have them any more:\n%s", out)
	}
	if out := s.run("eve", "0", "history", "ec2/web-0"); !strings.Contains(out, "older events are missing") {
		t.Errorf("an instance that has none of the earlier events says:\n%s", out)
	}
}
