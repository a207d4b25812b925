package ledger_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// put writes an act into the store, as an attacker with access to it can.
func put[E event.Event](t *testing.T, s storage.Store, key string, a rows.Act[E]) {
	t.Helper()
	edit(t, s, storage.Op{Key: key, Value: must[[]byte](t)(json.Marshal(a))})
}

// doubted are the keys of which the store and the audit log differ.
func doubted(t *testing.T, l *ledger.Ledger) string {
	t.Helper()
	var out []string
	for _, c := range must[[]ledger.Contradiction](t)(l.Contradictions(t.Context())) {
		if c.Text == "" || c.Key == c.Text {
			t.Errorf("%s is not described", c.Key)
		}
		out = append(out, c.Key)
	}
	return strings.Join(out, " ")
}

// counted are who approves, whose approval was used and what is blessed, as a plan reads it.
func counted(t *testing.T, l *ledger.Ledger) string {
	t.Helper()
	var out []string
	for _, a := range must[[]ledger.Approval](t)(l.Approvals(t.Context(), "d")) {
		if a.Used != "" {
			a.Who += " used"
		}
		out = append(out, a.Who)
	}
	for _, b := range must[[]ledger.Blessing](t)(l.Blessings(t.Context())) {
		out = append(out, b.Ref.Name)
	}
	for _, a := range must[[]ledger.Acknowledgment](t)(l.Acknowledged(t.Context())) {
		out = append(out, "drift of "+a.Ref.Name)
	}
	for _, e := range must[[]event.PolicyRequired](t)(l.RequiredPolicies(t.Context())) {
		out = append(out, "policy "+e.Name)
	}
	return strings.Join(out, ", ")
}

// TestAnEditedStoreNeitherApprovesNorUnblesses: rows of the store are forged, changed, put back and
// removed, of an instance's own store and of one that it shares.
func TestAnEditedStoreNeitherApprovesNorUnblesses(t *testing.T) {
	approval, blessing, drift := rows.ApprovalOf("d", "ann"), rows.BlessedOf(ref("a")), rows.AcknowledgedOf(ref("a"))
	for name, attack := range map[string]func(t *testing.T, s storage.Store, l *ledger.Ledger){
		"a forged approval": func(t *testing.T, s storage.Store, l *ledger.Ledger) {
			put(t, s, rows.ApprovalOf("d", "eve"), rows.Act[event.Approved]{Seq: 1, At: time.Now(), Instance: l.Instance(), Event: event.Approved{Digest: "d", Who: "eve"}})
		},
		"an approval of another plan": func(t *testing.T, s storage.Store, _ *ledger.Ledger) {
			edit(t, s, storage.Op{Key: rows.ApprovalOf("d", "bob"), Value: row(t, s, rows.ApprovalOf("e", "bob"))})
		},
		"a longer approval": func(t *testing.T, s storage.Store, _ *ledger.Ledger) {
			var a rows.Act[event.Approved]
			if err := json.Unmarshal(row(t, s, approval), &a); err != nil {
				t.Fatal(err)
			}
			a.Event.Until = time.Now().Add(time.Hour)
			put(t, s, approval, a)
		},
		"a removed blessing": func(t *testing.T, s storage.Store, _ *ledger.Ledger) {
			edit(t, s, storage.Op{Key: blessing, Delete: true})
		},
		"an unreadable blessing": func(t *testing.T, s storage.Store, _ *ledger.Ledger) {
			edit(t, s, storage.Op{Key: blessing, Value: []byte(`[]`)})
		},
		"a lifted blessing": func(t *testing.T, s storage.Store, l *ledger.Ledger) {
			put(t, s, blessing, rows.Act[event.Blessed]{Seq: 9, Instance: l.Instance(), Event: event.Blessed{Ref: ref("a"), Who: "eve"}})
		},
		"a forged acknowledgment": func(t *testing.T, s storage.Store, l *ledger.Ledger) {
			put(t, s, rows.AcknowledgedOf(ref("z")), rows.Act[event.Acknowledged]{Instance: l.Instance(), Event: event.Acknowledged{Ref: ref("z"), Who: "eve"}})
		},
		"a removed policy": func(t *testing.T, s storage.Store, _ *ledger.Ledger) {
			edit(t, s, storage.Op{Key: rows.RequirementOf("p"), Delete: true})
		},
		"a policy that was lifted": func(t *testing.T, s storage.Store, l *ledger.Ledger) {
			put(t, s, rows.RequirementOf("p"), rows.Act[event.PolicyRequired]{Seq: 9, Instance: l.Instance(), Event: event.PolicyRequired{Name: "p", Who: "eve"}})
		},
		"a removed acknowledgment": func(t *testing.T, s storage.Store, _ *ledger.Ledger) {
			edit(t, s, storage.Op{Key: drift, Delete: true})
		},
	} {
		for _, share := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", shared"}[share], func(t *testing.T) {
				dir, store := t.TempDir(), mem.New()
				start := func() *ledger.Ledger {
					if share {
						return shared(t, dir, store, "ann")
					}
					return open(t, dir, store)
				}
				l := start()
				record(t, l, event.PolicyRequired{Name: "p", On: true, Rules: &rules.Rules{Attempts: rules.Attempts{Count: 1}}, Who: "ann"})
				record(t, l, event.Approved{Digest: "d", Who: "ann"}, event.Blessed{Ref: ref("a"), On: true, Who: "ann"},
					event.Approved{Digest: "e", Who: "bob"}, event.Acknowledged{Ref: ref("a"), Who: "ann"})
				want := counted(t, l)
				if want != "ann, a, drift of a, policy p" || doubted(t, l) != "" {
					t.Fatalf("before: %s, doubted %s", want, doubted(t, l))
				}
				attack(t, store, l)
				for range 2 {
					if got := counted(t, l); got != want {
						t.Errorf("counted are %s, want %s", got, want)
					}
					if doubted(t, l) == "" {
						t.Error("the store and the audit log agree")
					}
					if _, err := l.Trim(t.Context(), 2, nil); err != nil && !errors.Is(err, ledger.ErrUnproven) {
						t.Error(err)
					}
					if err := l.Close(); err != nil {
						t.Fatal(err)
					}
					l = start()
				}
			})
		}
	}
}

