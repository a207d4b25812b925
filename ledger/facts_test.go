package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

func TestApprovalsAreTheLastOfEachUser(t *testing.T) {
	l := fresh(t)
	now := time.Now()
	record(t, l, event.Approved{Plan: "p", Digest: "d", Who: "ann", Until: now.Add(-time.Hour)})
	record(t, l, event.Approved{Plan: "p", Digest: "d", Who: "bob", Until: now.Add(time.Hour)})
	record(t, l, event.Approved{Plan: "q", Digest: "d", Who: "ann"}, event.Approved{Plan: "p", Digest: "e", Who: "ann"}, event.Approved{Plan: "p", Who: "ann"})
	all := must[[]ledger.Approval](t)(l.Approvals(t.Context(), "d"))
	if len(all) != 2 || all[0].Who != "bob" || all[1].Who != "ann" || all[1].Plan != "q" {
		t.Fatalf("the approvals are %+v", all)
	}
	if !all[0].Holds(now) || all[0].Holds(now.Add(2*time.Hour)) || !all[1].Holds(now.Add(1000*time.Hour)) {
		t.Error("an approval does not expire when it should")
	}
}

func TestAcknowledgedDrift(t *testing.T) {
	l := fresh(t)
	now := time.Now()
	record(t, l, event.Acknowledged{Ref: ref("b"), Drift: "d", Until: now, Who: "ann"}, event.Acknowledged{Ref: ref("a"), Drift: "d", Until: now, Who: "ann"})
	all := must[[]ledger.Acknowledgment](t)(l.Acknowledged(t.Context()))
	if len(all) != 2 || all[0].Ref != ref("a") {
		t.Fatalf("acknowledged are %+v", all)
	}
	a := all[0]
	if !a.Holds("d", now.Add(-1)) || a.Holds("e", now.Add(-1)) || a.Holds("d", now) {
		t.Error("an acknowledgment covers another drift, or another time")
	}
}

func TestAppliedIsWhatTheFinishedActionApplied(t *testing.T) {
	l := fresh(t)
	for _, name := range []string{"a", "b"} {
		record(t, l, event.Started{Ref: ref(name), Key: name, Action: decider.Update, Applying: &event.Applied{Desired: name}})
	}
	record(t, l, event.Finished{Ref: ref("a"), Key: "a", Action: decider.Update, Outcome: event.Done})
	applied, failed := l.AllApplied(t.Context(), storage.Now)
	if a, ok := applied(ref("a")); !ok || a.Desired != "a" {
		t.Errorf("applied to a: %+v, %v", a, ok)
	}
	if _, ok := applied(ref("b")); ok || failed() != nil {
		t.Errorf("an open action counts as applied: %v", failed())
	}
	if _, found, err := l.Applied(t.Context(), ref("a"), 1); found || err != nil {
		t.Errorf("applied before it was: %v", err)
	}
}

func TestTheLoadedVersion(t *testing.T) {
	l := fresh(t)
	if _, err := l.LoadedVersion(t.Context(), "web"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("nothing was loaded: %v", err)
	}
	record(t, l, event.Loaded{Stack: "web", Version: "v1"}, event.Loaded{Stack: "web", Version: "v2"})
	if v := must[string](t)(l.LoadedVersion(t.Context(), "web")); v != "v2" {
		t.Errorf("loaded %s", v)
	}
}

