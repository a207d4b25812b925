package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/sshsig/sshsigtest"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/storage"
)

// TestARowThatWasPutBackRestoresNothing: a key that a confirmed instance trusted and revoked stays revoked, and a
// requirement that was turned on again stays on, whichever of its rows an attacker puts back.
func TestARowThatWasPutBackRestoresNothing(t *testing.T) {
	t.Parallel()
	store, _, one, other := two(t)
	third := shared(t, t.TempDir(), store, "cat")
	confirm(t, one, other)
	created(t, third, "a", "i1")
	key := rows.KeyTrust + third.Key()
	decide := func(on bool) []byte {
		t.Helper()
		record(t, other, event.Trusted{Key: third.Key(), On: on, Who: "bob"})
		return row(t, store, key)
	}
	require := func(on bool) []byte {
		t.Helper()
		record(t, other, event.TrustRequired{On: on, Who: "bob"})
		return row(t, store, rows.KeyRequired)
	}
	trusted := decide(true)
	proven(t, one, "a", "i1")
	if _, err := one.Proof(t.Context(), ref("a"), "i1"); err != nil {
		t.Fatal(err)
	}
	decide(false)
	notProven(t, one, "a", "i1")
	edit(t, store, storage.Op{Key: key, Value: trusted})
	notProven(t, one, "a", "i1")
	decide(true)
	proven(t, one, "a", "i1")

	require(true)
	off := require(false)
	require(true)
	edit(t, store, storage.Op{Key: rows.KeyRequired, Value: off})
	fourth := shared(t, t.TempDir(), store, "dan")
	created(t, fourth, "b", "i2")
	notProven(t, one, "b", "i2")
}

// TestTheNewestDecisionCounts: whoever of two confirmed instances decides later, by the numbers of the decisions.
func TestTheNewestDecisionCounts(t *testing.T) {
	t.Parallel()
	store, _, one, other := two(t)
	third := shared(t, t.TempDir(), store, "cat")
	confirm(t, one, other)
	created(t, third, "a", "i1")
	for _, on := range []bool{true, false, true, false} {
		for _, l := range []*ledger.Ledger{one, other} {
			record(t, l, event.Trusted{Key: third.Key(), On: on, Who: "ann"})
			for _, asked := range []*ledger.Ledger{one, other} {
				if on {
					proven(t, asked, "a", "i1")
				} else {
					notProven(t, asked, "a", "i1")
				}
			}
			on = !on
		}
	}
}

// TestADecisionCountsOnce: the signature of a person under a decision cannot be recorded a second time, after another
// decision.
func TestADecisionCountsOnce(t *testing.T) {
	t.Parallel()
	_, _, one, other := two(t)
	ann := sshsigtest.New(t, "ed25519")
	if err := one.ChangeRoster(t.Context(), change(t, one, true, event.Signer{Name: "ann", Key: ann.Key}, "ann", nil)); err != nil {
		t.Fatal(err)
	}
	signed := func(on bool) event.Trusted {
		t.Helper()
		e := event.Trusted{Key: other.Key(), On: on, Who: "ann", SignedAt: time.Unix(1, 0)}
		e.Number = must[uint64](t)(one.Proofs().NextDecision(t.Context(), e))
		e.SignedBy = &event.SignedBy{Key: ann.Key, Signature: ann.Sign(t, e.Statement(one.Instance()), event.Namespace)}
		return e
	}
	first := signed(true)
	record(t, one, first)
	record(t, one, signed(false))
	if _, err := one.Record(t.Context(), first); !errors.Is(err, trust.ErrOldDecision) {
		t.Errorf("it counts again: %v", err)
	}
	first.Number = 9
	if _, err := one.Record(t.Context(), first); err == nil {
		t.Error("it counts with another number")
	}
}
