package ledger_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/internal/sshsig/sshsigtest"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// two are instances on one store, and where their logs are.
func two(t *testing.T) (store *mem.Store, at []string, one, other *ledger.Ledger) {
	t.Helper()
	store, at = mem.New(), dirs(t, 2)
	return store, at, shared(t, at[0], store, "ann"), shared(t, at[1], store, "bob")
}

// confirm lets an operator of each instance trust the keys of the others.
func confirm(t *testing.T, all ...*ledger.Ledger) {
	t.Helper()
	for _, l := range all {
		for _, other := range all {
			if other != l && other.Key() != l.Key() {
				record(t, l, event.Trusted{Key: other.Key(), On: true, Who: "ann"})
			}
		}
	}
}

func pins(t *testing.T, l *ledger.Ledger) (out []event.KeyPinned) {
	t.Helper()
	for r, err := range history.New(l.Reader()).LogRecords(t.Context(), history.Filter{Types: []string{event.TypeKeyPinned}}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.Event.(event.KeyPinned))
	}
	return out
}

func TestTwoInstancesProveEachOthersBindings(t *testing.T) {
	store, at, one, other := two(t)
	created(t, one, "a", "i1")
	proven(t, one, "a", "i1")
	var heard []event.Record
	defer other.Listen(func(r event.Record) { heard = append(heard, r) })()
	proven(t, other, "a", "i1")
	proven(t, other, "a", "i1")
	if got := pins(t, other); len(got) != 1 || got[0] != (event.KeyPinned{Instance: one.Instance(), Key: one.Key()}) || len(heard) != 1 {
		t.Errorf("pinned %+v, heard of %d", got, len(heard))
	}
	created(t, other, "a", "i2") // and becomes the successor
	notProven(t, one, "a", "i1")
	if b := proven(t, one, "a", "i2"); b.Generation != 2 {
		t.Errorf("the successor has generation %d", b.Generation)
	}
	record(t, one, event.Moved{Ref: ref("b"), From: ref("a"), ID: "i2", Who: "ann"})
	proven(t, one, "b", "i2")
	proven(t, other, "b", "i2")
	deleted(t, other, "b", "i2")
	notProven(t, one, "b", "i2")
	notProven(t, other, "b", "i2")

	replayed := mem.New()
	if _, _, err := openLogs(t, at...).Check(t.Context(), store, replayed); err != nil {
		t.Fatal(err)
	}
	if must[string](t)(replaytest.Content(t.Context(), store)) != must[string](t)(replaytest.Content(t.Context(), replayed)) {
		t.Error("the merged logs give other bindings than the store has")
	}
}

// TestALookForContradictionsRecordsNothing: `ovi status` looks, also in a job that can only verify. The key of an instance
// with an open action is pinned by the use of that action.
func TestALookForContradictionsRecordsNothing(t *testing.T) {
	_, _, one, other := two(t)
	record(t, one, event.Started{Ref: ref("a"), Key: "ka", Action: decider.Create, Desired: "w"})
	if found := must[[]ledger.Contradiction](t)(other.Contradictions(t.Context())); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
	if got := pins(t, other); len(got) != 0 {
		t.Errorf("pinned %+v", got)
	}
	if open := must[[]ledger.OpenAction](t)(other.OpenActions(t.Context())); len(open) != 1 {
		t.Errorf("%d open actions, want 1", len(open))
	}
	if got := pins(t, other); len(got) != 1 || got[0].Key != one.Key() {
		t.Errorf("pinned %+v", got)
	}
}

// TestAnExchangeOfNamesIsProvenElsewhere asserts that one event binds both resources for all instances of a store.
func TestAnExchangeOfNamesIsProvenElsewhere(t *testing.T) {
	store, at, one, other := two(t)
	created(t, one, "a", "i1")
	created(t, one, "b", "i2")
	record(t, one, event.Moved{
		Ref: ref("b"), From: ref("a"), ID: "i1", Who: "ann", Other: &event.Moved{Ref: ref("a"), From: ref("b"), ID: "i2"},
	})
	for _, l := range []*ledger.Ledger{one, other} {
		proven(t, l, "b", "i1")
		proven(t, l, "a", "i2")
		notProven(t, l, "a", "i1")
		notProven(t, l, "b", "i2")
	}
	replayed := mem.New()
	if _, _, err := openLogs(t, at...).Check(t.Context(), store, replayed); err != nil {
		t.Fatal(err)
	}
	if must[string](t)(replaytest.Content(t.Context(), store)) != must[string](t)(replaytest.Content(t.Context(), replayed)) {
		t.Error("the merged logs give other bindings than the store has")
	}
}

