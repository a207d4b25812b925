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

// Run holds a store to the contract. Each test opens its own.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, storage.Store)
	}{
		{"an empty store has nothing and stands at 0", emptyStore},
		{"a commit shows at once and alone", commitShows},
		{"a range keeps to its prefix and its order", rangePrefix},
		{"every past revision reads as it was", pastRevisions},
		{"a history has deletions and new lives", historyOfKey},
		{"changes come in order of revision, then key", changesInOrder},
		{"a guard that does not hold leaves no trace", guardsRefuse},
		{"a guard that holds lets through", guardsHold},
		{"what is malformed is refused whole", malformed},
		{"what changes nothing moves no revision", nothingChanges},
		{"compaction keeps what is still to be seen", compaction},
		{"compaction never loses a live key", compactionLiveKeys},
		{"a long chain of versions reads right everywhere", longChain},
		{"a read sees one revision while others commit", steadyRead},
		{"a compaction that passes a reader leaves no hole", compactionPassesReader},
		{"a loop over a range may use the store", useInLoop},
		{"what a caller does to a value stays with the caller", copies},
		{"a large snapshot is whole", largeSnapshot},
		{"a scan that lends shows the same", scanLends},
		{"of many who guard the same, one wins", oneWins},
		{"counters by many goroutines lose nothing", nothingLost},
		{"leased keys keep apart from revisions", leasedApart},
		{"tokens only grow", tokensGrow},
		{"revoking a lease deletes its keys", revoke},
		{"a transaction can stand under a token", underToken},
		{"an ended lease carries nothing", endedLease},
		{"a key never changes sides", sides},
		{"many keys at once read as one by one", manyKeys},
		{"a watch tells of every change under its prefix", watchTells},
		{"a watch tells of a large commit when it can be read", watchLarge},
		{"a watch ends when it is told to", watchEnds},
		{"a cancelled context stops", cancelled},
		{"a closed handle refuses", closedHandle},
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
