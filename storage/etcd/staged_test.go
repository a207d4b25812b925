package etcd

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
)

func connect(t *testing.T, s *etcdtest.Server, prefix string) *Store {
	t.Helper()
	st, err := Open(t.Context(), Config{Endpoints: []string{s.Endpoint}, Prefix: s.Room + prefix})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

func many(n int, value string) []storage.Op {
	ops := make([]storage.Op, n)
	for i := range ops {
		ops[i] = storage.Op{Key: fmt.Sprintf("thing/%04d", i), Value: []byte(value)}
	}
	return ops
}

// sees reads how many keys have each value.
func sees(t *testing.T, s *Store, at storage.Revision) map[string]int {
	t.Helper()
	seq, _, err := s.Range(t.Context(), "thing/", at)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for e, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out[string(e.Value)]++
	}
	return out
}

// A writer that crashes at any step of a large commit leaves all of it or nothing, and no other
// writer waits forever.
func TestLargeCommitWhoseWriterDies(t *testing.T) {
	t.Parallel()
	server := etcdtest.Shared(t)
	const n = 350
	for _, c := range []struct {
		name  string
		parts int // applied before the writer crashes; -1: it crashes before the decision
		want  string
	}{
		{"before the decision", -1, "old"},
		{"right after the decision", 0, "new"},
		{"in the middle", 2, "new"},
		{"before its last step", 4, "new"},
	} {
		t.Run(c.name, func(t *testing.T) {
			prefix := strings.ReplaceAll(c.name, " ", "-")
			dying, other := connect(t, server, prefix), connect(t, server, prefix)
			ctx := t.Context()
			before, err := dying.Commit(ctx, storage.Tx{Ops: many(n, "old")})
			if err != nil {
				t.Fatal(err)
			}
			st, err := dying.state(ctx)
			if err != nil {
				t.Fatal(err)
			}
			plan := started(t, dying, many(n, "new"))
			if c.parts >= 0 {
				decided(t, dying, st, &plan, c.parts)
			}
			if _, err := dying.client.Delete(ctx, dying.prefix+plan.Alive); err != nil { // its sign of life ends
				t.Fatal(err)
			}
			if got := sees(t, other, storage.Now); got["old"] != n {
				t.Fatalf("half of a commit shows: %v", got)
			}
			if _, err := other.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: "other", Value: []byte("x")}}}); err != nil {
				t.Fatalf("the other client's commit: %v", err)
			}
			if got := sees(t, other, storage.Now); got[c.want] != n {
				t.Fatalf("after it: %v, want %d times %q", got, n, c.want)
			}
			if got := sees(t, other, before); got["old"] != n {
				t.Fatalf("the past: %v", got)
			}
			if err := other.sweep(ctx); err != nil {
				t.Fatal(err)
			}
			left, err := other.client.Get(ctx, other.prefix+"s/", clientv3.WithPrefix(), clientv3.WithCountOnly())
			if err != nil || left.Count != 0 {
				t.Errorf("%d parts are left, %v", left.Count, err)
			}
		})
	}
}

// started is a large commit up to its decision, by a writer that shows a sign of life.
func started(t *testing.T, s *Store, ops []storage.Op) staged {
	t.Helper()
	plan := staged{ID: "01TEST", Alive: "s/alive/01TEST"}
	if _, err := s.client.Put(t.Context(), s.prefix+plan.Alive, ""); err != nil {
		t.Fatal(err)
	}
	var err error
	if plan.Parts, err = s.writeParts(t.Context(), plan.ID, ops, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	return plan
}

// decided makes it happen and applies some of its parts.
func decided(t *testing.T, s *Store, st state, plan *staged, parts int) {
	t.Helper()
	var err error
	if plan.rev, err = s.decide(t.Context(), st, nil, nil, nil, *plan); err != nil || plan.rev == 0 {
		t.Fatalf("decide: %d, %v", plan.rev, err)
	}
	for i := range parts {
		p, err := s.readPart(t.Context(), *plan, i)
		if err != nil {
			t.Fatal(err)
		}
		ops, _ := s.todo(*plan, p)
		if _, err := s.client.Txn(t.Context()).Then(ops...).Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

// A writer that stands still in the middle of a large commit is not waited for, though it shows
// a sign of life; when it goes on it finds its commit done, once.
func TestLargeCommitWhoseWriterStandsStill(t *testing.T) {
	t.Parallel()
	server := etcdtest.Shared(t)
	const n = 350
	still, other := connect(t, server, "still"), connect(t, server, "still")
	ctx := t.Context()
	before, err := still.Commit(ctx, storage.Tx{Ops: many(n, "old")})
	if err != nil {
		t.Fatal(err)
	}
	st, err := still.state(ctx)
	if err != nil {
		t.Fatal(err)
	}
	plan := started(t, still, many(n, "new"))
	decided(t, still, st, &plan, 2)
	after, err := other.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: "other", Value: []byte("x")}}})
	if err != nil {
		t.Fatalf("the other client's commit: %v", err)
	}
	rev, err := still.finish(ctx, plan)
	if err != nil || rev <= before || rev >= after {
		t.Errorf("its writer learns of revision %d, %v: want one between %d and %d", rev, err, before, after)
	}
	versions := 0
	for e, err := range still.Changes(ctx, "thing/", before, storage.Now) {
		if err != nil || e.Modified != rev {
			t.Fatalf("%+v, %v", e, err)
		}
		versions++
	}
	if versions != n {
		t.Errorf("%d versions of %d keys: what two applied shows twice", versions, n)
	}
}

