package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

func TestOneBatchIsOneRevision(t *testing.T) {
	l := fresh(t)
	a := must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: "web", Resources: 3}, event.Loaded{Stack: "db"}))
	b := must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: "web", Resources: 4}))
	if a.First != 1 || a.Last != 2 || a.Revision != 1 || b.First != 3 || b.Last != 3 || b.Revision != 2 {
		t.Errorf("receipts %+v and %+v: want records 1-2 at revision 1 and 3 at 2", a, b)
	}
}

func TestOnlyWhatChangedIsWritten(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s"), res("b", "s"), res("c", "s")), ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s"), res("b", "m"), res("d", "s")), ledger.ObservationOptions{Since: -1}))
	got := must[ledger.ResourceState](t)(l.Resource(ctx, ref("a"), storage.Now))
	if got.First != 1 || got.Changed != 1 {
		t.Errorf("an unchanged thing was written again: %+v", got)
	}
	if got = must[ledger.ResourceState](t)(l.Resource(ctx, ref("b"), storage.Now)); got.Changed != 2 || !got.Equal(res("b", "m")) {
		t.Errorf("b is %+v, want the new size since revision 2", got)
	}
	if _, err := l.Resource(ctx, ref("c"), storage.Now); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("c is gone, got %v", err)
	}
	if got = must[ledger.ResourceState](t)(l.Resource(ctx, ref("c"), 1)); !got.Equal(res("c", "s")) {
		t.Errorf("c at revision 1: %+v", got)
	}
	moments := must[[]history.Moment](t)(history.New(l.Reader()).History(ctx, ref("c")))
	if len(moments) != 2 || moments[0].Seen == nil || !moments[1].Gone {
		t.Errorf("history of c: %+v, want seen, then gone", moments)
	}
}

func TestLaw1_AbsenceNeedsACompleteRead_OfTheScope(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s")), ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.RecordObservation(ctx, unreachable(errors.New("page 2: throttled")), ledger.ObservationOptions{Since: -1}))
	if _, err := l.Resource(ctx, ref("a"), storage.Now); err != nil {
		t.Errorf("a failed look made a thing vanish: %v", err)
	}
	s := must[[]ledger.Scan](t)(l.Scans(ctx, storage.Now))
	if len(s) != 1 || s[0].Complete || s[0].Error != "page 2: throttled" || s[0].Confirmed.IsZero() || s[0].Count() != 1 {
		t.Errorf("scans: %+v, want an incomplete look that keeps what the last complete one saw", s)
	}
}

func TestAnOlderObservationDoesNotUndoAnAction(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s")), ledger.ObservationOptions{Since: -1}))
	since := must[storage.Revision](t)(l.Revision(ctx))
	made, changed := res("b", "s"), res("a", "m")
	must[ledger.Receipt](t)(l.Record(ctx, event.Started{Ref: ref("b"), Key: "k", Action: decider.Create}))
	must[ledger.Receipt](t)(l.Record(ctx, event.Finished{Ref: ref("b"), Key: "k", Action: decider.Create, Outcome: event.Done, Resource: &made},
		event.Finished{Ref: ref("a"), Key: "l", Action: decider.Update, Outcome: event.Done, Resource: &changed}))
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s")), ledger.ObservationOptions{Since: since}))
	if _, err := l.Resource(ctx, ref("b"), storage.Now); err != nil {
		t.Errorf("an observation from before b was created deleted it: %v", err)
	}
	if got := must[ledger.ResourceState](t)(l.Resource(ctx, ref("a"), storage.Now)); !got.Equal(changed) {
		t.Errorf("an observation from before a was changed restored %+v", got)
	}
}

// TestAnOlderObservationKeepsTheScopeOfANewResource: a plan reads the scopes in which its stack owns something. One that
// left the list because an observation from before a create was recorded after it would not be read again, and what the
// configuration no longer has would stay there.
func TestAnOlderObservationKeepsTheScopeOfANewResource(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(), ledger.ObservationOptions{Since: -1}))
	since := must[storage.Revision](t)(l.Revision(ctx))
	made := res("a", "s")
	must[ledger.Receipt](t)(l.Record(ctx, event.Started{Ref: ref("a"), Key: "k", Action: decider.Create}))
	must[ledger.Receipt](t)(l.Record(ctx, event.Finished{Ref: ref("a"), Key: "k", Action: decider.Create, Outcome: event.Done, Resource: &made}))
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(), ledger.ObservationOptions{Since: since}))
	if got := must[[]resource.Scope](t)(l.Scopes(ctx, made.Ref.Stack)); len(got) != 1 || got[0] != scope {
		t.Errorf("scopes after an observation from before the create: %v, want %s", got, scope)
	}
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(), ledger.ObservationOptions{Since: -1}))
	if got := must[[]resource.Scope](t)(l.Scopes(ctx, made.Ref.Stack)); len(got) != 0 {
		t.Errorf("scopes after it was found gone: %v", got)
	}
}

