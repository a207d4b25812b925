package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ovi-project/ovi/storage"
)

const long = time.Hour

func grant(t testing.TB, s storage.Store, ttl time.Duration) storage.LeaseID {
	t.Helper()
	id, err := s.Grant(t.Context(), ttl)
	if err != nil || id == 0 {
		t.Fatalf("grant: lease %d, %v", id, err)
	}
	return id
}

// claim writes a key under a lease, if it does not exist.
func claim(key, value string, id storage.LeaseID) storage.Tx {
	return storage.Tx{
		Guards: []storage.Guard{{Key: key}},
		Ops:    []storage.Op{{Key: key, Value: []byte(value), Lease: id}},
	}
}

func leasedApart(t *testing.T, s storage.Store) {
	r1 := commit(t, s, put("x/a", "1"))
	id := grant(t, s, long)
	token := commit(t, s, claim("claim/a", "me", id))
	if token == 0 {
		t.Fatal("a claim without a token")
	}
	got, err := rangeAll(t.Context(), s, "claim/", storage.Now)
	if err != nil || len(got) != 1 || got[0].Created != token || string(got[0].Value) != "me" {
		t.Fatalf("the claim: %v %v, want token %d", got, err, token)
	}
	r2 := commit(t, s, put("x/a", "2"))
	same(t, "a past revision", liveState(t, s, "", r1), map[string]string{"x/a": "1"})
	same(t, "the newest, by number", liveState(t, s, "", r2), map[string]string{"x/a": "2"})
	same(t, "now", liveState(t, s, "", storage.Now), map[string]string{"x/a": "2", "claim/a": "me"})
	if n := stats(t, s).Keys; n != 1 {
		t.Fatalf("%d keys, want 1 without the leased one", n)
	}
	changes, _ := collect(s.Changes(t.Context(), "", 0, storage.Now))
	if len(changes) != 2 {
		t.Fatalf("changes: %v", changes)
	}
	hist, _ := collect(s.History(t.Context(), "claim/a"))
	if len(hist) != 1 || hist[0].Created != token {
		t.Fatalf("history of a leased key: %v", hist)
	}
	commit(t, s, del("claim/a"))
	same(t, "after the release", liveState(t, s, "", storage.Now), map[string]string{"x/a": "2"})
}

