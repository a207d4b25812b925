package history_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

func types(records []event.Record) (out []string) {
	for _, r := range records {
		out = append(out, r.Event.Type())
	}
	return out
}

// acted records an observation, a plan and an action on a resource, as an apply does.
func acted(t *testing.T, l *ledger.Ledger, plan string) {
	t.Helper()
	d := event.Decision{Ref: ref("a"), Difference: comparator.Unwanted, Action: decider.Delete, Proposed: decider.Delete, Reason: decider.ReasonUnwanted}
	for _, events := range [][]event.Event{
		{event.Loaded{Stack: "web", Source: "ovi.yaml"}},
		{event.Planned{Plan: plan, Stacks: []string{"web"}, Mode: event.ForApply, Hash: "h", Decisions: []event.Decision{d, {Ref: ref("b")}}}},
		{event.Approved{Plan: plan, Who: "ann", How: "typed yes"}, event.Approved{Plan: "another", Who: "eve"}},
		{event.Started{Plan: plan, Ref: ref("a"), Key: "k" + plan, Action: decider.Delete, Token: 1}},
		{event.Finished{Plan: plan, Ref: ref("a"), Key: "k" + plan, Action: decider.Delete, Outcome: event.Done}},
	} {
		must[ledger.Receipt](t)(l.Record(t.Context(), events...))
	}
}

func TestAResourceHistoryHasOnlyItsResource(t *testing.T) {
	l := fresh(t)
	must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(res("a", "s"), res("b", "s")), ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("b"), On: true, Who: "ann"}))
	acted(t, l, "p1")
	c := must[history.ResourceHistory](t)(history.New(l.Reader()).ResourceHistory(t.Context(), ref("a"), -1))
	want := []string{"observed", "planned", "approved", "started", "finished"}
	if got := types(c.Records); !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if o := c.Records[0].Event.(event.Observed); len(o.Changed) != 1 || o.Changed[0].Ref != ref("a") {
		t.Errorf("the look is not cut down to the thing: %+v", o)
	}
	if p := c.Records[1].Event.(event.Planned); len(p.Decisions) != 1 || p.Decisions[0].Ref != ref("a") {
		t.Errorf("the plan is not cut down to the thing: %+v", p)
	}
	if c.Sources["p1"].Source != "ovi.yaml" {
		t.Errorf("the plan's source: %+v", c.Sources)
	}
	if c.Exists != nil || c.Open != nil || c.Blessed != nil || c.Scan == nil || c.Last == nil || c.Last.Decision == nil {
		t.Errorf("how things stand: %+v", c)
	}
	b := must[history.ResourceHistory](t)(history.New(l.Reader()).ResourceHistory(t.Context(), ref("b"), -1))
	if b.Exists == nil || b.Blessed == nil || b.Blessed.Who != "ann" {
		t.Errorf("how the other stands: %+v", b)
	}
	if _, err := history.New(l.Reader()).ResourceHistory(t.Context(), ref("never"), -1); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("of an unknown resource: %v", err)
	}
}

// TestAResourceHistoryHasActionsOfOtherInstances: its log is elsewhere, the store has it.
func TestAResourceHistoryHasActionsOfOtherInstances(t *testing.T) {
	store := mem.New()
	one := must[*ledger.Ledger](t)(ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: store, Shared: true, User: "ann"}))
	defer one.Close()
	two := must[*ledger.Ledger](t)(ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: store, Shared: true, User: "bob"}))
	defer two.Close()
	must[ledger.Receipt](t)(one.RecordObservation(t.Context(), liveState(res("a", "s")), ledger.ObservationOptions{Since: -1}))
	acted(t, one, "p1")
	c := must[history.ResourceHistory](t)(history.New(two.Reader()).ResourceHistory(t.Context(), ref("a"), -1))
	want := []string{"observed", "planned", "started", "finished", "approved"}
	seen := map[string]bool{}
	for _, name := range types(c.Records) {
		seen[name] = true
	}
	for _, name := range want {
		if !seen[name] {
			t.Errorf("the other instance does not have %s: %v", name, types(c.Records))
		}
	}
}

// TestReadingGoesOnBehindTheLastRecord: who follows the log reads each record once.
func TestReadingGoesOnBehindTheLastRecord(t *testing.T) {
	l := fresh(t)
	var next wal.Seq
	read := func() (n int) {
		for _, err := range history.New(l.Reader()).LogRecordsTo(t.Context(), history.Filter{Types: []string{"blessed"}, From: next}, &next) {
			if n++; err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("a"), On: true}, event.Loaded{Stack: "web"}))
	if n := read(); n != 1 || next != 3 {
		t.Fatalf("%d records, go on with %d", n, next)
	}
	if n := read(); n != 0 || next != 3 {
		t.Fatalf("nothing new: %d records, go on with %d", n, next)
	}
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("b"), On: true}))
	if n := read(); n != 1 || next != 4 {
		t.Fatalf("one new: %d records, go on with %d", n, next)
	}
}

func TestBetweenTwoRevisions(t *testing.T) {
	l := fresh(t)
	obs := func(resources ...resource.Observed) storage.Revision {
		return must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(resources...), ledger.ObservationOptions{Since: -1})).Revision
	}
	first := obs(res("a", "s"), res("b", "s"), res("d", "s"))
	obs(res("a", "m"), res("c", "s"), res("d", "l"))
	last := obs(res("a", "m"), res("c", "s"), res("d", "s"))
	what := func(from, to storage.Revision) (out []string) {
		for _, s := range must[[]history.ResourceChange](t)(history.New(l.Reader()).Between(context.Background(), from, to)) {
			text := s.Ref.Name
			if s.Before == nil {
				text = "+" + text
			}
			if s.After == nil {
				text = "-" + text
			}
			out = append(out, text)
		}
		return out
	}
	if got := what(first, storage.Now); !slices.Equal(got, []string{"a", "-b", "+c"}) {
		t.Errorf("forwards: %v", got)
	}
	if got := what(last, first); !slices.Equal(got, []string{"a", "+b", "-c"}) {
		t.Errorf("backwards: %v", got)
	}
	if got := what(last, last); len(got) != 0 {
		t.Errorf("nothing: %v", got)
	}
}