func TestScopesWhoseNamesBeginAlikeStayApart(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	inner := resource.Scope{Provider: "fake", Location: "here/there"}
	deep := res("a", "s")
	deep.Ref.Location = inner.Location
	w := liveState(res("a", "s"))
	w.Scopes[inner] = resource.Snapshot{Scope: inner, Resources: []resource.Observed{deep}}
	must[ledger.Receipt](t)(l.RecordObservation(ctx, w, ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(), ledger.ObservationOptions{Since: -1}))
	if _, err := l.Resource(ctx, deep.Ref, storage.Now); err != nil {
		t.Errorf("an empty look at %s made a thing in %s vanish: %v", scope, inner, err)
	}
	got := must[[]resource.Scope](t)(l.Scopes(ctx, "web"))
	if diff := cmp.Diff([]resource.Scope{inner}, got); diff != "" {
		t.Errorf("scopes of the stack (-want +got):\n%s", diff)
	}
}

func TestOpenActionsAreClosedByTheirOwnResultOnly(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	started := event.Started{Ref: ref("a"), Key: "k1", Action: decider.Create, Desired: "w", Applying: &event.Applied{Desired: "w"}}
	must[ledger.Receipt](t)(l.Record(ctx, started))
	must[ledger.Receipt](t)(l.Record(ctx, event.Finished{Ref: ref("a"), Key: "other", Action: decider.Create, Outcome: event.Failed}))
	if got := must[[]ledger.OpenAction](t)(l.OpenActions(ctx)); len(got) != 1 || got[0].Key != "k1" || got[0].User != "ann" {
		t.Fatalf("open intents: %+v, want k1 by ann", got)
	}
	must[ledger.Receipt](t)(l.Record(ctx, event.Finished{Ref: ref("a"), Key: "k1", Action: decider.Create, Outcome: event.Uncertain, Error: "lost"}))
	if got := must[[]ledger.OpenAction](t)(l.OpenActions(ctx)); len(got) != 1 || !got[0].Uncertain || got[0].Error != "lost" {
		t.Fatalf("open intents: %+v, want k1 uncertain", got)
	}
	made := res("a", "s")
	must[ledger.Receipt](t)(l.Record(ctx, event.Finished{Ref: ref("a"), Key: "k1", Action: decider.Create, Outcome: event.Done, Resource: &made}))
	if got := must[[]ledger.OpenAction](t)(l.OpenActions(ctx)); len(got) != 0 {
		t.Errorf("open intents after the end: %+v", got)
	}
	if a, ok, err := l.Applied(ctx, ref("a"), storage.Now); err != nil || !ok || a.Desired != "w" {
		t.Errorf("applied: %+v %v %v, want what was started", a, ok, err)
	}
}

func TestFailuresOfOneConfigurationAreCountedAndItsKeyIsKept(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	fail := func(desired, key string, cause provider.Cause) {
		must[ledger.Receipt](t)(l.Record(ctx, event.Finished{Ref: ref("a"), Key: key, Desired: desired, Action: decider.Create, Outcome: event.Failed, Error: "no", Cause: cause}))
	}
	fail("w1", "k1", provider.Unreachable)
	fail("w1", "k2", provider.UnknownResult)
	if got := must[map[resource.Ref]ledger.ResourceTries](t)(l.Attempts(ctx))[ref("a")].Last(); got.Failures != 0 || got.Other != 2 || got.Since.IsZero() || got.Key != "k2" || got.Desired != "w1" {
		t.Errorf("tries: %+v, want 2 failures of w1 that pass with k2", got)
	}
	fail("w2", "k3", provider.Configuration)
	if got := must[map[resource.Ref]ledger.ResourceTries](t)(l.Attempts(ctx))[ref("a")].Last(); got.Failures != 1 || got.Other != 0 || got.Key != "" {
		t.Errorf("tries: %+v, want 1 of w2 without a key: it will fail again", got)
	}
	fail("w2", "k4", provider.Denied)
	if got := must[map[resource.Ref]ledger.ResourceTries](t)(l.Attempts(ctx))[ref("a")].Last(); got.Failures != 1 || got.Other != 1 || got.Cause != provider.Denied || got.Key != "" {
		t.Errorf("tries: %+v, want a denial that does not count, without a key: nothing was created", got)
	}
}

