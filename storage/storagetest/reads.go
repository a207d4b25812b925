package storagetest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/storage"
)

func emptyStore(t *testing.T, s storage.Store) {
	seq, rev, err := s.Range(t.Context(), "", storage.Now)
	if err != nil || rev != 0 {
		t.Fatalf("range: revision %d, %v", rev, err)
	}
	for e, err := range seq {
		t.Fatalf("an entry: %v %v", e, err)
	}
	for e, err := range s.History(t.Context(), "a") {
		t.Fatalf("a version: %v %v", e, err)
	}
	for e, err := range s.Changes(t.Context(), "", 0, storage.Now) {
		t.Fatalf("a change: %v %v", e, err)
	}
	_, _, err = s.Range(t.Context(), "", 1)
	wantErr(t, "range at 1", err, storage.ErrFuture)
	if st := stats(t, s); st.Revision != 0 || st.Keys != 0 {
		t.Fatalf("stats: %+v", st)
	}
}

func commitShows(t *testing.T, s storage.Store) {
	rev := commit(t, s, put("b", "2", "a", "1"))
	got, err := rangeAll(t.Context(), s, "", storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "entries", got, []storage.Entry{
		{Key: "a", Value: []byte("1"), Created: rev, Modified: rev},
		{Key: "b", Value: []byte("2"), Created: rev, Modified: rev},
	})
	next := commit(t, s, put("a", ""))
	if next <= rev {
		t.Fatalf("revision %d after %d", next, rev)
	}
	got, err = rangeAll(t.Context(), s, "a", storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "entries", got, []storage.Entry{{Key: "a", Value: []byte{}, Created: rev, Modified: next}})
	if st := stats(t, s); st.Revision != next || st.Keys != 2 {
		t.Fatalf("stats: %+v", st)
	}
}

func rangePrefix(t *testing.T, s storage.Store) {
	keys := []string{"a", "a/", "a/b", "a/b/c", "a0", "b", "a/\x00", "a/\xff", "a/ü", "\x00", "\xff\xff"}
	for _, key := range keys {
		commit(t, s, put(key, "v"))
	}
	for _, prefix := range []string{"", "a", "a/", "a/b", "b", "c", "\xff", "\x00", "a/\xff"} {
		want := map[string]string{}
		for _, key := range keys {
			if strings.HasPrefix(key, prefix) {
				want[key] = "v"
			}
		}
		same(t, fmt.Sprintf("prefix %q", prefix), liveState(t, s, prefix, storage.Now), want)
		all, _ := rangeAll(t.Context(), s, prefix, storage.Now)
		for i := 1; i < len(all); i++ {
			if all[i-1].Key >= all[i].Key {
				t.Fatalf("prefix %q: %q before %q", prefix, all[i-1].Key, all[i].Key)
			}
		}
	}
}

func pastRevisions(t *testing.T, s storage.Store) {
	rng := rand.New(rand.NewPCG(1, 2))
	now, was := map[string]string{}, map[storage.Revision]map[string]string{}
	for i := range 120 {
		var tx storage.Tx
		for _, k := range rng.Perm(12)[:1+rng.IntN(4)] {
			key := fmt.Sprintf("k/%02d", k)
			if _, ok := now[key]; ok && rng.IntN(3) == 0 {
				delete(now, key)
				tx.Ops = append(tx.Ops, storage.Op{Key: key, Delete: true})
				continue
			}
			now[key] = fmt.Sprintf("value %d", i)
			tx.Ops = append(tx.Ops, storage.Op{Key: key, Value: []byte(now[key])})
		}
		was[commit(t, s, tx)] = maps.Clone(now)
	}
	for rev, want := range was {
		same(t, fmt.Sprintf("revision %d", rev), liveState(t, s, "k/", rev), want)
	}
	same(t, "now", liveState(t, s, "", storage.Now), now)
}