// TestClaimsWriteNothingElse: the coordinator's part of the store refuses all other keys.
func TestClaimsWriteNothingElse(t *testing.T) {
	l := open(t, t.TempDir(), mem.New())
	c := l.Claims()
	lease := must[storage.LeaseID](t)(c.Grant(t.Context(), time.Hour))
	commit := func(key string) error {
		_, err := c.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: key, Value: []byte("{}"), Lease: lease}}})
		return err
	}
	if err := errors.Join(commit("claim/a"), commit("note/a")); err != nil {
		t.Errorf("a claim and a note: %v", err)
	}
	for _, key := range []string{"binding/a", "claims", "log/x"} {
		if commit(key) == nil {
			t.Errorf("%s was written as a claim", key)
		}
	}
	if c.Compact(t.Context(), 1) == nil || c.Close() == nil {
		t.Error("the store was compacted or closed as a claim")
	}
	if got := must[map[string]storage.Entry](t)(storage.Gets(t.Context(), c, []string{"claim/a", "claim/b"})); len(got) != 1 {
		t.Errorf("read %v", got)
	}
	if _, _, err := storage.GrantWithin(t.Context(), c, time.Hour); err != nil {
		t.Error(err)
	}
}

// TestOnlyOpenActionsAreRecovered: one that another run recovered meanwhile is not recorded again.
func TestOnlyOpenActionsAreRecovered(t *testing.T) {
	l := fresh(t)
	record(t, l, event.Started{Ref: ref("a"), Key: "ka", Action: decider.Create, Desired: "w"})
	record(t, l, event.Started{Ref: ref("b"), Key: "kb", Action: decider.Delete, Have: "ib"})
	answers := []event.Recovered{
		{Ref: ref("a"), Key: "ka", Action: decider.Create, Finding: event.FoundNotDone},
		{Ref: ref("b"), Key: "old", Action: decider.Delete, Finding: event.FoundDone},
		{Ref: ref("c"), Key: "kc", Action: decider.Delete, Finding: event.FoundDone},
	}
	kept, receipt, err := l.RecordRecovered(t.Context(), answers, nil)
	if err != nil || receipt.Revision == 0 || len(kept) != 1 || kept[0].Ref != ref("a") {
		t.Errorf("recorded %+v", kept)
	}
	if k := must[map[resource.Ref]ledger.ResourceTries](t)(l.Attempts(t.Context()))[ref("a")].Last().Key; k != "ka" {
		t.Errorf("the next try uses the key %q", k)
	}
	answers[1].Key, answers[1].Finding = "kb", event.FoundUnknown
	if _, _, err := l.RecordRecovered(t.Context(), answers, nil); err != nil {
		t.Fatal(err)
	}
	if open := must[[]ledger.OpenAction](t)(l.OpenActions(t.Context())); len(open) != 1 || open[0].Checked.IsZero() {
		t.Errorf("open are %+v", open)
	}
}

// TestACreateThatWasNotDoneCanBeDoneLater, once, and not after an operator decided about the resource: then its key is
// not used again either, because a create with it would return that resource.
func TestACreateThatWasNotDoneCanBeDoneLater(t *testing.T) {
	for name, c := range map[string]struct {
		before event.Event // before the late create is recorded
		counts bool
	}{
		"nothing":                {nil, true},
		"another create started": {event.Started{Ref: ref("a"), Key: "k2", Action: decider.Create, Desired: "v"}, false},
		"adopted":                {event.Adopted{Ref: ref("a"), ID: "i1", Key: "k1"}, false},
		"dismissed":              {event.Dismissed{Ref: ref("a"), ID: "i1"}, false},
	} {
		for _, share := range []bool{false, true} {
			store := mem.New()
			l := open(t, t.TempDir(), store)
			if share {
				l = shared(t, t.TempDir(), store, "ann")
			}
			record(t, l, event.Started{Ref: ref("a"), Key: "k1", Action: decider.Create, Desired: "w"})
			record(t, l, event.Recovered{Ref: ref("a"), Key: "k1", Action: decider.Create, Finding: event.FoundNotDone})
			if c.before != nil {
				record(t, l, c.before)
			}
			late := []event.Recovered{{Ref: ref("a"), Key: "k1", Action: decider.Create, Finding: event.FoundDone, ID: "i1"}}
			for i := range 2 {
				kept, _, err := l.RecordRecovered(t.Context(), late, nil)
				if want := c.counts && i == 0; err != nil || (len(kept) == 1) != want {
					t.Errorf("%s, shared %v: recorded %+v, %v; want %v", name, share, kept, err, want)
				}
			}
			if c.counts {
				proven(t, l, "a", "i1")
			}
			all := must[map[resource.Ref]ledger.ResourceTries](t)(l.Attempts(t.Context()))
			if key := all[ref("a")].Of("w").Key; (key != "") != (name == "another create started") {
				t.Errorf("%s, shared %v: the next try uses the key %q", name, share, key)
			}
			if !share {
				same(t, l, store)
			}
		}
	}
}