func TestRowsOfOthersNeedTheirSignature(t *testing.T) {
	key := rows.BindingOf(ref("a"), "i1")
	forger := must[ed25519.PrivateKey](t)(func() (ed25519.PrivateKey, error) {
		_, k, err := ed25519.GenerateKey(nil)
		return k, err
	}())
	for name, change := range map[string]func(*rows.Binding){
		"another UID":        func(b *rows.Binding) { b.UID = "v" },
		"a key of its own":   func(b *rows.Binding) { b.Signature = signedBy(t, forger, b.Binding) },
		"another key":        func(b *rows.Binding) { b.Key = "v" },
		"another instance":   func(b *rows.Binding) { b.Instance = "01J0000000000000000000000A" },
		"another generation": func(b *rows.Binding) { b.Generation, b.Signature.Generation = 9, 9 },
		"no signature":       func(b *rows.Binding) { b.Signature = nil },
		"a forged signature": func(b *rows.Binding) {
			b.Signature.Key = hex.EncodeToString(forger.Public().(ed25519.PublicKey))
			b.Signature.Sum = hex.EncodeToString(ed25519.Sign(forger, []byte("x")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, _, one, other := two(t)
			created(t, one, "a", "i1")
			created(t, one, "b", "pinned")
			proven(t, other, "b", "pinned")
			var b rows.Binding
			if err := json.Unmarshal(row(t, store, key), &b); err != nil {
				t.Fatal(err)
			}
			b.Ref, b.ID = ref("a"), "i1"
			elsewhere := b.Ref.In("db")
			edit(t, store, storage.Op{Key: rows.BindingOf(elsewhere, b.ID), Value: must[[]byte](t)(json.Marshal(b))})
			if _, err := other.Proof(t.Context(), elsewhere, b.ID); !errors.Is(err, ledger.ErrUnproven) {
				t.Errorf("a row of another stack is proven: %v", err)
			}
			change(&b)
			edit(t, store, storage.Op{Key: key, Value: must[[]byte](t)(json.Marshal(b))})
			notProven(t, other, "a", "i1")
			if b.UID != "u-i1" || b.Generation != 1 || b.Key != "k-i1" || b.Instance != one.Instance() {
				notProven(t, one, "a", "i1")
			} else {
				proven(t, one, "a", "i1") // its own log proves it
			}
		})
	}
}

// signedBy signs a binding with a key that is not the instance's.
func signedBy(t *testing.T, key ed25519.PrivateKey, b resource.Binding) *event.Signature {
	t.Helper()
	text := must[[]byte](t)(json.Marshal(struct {
		Instance   string       `json:"instance"`
		Ref        resource.Ref `json:"ref"`
		ID         string       `json:"id"`
		UID        string       `json:"uid"`
		Key        string       `json:"key"`
		Generation uint64       `json:"generation"`
	}{b.Instance, b.Ref, b.ID, b.UID, b.Key, b.Generation}))
	sum := ed25519.Sign(key, append([]byte("ovi statement v1\n"), text...))
	return &event.Signature{Generation: b.Generation, Key: hex.EncodeToString(key.Public().(ed25519.PublicKey)), Sum: hex.EncodeToString(sum)}
}

// TestTheKeysOfStrangersAreBounded: who writes a shared store signs with a new key for each binding. An instance pins
// 100 of them, which are as many records and alerts; each that an operator decides about makes room for another one.
func TestTheKeysOfStrangersAreBounded(t *testing.T) {
	store, _, one, other := two(t)
	created(t, one, "a", "i1")
	var b rows.Binding
	if err := json.Unmarshal(row(t, store, rows.BindingOf(ref("a"), "i1")), &b); err != nil {
		t.Fatal(err)
	}
	stranger := func(n int) {
		t.Helper()
		key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{byte(n)}, ed25519.SeedSize))
		f := b
		f.Ref, f.ID, f.Instance = ref(fmt.Sprintf("r%d", n)), fmt.Sprintf("i%d", n), fmt.Sprintf("01J0000000000000000000%04d", n)
		f.Signature = signedBy(t, key, f.Binding)
		edit(t, store, storage.Op{Key: rows.BindingOf(f.Ref, f.ID), Value: must[[]byte](t)(json.Marshal(f))})
	}
	const most = 100
	for n := range most + 20 {
		stranger(n)
		if _, err := other.Proof(t.Context(), ref(fmt.Sprintf("r%d", n)), fmt.Sprintf("i%d", n)); (err == nil) != (n < most) {
			t.Fatalf("stranger %d: %v", n, err)
		} else if err != nil && !strings.Contains(err.Error(), "100 keys are, and no operator has decided about them") {
			t.Fatalf("stranger %d: %v", n, err)
		}
	}
	if got := pins(t, other); len(got) != most {
		t.Errorf("%d keys are pinned", len(got))
	}
	record(t, other, event.Trusted{Key: pins(t, other)[0].Key, Who: "ann"})
	proven(t, other, "r100", "i100")
	notProven(t, other, "r101", "i101")
}

