package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/sshsig/sshsigtest"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// hours is a clock that a test sets.
type hours struct{ now time.Time }

func (h *hours) pass(n int) { h.now = h.now.Add(time.Duration(n) * time.Hour) }

// timed opens a ledger with a clock.
func timed(t *testing.T, store storage.Store, sharing bool, at *hours) *ledger.Ledger {
	t.Helper()
	l := must[*ledger.Ledger](t)(ledger.Open(t.Context(), ledger.Config{
		Dir: t.TempDir(), Store: store, Shared: sharing, User: "eve", Clock: func() time.Time { return at.now },
	}))
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// ask asks for a recovery, or cancels it with a key.
func ask(t *testing.T, l *ledger.Ledger, s event.Signer, who string, by *sshsigtest.Pair) error {
	t.Helper()
	e := event.RecoveryAsked{Signer: s, On: by == nil, Before: must[[]event.Signer](t)(l.Roster(t.Context())), Who: who}
	if by != nil {
		e.SignedBy = &event.SignedBy{Key: by.Key, Signature: by.Sign(t, e.Statement(l.Instance()), event.Namespace)}
	}
	return l.AskRecovery(t.Context(), e)
}

// recoverNow is the change of the roster that the recovery which stands asks for.
func recoverNow(t *testing.T, l *ledger.Ledger, s event.Signer) event.RosterChanged {
	t.Helper()
	e := change(t, l, true, s, "eve", nil)
	e.Recovers = "none"
	if r := must[*ledger.Recovery](t)(l.Recovery(t.Context())); r != nil {
		e.Recovers = r.Digest
	}
	return e
}

// TestARosterIsRecoveredAfterItsWait: a key is put on a roster without a signature only if the recovery that asks for it
// stood for its whole time, and no person on the roster canceled it.
func TestARosterIsRecoveredAfterItsWait(t *testing.T) {
	t.Parallel()
	ann, eve, bob := sshsigtest.New(t, "ed25519"), sshsigtest.New(t, "ed25519"), sshsigtest.New(t, "ed25519")
	annKey, eveKey, bobKey := event.Signer{Name: "ann", Key: ann.Key}, event.Signer{Name: "eve", Key: eve.Key}, event.Signer{Name: "bob", Key: bob.Key}
	at := &hours{now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	store := mem.New()
	l := timed(t, store, false, at)
	if err := ask(t, l, eveKey, "eve", nil); !errors.Is(err, event.ErrEmptyRoster) {
		t.Errorf("a recovery of an empty roster: %v", err)
	}
	if err := l.ChangeRoster(t.Context(), change(t, l, true, annKey, "ann", nil)); err != nil {
		t.Fatal(err)
	}
	refused := func(when string, e event.RosterChanged) {
		t.Helper()
		if err := l.ChangeRoster(t.Context(), e); !errors.Is(err, event.ErrNoRecovery) {
			t.Errorf("%s: %v", when, err)
		}
		if _, err := l.Record(t.Context(), e); err != nil { // as a program that is not ovi
			t.Fatal(err)
		}
		if got := people(t, l); !slices.Equal(got, []string{"ann"}) {
			t.Fatalf("%s: on the roster are %v", when, got)
		}
	}
	refused("not asked for", recoverNow(t, l, eveKey))
	if err := ask(t, l, eveKey, "eve", nil); err != nil {
		t.Fatal(err)
	}
	at.pass(71)
	refused("too early", recoverNow(t, l, eveKey))
	if err := ask(t, l, eveKey, "ann", &bob); err == nil {
		t.Error("a key that is not on the roster cancels a recovery")
	}
	if err := ask(t, l, eveKey, "ann", &ann); err != nil {
		t.Fatal(err)
	}
	at.pass(2)
	refused("canceled", recoverNow(t, l, eveKey))
	if err := ask(t, l, eveKey, "eve", nil); err != nil {
		t.Fatal(err)
	}
	at.pass(73)
	refused("with another key", recoverNow(t, l, bobKey))
	old := recoverNow(t, l, eveKey)
	if err := ask(t, l, bobKey, "bob", nil); err != nil {
		t.Fatal(err)
	}
	refused("replaced by another", old)
	at.pass(72)
	put(t, store, rows.RecoveryKey, rows.Act[event.RecoveryAsked]{
		Seq: 1, Instance: l.Instance(), Event: event.RecoveryAsked{Signer: eveKey, On: true, Before: old.Before},
	})
	refused("with an edited row", recoverNow(t, l, eveKey))
	if err := l.ChangeRoster(t.Context(), recoverNow(t, l, bobKey)); err != nil {
		t.Fatal(err)
	}
	if r := must[*ledger.Recovery](t)(l.Recovery(t.Context())); r != nil {
		t.Errorf("a recovery that ended stands: %+v", r)
	}
	if err := l.ChangeRoster(t.Context(), change(t, l, false, annKey, "bob", &bob)); err != nil {
		t.Fatal(err)
	}
	if got := people(t, l); !slices.Equal(got, []string{"bob"}) {
		t.Errorf("on the roster are %v", got)
	}
}

// TestEachInstanceWaitsByItself: a recovery counts on another instance once that one has found it for the whole time.
// One that only a pinned key signed is none, and one that ends and comes back waits again.
func TestEachInstanceWaitsByItself(t *testing.T) {
	t.Parallel()
	ann, eve := sshsigtest.New(t, "ed25519"), sshsigtest.New(t, "ed25519")
	annKey, eveKey := event.Signer{Name: "ann", Key: ann.Key}, event.Signer{Name: "eve", Key: eve.Key}
	at := &hours{now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	store := mem.New()
	one, two, stranger := timed(t, store, true, at), timed(t, store, true, at), timed(t, store, true, at)
	for l, other := range map[*ledger.Ledger]*ledger.Ledger{one: two, two: one} {
		if _, err := l.Record(t.Context(), event.Trusted{Key: other.Key(), On: true, Who: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.ChangeRoster(t.Context(), change(t, one, true, annKey, "ann", nil)); err != nil {
		t.Fatal(err)
	}
	since := func(l *ledger.Ledger) time.Duration {
		t.Helper()
		r := must[*ledger.Recovery](t)(l.Recovery(t.Context()))
		if r == nil {
			return -1
		}
		return at.now.Sub(r.Since)
	}
	_ = people(t, stranger)
	if err := ask(t, stranger, eveKey, "eve", nil); err == nil && since(two) >= 0 {
		t.Error("a recovery of an instance that is not confirmed stands")
	}
	if err := ask(t, one, eveKey, "eve", nil); err != nil {
		t.Fatal(err)
	}
	asked := row(t, store, rows.RecoveryKey)
	at.pass(10)
	if got := since(two); got != 0 {
		t.Fatalf("found %v ago", got)
	}
	if err := ask(t, two, eveKey, "ann", &ann); err != nil {
		t.Fatal(err)
	}
	if a, b := since(one), since(two); a >= 0 || b >= 0 {
		t.Errorf("after it was canceled it stands: %v, %v", a, b)
	}
	at.pass(70)
	edit(t, store, storage.Op{Key: rows.RecoveryKey, Value: asked})
	if got := since(two); got > 0 {
		t.Errorf("a recovery that was put back stands for %v", got)
	}
	if err := ask(t, one, eveKey, "eve", nil); err != nil {
		t.Fatal(err)
	}
	at.pass(1)
	if got := since(two); got != 0 {
		t.Fatalf("found %v ago", got)
	}
	at.pass(71)
	if err := one.ChangeRoster(t.Context(), recoverNow(t, one, eveKey)); err != nil {
		t.Fatal(err)
	}
	if a, b := people(t, one), people(t, two); !slices.Equal(a, []string{"ann", "eve"}) || !slices.Equal(b, []string{"ann"}) {
		t.Errorf("after 72 hours at one and 71 at two: %v, %v", a, b)
	}
	if got := since(two); got != 71*time.Hour {
		t.Errorf("at two it stands for %v", got)
	}
	at.pass(1)
	if got := people(t, two); !slices.Equal(got, []string{"ann", "eve"}) {
		t.Errorf("after 72 hours at two: %v", got)
	}
	at.pass(1000)
	if got := people(t, two); !slices.Equal(got, []string{"ann", "eve"}) || since(two) >= 0 {
		t.Errorf("much later: %v", got)
	}
}

// TestAnActMeetsANewKey: an act that needs a signature is refused, and does not hang, also where it is the first
// thing that an instance does with the roster of another one, whose key it pins.
func TestAnActMeetsANewKey(t *testing.T) {
	t.Parallel()
	ann, store := sshsigtest.New(t, "ed25519"), mem.New()
	one, two := shared(t, t.TempDir(), store, "one"), shared(t, t.TempDir(), store, "two")
	if err := one.ChangeRoster(t.Context(), change(t, one, true, event.Signer{Name: "ann", Key: ann.Key}, "ann", nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Record(t.Context(), event.PolicyRequired{Name: "p", Who: "two"}); !errors.Is(err, ledger.ErrNeedsPerson) {
		t.Errorf("without a signature: %v", err)
	}
	_ = people(t, two)
	if pins := must[[]ledger.Pin](t)(two.Pins(t.Context())); len(pins) != 1 {
		t.Errorf("pinned afterwards: %v", pins)
	}
}