// TestActsOfOtherInstancesNeedTheirSignature: in a shared store.
func TestActsOfOtherInstancesNeedTheirSignature(t *testing.T) {
	store, _, one, other := two(t)
	record(t, one, event.Approved{Digest: "d", Who: "ann"}, event.Blessed{Ref: ref("a"), On: true, Who: "ann"}, event.Blessed{Ref: ref("b"), On: true, Who: "ann"})
	if got := counted(t, other); got != "a, b" {
		t.Errorf("the other instance, which has only pinned the key, counts %s", got)
	}
	record(t, other, event.Trusted{Key: one.Key(), On: true, Who: "bob"})
	if got := counted(t, other); got != "ann, a, b" {
		t.Fatalf("the other instance counts %s", got)
	}
	blessed := row(t, store, rows.BlessedOf(ref("b")))
	record(t, other, event.Blessed{Ref: ref("b"), Who: "bob"})
	if got := counted(t, one); got != "ann, a, b" {
		t.Errorf("after an instance whose key is only pinned lifted a blessing: %s", got)
	}
	record(t, one, event.Trusted{Key: other.Key(), On: true, Who: "ann"})
	for _, l := range []*ledger.Ledger{one, other} {
		if got := counted(t, l); got != "ann, a" {
			t.Errorf("after another instance lifted a blessing: %s", got)
		}
	}
	lifted := row(t, store, rows.BlessedOf(ref("b")))
	edit(t, store, storage.Op{Key: rows.BlessedOf(ref("b")), Value: blessed}) // as it was
	if got := counted(t, other); got != "ann, a" || doubted(t, other) != rows.BlessedOf(ref("b")) {
		t.Errorf("an older row counts: %s, doubted %s", got, doubted(t, other))
	}
	edit(t, store, storage.Op{Key: rows.BlessedOf(ref("b")), Value: lifted})
	forged := rows.Act[event.Approved]{Seq: 2, At: time.Now(), Instance: one.Instance(), Event: event.Approved{Digest: "d", Who: "eve"}}
	put(t, store, rows.ApprovalOf("d", "eve"), forged)
	forged.Event.Who, forged.Event.Signature = "mal", &event.Signature{Generation: 1, Key: one.Key(), Sum: strings.Repeat("00", 64)}
	put(t, store, rows.ApprovalOf("d", "mal"), forged)
	for _, l := range []*ledger.Ledger{one, other} {
		if got := counted(t, l); got != "ann, a" {
			t.Errorf("forged approvals count: %s", got)
		}
		if got := doubted(t, l); !strings.Contains(got, "eve") || !strings.Contains(got, "mal") {
			t.Errorf("doubted are %s", got)
		}
	}
}

