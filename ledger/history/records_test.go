package history_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// life records months of an owner's things: looks, plans that repeat themselves, deeds,
// blessings; now and then the store forgets its past.
type life struct {
	l     *ledger.Ledger
	rng   *rand.Rand
	now   time.Time
	sizes map[string]string
	plans int
}

func (x *life) record(t *testing.T, events ...event.Event) ledger.Receipt {
	t.Helper()
	x.now = x.now.Add(time.Minute)
	return must[ledger.Receipt](t)(x.l.Record(t.Context(), events...))
}

func (x *life) step(t *testing.T, compacts bool) {
	t.Helper()
	name := fmt.Sprintf("t%d", x.rng.IntN(5))
	switch x.rng.IntN(8) {
	case 0, 1: // the world changes, or not
		if x.sizes[name] = []string{"s", "m", "l", ""}[x.rng.IntN(4)]; x.sizes[name] == "" {
			delete(x.sizes, name)
		}
		var all []resource.Observed
		for _, n := range slices.Sorted(keysOf(x.sizes)) {
			all = append(all, res(n, x.sizes[n]))
		}
		x.now = x.now.Add(time.Minute)
		must[ledger.Receipt](t)(x.l.RecordObservation(t.Context(), liveState(all...), ledger.ObservationOptions{Since: -1, Before: []event.Event{event.Loaded{Stack: "web", Source: "ovi.yaml", Version: fmt.Sprint(x.plans / 3)}}}))
	case 2, 3, 4: // a plan, often the one before
		x.plans++
		var decisions []event.Decision
		for i := range x.rng.IntN(3) {
			decisions = append(decisions, event.Decision{Ref: ref(fmt.Sprintf("t%d", i)), Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update, Reason: decider.ReasonChanged})
		}
		mode := []event.Mode{event.ForPlan, event.ForApply, event.ForDrift}[x.rng.IntN(3)]
		id := fmt.Sprintf("%026d", x.plans)
		x.now = x.now.Add(time.Minute)
		must[ledger.Receipt](t)(x.l.RecordPlan(t.Context(), event.Planned{Plan: id, Stacks: []string{"web"}, Mode: mode, Hash: fmt.Sprint(len(decisions)), Decisions: decisions}))
		if len(decisions) == 0 || mode != event.ForApply {
			return
		}
		at := decisions[x.rng.IntN(len(decisions))].Ref
		x.record(t, event.Approved{Plan: id, Who: "ann", How: "typed yes"})
		x.record(t, event.Started{Plan: id, Ref: at, Key: "k" + id, Action: decider.Update, Token: 1})
		if x.rng.IntN(3) > 0 {
			o := res(at.Name, "s")
			x.record(t, event.Finished{Plan: id, Ref: at, Key: "k" + id, Action: decider.Update, Outcome: event.Done, Resource: &o})
		}
	case 5:
		x.record(t, event.Blessed{Ref: ref(name), On: x.rng.IntN(2) == 0, Who: "ann"})
	case 6:
		x.record(t, event.Blocked{Plan: fmt.Sprintf("%026d", x.plans), Ref: ref(name), Proposed: decider.Delete})
	case 7:
		if rev := must[storage.Revision](t)(x.l.Revision(t.Context())); compacts && rev > 30 && x.rng.IntN(3) == 0 {
			if err := x.l.Compact(t.Context(), rev-storage.Revision(x.rng.IntN(20))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func keysOf(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// naming are the records of the log that name a thing, found by reading all of it. Plans are
// compared with each other: one that decides the same as before is not listed again.
func naming(t *testing.T, l *ledger.Ledger, of resource.Ref) (all []wal.Seq) {
	t.Helper()
	for r, err := range history.New(l.Reader()).LogRecords(t.Context(), history.Filter{Ref: of}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Event.Type() != event.TypePlanned {
			all = append(all, r.Seq)
		}
	}
	return all
}

// TestAResourceHistoryIsWhatTheWholeLogHas holds what is found by asking the store where to look
// against a reading of the whole log: the same records in the same order, all of them.
func TestAResourceHistoryIsWhatTheWholeLogHas(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			x := &life{rng: rand.New(rand.NewPCG(seed, 1)), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), sizes: map[string]string{}}
			x.l = must[*ledger.Ledger](t)(ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: mem.New(), Clock: func() time.Time { return x.now }, LogOptions: []wal.Option{wal.WithSegmentSize(8 << 10)}}))
			defer x.l.Close()
			x.record(t, event.Loaded{Stack: "web", Source: "ovi.yaml"})
			for range 150 {
				x.step(t, seed%2 == 1)
			}
			for i := range 5 {
				of := ref(fmt.Sprintf("t%d", i))
				want := naming(t, x.l, of)
				c, err := history.New(x.l.Reader()).ResourceHistory(t.Context(), of, -1)
				if len(want) == 0 {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, revisionRecord(t, c)); diff != "" {
					t.Errorf("%s: (-the whole log +the chronicle)\n%s", of.Name, diff)
				}
				short := must[history.ResourceHistory](t)(history.New(x.l.Reader()).ResourceHistory(t.Context(), of, 3))
				if a, b := happened(c), happened(short); seed%2 == 0 && a != b {
					t.Errorf("%s: a chronicle that opens the log three times tells of %s, the whole of %s", of.Name, b, a)
				}
			}
		})
	}
}

// revisionRecord are the numbers of the records of a chronicle, without those of plans. They must be in
// order, and each deed must have its plan.
func revisionRecord(t *testing.T, c history.ResourceHistory) (all []wal.Seq) {
	t.Helper()
	var last wal.Seq
	plans := map[string]bool{}
	for _, r := range c.Records {
		if e, ok := r.Event.(event.Planned); ok {
			plans[e.Plan] = len(e.Decisions) > 0 && c.Sources[e.Plan].Source == "ovi.yaml"
		}
		if e, ok := r.Event.(event.Started); ok && !plans[e.Plan] {
			t.Errorf("the action %s has no plan, comes before it, or has no source", e.Key)
		}
	}
	for _, r := range c.Records {
		if r.Seq == 0 {
			continue
		}
		if r.Seq <= last {
			t.Errorf("record %d comes after %d", r.Seq, last)
		}
		last = r.Seq
		if r.Event.Type() != event.TypePlanned {
			all = append(all, r.Seq)
		}
	}
	return all
}

// happened is what was done and seen, in order, without what plans say.
func happened(c history.ResourceHistory) (out string) {
	for _, r := range c.Records {
		if name := r.Event.Type(); name != event.TypePlanned {
			out += name + " " + r.At.Format("15:04 ")
		}
	}
	return out
}