// TestWhatFailedBeforeAnotherConfigurationIsPast: it is no present trouble, and counts on if it is tried again.
// If the resource only went back to a configuration that works, the failure is the present.
func TestWhatFailedBeforeAnotherConfigurationIsPast(t *testing.T) {
	l := fresh(t)
	finish := func(desired string, outcome event.Outcome) {
		e := event.Finished{Ref: ref("a"), Key: "k", Desired: desired, Action: decider.Update, Outcome: outcome, Cause: provider.Configuration}
		record(t, l, event.Started{Ref: ref("a"), Key: "k", Action: e.Action, Desired: desired, Applying: &event.Applied{Desired: desired}}, e)
	}
	tries := func() ledger.ResourceTries {
		return must[map[resource.Ref]ledger.ResourceTries](t)(l.Attempts(t.Context()))[ref("a")]
	}
	finish("w1", event.Failed)
	finish("w2", event.Done)
	if got := tries(); got.Last().Any() || got.Of("w1").Failures != 1 {
		t.Errorf("after w2: %+v", got)
	}
	finish("w1", event.Failed)
	if got := tries().Last(); got.Desired != "w1" || got.Failures != 2 {
		t.Errorf("tried again: %+v", got)
	}
	record(t, l, event.Exhausted{Ref: ref("a"), Desired: "w1", Back: "w2"})
	finish("w2", event.Done)
	if got := tries().Last(); got.Desired != "w1" || got.Failures != 2 {
		t.Errorf("back to w2: %+v", got)
	}
}

// same rebuilds the store from the log and compares.
func same(t *testing.T, l *ledger.Ledger, live storage.Store) {
	t.Helper()
	into := mem.New()
	must[storage.Revision](t)(replay.Rebuild(t.Context(), l.Reader(), into))
	want, got := must[string](t)(replaytest.Digest(t.Context(), live, 0)), must[string](t)(replaytest.Digest(t.Context(), into, 0))
	if want != got {
		t.Errorf("the rebuilt store differs from the live one")
	}
}

// failing is a store or nothing.
type failing struct {
	storage.Store
	err error
}

func (s *failing) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	if s.err != nil {
		return 0, s.err
	}
	return s.Store.Commit(ctx, tx)
}

func TestLaw2_RecordBeforeAct_AFailedStoreBreaksTheLedger(t *testing.T) {
	dir, inner := t.TempDir(), mem.New()
	store := &failing{Store: inner}
	l := open(t, dir, store)
	ctx := t.Context()
	heard := 0
	l.Listen(func(event.Record) { heard++ })
	store.err = errors.New("no space left on device")
	if _, err := l.Record(ctx, event.Blessed{Ref: ref("a"), On: true, Who: "ann"}); !errors.Is(err, ledger.ErrBroken) || !errors.Is(err, store.err) {
		t.Fatalf("got %v, want ErrBroken with the cause", err)
	}
	store.err = nil
	if _, err := l.Record(ctx, event.Loaded{}); !errors.Is(err, ledger.ErrBroken) {
		t.Errorf("a broken ledger recorded: %v", err)
	}
	if heard != 0 {
		t.Errorf("listeners heard %d records that were not durable in both", heard)
	}
	_ = l.Close()
	l = open(t, dir, inner) // the log had it, so now the store has it too
	if got := must[[]ledger.Blessing](t)(l.Blessings(ctx)); len(got) != 1 {
		t.Errorf("blessings after reopening: %+v", got)
	}
	same(t, l, inner)
}

func TestALostAnswerOfTheStoreIsRead(t *testing.T) {
	inner := mem.New()
	store := &amnesiac{Store: inner}
	l := open(t, t.TempDir(), store)
	store.on = true
	r := must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: "web"}))
	if r.Revision != 1 || l.Broken() != nil {
		t.Errorf("receipt %+v, broken %v", r, l.Broken())
	}
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: "web"}))
	same(t, l, inner)
}

// amnesiac commits and loses the answer.
type amnesiac struct {
	storage.Store
	on bool
}