// TestAnInstanceThatIsNotTrustedApprovesNothing where trust of keys is required.
func TestAnInstanceThatIsNotTrustedApprovesNothing(t *testing.T) {
	_, _, one, other := two(t)
	record(t, one, event.TrustRequired{On: true, Who: "ann"})
	record(t, other, event.Approved{Digest: "d", Who: "eve"})
	if got := counted(t, one); got != "" {
		t.Errorf("counted are %s", got)
	}
	record(t, one, event.Trusted{Key: other.Key(), On: true, Who: "ann"})
	if got := counted(t, one); got != "eve" {
		t.Errorf("counted are %s", got)
	}
}

// TestAnApprovalIsUsedOnce by the plan that starts an action with it, whatever the store says later.
func TestAnApprovalIsUsedOnce(t *testing.T) {
	for _, share := range []bool{false, true} {
		store := mem.New()
		dir := t.TempDir()
		l := open(t, dir, store)
		if share {
			store = mem.New()
			l = shared(t, t.TempDir(), store, "ann")
		}
		record(t, l, event.Approved{Digest: "d", Who: "ann"})
		all := must[[]ledger.Approval](t)(l.Approvals(t.Context(), "d"))
		start := func(plan, name string) error {
			_, err := l.Record(t.Context(), event.Started{
				Plan: plan, Ref: ref(name), Key: plan + name, Action: decider.Delete,
				Approval: &event.Approval{Digest: "d", By: []event.Approver{all[0].Record}},
			})
			return err
		}
		if err := errors.Join(start("p", "a"), start("p", "b")); err != nil {
			t.Errorf("two actions of one plan: %v", err)
		}
		if err := start("q", "c"); !errors.Is(err, ledger.ErrUsed) {
			t.Errorf("another plan: %v", err)
		}
		edit(t, store, storage.Op{Key: rows.UsedOf("d", "ann"), Delete: true})
		if err := start("q", "c"); !errors.Is(err, ledger.ErrUsed) || counted(t, l) != "ann used" {
			t.Errorf("another plan, after the store was edited: %v, %s", err, counted(t, l))
		}
		record(t, l, event.Approved{Digest: "d", Who: "ann"})
		if got := counted(t, l); got != "ann" {
			t.Errorf("approved again: %s", got)
		}
	}
}

// TestTheListOfActsSavesReadingTheLog and says what the log says, also of what came after it.
func TestTheListOfActsSavesReadingTheLog(t *testing.T) {
	dir, store := t.TempDir(), mem.New()
	l := open(t, dir, store)
	record(t, l, event.Blessed{Ref: ref("a"), On: true, Who: "ann"}, event.Blessed{Ref: ref("b"), On: true, Who: "ann"})
	for range 42 {
		many := make([]event.Event, 100)
		for i := range many {
			many[i] = event.Loaded{Stack: "web"}
		}
		record(t, l, many...)
	}
	if got := counted(t, l); got != "a, b" {
		t.Fatal(got)
	}
	end := l.Log().Frontier().Seq
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir, store)
	if now := l.Log().Frontier().Seq; now != end+1 {
		t.Errorf("closing recorded %d records, want the list", now-end)
	}
	record(t, l, event.Blessed{Ref: ref("a"), Who: "ann"})
	if got := counted(t, l); got != "b" {
		t.Errorf("after the list: %s", got)
	}
	edit(t, store, storage.Op{Key: rows.KeyActs + l.Instance(), Value: []byte(`{"seq":1}`)})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir, store)
	if got := counted(t, l); got != "b" {
		t.Errorf("without the list: %s", got)
	}
}