// A writer whose sign of life has ended decides nothing: another writer may have removed its parts.
func TestLargeCommitWhosePartsMayBeGone(t *testing.T) {
	t.Parallel()
	s := connect(t, etcdtest.Shared(t), "late")
	ctx := t.Context()
	if _, err := s.Commit(ctx, storage.Tx{Ops: many(1, "old")}); err != nil {
		t.Fatal(err)
	}
	st, err := s.state(ctx)
	if err != nil {
		t.Fatal(err)
	}
	plan := started(t, s, many(350, "new"))
	if _, err := s.client.Delete(ctx, s.prefix+plan.Alive); err != nil {
		t.Fatal(err)
	}
	if err := s.sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if rev, err := s.decide(ctx, st, nil, nil, nil, plan); rev != 0 || err != nil {
		t.Errorf("decided at %d: %v", rev, err)
	}
	if _, err := s.Commit(ctx, storage.Tx{Ops: many(1, "next")}); err != nil {
		t.Errorf("the next commit: %v", err)
	}
}

// Small commits while a large one is applied wait for it, and guards on it hold after it.
func TestLargeCommitsSideBySide(t *testing.T) {
	t.Parallel()
	server := etcdtest.Shared(t)
	a, b := connect(t, server, "side"), connect(t, server, "side")
	done := make(chan error, 2)
	for i, s := range []*Store{a, b} {
		go func() {
			_, err := s.Commit(t.Context(), storage.Tx{Ops: many(500, fmt.Sprint(i))})
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	got := sees(t, a, storage.Now)
	if got["0"] != 500 && got["1"] != 500 {
		t.Fatalf("the commits are mixed: %v", got)
	}
	seq, rev, err := b.Range(t.Context(), "thing/0007", storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range seq {
		if err != nil || e.Modified != rev {
			t.Fatalf("%+v, %v, want modified at %d: a large commit has one revision", e, err, rev)
		}
		guard := storage.Guard{Key: e.Key, Created: e.Created, Modified: e.Modified}
		if _, err := a.Commit(t.Context(), storage.Tx{Guards: []storage.Guard{guard}, Ops: many(1, "guarded")}); err != nil {
			t.Fatalf("a guard on a large commit's key: %v", err)
		}
	}
}

// TestManyGuardsOnLargeCommitsKeys: each takes several of etcd's comparisons, of which a
// transaction has 128.
func TestManyGuardsOnLargeCommitsKeys(t *testing.T) {
	t.Parallel()
	s := connect(t, etcdtest.Shared(t), "guards")
	for _, value := range []string{"one", "two"} {
		if _, err := s.Commit(t.Context(), storage.Tx{Ops: many(300, value)}); err != nil {
			t.Fatal(err)
		}
	}
	seq, _, err := s.Range(t.Context(), "thing/", storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	tx := storage.Tx{Ops: []storage.Op{{Key: "other", Value: []byte("x")}}}
	for e, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		if len(tx.Guards) < 90 {
			tx.Guards = append(tx.Guards, storage.Guard{Key: e.Key, Created: e.Created, Modified: e.Modified})
		}
	}
	if _, err := s.Commit(t.Context(), tx); err != nil {
		t.Error(err)
	}
	tx.Guards[50].Modified--
	if _, err := s.Commit(t.Context(), tx); !errors.Is(err, storage.ErrConflict) {
		t.Errorf("a guard that does not hold among many: %v, want ErrConflict", err)
	}
}

// TestClaimsTakenDuringLargeCommitsKeepTheirTokens: the token that a claim's holder was given
// is the one in the store, whatever others write at the time. Were it another, its
// holder could neither record under it nor give it back.
func TestClaimsTakenDuringLargeCommitsKeepTheirTokens(t *testing.T) {
	t.Parallel()
	server := etcdtest.Shared(t)
	a, b := connect(t, server, "tokens"), connect(t, server, "tokens")
	lease, err := b.Grant(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	large := make(chan error, 1)
	go func() {
		for i := range 8 {
			if _, err := a.Commit(t.Context(), storage.Tx{Ops: many(1500, fmt.Sprint(i))}); err != nil {
				large <- err
				return
			}
		}
		large <- nil
	}()
	tokens := map[string]storage.Revision{}
	for over := false; !over; {
		key := fmt.Sprintf("claim/%d", len(tokens))
		tokens[key], err = b.Commit(t.Context(), storage.Tx{Guards: []storage.Guard{{Key: key}}, Ops: []storage.Op{{Key: key, Value: []byte("x"), Lease: lease}}})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-large:
			if over = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
	}
	for key, token := range tokens {
		give := storage.Tx{Guards: []storage.Guard{{Key: key, Created: token}}, Ops: []storage.Op{{Key: key, Delete: true}}}
		if _, err := b.Commit(t.Context(), give); err != nil {
			t.Errorf("give %s back under token %d: %v", key, token, err)
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, "--quota-backend-bytes", "3000000")
	s := connect(t, server, "errors")

	var err error
	big := make([]byte, 900_000)
	for range 200 { // it notices with a delay
		if _, err = s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "fill", Value: big}}}); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "out of space") || errors.Is(err, storage.ErrUnknown) {
		t.Errorf("a full cluster: %v", err)
	}
	if got := sees(t, s, storage.Now); len(got) != 0 {
		t.Errorf("a full cluster can be read: %v", got)
	}

	server.Kill()
	start := time.Now()
	_, err = Open(t.Context(), Config{Endpoints: []string{server.Endpoint}, Prefix: "errors"})
	if err == nil || !strings.Contains(err.Error(), "nothing listens at that address") || !strings.Contains(err.Error(), server.Endpoint) {
		t.Errorf("without a server: %v", err)
	}
	if took := time.Since(start); took > dialTimeout+time.Minute {
		t.Errorf("it took %v to fail", took)
	}
}
