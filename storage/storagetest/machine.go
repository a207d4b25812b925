package storagetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/storage"
)

// Machine drives a store and a model of it (the store in memory) through the same random
// histories and compares all results. Revisions and tokens of the two may differ in
// number; they must not differ in order.
func Machine(t *testing.T, model, open Open) {
	drawn.Check(t, func(rt *rapid.T) {
		m := &machine{tb: t, model: model(t), real: open(t), revs: map[storage.Revision]storage.Revision{0: 0}}
		defer m.real.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"commit":  m.commit,
			"grant":   m.grant,
			"revoke":  m.revoke,
			"compact": m.compact,
			"read":    m.read,
			"history": m.history,
			"changes": m.changes,
			"":        m.check,
		})
	})
}

type machine struct {
	tb     testing.TB
	model  storage.Store
	real   storage.Store
	order  []storage.Revision                    // of the model, each commit's
	revs   map[storage.Revision]storage.Revision // model to real
	tokens [][2]storage.Revision                 // model and real, as they were made
	leases [][2]storage.LeaseID
}

func key(t *rapid.T) string {
	return fmt.Sprintf("k/%c", rapid.RuneFrom([]rune("abcdef")).Draw(t, "key"))
}

func (m *machine) commit(t *rapid.T) {
	var model, real storage.Tx
	used := map[string]bool{}
	for range rapid.IntRange(0, 5).Draw(t, "ops") {
		op := storage.Op{Key: key(t), Value: []byte(rapid.StringN(0, 20, -1).Draw(t, "value"))}
		op.Delete = rapid.IntRange(0, 3).Draw(t, "what") == 0
		twin := op
		if len(m.leases) > 0 && rapid.IntRange(0, 3).Draw(t, "leased") == 0 {
			pair := rapid.SampledFrom(m.leases).Draw(t, "lease")
			op.Key = strings.Replace(op.Key, "k/", "claim/", 1)
			twin.Key, op.Lease, twin.Lease = op.Key, pair[0], pair[1]
		}
		if used[op.Key] {
			continue
		}
		used[op.Key] = true
		model.Ops, real.Ops = append(model.Ops, op), append(real.Ops, twin)
	}
	for range rapid.IntRange(0, 2).Draw(t, "guards") {
		g, twin := m.guard(t)
		model.Guards, real.Guards = append(model.Guards, g), append(real.Guards, twin)
	}
	want, wantErr := m.model.Commit(m.tb.Context(), model)
	got, err := m.real.Commit(m.tb.Context(), real)
	for _, kind := range []error{storage.ErrConflict, storage.ErrInvalid, storage.ErrNoLease} {
		if errors.Is(err, kind) != errors.Is(wantErr, kind) {
			t.Fatalf("commit: got %v, want %v", err, wantErr)
		}
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("commit: got %v, want %v", err, wantErr)
	}
	if err != nil {
		return
	}
	// The revisions of the commit are a pair, and only grow.
	st, err := m.model.Stats(m.tb.Context())
	if err != nil {
		t.Fatal(err)
	}
	if st.Revision == want && m.revs[want] == 0 && want != 0 {
		if len(m.order) > 0 && m.revs[m.order[len(m.order)-1]] >= got {
			t.Fatalf("revision %d after %d", got, m.revs[m.order[len(m.order)-1]])
		}
		m.order = append(m.order, want)
		m.revs[want] = got
	}
}

// guard draws a guard that holds for a key, or one that does not.
func (m *machine) guard(t *rapid.T) (model, real storage.Guard) {
	k := key(t)
	if rapid.IntRange(0, 3).Draw(t, "claim") == 0 {
		k = strings.Replace(k, "k/", "claim/", 1)
	}
	model.Key, real.Key = k, k
	if a, b := m.entry(t, m.model, k), m.entry(t, m.real, k); rapid.IntRange(0, 4).Draw(t, "right") > 0 {
		model.Created, real.Created = a.Created, b.Created
		if rapid.Bool().Draw(t, "modified") {
			model.Modified, real.Modified = a.Modified, b.Modified
		}
	}
	return model, real
}

func (m *machine) entry(t *rapid.T, s storage.Store, key string) storage.Entry {
	all, err := rangeAll(m.tb.Context(), s, key, storage.Now)
	if err != nil {
		t.Fatalf("range %q: %v", key, err)
	}
	for _, e := range all {
		if e.Key == key {
			return e
		}
	}
	return storage.Entry{}
}

