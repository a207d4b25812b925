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
	"github.com/ovi-project/ovi/storage/mem"
)

// change makes a change of the roster of a ledger, signed by a key of a person if one is given.
func change(t *testing.T, l *ledger.Ledger, on bool, s event.Signer, who string, by *sshsigtest.Pair) event.RosterChanged {
	t.Helper()
	e := event.RosterChanged{Signer: s, On: on, Before: must[[]event.Signer](t)(l.Roster(t.Context())), Who: who}
	e.Signers = e.After()
	if by != nil {
		e.SignedBy = &event.SignedBy{Key: by.Key, Signature: by.Sign(t, e.Statement(l.Instance()), event.Namespace)}
	}
	return e
}

func people(t *testing.T, l *ledger.Ledger) (out []string) {
	t.Helper()
	for _, s := range must[[]event.Signer](t)(l.Roster(t.Context())) {
		out = append(out, s.Name)
	}
	return out
}

// TestTheRosterChangesOnlyByItsOwnKeys: what the holder of the log's key records without a key of the
// roster changes nothing, and neither does an edited store.
func TestTheRosterChangesOnlyByItsOwnKeys(t *testing.T) {
	ann, bob, eve := sshsigtest.New(t, "ed25519"), sshsigtest.New(t, "ed25519"), sshsigtest.New(t, "ed25519")
	annKey, bobKey, eveKey := event.Signer{Name: "ann", Key: ann.Key}, event.Signer{Name: "bob", Key: bob.Key}, event.Signer{Name: "eve", Key: eve.Key}
	dir, store := t.TempDir(), mem.New()
	l := open(t, dir, store)
	add := func(e event.RosterChanged) {
		t.Helper()
		if err := l.ChangeRoster(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	add(change(t, l, true, annKey, "ann", nil))
	last := change(t, l, false, annKey, "ann", &ann)
	if err := l.ChangeRoster(t.Context(), last); !errors.Is(err, event.ErrLastKey) {
		t.Errorf("the last key is removed: %v", err)
	}
	if _, err := l.Record(t.Context(), last); err != nil { // as a program that is not ovi
		t.Fatal(err)
	}
	if got := people(t, l); !slices.Equal(got, []string{"ann"}) {
		t.Fatalf("the last key was removed: on the roster are %v", got)
	}
	add(change(t, l, true, bobKey, "ann", &ann))
	twice := change(t, l, false, bobKey, "ann", &ann)
	bare := event.RosterChanged{Signer: eveKey, On: true, Signers: []event.Signer{eveKey}, Who: "eve"}
	inOther := change(t, l, true, eveKey, "ann", &eve)
	inOther.SignedBy.Key = ann.Key
	forgeries := map[string]event.RosterChanged{
		"not signed":                   change(t, l, true, eveKey, "ann", nil),
		"signed by a foreign key":      change(t, l, true, eveKey, "ann", &eve),
		"in the name of another":       change(t, l, true, eveKey, "bob", &ann),
		"signed by another than named": inOther,
		"as if it were the first":      bare,
	}
	other := change(t, l, true, eveKey, "ann", &ann)
	other.Signers = []event.Signer{eveKey}
	forgeries["with other keys than it says"] = other
	reason := change(t, l, true, eveKey, "ann", &ann)
	reason.Reason = "another"
	forgeries["with another reason"] = reason
	for name, e := range forgeries {
		if err := l.ChangeRoster(t.Context(), e); err == nil {
			t.Errorf("%s: it is recorded", name)
		}
		if _, err := l.Record(t.Context(), e); err != nil { // as a program that is not ovi
			t.Fatal(err)
		}
		if got := people(t, l); !slices.Equal(got, []string{"ann", "bob"}) {
			t.Fatalf("%s: on the roster are %v", name, got)
		}
	}
	add(twice)
	add(change(t, l, true, bobKey, "ann", &ann))
	add(change(t, l, true, eveKey, "bob", &bob))
	if err := l.ChangeRoster(t.Context(), twice); !errors.Is(err, ledger.ErrRosterMoved) {
		t.Errorf("a change is replayed: %v", err)
	}
	put(t, store, rows.RosterKey, rows.Act[event.RosterChanged]{Seq: 1, Event: bare})
	if got := people(t, l); !slices.Equal(got, []string{"ann", "bob", "eve"}) {
		t.Errorf("after the store was edited: %v", got)
	}
	if got := doubted(t, l); got != rows.RosterKey {
		t.Errorf("doubted: %q", got)
	}
}

// TestSignedApprovals: a signature counts for what it is of, as long as its key is on the roster.
func TestSignedApprovals(t *testing.T) {
	ann, bob, l := sshsigtest.New(t, "ed25519"), sshsigtest.New(t, "ed25519"), fresh(t)
	for _, s := range []event.Signer{{Name: "ann", Key: ann.Key}, {Name: "bob", Key: bob.Key}} {
		by := &ann
		if s.Name == "ann" {
			by = nil
		}
		if err := l.ChangeRoster(t.Context(), change(t, l, true, s, "ann", by)); err != nil {
			t.Fatal(err)
		}
	}
	signed := func(e event.Approved, by sshsigtest.Pair) event.Approved {
		e.SignedBy = &event.SignedBy{Key: by.Key, Signature: by.Sign(t, e.Statement(l.Instance()), event.Namespace)}
		return e
	}
	right := event.Approved{Plan: "p", Hash: "h", Digest: "d", Who: "bob", Until: time.Now().Add(time.Hour).UTC()}
	later := signed(right, bob)
	later.Until = later.Until.Add(time.Hour)
	moved := signed(right, bob)
	moved.Digest = "d2"
	for _, c := range []struct {
		name string
		e    event.Approved
		want bool
	}{
		{"signed", signed(right, bob), true},
		{"not signed", right, false},
		{"by the key of another", signed(right, ann), false},
		{"with a later end", later, false},
		{"of another plan", moved, false},
	} {
		if _, err := l.Record(t.Context(), c.e); err != nil {
			t.Fatal(err)
		}
		all := must[[]ledger.Approval](t)(l.Approvals(t.Context(), c.e.Digest))
		if len(all) != 1 || all[0].Signed != c.want {
			t.Errorf("%s: %+v, want signed %v", c.name, all, c.want)
		}
	}
	if _, err := l.Record(t.Context(), signed(right, bob)); err != nil {
		t.Fatal(err)
	}
	if err := l.ChangeRoster(t.Context(), change(t, l, false, event.Signer{Name: "bob", Key: bob.Key}, "ann", &ann)); err != nil {
		t.Fatal(err)
	}
	if all := must[[]ledger.Approval](t)(l.Approvals(t.Context(), "d")); all[0].Signed {
		t.Error("it counts though its key was removed")
	}
}

// TestInstancesShareARoster: each instance sees and goes on from what the others recorded.
func TestInstancesShareARoster(t *testing.T) {
	ann, bob, store := sshsigtest.New(t, "ed25519"), sshsigtest.New(t, "ed25519"), mem.New()
	one, two := shared(t, t.TempDir(), store, "ann"), shared(t, t.TempDir(), store, "bob")
	confirm(t, one, two)
	annKey, bobKey := event.Signer{Name: "ann", Key: ann.Key}, event.Signer{Name: "bob", Key: bob.Key}
	steps := []struct {
		l   *ledger.Ledger
		on  bool
		s   event.Signer
		who string
		by  *sshsigtest.Pair
	}{
		{one, true, annKey, "ann", nil}, {two, true, bobKey, "ann", &ann}, {one, false, annKey, "bob", &bob}, {two, true, annKey, "bob", &bob},
	}
	for i, x := range steps {
		if err := x.l.ChangeRoster(t.Context(), change(t, x.l, x.on, x.s, x.who, x.by)); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if a, b := people(t, one), people(t, two); !slices.Equal(a, b) || len(a) == 0 {
			t.Errorf("step %d: one has %v, the other %v", i, a, b)
		}
		if a, b := doubted(t, one), doubted(t, two); a+b != "" {
			t.Errorf("step %d: doubted: %q, %q", i, a, b)
		}
	}
}
