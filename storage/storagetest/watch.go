package storagetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// patience is how long a watcher may take to report, on a busy machine.
const patience = time.Minute

// watcher skips stores that are not Watchers.
func watcher(t *testing.T, s storage.Store) storage.Watcher {
	t.Helper()
	w, ok := s.(storage.Watcher)
	if !ok {
		t.Skip("not a storage.Watcher")
	}
	return w
}

// awaiting waits in the background until a key has a value ("" means is absent), and reads it only after
// a notice. The first channel is closed after the first read.
func awaiting(t *testing.T, s storage.Store, prefix, key, want string) (asked chan struct{}, ended chan error) {
	t.Helper()
	asked, ended = make(chan struct{}), make(chan error, 1)
	times := 0
	go func() {
		ended <- storage.Await(t.Context(), s, prefix, 100*time.Hour, func(ctx context.Context) (bool, error) {
			if times++; times == 1 {
				defer close(asked)
			}
			all, err := rangeAll(ctx, s, key, storage.Now)
			if err != nil || len(all) == 0 {
				return want == "", err
			}
			return string(all[0].Value) == want, nil
		})
	}()
	return asked, ended
}

// soon waits for something that must happen.
func soon(t *testing.T, what string, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	case <-time.After(patience):
		t.Fatalf("%s: no notice within %s", what, patience)
	}
}

func watchTells(t *testing.T, s storage.Store) {
	watcher(t, s)
	var id storage.LeaseID
	for _, step := range []struct {
		what, key, want string
		do              func()
	}{
		{"a key is written", "x/a", "1", func() { commit(t, s, put("x/a", "1")) }},
		{
			"it is written again, after others", "x/a", "2",
			func() { commit(t, s, put("y/a", "0")); commit(t, s, put("x/a", "2")) },
		},
		{"it is deleted", "x/a", "", func() { commit(t, s, del("x/a")) }},
		{"a key is claimed", "claim/a", "me", func() { id = grant(t, s, long); commit(t, s, claim("claim/a", "me", id)) }},
		{"a claim is given back", "claim/a", "", func() { commit(t, s, del("claim/a")) }},
		{"it is claimed again", "claim/a", "again", func() { commit(t, s, claim("claim/a", "again", id)) }},
		{"its lease is revoked", "claim/a", "", func() {
			if err := s.Revoke(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		asked, ended := awaiting(t, s, step.key[:len(step.key)-1], step.key, step.want)
		<-asked
		step.do()
		soon(t, step.what, ended)
	}
}

// watchLarge: on a store that hosts share such a commit takes several steps.
func watchLarge(t *testing.T, s storage.Store) {
	watcher(t, s)
	asked, ended := awaiting(t, s, "x/", "x/0299", "new")
	<-asked
	var pairs []string
	for i := range 300 {
		pairs = append(pairs, fmt.Sprintf("x/%04d", i), "new")
	}
	commit(t, s, put(pairs...))
	soon(t, "300 keys", ended)
}

func watchEnds(t *testing.T, s storage.Store) {
	w := watcher(t, s)
	if err := w.Watch(t.Context(), "x/", func() bool { return false }); err != nil {
		t.Fatalf("a watch that was ended: %v", err)
	}
	cause := errors.New("for a reason")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := w.Watch(ctx, "x/", func() bool { cancel(cause); return true })
	wantErr(t, "a watch of a canceled context", err, cause)
	err = storage.Await(t.Context(), s, "x/", long, func(context.Context) (bool, error) { return false, cause })
	wantErr(t, "a condition that fails", err, cause)
	rounds := 0
	err = storage.Await(t.Context(), s, "x/", time.Millisecond,
		func(context.Context) (bool, error) { rounds++; return rounds > 2, nil })
	if err != nil {
		t.Fatalf("a condition checked without a change: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	err = w.Watch(t.Context(), "x/", func() bool { return true })
	wantErr(t, "a closed handle", err, storage.ErrClosed)
}

// WatchExpiry checks that keys are deleted, and waiters notified, within a bound after the last
// renewal, and not before the lease has ended. Only the latter is asserted exactly.
func WatchExpiry(t *testing.T, s storage.Store, within time.Duration) {
	watcher(t, s)
	id, lives, err := storage.GrantWithin(t.Context(), s, within)
	if err != nil || lives <= 0 || lives > within {
		t.Fatalf("a lease within %s lives %s: %v", within, lives, err)
	}
	commit(t, s, claim("claim/a", "me", id))
	asked, ended := awaiting(t, s, "claim/a", "claim/a", "")
	<-asked
	time.Sleep(lives / 3)
	renewed := time.Now()
	if err := s.KeepAlive(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	soon(t, "a lease ended", ended)
	took := time.Since(renewed)
	t.Logf("deleted %s after the last renewal: the lease lasts at least %s, at most %s", took.Round(time.Millisecond),
		lives, within)
	if took < lives {
		t.Errorf("deleted %s after the last renewal, before the lease's %s had passed", took, lives)
	}
}