// TestRecoveredDeletesEndTheirBinding, also in a store that instances share.
func TestRecoveredDeletesEndTheirBinding(t *testing.T) {
	for _, share := range []bool{false, true} {
		l := fresh(t)
		if share {
			l = shared(t, t.TempDir(), mem.New(), "ann")
		}
		record(t, l, event.Started{Ref: ref("a"), Key: "k1", Action: decider.Create})
		record(t, l, event.Recovered{Ref: ref("a"), Key: "k1", Action: decider.Create, Finding: event.FoundDone, ID: "i1"})
		proven(t, l, "a", "i1")
		record(t, l, event.Started{Ref: ref("a"), Key: "k2", Action: decider.Delete, Have: "i1"})
		record(t, l, event.Recovered{Ref: ref("a"), Key: "k2", Action: decider.Delete, Finding: event.FoundDone, ID: "i1"})
		notProven(t, l, "a", "i1")
		if !bindings(t, l)["i1"].Ended {
			t.Error("the binding did not end")
		}
	}
}

func TestRolloutFacts(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	good := event.LastGood{Ref: ref("a"), Desired: "v", Applied: event.Applied{Desired: "v"}}
	record(t, l, good, event.Exhausted{Ref: ref("a"), Desired: "w", Attempts: 3, Back: "v"}, event.Exhausted{Ref: ref("b"), Desired: "w", Attempts: 3})
	record(t, l, event.Wave{Stack: "web", Kind: "box", Name: "b", Version: "v1", Reach: 1})
	record(t, l, event.Wave{Stack: "web", Kind: "box", Name: "b", Version: "v2", Reach: 1, Had: []resource.Ref{ref("a")}})
	record(t, l, event.Wave{Stack: "web", Kind: "box", Name: "b", Version: "v2", Reach: 2, Halted: true})
	if w := must[[]event.Wave](t)(l.Waves(t.Context(), storage.Now)); len(w) != 1 || w[0].Version != "v2" || !w[0].Halted || len(w[0].Had) != 1 {
		t.Errorf("the waves are %+v", w)
	}
	record(t, l, event.Retried{Ref: ref("b").In("web"), Who: "ann"})
	if diff := cmp.Diff(map[resource.Ref]event.LastGood{ref("a"): good}, must[map[resource.Ref]event.LastGood](t)(l.LastGood(t.Context(), storage.Now))); diff != "" {
		t.Error(diff)
	}
	if all := must[map[resource.Ref]event.Exhausted](t)(l.Exhausted(t.Context())); len(all) != 1 || all[ref("a")].Back != "v" {
		t.Errorf("exhausted are %+v", all)
	}
	if w := must[[]event.Wave](t)(l.Waves(t.Context(), storage.Now)); len(w) != 1 || w[0].Reach != 2 || w[0].Halted || len(w[0].Had) != 1 {
		t.Errorf("after the retry the waves are %+v", w)
	}
	same(t, l, store)
}

