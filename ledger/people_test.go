package ledger_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ovi-project/ovi/internal/sshsig/sshsigtest"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// TestAJobKnowsItsPeople: a job that starts empty, with given people, takes the roster that one of them made, whichever
// instance recorded it. Without such a roster, and with the one of a stranger, it lowers nothing.
func TestAJobKnowsItsPeople(t *testing.T) {
	t.Parallel()
	ann, bob, eve := sshsigtest.New(t, "ed25519"), sshsigtest.New(t, "ed25519"), sshsigtest.New(t, "ed25519")
	annKey, bobKey, eveKey := event.Signer{Name: "ann", Key: ann.Key}, event.Signer{Name: "bob", Key: bob.Key}, event.Signer{Name: "eve", Key: eve.Key}
	job := func(store storage.Store) *ledger.Ledger {
		t.Helper()
		l := must[*ledger.Ledger](t)(ledger.Open(t.Context(), ledger.Config{
			Dir: t.TempDir(), Store: store, Shared: true, User: "ci", People: []event.Signer{annKey},
		}))
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	refused := func(store storage.Store, what string) {
		t.Helper()
		l := job(store)
		if roster, err := l.Roster(t.Context()); !errors.Is(err, trust.ErrNoRoster) {
			t.Errorf("%s: the roster is %v, %v", what, roster, err)
		}
		if _, err := l.Record(t.Context(), event.PolicyRequired{Name: "p", Who: "ci"}); err == nil {
			t.Errorf("%s: a policy is turned off", what)
		}
	}
	store := mem.New()
	one := shared(t, t.TempDir(), store, "one")
	refused(store, "no roster")
	if err := one.ChangeRoster(t.Context(), change(t, one, true, annKey, "ann", nil)); err != nil {
		t.Fatal(err)
	}
	first := row(t, store, rows.RosterKey)
	if got := people(t, job(store)); !slices.Equal(got, []string{"ann"}) {
		t.Errorf("on the roster are %v", got)
	}
	if err := one.ChangeRoster(t.Context(), change(t, one, true, bobKey, "ann", &ann)); err != nil {
		t.Fatal(err)
	}
	if got := people(t, job(store)); !slices.Equal(got, []string{"ann", "bob"}) {
		t.Errorf("on the roster are %v", got)
	}
	edit(t, store, storage.Op{Key: rows.RosterKey, Delete: true})
	refused(store, "a removed roster")
	edit(t, store, storage.Op{Key: rows.RosterKey, Value: first})
	if got := people(t, job(store)); !slices.Contains(got, "ann") {
		t.Errorf("on the roster are %v", got)
	}

	store = mem.New()
	stranger := shared(t, t.TempDir(), store, "eve")
	if err := stranger.ChangeRoster(t.Context(), change(t, stranger, true, eveKey, "eve", nil)); err != nil {
		t.Fatal(err)
	}
	refused(store, "the roster of a stranger")
	edit(t, store, storage.Op{Key: rows.RosterKey, Delete: true})
	refused(store, "no roster again")
}
