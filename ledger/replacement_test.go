package ledger_test

import (
	"testing"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// replacing records a replacement of old up to the given steps.
func replacing(t *testing.T, l *ledger.Ledger, steps ...string) {
	t.Helper()
	record(t, l, event.ReplaceStarted{Ref: ref("a"), Key: "r", Strategy: "swap", Desired: "v2", Old: "old"})
	for _, step := range steps {
		stepOf(t, l, step)
	}
}

// stepOf records one step as started and finished.
func stepOf(t *testing.T, l *ledger.Ledger, step string) {
	t.Helper()
	id, started := "old", event.Started{Ref: ref("a"), Key: step, Action: decider.Replace, Step: step, Desired: "v2"}
	if step == "create" || step == "switch" || step == "delete_new" {
		id = "new"
	}
	if step == "create" {
		started.Applying = &event.Applied{Desired: "v2"}
	}
	record(t, l, started)
	record(t, l, event.Finished{Ref: ref("a"), Key: step, Action: decider.Replace, Step: step, Desired: "v2", Outcome: event.Done, ID: id})
}

func attempts(t *testing.T, l *ledger.Ledger) ledger.Tries {
	t.Helper()
	return must[map[resource.Ref]ledger.ResourceTries](t)(l.Attempts(t.Context()))[ref("a")].Last()
}

// TestWhatIsLeftOfAReplacementIsProven: the bindings of the other resource are newer or ended
// later, in a store that instances share too, and whichever instance finishes it.
func TestWhatIsLeftOfAReplacementIsProven(t *testing.T) {
	for name, shares := range map[string]bool{"one instance": false, "shared": true} {
		t.Run(name, func(t *testing.T) {
			for left, gone := range map[string]string{"new": "old", "old": "new"} {
				store := mem.New()
				a := open(t, t.TempDir(), mem.New())
				b := a
				if shares {
					a, b = shared(t, t.TempDir(), store, "a"), shared(t, t.TempDir(), store, "b")
					confirm(t, a, b)
				}
				created(t, a, "a", "old")
				replacing(t, a, "set_aside", "create", "switch")
				proven(t, a, "a", "old")
				proven(t, a, "a", "new")
				stepOf(t, b, "delete_"+gone)
				record(t, b, event.ReplaceFinished{Ref: ref("a"), Key: "r", ID: left, Reverted: left == "old"})
				proven(t, a, "a", left)
				proven(t, b, "a", left)
				notProven(t, b, "a", gone)
				if got := bindings(t, b)[left]; got.Role != "" || !got.Live() {
					t.Errorf("%s is left with the binding %+v", left, got)
				}
			}
		})
	}
}

// TestAResourceThatVanishedMeanwhileIsNotBoundAfterwards: the old one was deleted outside ovi while
// it was replaced.
func TestAResourceThatVanishedMeanwhileIsNotBoundAfterwards(t *testing.T) {
	for name, l := range map[string]*ledger.Ledger{"one instance": open(t, t.TempDir(), mem.New()), "shared": shared(t, t.TempDir(), mem.New(), "a")} {
		created(t, l, "a", "old")
		replacing(t, l, "set_aside", "create", "switch")
		record(t, l, event.ReplaceFinished{Ref: ref("a"), Key: "r", ID: "new"})
		got := bindings(t, l)
		if got["old"].Live() || !got["old"].Former || !got["new"].Live() {
			t.Errorf("%s: bound are %+v", name, got)
		}
		if b, err := l.Binding(t.Context(), ref("a")); err != nil || b.ID != "new" {
			t.Errorf("%s: the binding is %+v, %v", name, b, err)
		}
		notProven(t, l, "a", "old")
	}
}

// TestTheRecordOfACreationStaysTheProof of a resource that is left of a replacement.
func TestTheRecordOfACreationStaysTheProof(t *testing.T) {
	l := open(t, t.TempDir(), mem.New())
	created(t, l, "a", "old")
	was := bindings(t, l)["old"].Seq
	replacing(t, l, "create", "delete_new")
	record(t, l, event.ReplaceFinished{Ref: ref("a"), Key: "r", ID: "old", Reverted: true})
	if b := must[resource.Binding](t)(l.Proof(t.Context(), ref("a"), "old")); b.Seq != was {
		t.Errorf("proven by record %d, want %d", b.Seq, was)
	}
}

// TestARevertedReplacementAppliedNothing: what was last applied is still that of the old
// resource, and the attempt counts as failed once.
func TestARevertedReplacementAppliedNothing(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	record(t, l, event.Started{Ref: ref("a"), Key: "k", Action: decider.Create, Applying: &event.Applied{Desired: "v1"}})
	record(t, l, event.Finished{Ref: ref("a"), Key: "k", Action: decider.Create, Outcome: event.Done, ID: "old"})
	replacing(t, l, "set_aside", "create", "switch")
	record(t, l, event.ReplaceReverted{Ref: ref("a"), Key: "r", Why: "new is failing: exited with 1", Failed: "v2"})
	stepOf(t, l, "delete_new")
	stepOf(t, l, "restore")
	record(t, l, event.ReplaceFinished{Ref: ref("a"), Key: "r", ID: "old", Reverted: true})
	if x, ok, err := l.Applied(t.Context(), ref("a"), storage.Now); !ok || err != nil || x.Desired != "v1" {
		t.Errorf("applied %+v, %v, %v; want v1", x, ok, err)
	}
	if got := attempts(t, l); got.Failures != 1 || got.Desired != "v2" || got.Error != "new is failing: exited with 1" {
		t.Errorf("attempts %+v, want one of v2", got)
	}
	if got := attempts(t, l); got.Kept != "old" {
		t.Errorf("kept %q", got.Kept)
	}
	replacing(t, l, "set_aside", "create", "switch", "delete_old")
	if got := attempts(t, l); got.Failures != 1 {
		t.Errorf("a step that succeeds ends the count: %+v", got)
	}
	record(t, l, event.ReplaceFinished{Ref: ref("a"), Key: "r", ID: "new"})
	if x, _, _ := l.Applied(t.Context(), ref("a"), storage.Now); x.Desired != "v2" {
		t.Errorf("applied %+v, want v2", x)
	}
	if got := attempts(t, l); got.Failures != 0 {
		t.Errorf("attempts %+v after it succeeded", got)
	}
	same(t, l, store)
}

// TestAKeyIsNotUsedAgainOnceItsResourceExisted: a system may answer a repeated key with the
// resource that a revert deleted.
func TestAKeyIsNotUsedAgainOnceItsResourceExisted(t *testing.T) {
	l := open(t, t.TempDir(), mem.New())
	created(t, l, "a", "old")
	replacing(t, l)
	record(t, l, event.Started{Ref: ref("a"), Key: "r", Action: decider.Replace, Step: "create", Desired: "v2"})
	record(t, l, event.Finished{Ref: ref("a"), Key: "r", Action: decider.Replace, Step: "create", Desired: "v2", Outcome: event.Failed, Error: "timeout", Cause: provider.Unreachable})
	if got := attempts(t, l); got.Key != "r" || got.Other != 1 {
		t.Fatalf("attempts %+v, want the key kept", got)
	}
	stepOf(t, l, "create")
	if got := attempts(t, l); got.Key != "" || got.Other != 1 {
		t.Errorf("attempts %+v, want no key and one transient error", got)
	}
}

// TestAFailedStepBackIsNoAttempt of any configuration.
func TestAFailedStepBackIsNoAttempt(t *testing.T) {
	l := open(t, t.TempDir(), mem.New())
	created(t, l, "a", "old")
	replacing(t, l, "set_aside")
	record(t, l, event.ReplaceReverted{Ref: ref("a"), Key: "r", Why: "refused", Failed: "v2"})
	record(t, l, event.Started{Ref: ref("a"), Key: "s", Action: decider.Revert, Step: "restore", Desired: "v2"})
	record(t, l, event.Finished{Ref: ref("a"), Key: "s", Action: decider.Revert, Step: "restore", Desired: "v2", Outcome: event.Failed, Error: "timeout"})
	if got := attempts(t, l); got.Failures != 1 || got.Error != "refused" {
		t.Errorf("attempts %+v, want the one that was reverted", got)
	}
}

// TestInstancesFinishEachOthersReplacements and the merged logs give the same store.
func TestInstancesFinishEachOthersReplacements(t *testing.T) {
	store, at := mem.New(), dirs(t, 2)
	a, b := shared(t, at[0], store, "a"), shared(t, at[1], store, "b")
	confirm(t, a, b)
	created(t, a, "a", "old")
	replacing(t, a, "set_aside", "create", "switch")
	stepOf(t, b, "delete_old")
	record(t, b, event.ReplaceFinished{Ref: ref("a"), Key: "r", ID: "new"})
	replayed := mem.New()
	if _, _, err := openLogs(t, at...).Check(t.Context(), store, replayed); err != nil {
		t.Fatal(err)
	}
	if must[string](t)(replaytest.Content(t.Context(), store)) != must[string](t)(replaytest.Content(t.Context(), replayed)) {
		t.Error("the merged and replayed logs give another store")
	}
}