func tokensGrow(t *testing.T, s storage.Store) {
	var last storage.Revision
	for i := range 12 {
		id := grant(t, s, long)
		token := commit(t, s, claim(fmt.Sprintf("claim/%d", i%2), "x", id))
		if token <= last {
			t.Fatalf("token %d after %d", token, last)
		}
		last = token
		switch i % 3 {
		case 0:
			commit(t, s, del(fmt.Sprintf("claim/%d", i%2)))
		default:
			if err := s.Revoke(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func revoke(t *testing.T, s storage.Store) {
	mine, other := grant(t, s, long), grant(t, s, long)
	commit(t, s, claim("claim/a", "x", mine))
	commit(t, s, claim("claim/b", "x", mine))
	commit(t, s, claim("claim/c", "x", other))
	if err := s.Revoke(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	same(t, "what is left", liveState(t, s, "", storage.Now), map[string]string{"claim/c": "x"})
	if err := s.Revoke(t.Context(), mine); err != nil {
		t.Fatalf("revoking again: %v", err)
	}
	wantErr(t, "keep alive", s.KeepAlive(t.Context(), mine), storage.ErrNoLease)
	if err := s.KeepAlive(t.Context(), other); err != nil {
		t.Fatal(err)
	}
}

func underToken(t *testing.T, s storage.Store) {
	id := grant(t, s, long)
	token := commit(t, s, claim("claim/a", "x", id))
	outcome := func(token storage.Revision, value string) error {
		tx := put("done/a", value)
		tx.Guards = []storage.Guard{{Key: "claim/a", Created: token}}
		_, err := s.Commit(t.Context(), tx)
		return err
	}
	if err := outcome(token, "first"); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "a second claim", errOf(s.Commit(t.Context(), claim("claim/a", "y", id))), storage.ErrConflict)
	commit(t, s, del("claim/a"))
	wantErr(t, "after the release", outcome(token, "late"), storage.ErrConflict)
	second := commit(t, s, claim("claim/a", "y", id))
	wantErr(t, "under the old token", outcome(token, "late"), storage.ErrConflict)
	if err := outcome(second, "second"); err != nil {
		t.Fatal(err)
	}
	// A claim and its first fact in one transaction, and its end and last fact too.
	tx := put("done/a", "third")
	tx.Ops = append(tx.Ops, storage.Op{Key: "claim/a", Delete: true})
	tx.Guards = []storage.Guard{{Key: "claim/a", Created: second}}
	commit(t, s, tx)
	same(t, "in the end", liveState(t, s, "", storage.Now), map[string]string{"done/a": "third"})
}

func errOf(_ storage.Revision, err error) error { return err }

func endedLease(t *testing.T, s storage.Store) {
	id := grant(t, s, long)
	if err := s.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	tx := claim("claim/a", "x", id)
	tx.Ops = append(tx.Ops, storage.Op{Key: "fact", Value: []byte("x")})
	wantErr(t, "a key under an ended lease", errOf(s.Commit(t.Context(), tx)), storage.ErrNoLease)
	same(t, "the world", liveState(t, s, "", storage.Now), map[string]string{})
	if _, err := s.Grant(t.Context(), 0); err == nil {
		t.Fatal("a lease of no time was granted")
	}
}

func sides(t *testing.T, s storage.Store) {
	id := grant(t, s, long)
	commit(t, s, put("x/a", "1"))
	commit(t, s, claim("claim/a", "1", id))
	for what, tx := range map[string]storage.Tx{
		"an unleased key under a lease": {Ops: []storage.Op{{Key: "x/a", Value: []byte("2"), Lease: id}}},
		"a leased key without":          put("claim/a", "2"),
	} {
		wantErr(t, what, errOf(s.Commit(t.Context(), tx)), storage.ErrInvalid)
	}
	same(t, "the world", liveState(t, s, "", storage.Now), map[string]string{"x/a": "1", "claim/a": "1"})
}

// Expiry checks that leases expire. sleep makes time pass for the store: time.Sleep in a synctest
// bubble, a step of a clock, or a real wait. unit is the shortest TTL that the store supports. A
// machine that paused during a real wait proves nothing about the store: the check starts again.
func Expiry(t *testing.T, s storage.Store, unit time.Duration, sleep func(time.Duration)) {
	for try := range 5 {
		if expiry(t, s, fmt.Sprintf("%d/", try), unit, sleep) {
			return
		}
	}
	t.Fatalf("five times a lease was not renewed within %s: this machine is too busy", 4*unit)
}

// expiry reports false if the lease was not renewed in time.
func expiry(t *testing.T, s storage.Store, prefix string, unit time.Duration, sleep func(time.Duration)) bool {
	a, b := prefix+"a", prefix+"b"
	renewed := time.Now()
	inTime := func() bool { return time.Since(renewed) < 4*unit }
	id := grant(t, s, 4*unit)
	other := grant(t, s, 40*unit)
	token := commit(t, s, claim(a, "x", id))
	commit(t, s, claim(b, "x", other))
	for range 4 { // renewed in time, it lives on
		sleep(2 * unit)
		before, err := time.Now(), s.KeepAlive(t.Context(), id)
		if !inTime() {
			return false
		}
		if err != nil {
			t.Fatalf("keep alive: %v", err)
		}
		renewed = before
	}
	sleep(3 * unit)
	there := liveState(t, s, prefix, storage.Now)
	rival := errOf(s.Commit(t.Context(), claim(a, "y", other)))
	if !inTime() {
		return false
	}
	same(t, "before the end", there, map[string]string{a: "x", b: "x"})
	wantErr(t, "a rival", rival, storage.ErrConflict)
	sleep(3 * unit)
	for range 60 { // a server under load ends a lease a little late
		if there = liveState(t, s, prefix, storage.Now); there[a] == "" {
			break
		}
		sleep(unit / 4)
	}
	same(t, "after the end", liveState(t, s, prefix, storage.Now), map[string]string{b: "x"})
	if hist, _ := collect(s.History(t.Context(), a)); len(hist) != 0 {
		t.Fatalf("history after the end: %v", hist)
	}
	// Nothing can be done under the lease that ended, and its key can be claimed.
	late := put("done/"+a, "late")
	late.Guards = []storage.Guard{{Key: a, Created: token}}
	wantErr(t, "a late outcome", errOf(s.Commit(t.Context(), late)), storage.ErrConflict)
	second, err := s.Commit(t.Context(), claim(a, "y", other))
	if err != nil || second <= token {
		t.Fatalf("a rival, after the end: token %d after %d, %v", second, token, err)
	}
	wantErr(t, "a late outcome after another claim", errOf(s.Commit(t.Context(), late)), storage.ErrConflict)
	if err := s.KeepAlive(t.Context(), id); !errors.Is(err, storage.ErrNoLease) {
		t.Fatalf("keep alive after the end: %v", err)
	}
	return true
}