// TestLaw1_AbsenceNeedsACompleteRead_OfTheKind: of the kinds that were listed, what is missing is gone.
func TestLaw1_AbsenceNeedsACompleteRead_OfTheKind(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	disk := res("d", "s")
	disk.Ref.Kind = "disk"
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s"), disk), ledger.ObservationOptions{Since: -1}))
	partial := liveState()
	s := partial.Scopes[scope]
	s.Complete, s.Unreachable = []string{"box"}, map[string]error{"disk": errors.New("denied")}
	partial.Scopes[scope] = s
	must[ledger.Receipt](t)(l.RecordObservation(ctx, partial, ledger.ObservationOptions{Since: -1}))
	if _, err := l.Resource(ctx, disk.Ref, storage.Now); err != nil {
		t.Errorf("a resource of an unreachable kind is gone: %v", err)
	}
	if _, err := l.Resource(ctx, ref("a"), storage.Now); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("a resource missing from a complete list is still recorded: %v", err)
	}
	scan := must[[]ledger.Scan](t)(l.Scans(ctx, storage.Now))[0]
	if !scan.Covers([]string{"box"}) || scan.Covers([]string{"disk"}) || scan.Covers(nil) {
		t.Errorf("the scan covers other kinds: %+v", scan)
	}
	if got := must[[]resource.Scope](t)(l.Scopes(ctx, "web")); len(got) != 1 {
		t.Errorf("the stack owns nothing in %v any more", scope)
	}
}

func TestASnapshotIsTheLastCompleteObservation(t *testing.T) {
	l := fresh(t)
	if _, err := l.Snapshot(t.Context(), scope); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("a snapshot of a scope never observed: %v", err)
	}
	w := liveState(res("b", "s"), res("a", "s"))
	must[ledger.Receipt](t)(l.RecordObservation(t.Context(), w, ledger.ObservationOptions{Since: -1}))
	s := must[resource.Snapshot](t)(l.Snapshot(t.Context(), scope))
	if len(s.Resources) != 2 || s.Resources[0].Ref != ref("a") || !s.At.Equal(w.Scopes[scope].At) {
		t.Errorf("the snapshot is %+v", s)
	}
	live, rev, err := l.LiveState(t.Context(), storage.Now)
	if err != nil || rev != 1 || len(live.Scopes[scope].Resources) != 2 {
		t.Errorf("live state is %+v at %d: %v", live, rev, err)
	}
}

func TestAwaitedScans(t *testing.T) {
	l := fresh(t)
	go func() {
		_, _ = l.RecordObservation(context.WithoutCancel(t.Context()), liveState(), ledger.ObservationOptions{Since: -1})
	}()
	if err := l.AwaitScans(t.Context(), func(all []ledger.Scan) bool { return len(all) == 1 }); err != nil {
		t.Error(err)
	}
}

// TestAMissingYoungResourceIsNotGoneYet names it, so that it is observed again.
func TestAMissingYoungResourceIsNotGoneYet(t *testing.T) {
	l := fresh(t)
	made := res("a", "s")
	record(t, l, event.Finished{Ref: ref("a"), Key: "k", Action: decider.Create, Outcome: event.Done, ID: "i1", Resource: &made})
	_, err := l.RecordObservation(t.Context(), liveState(), ledger.ObservationOptions{Since: -1, Young: time.Minute})
	var young *ledger.YoungError
	if !errors.As(err, &young) || len(young.Refs) != 1 || young.Error() == "" {
		t.Errorf("a new resource that is not listed: %v", err)
	}
}

func TestClosingRecordsTheDigestOfManyBindings(t *testing.T) {
	dir, store := t.TempDir(), mem.New()
	l := open(t, dir, store)
	var events []event.Event
	for i := range 120 {
		id := string(rune('A'+i%26)) + string(rune('a'+i/26))
		events = append(events, event.Adopted{Ref: ref(id), ID: id, Who: "ann"})
	}
	record(t, l, events...)
	proven(t, l, "Aa", "Aa")
	record(t, l, event.Loaded{Stack: "web"})
	proven(t, l, "Aa", "Aa")
	end := l.Log().Frontier().Seq
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, store)
	if now := again.Log().Frontier().Seq; now != end+1 {
		t.Errorf("closing recorded %d records, want the digest", now-end)
	}
	proven(t, again, "Bb", "Bb")
}
