package etcd_test

import (
	"bytes"
	"errors"
	"iter"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
)

// drain reads a sequence to its end, or its first error.
func drain(seq iter.Seq2[storage.Entry, error]) error {
	if seq == nil {
		return nil
	}
	for _, err := range seq {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestOutOfSpace fills a small cluster: writes are refused and it says what to do, reads go
// on, and after doing it writes do too.
func TestOutOfSpace(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, "--quota-backend-bytes", "4194304") // 4 MiB
	url := "etcd://" + server.Endpoint + "/p"
	s := mustOpen(t, url)
	var err error
	for i := 0; i < 200 && err == nil; i++ {
		_, err = s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "k", Value: bytes.Repeat([]byte{byte(i)}, 100_000)}}})
	}
	refused(t, "a write", err, "commit: the cluster is out of space and takes no writes (raise its --quota-backend-bytes, "+
		"or etcdctl compact REVISION and etcdctl defrag --cluster; then etcdctl alarm disarm; `ovi run --keep-history` keeps it from growing)")
	if errors.Is(err, storage.ErrUnknown) {
		t.Error("it is known that nothing was written")
	}
	again := mustOpen(t, url) // to read
	seq, rev, err := again.Range(t.Context(), "", storage.Now)
	if err = errors.Join(err, drain(seq)); err != nil || rev == 0 {
		t.Errorf("read a full cluster: revision %d, %v", rev, err)
	}
	_, err = open(t, "etcd://"+server.Endpoint+"/new")
	if err == nil || !strings.Contains(err.Error(), "out of space") {
		t.Errorf("a new store in a full cluster: %v", err)
	}
	makeRoom(t, server, int64(rev))
	if _, err := again.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "k", Value: []byte("small")}}}); err != nil {
		t.Errorf("after room was made: %v", err)
	}
}

// makeRoom does what the message says.
func makeRoom(t *testing.T, server *etcdtest.Server, rev int64) {
	t.Helper()
	admin := server.Admin(t, false)
	_, err := admin.Compact(t.Context(), rev, clientv3.WithCompactPhysical())
	if err == nil {
		_, err = admin.Defragment(t.Context(), server.Endpoint)
	}
	if err == nil {
		_, err = admin.AlarmDisarm(t.Context(), &clientv3.AlarmMember{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTooLarge: a value that fits in no request is refused as wrong, not tried for long, and
// the largest one that a store takes fits in etcd's defaults.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	put := func(size int) storage.Tx {
		return storage.Tx{Ops: []storage.Op{{Key: "k", Value: bytes.Repeat([]byte{7}, size)}}}
	}
	usual := mustOpen(t, "etcd://"+etcdtest.Start(t).Endpoint+"/p")
	if _, err := usual.Commit(t.Context(), put(most)); err != nil {
		t.Errorf("the largest value there may be: %v", err)
	}
	if _, err := usual.Commit(t.Context(), put(most+1)); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("a larger one: %v", err)
	}
	lower := mustOpen(t, "etcd://"+etcdtest.Start(t, "--max-request-bytes", "100000").Endpoint+"/p")
	_, err := lower.Commit(t.Context(), put(most/2))
	if !errors.Is(err, storage.ErrInvalid) || errors.Is(err, storage.ErrUnknown) {
		t.Errorf("more than the server takes: %v", err)
	}
	refused(t, "more than the server takes", err, "commit: request is too large "+
		"(the record of one resource must fit in one request: raise etcd's --max-request-bytes if it is set lower than its default of 1.5 MiB)")
}

// TestCompactedByOthers: the cluster's own policy compacted what is asked for.
func TestCompactedByOthers(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	s := mustOpen(t, "etcd://"+server.Endpoint+"/p")
	var revs []storage.Revision
	for _, v := range []string{"a", "b", "c"} {
		rev, err := s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "k", Value: []byte(v)}}})
		if err != nil {
			t.Fatal(err)
		}
		revs = append(revs, rev)
	}
	if _, err := server.Admin(t, false).Compact(t.Context(), int64(revs[2])); err != nil {
		t.Fatal(err)
	}
	seq, _, err := s.Range(t.Context(), "", revs[0])
	if err = errors.Join(err, drain(seq)); !errors.Is(err, storage.ErrCompacted) {
		t.Errorf("read: %v", err)
	}
	if err := drain(s.Changes(t.Context(), "", revs[0], storage.Now)); !errors.Is(err, storage.ErrCompacted) {
		t.Errorf("changes: %v", err)
	}
	refused(t, "changes", drain(s.Changes(t.Context(), "", revs[0], storage.Now)),
		"replay: mvcc: required revision has been compacted (use a newer revision)")
}

// TestThePastThatOthersCompacted: ovi has compacted, and the cluster's own policy more since.
// What is left can be read, and how far it goes back is known.
func TestThePastThatOthersCompacted(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	s := mustOpen(t, "etcd://"+server.Endpoint+"/p")
	write := func(key, value string) storage.Revision {
		rev, err := s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: key, Value: []byte(value)}}})
		if err != nil {
			t.Fatal(err)
		}
		return rev
	}
	oldest := func(what string, want storage.Revision) {
		t.Helper()
		got, err := storage.Oldest(t.Context(), s)
		if err != nil || got != want {
			t.Errorf("%s: the oldest revision is %d, want %d: %v", what, got, want, err)
		}
		if stats, err := s.Stats(t.Context()); err != nil || stats.Compacted != want {
			t.Errorf("%s: it says that it is compacted up to %d, want %d: %v", what, stats.Compacted, want, err)
		}
		seq, _, err := s.Range(t.Context(), "", got)
		if err = errors.Join(err, drain(seq)); err != nil {
			t.Errorf("%s: the oldest revision, %d, cannot be read: %v", what, got, err)
		}
	}
	revs := []storage.Revision{write("old", "o"), write("k", "a"), write("k", "b"), write("k", "c"), write("k", "d")}
	oldest("nothing is compacted", 0)
	if err := s.Compact(t.Context(), revs[2]); err != nil {
		t.Fatal(err)
	}
	oldest("ovi compacted", revs[2])
	if _, err := server.Admin(t, false).Compact(t.Context(), int64(revs[3])); err != nil {
		t.Fatal(err)
	}
	oldest("others compacted more", revs[3])
	for key, want := range map[string]string{"k": "cd", "old": "o"} {
		told := ""
		for e, err := range s.History(t.Context(), key) {
			if err != nil {
				t.Fatal(err)
			}
			told += string(e.Value)
		}
		if told != want {
			t.Errorf("the history of %s is %q, want %q", key, told, want)
		}
	}
}