func (s *amnesiac) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	rev, err := s.Store.Commit(ctx, tx)
	if s.on && err == nil {
		return 0, fmt.Errorf("lost: %w", storage.ErrUnknown)
	}
	return rev, err
}

func TestTwoLedgersOnOneDirectoryTakeTurns(t *testing.T) {
	dir, store := t.TempDir(), mem.New()
	a, b := open(t, dir, store), open(t, dir, store)
	ctx := t.Context()
	var wait sync.WaitGroup
	for i := range 20 {
		for j, l := range []*ledger.Ledger{a, b} {
			wait.Go(func() {
				if _, err := l.Record(ctx, event.Blessed{Ref: ref(fmt.Sprint(i, "-", j)), On: true, Who: "ann"}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wait.Wait()
	if a.Instance() != b.Instance() {
		t.Errorf("one directory, two instances: %s and %s", a.Instance(), b.Instance())
	}
	if got := must[[]ledger.Blessing](t)(a.Blessings(ctx)); len(got) != 40 {
		t.Errorf("%d blessings, want 40", len(got))
	}
	n := 0
	for r, err := range history.New(a.Reader()).LogRecords(ctx, history.Filter{}) {
		if n++; err != nil || int(r.Seq) != n {
			t.Fatalf("record %d has number %d: %v", n, r.Seq, err)
		}
	}
	if n != 40 {
		t.Errorf("%d records, want 40", n)
	}
	same(t, a, store)
}

func TestReopeningLosesNothing(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, nil)
	ctx := t.Context()
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s"), res("b", "s")), ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "m")), ledger.ObservationOptions{Since: -1}))
	before := must[[]history.Moment](t)(history.New(l.Reader()).History(ctx, ref("b")))
	digest := must[string](t)(replaytest.Digest(ctx, l.Store(), 0))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, nil)
	if diff := cmp.Diff(before, must[[]history.Moment](t)(history.New(again.Reader()).History(ctx, ref("b")))); diff != "" {
		t.Errorf("history (-before +after):\n%s", diff)
	}
	if got := must[string](t)(replaytest.Digest(ctx, again.Store(), 0)); got != digest {
		t.Errorf("digest after reopening differs")
	}
	_ = again.Close()
	lost := open(t, dir, mem.New()) // as if the store file had been deleted
	if got := must[string](t)(replaytest.Digest(ctx, lost.Store(), 0)); got != digest {
		t.Errorf("the store that came back from the log differs")
	}
}

func TestAStoreAheadOfTheLogIsRefused(t *testing.T) {
	dir, store := t.TempDir(), mem.New()
	l := open(t, dir, store)
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{}))
	value := []byte(`{"seq":9,"chain":"","at":"2026-01-01T00:00:00Z"}`)
	must[storage.Revision](t)(store.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "log/" + l.Instance(), Value: value}}}))
	_ = l.Close()
	if _, err := ledger.Open(t.Context(), ledger.Config{Dir: dir, Store: store}); err == nil {
		t.Error("a log that lost its tail was opened")
	}
}

func TestTheLedgerIsInTheGivenDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "data")
	l := open(t, dir, nil)
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{}))
	for _, name := range []string{"store.db", "wal"} {
		if found, _ := filepath.Glob(filepath.Join(dir, name)); len(found) != 1 {
			t.Errorf("%s is not in the data directory", name)
		}
	}
}

func TestAPlanLikeTheLastIsNotListedAgain(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	ctx := t.Context()
	d := []event.Decision{{
		Ref: ref("a"), Action: decider.Create, Proposed: decider.Create, Reason: decider.ReasonMissing,
		Changes: []resource.Change{{Path: "size", To: resource.String("s"), Effect: resource.Replace}},
	}}
	hash := must[string](t)(event.HashDecisions(d))
	for _, id := range []string{"p1", "p2", "p3"} {
		must[ledger.Receipt](t)(l.RecordPlan(ctx, event.Planned{Plan: id, Stacks: []string{"web"}, Mode: event.ForPlan, Hash: hash, Decisions: d}))
	}
	var listed, same []string
	for r, err := range history.New(l.Reader()).LogRecords(ctx, history.Filter{Types: []string{event.TypePlanned}}) {
		if err != nil {
			t.Fatal(err)
		}
		e := r.Event.(event.Planned)
		if len(e.Decisions) > 0 {
			listed = append(listed, e.Plan)
			if diff := cmp.Diff(d, e.Decisions); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
		}
		same = append(same, e.Same)
	}
	if diff := cmp.Diff([]string{"p1"}, listed); diff != "" || !cmp.Equal(same, []string{"", "p1", "p1"}) {
		t.Errorf("listed by %v, same as %v", listed, same)
	}
	m := must[[]history.Moment](t)(history.New(l.Reader()).History(ctx, ref("a")))
	if len(m) != 1 || m[0].Records[0].Event.(event.Planned).Plan != "p1" {
		t.Errorf("history: %+v, want one decision of p1", m)
	}
}