// TestASavedPlanIsTheOneOnRecord: a row that was put into the store, or changed, is none.
func TestASavedPlanIsTheOneOnRecord(t *testing.T) {
	for _, share := range []bool{false, true} {
		store := mem.New()
		l := open(t, t.TempDir(), store)
		if share {
			store = mem.New()
			l = shared(t, t.TempDir(), store, "ann")
		}
		record(t, l, event.PlanSaved{Plan: "p", Hash: "h", Seal: "s"})
		if e := must[event.PlanSaved](t)(l.SavedPlan(t.Context(), "p")); e.Seal != "s" {
			t.Errorf("saved %+v", e)
		}
		if share {
			other := shared(t, t.TempDir(), store, "bob")
			if _, err := other.SavedPlan(t.Context(), "p"); !errors.Is(err, ledger.ErrUnproven) {
				t.Errorf("another instance takes a plan that only a pinned key signed: %v", err)
			}
			record(t, other, event.Trusted{Key: l.Key(), On: true, Who: "bob"})
			if e := must[event.PlanSaved](t)(other.SavedPlan(t.Context(), "p")); e.Seal != "s" {
				t.Errorf("another instance has %+v", e)
			}
		}
		var a rows.Act[event.PlanSaved]
		if err := json.Unmarshal(row(t, store, rows.SavedOf("p")), &a); err != nil {
			t.Fatal(err)
		}
		for name, forged := range map[string]rows.Act[event.PlanSaved]{
			"another seal":   {Seq: a.Seq, At: a.At, Instance: a.Instance, Event: event.PlanSaved{Plan: "p", Hash: "h", Seal: "t"}},
			"another record": {Seq: a.Seq + 9, At: a.At, Instance: a.Instance, Event: a.Event},
			"another log":    {Seq: a.Seq, At: a.At, Instance: "01J0000000000000000000000A", Event: event.PlanSaved{Plan: "p", Seal: "t"}},
		} {
			put(t, store, rows.SavedOf("p"), forged)
			if e, err := l.SavedPlan(t.Context(), "p"); !errors.Is(err, ledger.ErrUnproven) {
				t.Errorf("%s: %+v, %v", name, e, err)
			}
		}
		if _, err := l.SavedPlan(t.Context(), "q"); !errors.Is(err, ledger.ErrUnproven) {
			t.Errorf("a plan that was not saved: %v", err)
		}
	}
}

// TestAForgedRowHidesNoActOfAnotherInstance: where the row of the store does not count, the last one that does is in
// force, on an instance that never read it before too. A forged act protects and allows nothing.
func TestAForgedRowHidesNoActOfAnotherInstance(t *testing.T) {
	store, _, one, other := two(t)
	confirm(t, one, other)
	record(t, one, event.Blessed{Ref: ref("a"), On: true, Who: "ann"},
		event.PolicyRequired{Name: "p", On: true, Rules: &rules.Rules{Attempts: rules.Attempts{Count: 1}}, Who: "ann"})
	eve := "01J0000000000000000000000E"
	put(t, store, rows.BlessedOf(ref("a")), rows.Act[event.Blessed]{Instance: eve, Event: event.Blessed{Ref: ref("a"), Who: "ann"}})
	put(t, store, rows.BlessedOf(ref("b")), rows.Act[event.Blessed]{Instance: eve, Event: event.Blessed{Ref: ref("b"), On: true, Who: "ann"}})
	put(t, store, rows.BlessedOf(ref("c")), rows.Act[event.Blessed]{Instance: eve, Event: event.Blessed{Ref: ref("c"), Who: "ann"}})
	put(t, store, rows.RequirementOf("p"), rows.Act[event.PolicyRequired]{Instance: eve, Event: event.PolicyRequired{Name: "p"}})
	if got := counted(t, other); got != "a, policy p" {
		t.Errorf("counted are %s", got)
	}
}
