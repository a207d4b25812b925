package replay_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/storage/etcd"
	"github.com/ovi-project/ovi/storage/mem"
)

// TestACopyHasTheSameCommits copies a lived-in store from a file to etcd and back,
// with and without a compacted past.
func TestACopyHasTheSameCommits(t *testing.T) {
	server := etcdtest.Start(t)
	for _, compacted := range []bool{false, true} {
		source := must[*bolt.Store](t)(bolt.Open(filepath.Join(t.TempDir(), "store.db")))
		l := shared(t, t.TempDir(), source, "ann")
		if err := live(t.Context(), l, 40, 3); err != nil {
			t.Fatal(err)
		}
		must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("t0"), On: true, Who: "ann", Reason: "keep"}))
		if compacted {
			if err := l.Compact(t.Context(), must[storage.Revision](t)(l.Revision(t.Context()))-10); err != nil {
				t.Fatal(err)
			}
		}
		prefix := map[bool]string{false: "whole", true: "compacted"}[compacted]
		far := must[*etcd.Store](t)(etcd.Open(t.Context(), etcd.Config{Endpoints: []string{server.Endpoint}, Prefix: prefix}))
		back := must[*bolt.Store](t)(bolt.Open(filepath.Join(t.TempDir(), "store.db")))
		there := must[replay.CopyResult](t)(replay.Copy(t.Context(), source, far))
		again := must[replay.CopyResult](t)(replay.Copy(t.Context(), far, back))
		if there.Digest != again.Digest && !compacted { // its base is the first commit there
			t.Errorf("%s: the copy back has another sequence", prefix)
		}
		for _, s := range []storage.Store{far, back} {
			if a, b := must[string](t)(replaytest.Content(t.Context(), source)), must[string](t)(replaytest.Content(t.Context(), s)); a != b {
				t.Errorf("%s: the content differs", prefix)
			}
		}
		before, after := must[[]history.Moment](t)(history.New(l.Reader()).History(t.Context(), ref("t0"))), must[[]history.Moment](t)(history.New(shared(t, t.TempDir(), far, "bob").Reader()).History(t.Context(), ref("t0")))
		if compacted { // what stood at the base is one moment now
			before, after = gathered(before), gathered(after)
		}
		if len(before) != len(after) {
			t.Fatalf("%s: %d moments, %d after the copy", prefix, len(before), len(after))
		}
		for i := range before {
			if !compacted && !before[i].At.Equal(after[i].At) || len(before[i].Records) != len(after[i].Records) {
				t.Errorf("%s: moment %d: %+v, after the copy %+v", prefix, i, before[i], after[i])
			}
		}
		if _, err := replay.Copy(t.Context(), source, far); !errors.Is(err, replay.ErrNotEmpty) {
			t.Errorf("copied into a store that is not empty: %v", err)
		}
		_ = far.Close()
	}
}

func TestACopyOfAnEmptyStore(t *testing.T) {
	if c := must[replay.CopyResult](t)(replay.Copy(t.Context(), mem.New(), mem.New())); c.Revisions != 0 {
		t.Errorf("copied %+v", c)
	}
}

// gathered is a history as one moment.
func gathered(moments []history.Moment) []history.Moment {
	var all history.Moment
	for _, m := range moments {
		all.Records = append(all.Records, m.Records...)
	}
	return []history.Moment{all}
}

// TestACopyOfACompactedEtcd: a cluster that compacts by a policy of its own is
// copied from the oldest revision that it still has.
func TestACopyOfACompactedEtcd(t *testing.T) {
	server := etcdtest.Start(t)
	source := must[*etcd.Store](t)(etcd.Open(t.Context(), etcd.Config{Endpoints: []string{server.Endpoint}, Prefix: "own"}))
	defer source.Close()
	l := shared(t, t.TempDir(), source, "ann")
	if err := live(t.Context(), l, 20, 3); err != nil {
		t.Fatal(err)
	}
	oldest := must[storage.Revision](t)(l.Revision(t.Context()))
	if err := live(t.Context(), l, 20, 4); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Admin(t, false).Compact(t.Context(), int64(oldest)); err != nil {
		t.Fatal(err)
	}
	to := mem.New()
	c, err := replay.Copy(t.Context(), source, to)
	if err != nil || c.Base != oldest || c.Revisions < 10 {
		t.Fatalf("%+v, from revision %d on: %v", c, oldest, err)
	}
	if a, b := must[string](t)(replaytest.Content(t.Context(), source)), must[string](t)(replaytest.Content(t.Context(), to)); a != b {
		t.Error("the content differs")
	}
}
