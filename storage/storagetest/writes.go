package storagetest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/storage"
)

// E17: a refused transaction leaves no change and moves no revision.
func guardsRefuse(t *testing.T, s storage.Store) {
	r1 := commit(t, s, put("a", "1"))
	r2 := commit(t, s, put("a", "2"))
	commit(t, s, put("gone", "x"))
	r4 := commit(t, s, del("gone"))
	before, _ := collect(s.Changes(t.Context(), "", 0, storage.Now))
	for _, g := range []storage.Guard{
		{Key: "a"},                               // it exists
		{Key: "a", Created: r2},                  // it was created before
		{Key: "a", Created: r1, Modified: r1},    // it has changed since
		{Key: "a", Modified: r2},                 // it exists, though modified then
		{Key: "absent", Created: r1},             // it does not exist
		{Key: "gone", Created: r4 - 1},           // that life has ended
		{Key: "absent", Created: 0, Modified: 1}, // it was never modified
	} {
		tx := put("b", "1", "a", "3")
		tx.Guards = []storage.Guard{{Key: "a", Created: r1}, g}
		_, err := s.Commit(t.Context(), tx)
		wantErr(t, fmt.Sprintf("%+v", g), err, storage.ErrConflict)
	}
	if st := stats(t, s); st.Revision != r4 {
		t.Fatalf("refused transactions moved the revision from %d to %d", r4, st.Revision)
	}
	after, _ := collect(s.Changes(t.Context(), "", 0, storage.Now))
	same(t, "changes", after, before)
}

func guardsHold(t *testing.T, s storage.Store) {
	r1 := commit(t, s, put("a", "1"))
	r2 := commit(t, s, put("a", "2"))
	commit(t, s, put("gone", "x"))
	commit(t, s, del("gone"))
	for _, g := range []storage.Guard{
		{Key: "a", Created: r1}, {Key: "a", Created: r1, Modified: r2}, {Key: "gone"}, {Key: "absent"},
	} {
		tx := put("b", "1")
		tx.Guards = []storage.Guard{g}
		if _, err := s.Commit(t.Context(), tx); err != nil {
			t.Fatalf("%+v: %v", g, err)
		}
	}
}

func malformed(t *testing.T, s storage.Store) {
	for what, tx := range map[string]storage.Tx{
		"one key twice":      put("a", "1", "b", "1", "a", "2"),
		"an empty key":       put("a", "1", "", "1"),
		"an oversized key":   put("a", "1", strings.Repeat("k", storage.MaxKey+1), "1"),
		"an oversized value": put("a", "1", "b", strings.Repeat("v", storage.MaxValue+1)),
	} {
		_, err := s.Commit(t.Context(), tx)
		wantErr(t, what, err, storage.ErrInvalid)
	}
	same(t, "the world", liveState(t, s, "", storage.Now), map[string]string{})
}

func nothingChanges(t *testing.T, s storage.Store) {
	r1 := commit(t, s, put("a", "1"))
	for what, tx := range map[string]storage.Tx{
		"an empty transaction": {}, "a delete of an absent key": del("b"),
		"a guard alone": {Guards: []storage.Guard{{Key: "a", Created: r1}}},
	} {
		if rev := commit(t, s, tx); rev != r1 {
			t.Fatalf("%s: revision %d, want %d", what, rev, r1)
		}
	}
	if rev := stats(t, s).Revision; rev != r1 {
		t.Fatalf("revision %d, want %d", rev, r1)
	}
}

func compaction(t *testing.T, s storage.Store) {
	commit(t, s, put("a", "1", "old", "x", "dead", "y"))
	commit(t, s, del("dead"))
	r3 := commit(t, s, put("a", "3"))
	commit(t, s, put("a", "4"))
	r5 := commit(t, s, put("a", "5", "dead", "again"))
	was := map[storage.Revision]map[string]string{}
	for rev := r3; rev <= r5; rev++ {
		was[rev] = liveState(t, s, "", rev)
	}
	wantErr(t, "compact in the future", s.Compact(t.Context(), r5+1), storage.ErrFuture)
	if err := s.Compact(t.Context(), r3); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(t.Context(), r3-1); err != nil {
		t.Fatalf("compacting further back: %v", err)
	}
	for rev := storage.Revision(1); rev < r3; rev++ {
		_, err := rangeAll(t.Context(), s, "", rev)
		wantErr(t, fmt.Sprintf("range at %d", rev), err, storage.ErrCompacted)
		_, err = collect(s.Changes(t.Context(), "", rev, storage.Now))
		wantErr(t, fmt.Sprintf("changes after %d", rev), err, storage.ErrCompacted)
	}
	for rev, want := range was {
		same(t, fmt.Sprintf("revision %d", rev), liveState(t, s, "", rev), want)
	}
	for key, want := range map[string][]string{"a": {"3", "4", "5"}, "old": {"x"}, "dead": {"again"}} {
		versions, err := collect(s.History(t.Context(), key))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range versions {
			got = append(got, string(e.Value))
		}
		same(t, "history of "+key, got, want)
	}
	if oldest, err := storage.Oldest(t.Context(), s); err != nil || oldest != r3 {
		t.Errorf("the oldest revision is %d, want %d: %v", oldest, r3, err)
	}
	if st := stats(t, s); st.Compacted != r3 || st.Revision != r5 || st.Keys != 3 {
		t.Fatalf("stats: %+v", st)
	}
}