// TestAnOlderGenerationProvesNothing: a signed row from before is put back.
func TestAnOlderGenerationProvesNothing(t *testing.T) {
	store, _, one, other := two(t)
	created(t, one, "a", "i1")
	proven(t, other, "a", "i1")
	key := rows.BindingOf(ref("a"), "i1")
	signed := row(t, store, key)
	record(t, one, event.Disowned{Ref: ref("a"), ID: "i1", Who: "ann"})
	edit(t, store, storage.Op{Key: key, Value: signed})
	notProven(t, other, "a", "i1")
	notProven(t, one, "a", "i1")
}

// TestAKeyThatChangesIsNotTrusted: an instance with another key than the pinned one.
func TestAKeyThatChangesIsNotTrusted(t *testing.T) {
	store, _, one, other := two(t)
	created(t, one, "a", "i1")
	proven(t, other, "a", "i1")
	_, stranger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	third, err := ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: store, Shared: true, User: "eve", LogOptions: []wal.Option{wal.WithSigningKey(stranger)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = third.Close() })
	created(t, third, "b", "i2")
	proven(t, other, "b", "i2")
	record(t, other, event.Trusted{Key: third.Key(), On: false, Who: "bob"})
	notProven(t, other, "b", "i2")
	notProven(t, one, "b", "i3")
	if proven(t, one, "a", "i1"); len(pins(t, other)) != 2 {
		t.Errorf("pinned %+v", pins(t, other))
	}
}

func TestRequiredTrustNeedsAnOperator(t *testing.T) {
	store, at, one, other := two(t)
	created(t, one, "a", "i1")
	proven(t, other, "a", "i1")
	record(t, one, event.TrustRequired{On: true, Who: "ann"}) // recorded by the pinned one
	third := shared(t, t.TempDir(), store, "cy")
	created(t, third, "b", "i2")
	notProven(t, other, "b", "i2")
	notProven(t, one, "b", "i2")
	record(t, one, event.Trusted{Key: third.Key(), On: true, Who: "ann"})
	proven(t, one, "b", "i2")
	notProven(t, other, "b", "i2") // one is only pinned there, and what it trusts counts for nothing
	record(t, other, event.Trusted{Key: one.Key(), On: true, Who: "bob"})
	proven(t, other, "b", "i2")
	if got := pins(t, other); len(got) != 1 {
		t.Errorf("pinned %+v though trust is required", got)
	}
	// What an untrusted key signed proves nothing, and hides no decision.
	forged := storage.Op{Key: rows.KeyTrust + third.Key(), Value: []byte(`{"on":false,"who":"eve","instance":"` + third.Instance() + `"}`)}
	edit(t, store, forged)
	proven(t, other, "b", "i2")
	record(t, one, event.Trusted{Key: third.Key(), Who: "ann"})
	edit(t, store, storage.Op{Key: rows.KeyTrust + third.Key(), Value: []byte(`{"on":true,"who":"eve","instance":"` + third.Instance() + `"}`)})
	notProven(t, other, "b", "i2")
	_ = at
}