func (m *machine) grant(t *rapid.T) {
	a, err := m.model.Grant(m.tb.Context(), time.Hour)
	b, err2 := m.real.Grant(m.tb.Context(), time.Hour)
	if err != nil || err2 != nil {
		t.Fatalf("grant: %v, %v", err, err2)
	}
	m.leases = append(m.leases, [2]storage.LeaseID{a, b})
}

func (m *machine) revoke(t *rapid.T) {
	if len(m.leases) == 0 {
		t.Skip("no lease")
	}
	pair := rapid.SampledFrom(m.leases).Draw(t, "lease")
	if err := errors.Join(m.model.Revoke(m.tb.Context(), pair[0]), m.real.Revoke(m.tb.Context(), pair[1])); err != nil {
		t.Fatalf("revoke: %v", err)
	}
}

func (m *machine) revision(t *rapid.T, what string) storage.Revision {
	if len(m.order) == 0 {
		t.Skip("no revision")
	}
	return rapid.SampledFrom(m.order).Draw(t, what)
}

func (m *machine) compact(t *rapid.T) {
	rev := m.revision(t, "before")
	if len(m.order) > 6 {
		rev = m.order[rapid.IntRange(0, len(m.order)-4).Draw(t, "kept")]
	}
	if err := errors.Join(m.model.Compact(m.tb.Context(), rev), m.real.Compact(m.tb.Context(), m.revs[rev])); err != nil {
		t.Fatalf("compact: %v", err)
	}
}

func (m *machine) read(t *rapid.T) {
	rev, prefix := m.revision(t, "at"), rapid.SampledFrom([]string{"", "k", "k/", "k/a"}).Draw(t, "prefix")
	want, wantErr := rangeAll(m.tb.Context(), m.model, prefix, rev)
	got, err := rangeAll(m.tb.Context(), m.real, prefix, m.revs[rev])
	m.compare(t, fmt.Sprintf("range %q at %d", prefix, rev), got, want, err, wantErr)
}

func (m *machine) history(t *rapid.T) {
	k := key(t)
	want, wantErr := collect(m.model.History(m.tb.Context(), k))
	got, err := collect(m.real.History(m.tb.Context(), k))
	m.compare(t, "history of "+k, got, want, err, wantErr)
}

func (m *machine) changes(t *rapid.T) {
	after, upTo := m.revision(t, "after"), m.revision(t, "upTo")
	want, wantErr := collect(m.model.Changes(m.tb.Context(), "k/", after, upTo))
	got, err := collect(m.real.Changes(m.tb.Context(), "k/", m.revs[after], m.revs[upTo]))
	m.compare(t, fmt.Sprintf("changes in (%d, %d]", after, upTo), got, want, err, wantErr)
}

// check compares the current state, after each step.
func (m *machine) check(t *rapid.T) {
	want, wantErr := rangeAll(m.tb.Context(), m.model, "", storage.Now)
	got, err := rangeAll(m.tb.Context(), m.real, "", storage.Now)
	for i := range min(len(want), len(got)) { // tokens are compared by order
		if strings.HasPrefix(want[i].Key, "claim/") {
			m.tokens = append(m.tokens, [2]storage.Revision{want[i].Created, got[i].Created})
			want[i].Created, want[i].Modified, got[i].Created, got[i].Modified = 0, 0, 0, 0
		}
	}
	for i := max(1, len(m.tokens)-12); i < len(m.tokens); i++ {
		a, b := m.tokens[i-1], m.tokens[i]
		if (a[0] < b[0]) != (a[1] < b[1]) || (a[0] == b[0]) != (a[1] == b[1]) {
			t.Fatalf("tokens: %v then %v", a, b)
		}
	}
	m.compare(t, "now", got, want, err, wantErr)
	a, errA := m.model.Stats(m.tb.Context())
	b, errB := m.real.Stats(m.tb.Context())
	if errA != nil || errB != nil || a.Keys != b.Keys || m.revs[a.Revision] != b.Revision ||
		m.revs[a.Compacted] != b.Compacted {
		t.Fatalf("stats: got %+v %v, want %+v %v", b, errB, a, errA)
	}
}

func (m *machine) compare(t *rapid.T, what string, got, want []storage.Entry, err, wantErr error) {
	for _, kind := range []error{storage.ErrCompacted, storage.ErrFuture} {
		if errors.Is(err, kind) != errors.Is(wantErr, kind) {
			t.Fatalf("%s: got %v, want %v", what, err, wantErr)
		}
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: got %v, want %v", what, err, wantErr)
	}
	for i := range want {
		want[i].Created, want[i].Modified = m.revs[want[i].Created], m.revs[want[i].Modified]
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}