func historyOfKey(t *testing.T, s storage.Store) {
	r1 := commit(t, s, put("a", "1"))
	r2 := commit(t, s, put("a", "2", "b", "x"))
	r3 := commit(t, s, del("a"))
	r4 := commit(t, s, put("a", "4"))
	got, err := collect(s.History(t.Context(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	want := []storage.Entry{
		{Key: "a", Value: []byte("1"), Created: r1, Modified: r1},
		{Key: "a", Value: []byte("2"), Created: r1, Modified: r2},
		{Key: "a", Value: []byte{}, Created: r1, Modified: r3, Deleted: true},
		{Key: "a", Value: []byte("4"), Created: r4, Modified: r4},
	}
	same(t, "history", got, want)
	if got, _ := collect(s.History(t.Context(), "aa")); len(got) != 0 {
		t.Fatalf("history of an absent key: %v", got)
	}
}

func changesInOrder(t *testing.T, s storage.Store) {
	r1 := commit(t, s, put("x/b", "1", "x/a", "1", "y", "1"))
	r2 := commit(t, s, put("x/a", "2"))
	r3 := commit(t, s, del("x/b", "y"))
	all := []storage.Entry{
		{Key: "x/a", Value: []byte("1"), Created: r1, Modified: r1},
		{Key: "x/b", Value: []byte("1"), Created: r1, Modified: r1},
		{Key: "x/a", Value: []byte("2"), Created: r1, Modified: r2},
		{Key: "x/b", Value: []byte{}, Created: r1, Modified: r3, Deleted: true},
	}
	for _, c := range []struct {
		after, upTo storage.Revision
		want        []storage.Entry
	}{
		{0, storage.Now, all},
		{0, r3, all},
		{0, r1, all[:2]},
		{r1, r2, all[2:3]},
		{r1, storage.Now, all[2:]},
		{r3, storage.Now, nil},
	} {
		got, err := collect(s.Changes(t.Context(), "x/", c.after, c.upTo))
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("changes in (%d, %d]", c.after, c.upTo), got, c.want)
	}
	_, err := collect(s.Changes(t.Context(), "", 0, r3+1))
	wantErr(t, "changes up to the future", err, storage.ErrFuture)
}

func longChain(t *testing.T, s storage.Store) {
	const n = 300
	revs := make([]storage.Revision, n)
	for i := range n {
		revs[i] = commit(t, s, put("hot", fmt.Sprint(i), fmt.Sprintf("other/%d", i%7), fmt.Sprint(i)))
	}
	for i, rev := range revs {
		if got := liveState(t, s, "hot", rev)["hot"]; got != fmt.Sprint(i) {
			t.Fatalf("at revision %d: %q, want %d", rev, got, i)
		}
	}
	cut := revs[n/2]
	if err := s.Compact(t.Context(), cut); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		commit(t, s, put("hot", fmt.Sprint("later ", i)))
	}
	for i := n / 2; i < n; i++ {
		if got := liveState(t, s, "hot", revs[i])["hot"]; got != fmt.Sprint(i) {
			t.Fatalf("at revision %d, after compaction: %q, want %d", revs[i], got, i)
		}
	}
	got, err := collect(s.History(t.Context(), "hot"))
	if err != nil || len(got) != n/2+50 || string(got[0].Value) != fmt.Sprint(n/2) {
		t.Fatalf("history after compaction: %d versions from %q, %v", len(got), got[0].Value, err)
	}
}

// E17: reads are copies.
func copies(t *testing.T, s storage.Store) {
	value := []byte("right")
	r1 := commit(t, s, storage.Tx{Ops: []storage.Op{{Key: "a", Value: value}, {Key: "b", Value: []byte("b")}}})
	copy(value, "WRONG")
	spoil := func() {
		all, _ := rangeAll(t.Context(), s, "", storage.Now)
		for _, e := range all {
			_ = append(e.Value, "overrun"...)
			copy(e.Value, "WRONG")
		}
		hist, _ := collect(s.History(t.Context(), "a"))
		for _, e := range hist {
			copy(e.Value, "WRONG")
		}
	}
	spoil()
	same(t, "after spoiling", liveState(t, s, "", r1), map[string]string{"a": "right", "b": "b"})
	seq, _, _ := s.Range(t.Context(), "", storage.Now)
	for range 2 { // a sequence can be run again, with fresh values
		all, err := collect(seq)
		if err != nil || len(all) != 2 || string(all[0].Value) != "right" {
			t.Fatalf("again: %v %v", all, err)
		}
		copy(all[0].Value, "WRONG")
	}
}

func largeSnapshot(t *testing.T, s storage.Store) {
	const n = 4000 // several chunks of a long read, several transactions' worth elsewhere
	var tx storage.Tx
	want := map[string]string{}
	for i := range n {
		key, value := fmt.Sprintf("obs/%05d", i*7919%n), strings.Repeat(fmt.Sprint(i), 120)
		want[key] = value
		tx.Ops = append(tx.Ops, storage.Op{Key: key, Value: []byte(value)})
	}
	rev := commit(t, s, tx)
	same(t, "the snapshot", liveState(t, s, "obs/", rev), want)
	commit(t, s, del("obs/00000", "obs/03999"))
	same(t, "the snapshot, later", liveState(t, s, "", rev), want)
	big := strings.Repeat("x", storage.MaxValue)
	commit(t, s, put("big", big))
	if liveState(t, s, "big", storage.Now)["big"] != big {
		t.Fatal("the largest value came back changed")
	}
}

// scanLends reads each value at its step, while others commit.
func scanLends(t *testing.T, s storage.Store) {
	const n = 2500
	var tx storage.Tx
	value := func(i int) string { return strings.Repeat(fmt.Sprint(i, " "), 200) }
	for i := range n {
		tx.Ops = append(tx.Ops, storage.Op{Key: fmt.Sprintf("k/%04d", i), Value: []byte(value(i))})
	}
	tx.Ops = append(tx.Ops, storage.Op{Key: "k/zero", Value: nil})
	rev := commit(t, s, tx)
	for _, at := range []storage.Revision{storage.Now, rev} {
		seq, got, err := storage.Scan(t.Context(), s, "k/", at)
		if err != nil || got != rev {
			t.Fatalf("scan at %d: revision %d, %v", at, got, err)
		}
		i := 0
		for e, err := range seq {
			switch {
			case err != nil:
				t.Fatal(err)
			case i == n && e.Key == "k/zero" && len(e.Value) == 0:
			case e.Key != fmt.Sprintf("k/%04d", i) || string(e.Value) != value(i):
				t.Fatalf("entry %d is %q with %d bytes", i, e.Key, len(e.Value))
			}
			if i++; i%600 == 0 && at == rev {
				commit(t, s, put(fmt.Sprintf("k/%04d", i+5), "later"))
			}
		}
		if i != n+1 {
			t.Fatalf("%d entries, want %d", i, n+1)
		}
	}
}

func canceled(t *testing.T, s storage.Store) {
	commit(t, s, put("a", "1"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Commit(ctx, put("a", "2"))
	wantErr(t, "commit", err, context.Canceled)
	_, err = rangeAll(ctx, s, "", storage.Now)
	wantErr(t, "range", err, context.Canceled)
	_, err = collect(s.History(ctx, "a"))
	wantErr(t, "history", err, context.Canceled)
	same(t, "the world", liveState(t, s, "", storage.Now), map[string]string{"a": "1"})
}

func closedHandle(t *testing.T, s storage.Store) {
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := s.Commit(t.Context(), put("a", "1"))
	wantErr(t, "commit", err, storage.ErrClosed)
	_, _, err = s.Range(t.Context(), "", storage.Now)
	wantErr(t, "range", err, storage.ErrClosed)
}

func manyKeys(t *testing.T, s storage.Store) {
	var keys []string
	for i := range 250 {
		key := fmt.Sprintf("x/%03d", i)
		keys = append(keys, key)
		if i%3 > 0 {
			commit(t, s, put(key, fmt.Sprint(i)))
		}
	}
	commit(t, s, put("x/0011", "longer than x/001"))
	commit(t, s, del("x/004"))
	commit(t, s, claim("claim/a", "me", grant(t, s, long)))
	keys = append(keys, "claim/a", "claim/b", "x/")
	got, err := storage.Gets(t.Context(), s, keys)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]storage.Entry{}
	for _, e := range append(must(rangeAll(t.Context(), s, "x/", storage.Now))(t),
		must(rangeAll(t.Context(), s, "claim/", storage.Now))(t)...) {
		if e.Key != "x/0011" {
			want[e.Key] = e
		}
	}
	if len(want) != 250*2/3 {
		t.Fatalf("%d keys stand", len(want))
	}
	same(t, "many keys", got, want)
}

func must(all []storage.Entry, err error) func(testing.TB) []storage.Entry {
	return func(t testing.TB) []storage.Entry {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
}
