package etcd_test

import (
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/etcd"
)

// TestALostResponseDoesNotFailARead cuts connections while every kind of read runs: a read is idempotent, so it is
// repeated and its caller does not notice.
func TestALostResponseDoesNotFailARead(t *testing.T) {
	t.Parallel()
	cutter := etcdtest.Cut(t, etcdtest.Start(t))
	s, err := etcd.Open(t.Context(), etcd.Config{Endpoints: []string{cutter.Endpoint}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var at storage.Revision
	for i := range 5 {
		at, err = s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: fmt.Sprint("a/", i), Value: []byte("x")}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	reads := map[string]func() error{
		"Gets":       func() error { _, err := s.Gets(t.Context(), []string{"a/1", "a/2"}); return err },
		"Range":      func() error { return drainRange(s.Range(t.Context(), "a/", storage.Now)) },
		"Range past": func() error { return drainRange(s.Range(t.Context(), "a/", at-1)) },
		"Changes":    func() error { return drain(s.Changes(t.Context(), "a/", 0, storage.Now)) },
		"History":    func() error { return drain(s.History(t.Context(), "a/1")) },
		"Stats":      func() error { _, err := s.Stats(t.Context()); return err },
		"Oldest":     func() error { _, err := s.Oldest(t.Context()); return err },
	}
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			cutter.Every(9)
			defer cutter.Every(0)
			before := cutter.Cuts()
			for n := 0; cutter.Cuts() < before+3; n++ {
				if err := read(); err != nil {
					t.Fatalf("read %d, %d cuts: %v", n, cutter.Cuts()-before, err)
				}
			}
		})
	}
}

// TestALostResponseDoesNotFailALargeCommit covers the writes that may be repeated: the parts of a large commit, which
// count only once they are decided.
func TestALostResponseDoesNotFailALargeCommit(t *testing.T) {
	t.Parallel()
	cutter := etcdtest.Cut(t, etcdtest.Start(t))
	s, err := etcd.Open(t.Context(), etcd.Config{Endpoints: []string{cutter.Endpoint}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	cutter.Every(23)
	committed := 0
	for end := time.Now().Add(time.Minute); cutter.Cuts() < 6 && time.Now().Before(end); {
		var tx storage.Tx
		for i := range 450 {
			tx.Ops = append(tx.Ops, storage.Op{Key: fmt.Sprintf("big/%04d", i), Value: fmt.Appendf(nil, "%d", committed)})
		}
		switch _, err := s.Commit(t.Context(), tx); {
		case err == nil:
			committed++
		case !errors.Is(err, storage.ErrUnknown): // the decision itself is not repeated
			t.Fatalf("after %d commits and %d cuts: %v", committed, cutter.Cuts(), err)
		}
	}
	cutter.Every(0)
	if committed == 0 {
		t.Error("no commit was answered")
	}
	entries, _, err := s.Range(t.Context(), "big/", storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]bool{}
	for e, err := range entries {
		if err != nil {
			t.Fatal(err)
		}
		values[string(e.Value)] = true
	}
	if len(values) != 1 {
		t.Errorf("one commit wrote all keys, and they have %d values", len(values))
	}
}

func drainRange(entries iter.Seq2[storage.Entry, error], _ storage.Revision, err error) error {
	if err != nil {
		return err
	}
	return drain(entries)
}
