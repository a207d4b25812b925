package metrics_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/metrics"
)

func feed(m *metrics.Counters, events ...ledger.Event) {
	for _, e := range events {
		m.Record(ledger.Record{Event: e})
	}
}

func TestCounts(t *testing.T) {
	m := metrics.New()
	feed(m,
		ledger.Observed{Complete: true, Count: 7, Part: 1, Of: 2},
		ledger.Observed{Complete: true, Count: 7, Part: 2, Of: 2}, // the same look
		ledger.Observed{Error: "denied", Part: 1, Of: 1},
		ledger.Began{Action: decider.Create},
		ledger.Began{Action: decider.Create},
		ledger.Began{Action: decider.Delete},
		ledger.Ended{Action: decider.Create, Outcome: ledger.Done, Seconds: 1.5, Tries: 3},
		ledger.Ended{Action: decider.Create, Outcome: ledger.Failed, Seconds: 0.5},
	)
	want := metrics.Counts{
		Events: map[string]int{"observed": 3, "began": 3, "ended": 2},
		Ended: map[metrics.Key]int{
			{Action: decider.Create, Outcome: ledger.Done}: 1, {Action: decider.Create, Outcome: ledger.Failed}: 1,
		},
		Seconds: map[decider.Action]float64{decider.Create: 2},
		Calls:   4, Running: 1, Looks: 1, Blind: 1, Seen: 7,
	}
	if diff := cmp.Diff(want, m.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	pairs := []any{
		"calls", 4, "looks", 1, "blind", 1, "running", 1,
		"create_done", 1, "create_failed", 1, "create_seconds", 2.0,
	}
	if diff := cmp.Diff(pairs, m.Pairs()); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
}

func TestCountsFromManyGoroutines(t *testing.T) {
	m := metrics.New()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 100 {
				feed(m, ledger.Began{Action: decider.Update}, ledger.Ended{Action: decider.Update, Outcome: ledger.Done})
				_ = m.Counts()
			}
		})
	}
	wait.Wait()
	if c := m.Counts(); c.Running != 0 || c.Events["ended"] != 800 {
		t.Errorf("running %d, ended %d: want 0 and 800", c.Running, c.Events["ended"])
	}
}