// TestAPinnedKeyDestroysNothing: a stranger to the key, who may write the store, adopted a resource. What an instance
// only met it may not end; own, given and confirmed keys it may, and a given key needs no pin.
func TestAPinnedKeyDestroysNothing(t *testing.T) {
	store := mem.New()
	ci := ed25519.NewKeyFromSeed(bytes.Repeat([]byte("c"), ed25519.SeedSize))
	open := func(key ed25519.PrivateKey, given ...string) *ledger.Ledger {
		l, err := ledger.Open(t.Context(), ledger.Config{
			Dir: t.TempDir(), Store: store, Shared: true, User: "ci", Key: key, TrustedKeys: given,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	first := open(ci)
	created(t, first, "a", "i1")
	stranger := open(nil)
	record(t, stranger, event.Adopted{Ref: ref("vpc"), ID: "i9", Who: "eve"})

	last := open(ci) // a seventh run, whose directory is empty
	proven(t, last, "vpc", "i9")
	if err := last.Confirmed(t.Context(), ref("vpc"), "i9"); !errors.Is(err, ledger.ErrUnproven) {
		t.Errorf("what a stranger adopted may be deleted: %v", err)
	}
	if err := last.Confirmed(t.Context(), ref("a"), "i1"); err != nil {
		t.Errorf("what a run with the same key created: %v", err)
	}
	if got := pins(t, last); len(got) != 1 || got[0].Instance != stranger.Instance() {
		t.Errorf("pinned %+v", got)
	}
	record(t, stranger, event.Trusted{Key: stranger.Key(), On: true, Who: "eve"}) // trusts itself
	if err := last.Confirmed(t.Context(), ref("vpc"), "i9"); !errors.Is(err, ledger.ErrUnproven) {
		t.Errorf("a pinned key trusts itself: %v", err)
	}

	given := open(nil, first.Key())
	notProven(t, given, "vpc", "i9")
	if err := given.Confirmed(t.Context(), ref("a"), "i1"); err != nil || len(pins(t, given)) != 0 {
		t.Errorf("a given key: %v, %+v", err, pins(t, given))
	}
	record(t, last, event.Trusted{Key: stranger.Key(), On: true, Who: "ci"})
	for _, l := range []*ledger.Ledger{last, given, open(ci)} { // by the key of the runs, so it counts for all who have it
		if err := l.Confirmed(t.Context(), ref("vpc"), "i9"); err != nil {
			t.Error(err)
		}
	}
}

// TestAPinnedKeyLowersNothing: a stranger to the key unblesses a resource and turns off a required policy. Neither
// counts on an instance that knows them, nor the first on a new one, before an operator confirms the key.
func TestAPinnedKeyLowersNothing(t *testing.T) {
	store, _, one, stranger := two(t)
	created(t, one, "a", "i1")
	record(t, one, event.Blessed{Ref: ref("a"), On: true, Who: "ann"},
		event.PolicyRequired{Name: "pol", On: true, Rules: &rules.Rules{}, Who: "ann"})
	record(t, stranger, event.Blessed{Ref: ref("a"), Who: "eve"}, event.PolicyRequired{Name: "pol", Who: "eve"})
	fresh := shared(t, t.TempDir(), store, "cy")
	for _, l := range []*ledger.Ledger{one, fresh} {
		if got, err := l.Proofs().Blessings(t.Context()); err != nil || len(got) != 1 {
			t.Errorf("%s: the blessing is gone: %v", l.Instance(), err)
		}
	}
	if got, err := one.Proofs().RequiredPolicies(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("the required policy is gone: %+v, %v", got, err)
	}
	record(t, one, event.Trusted{Key: stranger.Key(), On: true, Who: "ann"})
	if got, err := one.Proofs().Blessings(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("a confirmed key did not end the blessing: %v", err)
	}
}

// TestAPinnedKeyGivesNoRight: a stranger approves a plan, accepts a drift, lists its own key as that of a person, and
// replaces a required policy by a weaker one. None counts, on an instance that has acts and on a new one.
func TestAPinnedKeyGivesNoRight(t *testing.T) {
	store, _, one, stranger := two(t)
	strict := event.PolicyRequired{Name: "pol", On: true, Rules: &rules.Rules{Attempts: rules.Attempts{Count: 1}}, Who: "ann"}
	record(t, one, strict)
	created(t, one, "a", "i1")
	eve := sshsigtest.New(t, "ed25519")
	weak := strict
	weak.Rules, weak.Who = &rules.Rules{}, "eve"
	record(t, stranger, event.Approved{Digest: "d", Who: "eve"}, event.Acknowledged{Ref: ref("a"), Who: "eve"}, weak)
	if err := stranger.ChangeRoster(t.Context(), change(t, stranger, true, event.Signer{Name: "eve", Key: eve.Key}, "eve", nil)); err != nil {
		t.Fatal(err)
	}
	for _, l := range []*ledger.Ledger{one, shared(t, t.TempDir(), store, "cy")} {
		if got := must[[]ledger.Approval](t)(l.Approvals(t.Context(), "d")); len(got) != 0 {
			t.Errorf("the approval counts: %+v", got)
		}
		if got := must[[]ledger.Acknowledgment](t)(l.Acknowledged(t.Context())); len(got) != 0 {
			t.Errorf("the drift is accepted: %+v", got)
		}
		if got := people(t, l); len(got) != 0 {
			t.Errorf("the roster has %v", got)
		}
	}
	if got := must[[]event.PolicyRequired](t)(one.RequiredPolicies(t.Context())); len(got) != 1 || got[0].Rules.Attempts.Count != 1 {
		t.Errorf("the required policy is %+v", got)
	}
}

// TestTheEndOfAReplacementConfirmsNothing: it puts no own signature on what only a pinned key signed.
func TestTheEndOfAReplacementConfirmsNothing(t *testing.T) {
	_, _, one, stranger := two(t)
	created(t, stranger, "a", "old")
	replacing(t, stranger, "set_aside", "create", "switch")
	stepOf(t, one, "delete_old")
	_, err := one.Record(t.Context(), event.ReplaceFinished{Ref: ref("a"), Key: "r", ID: "new"})
	if !errors.Is(err, ledger.ErrUnproven) || !strings.Contains(err.Error(), "no operator has confirmed") {
		t.Errorf("the end of a stranger's replacement is recorded: %v", err)
	}
	record(t, one, event.Trusted{Key: stranger.Key(), On: true, Who: "ann"})
	record(t, one, event.ReplaceFinished{Ref: ref("a"), Key: "r", ID: "new"})
	proven(t, one, "a", "new")
}

// TestWhatOneRequiresBindsAll, a new instance too, and an unconfirmed key cannot turn it off.
func TestWhatOneRequiresBindsAll(t *testing.T) {
	store, _, one, stranger := two(t)
	created(t, one, "a", "i1")
	record(t, one, event.TrustRequired{On: true, Who: "ann"})
	fresh := shared(t, t.TempDir(), store, "cy")
	notProven(t, fresh, "a", "i1")
	record(t, stranger, event.TrustRequired{On: false, Who: "eve"})
	notProven(t, fresh, "a", "i1")
	notProven(t, shared(t, t.TempDir(), store, "dan"), "a", "i1")
	if got := pins(t, fresh); len(got) != 0 {
		t.Errorf("pinned %+v", got)
	}
	record(t, fresh, event.Trusted{Key: one.Key(), On: true, Who: "cy"})
	proven(t, fresh, "a", "i1")
}

// TestTrimsKeepBindingsInASharedStore: the trimmed log proves what it started with.
func TestTrimsKeepBindingsInASharedStore(t *testing.T) {
	store, dir := mem.New(), t.TempDir()
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: dir, Store: store, Shared: true, User: "ann", LogOptions: []wal.Option{wal.WithSegmentSize(64 << 10), wal.WithPrefill(0), wal.WithoutCompression()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	created(t, l, "x", "i1")
	for i := range 300 {
		o := res("a", "s")
		o.Message = string(make([]byte, 900)) + string(rune('a'+i%26))
		must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(o), ledger.ObservationOptions{Since: -1}))
	}
	if first := must[wal.Seq](t)(l.Trim(t.Context(), 250, nil)); first < 3 {
		t.Fatalf("the log begins with record %d", first)
	}
	_ = l.Close()
	proven(t, shared(t, dir, store, "ann"), "x", "i1")
	proven(t, shared(t, t.TempDir(), store, "bob"), "x", "i1")
}

// TestATrimNeedsAPerson once there is a roster.
func TestATrimNeedsAPerson(t *testing.T) {
	l := open(t, t.TempDir(), mem.New())
	ann := sshsigtest.New(t, "ed25519")
	if err := l.ChangeRoster(t.Context(), change(t, l, true, event.Signer{Name: "ann", Key: ann.Key}, "ann", nil)); err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]event.Event{
		"a trim":     event.Baseline{Before: 2, Who: "ann"},
		"a forget":   event.Disowned{Ref: ref("a"), ID: "i1", Who: "ann"},
		"an unbless": event.Blessed{Ref: ref("a"), Who: "ann"},
		"a rename of another resource": event.Blessed{
			Ref: ref("b"), Who: "ann", SignedBy: &event.SignedBy{Key: ann.Key, Signature: "none"},
		},
	} {
		if _, err := l.Record(t.Context(), event.Moved{Ref: ref("d"), From: ref("c"), ID: "i3", Who: "ann"}, e); !errors.Is(err, ledger.ErrNeedsPerson) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