// TestLaw3_OneWriter: what the log holds, what the store answers and what listeners
// heard is one and the same, in one order, whoever recorded it.
func TestLaw3_OneWriter(t *testing.T) {
	dir, store := t.TempDir(), mem.New()
	l, other := open(t, dir, store), open(t, dir, store)
	ctx := t.Context()
	var heard []string
	stop := l.Listen(func(r event.Record) {
		if got := must[[]ledger.Blessing](t)(l.Blessings(ctx)); len(got) == 0 {
			t.Error("a record was heard before the store had it")
		}
		heard = append(heard, r.ID)
	})
	for i := range 10 {
		must[ledger.Receipt](t)(l.Record(ctx, event.Blessed{Ref: ref(fmt.Sprint("a", i)), On: true, Who: "ann"}))
		must[ledger.Receipt](t)(other.Record(ctx, event.Blessed{Ref: ref(fmt.Sprint("b", i)), On: true, Who: "ben"}))
	}
	stop()
	must[ledger.Receipt](t)(l.Record(ctx, event.Loaded{}))
	var mine []string
	for r, err := range history.New(other.Reader()).LogRecords(ctx, history.Filter{Run: l.Run(), Types: []string{event.TypeBlessed}}) {
		if err != nil {
			t.Fatal(err)
		}
		mine = append(mine, r.ID)
	}
	if diff := cmp.Diff(mine, heard); diff != "" || len(heard) != 10 {
		t.Errorf("heard (-log +heard):\n%s", diff)
	}
	same(t, l, store)
}

func TestCompactionRemovesThePastAndNothingElse(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	ctx := t.Context()
	for _, s := range []string{"s", "m", "l"} {
		must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", s), res("b", "s")), ledger.ObservationOptions{Since: -1}))
	}
	if err := l.Compact(ctx, 3); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Resource(ctx, ref("a"), 1); !errors.Is(err, storage.ErrCompacted) {
		t.Errorf("a read before the compaction: %v", err)
	}
	w, _, err := l.LiveState(ctx, storage.Now)
	if err != nil || len(w.Scopes[scope].Resources) != 2 {
		t.Errorf("the world has %d things: %v", len(w.Scopes[scope].Resources), err)
	}
	into := mem.New()
	must[storage.Revision](t)(replay.Rebuild(ctx, l.Reader(), into))
	if want, got := must[string](t)(replaytest.Digest(ctx, store, 3)), must[string](t)(replaytest.Digest(ctx, into, 3)); want != got {
		t.Error("from the compaction on, the rebuilt store differs")
	}
	if err := l.Compact(ctx, 99); !errors.Is(err, storage.ErrFuture) {
		t.Errorf("compacting the future: %v", err)
	}
}

// TestAnotherLogIsRefused puts a log beside a store that has seen a different one.
func TestAnotherLogIsRefused(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	l := open(t, one, nil)
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{}))
	_ = l.Close()
	if err := os.Rename(filepath.Join(one, "store.db"), filepath.Join(two, "store.db")); err != nil {
		t.Fatal(err)
	}
	if other, err := ledger.Open(t.Context(), ledger.Config{Dir: two}); err == nil {
		_ = other.Close()
		t.Error("a store was opened with the log of another one")
	}
}

func TestWhatCannotBeRecordedBreaksNothing(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	huge := res("a", string(make([]byte, storage.MaxValue)))
	if _, err := l.RecordObservation(ctx, liveState(huge), ledger.ObservationOptions{Since: -1}); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("a thing larger than a store takes: %v", err)
	}
	if err := l.Broken(); err != nil {
		t.Errorf("broken: %v", err)
	}
	r := must[ledger.Receipt](t)(l.Record(ctx, event.Loaded{}))
	if r.First != 1 {
		t.Errorf("record %d: something of what could not be recorded is in the log", r.First)
	}
}