// E6: whatever is compacted, the newest version of a live key stays.
func compactionLiveKeys(t *testing.T, s storage.Store) {
	want := map[string]string{}
	var last storage.Revision
	for i := range 40 {
		key := fmt.Sprintf("k%d", i%15)
		want[key] = fmt.Sprint(i)
		last = commit(t, s, put(key, want[key]))
	}
	commit(t, s, del("k3", "k4"))
	delete(want, "k3")
	delete(want, "k4")
	for rev := storage.Revision(1); rev <= last+1; rev++ {
		if err := s.Compact(t.Context(), rev); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("now, compacted at %d", rev), liveState(t, s, "", storage.Now), want)
	}
	r := commit(t, s, put("k3", "new life"))
	got, err := collect(s.History(t.Context(), "k3"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "history", got, []storage.Entry{{Key: "k3", Value: []byte("new life"), Created: r, Modified: r}})
}

func steadyRead(t *testing.T, s storage.Store) {
	const n = 2500
	var tx storage.Tx
	for i := range n {
		tx.Ops = append(tx.Ops, storage.Op{Key: fmt.Sprintf("k/%04d", i), Value: make([]byte, 1000)})
	}
	commit(t, s, tx)
	seq, rev, err := s.Range(t.Context(), "k/", storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for e, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		if e.Modified > rev || string(e.Key) != fmt.Sprintf("k/%04d", seen) {
			t.Fatalf("entry %d of revision %d: %q of %d", seen, rev, e.Key, e.Modified)
		}
		if seen%500 == 0 { // change what is still ahead of the reader
			commit(t, s, put(fmt.Sprintf("k/%04d", n-1-seen/10), "new", fmt.Sprintf("k/%04d+", n-2), "new"))
			commit(t, s, del(fmt.Sprintf("k/%04d", n-20-seen/10)))
		}
		seen++
	}
	if seen != n {
		t.Fatalf("%d entries, want %d", seen, n)
	}
}

// compactionPassesReader: the reader gets its complete revision, or an error.
func compactionPassesReader(t *testing.T, s storage.Store) {
	const n = 2500
	var tx, again storage.Tx
	for i := range n {
		key := fmt.Sprintf("k/%04d", i)
		tx.Ops = append(tx.Ops, storage.Op{Key: key, Value: make([]byte, 1000)})
		again.Ops = append(again.Ops, storage.Op{Key: key, Value: []byte("new"), Delete: i%3 == 0})
	}
	rev := commit(t, s, tx)
	for _, at := range []storage.Revision{storage.Now, rev} {
		seq, _, err := s.Range(t.Context(), "k/", at)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for e, err := range seq {
			if err != nil {
				wantErr(t, "a read that was passed", err, storage.ErrCompacted)
				seen = n
				break
			}
			if len(e.Value) != 1000 {
				t.Fatalf("%q has a value of later", e.Key)
			}
			if seen++; seen == 1 && at == rev {
				if err := s.Compact(t.Context(), commit(t, s, again)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if seen != n {
			t.Fatalf("%d entries and no error, want %d", seen, n)
		}
	}
}

func useInLoop(t *testing.T, s storage.Store) {
	commit(t, s, put("a", "1", "b", "2", "c", "3"))
	seq, _, err := s.Range(t.Context(), "", storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		commit(t, s, put(e.Key, "seen "+string(e.Value)))
		if got := liveState(t, s, e.Key, storage.Now)[e.Key]; got != "seen "+string(e.Value) {
			t.Fatalf("within the loop: %q", got)
		}
	}
	same(t, "after the loop", liveState(t, s, "", storage.Now),
		map[string]string{"a": "seen 1", "b": "seen 2", "c": "seen 3"})
}

func oneWins(t *testing.T, s storage.Store) {
	const goroutines, rounds = 6, 8
	wins := make([]int, rounds)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for round := range rounds {
				tx := put(fmt.Sprintf("r%d", round), fmt.Sprint(g))
				tx.Guards = []storage.Guard{{Key: tx.Ops[0].Key}}
				_, err := s.Commit(t.Context(), tx)
				switch {
				case err == nil:
					mu.Lock()
					wins[round]++
					mu.Unlock()
				case !errors.Is(err, storage.ErrConflict):
					t.Errorf("commit: %v", err)
				}
			}
		})
	}
	wg.Wait()
	for round, n := range wins {
		if n != 1 {
			t.Fatalf("round %d has %d winners", round, n)
		}
	}
	if rev := stats(t, s).Revision; rev != rounds {
		t.Logf("revision %d after %d commits", rev, rounds)
	}
}

func nothingLost(t *testing.T, s storage.Store) {
	const goroutines, each = 4, 15
	commit(t, s, put("n", "0"))
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for done := 0; done < each; {
				all, err := rangeAll(t.Context(), s, "n", storage.Now)
				if err != nil {
					t.Errorf("range: %v", err)
					return
				}
				n, _ := strconv.Atoi(string(all[0].Value))
				tx := put("n", strconv.Itoa(n+1))
				tx.Guards = []storage.Guard{{Key: "n", Created: all[0].Created, Modified: all[0].Modified}}
				_, err = s.Commit(t.Context(), tx)
				switch {
				case err == nil:
					done++
				case !errors.Is(err, storage.ErrConflict):
					t.Errorf("commit: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	same(t, "the count", liveState(t, s, "n", storage.Now)["n"], strconv.Itoa(goroutines*each))
}
