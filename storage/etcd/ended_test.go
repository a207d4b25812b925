package etcd

import (
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
)

// TestALargeCommitWhoseLeaseEnded between its decision and its end blocks no other commit.
func TestALargeCommitWhoseLeaseEnded(t *testing.T) {
	t.Parallel()
	server := etcdtest.Shared(t)
	s, other := connect(t, server, "lease"), connect(t, server, "lease")
	id, err := s.Grant(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	ops := many(250, "x")
	ops = append(ops, storage.Op{Key: "claim/z", Value: []byte("me"), Lease: id})
	tx := storage.Tx{Ops: ops}
	sorted, err := tx.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	st, known, err := s.look(t.Context(), nil, sorted)
	if err != nil {
		t.Fatal(err)
	}
	plan := staged{ID: "p"}
	plan.Alive = "s/alive/p"
	if _, err := s.client.Put(t.Context(), s.prefix+plan.Alive, ""); err != nil {
		t.Fatal(err)
	}
	if plan.Parts, err = s.writeParts(t.Context(), plan.ID, sorted, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if plan.rev, err = s.decide(t.Context(), st, nil, known, sorted, plan); err != nil || plan.rev == 0 {
		t.Fatal(plan.rev, err)
	}
	if err := s.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.Delete(t.Context(), s.prefix+plan.Alive); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "y", Value: []byte("1")}}}); err != nil {
		t.Errorf("no commit is possible: %v", err)
	}
	entries, _, err := other.Range(t.Context(), "", storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for e, err := range entries {
		if err != nil || e.Key == "claim/z" {
			t.Errorf("%s: %v", e.Key, err)
		}
		n++
	}
	if n != 251 {
		t.Errorf("%d keys stand, want 251", n)
	}
}
