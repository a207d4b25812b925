package storagetest

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/storage"
)

// Open returns an empty store that the test may use until it ends.
type Open func(t testing.TB) storage.Store

// Run tests a store against the contract. Each test opens its own store.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, storage.Store)
	}{
		{"an empty store is empty at revision 0", emptyStore},
		{"a commit is readable at once", commitShows},
		{"a range is limited to its prefix and ordered", rangePrefix},
		{"every past revision is readable", pastRevisions},
		{"a history contains deletions and recreations", historyOfKey},
		{"changes are ordered by revision, then key", changesInOrder},
		{"a failed guard changes nothing", guardsRefuse},
		{"a guard that holds commits", guardsHold},
		{"a malformed transaction changes nothing", malformed},
		{"a commit without changes keeps the revision", nothingChanges},
		{"compaction keeps readable versions", compaction},
		{"compaction keeps live keys", compactionLiveKeys},
		{"a long chain of versions is readable everywhere", longChain},
		{"a read stays at one revision while others commit", steadyRead},
		{"a compaction during a read loses nothing silently", compactionPassesReader},
		{"a loop over a range may use the store", useInLoop},
		{"values belong to the caller", copies},
		{"a large snapshot is complete", largeSnapshot},
		{"a scan that lends values returns the same", scanLends},
		{"one of many commits under the same guard wins", oneWins},
		{"concurrent counters lose nothing", nothingLost},
		{"leased keys do not move the revision", leasedApart},
		{"tokens only grow", tokensGrow},
		{"revoking a lease deletes its keys", revoke},
		{"a transaction commits under a token", underToken},
		{"an ended lease is rejected", endedLease},
		{"a key is always leased or never", sides},
		{"reading many keys at once equals reading each", manyKeys},
		{"a watch reports every change under its prefix", watchTells},
		{"a watch reports a large commit once it is readable", watchLarge},
		{"a watch ends on request", watchEnds},
		{"a canceled context stops", canceled},
		{"a closed handle is rejected", closedHandle},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// put is a transaction that writes pairs of key and value.
func put(pairs ...string) storage.Tx {
	var tx storage.Tx
	for i := 0; i < len(pairs); i += 2 {
		tx.Ops = append(tx.Ops, storage.Op{Key: pairs[i], Value: []byte(pairs[i+1])})
	}
	return tx
}

func del(keys ...string) storage.Tx {
	var tx storage.Tx
	for _, key := range keys {
		tx.Ops = append(tx.Ops, storage.Op{Key: key, Delete: true})
	}
	return tx
}

func commit(t testing.TB, s storage.Store, tx storage.Tx) storage.Revision {
	t.Helper()
	rev, err := s.Commit(t.Context(), tx)
	if err != nil {
		t.Fatalf("commit: %v", err)
	}
	return rev
}

// collect reads a sequence to its end or to its error.
func collect(seq iter.Seq2[storage.Entry, error]) ([]storage.Entry, error) {
	var all []storage.Entry
	for e, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}

func rangeAll(ctx context.Context, s storage.Store, prefix string, at storage.Revision) ([]storage.Entry, error) {
	seq, _, err := s.Range(ctx, prefix, at)
	if err != nil {
		return nil, err
	}
	return collect(seq)
}

// liveState reads keys and values at a revision.
func liveState(t testing.TB, s storage.Store, prefix string, at storage.Revision) map[string]string {
	t.Helper()
	all, err := rangeAll(t.Context(), s, prefix, at)
	if err != nil {
		t.Fatalf("range %q at %d: %v", prefix, at, err)
	}
	m := map[string]string{}
	for _, e := range all {
		m[e.Key] = string(e.Value)
	}
	return m
}

func stats(t testing.TB, s storage.Store) storage.Stats {
	t.Helper()
	st, err := s.Stats(t.Context())
	if err != nil {
		t.Fatalf("stats: %v", err)
	}
	return st
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

func wantErr(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s: got %v, want %v", what, err, want)
	}
}
