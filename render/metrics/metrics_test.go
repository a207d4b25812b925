package metrics_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render/metrics"
)

func feed(m *metrics.Counters, events ...event.Event) {
	for _, e := range events {
		m.Record(event.Record{Event: e})
	}
}

func TestCounts(t *testing.T) {
	m := metrics.New()
	feed(m,
		event.Observed{Complete: true, Counts: map[string]event.KindCount{"ec2": {All: 7}}, Part: 1, Of: 2},
		event.Observed{Complete: true, Counts: map[string]event.KindCount{"ec2": {All: 7}}, Part: 2, Of: 2}, // the same observation
		event.Observed{Error: "denied", Part: 1, Of: 1},
		event.Started{Action: decider.Create},
		event.Started{Action: decider.Create},
		event.Started{Action: decider.Delete},
		event.Finished{Action: decider.Create, Outcome: event.Done, Seconds: 1.5, Tries: 3},
		event.Finished{Action: decider.Create, Outcome: event.Failed, Seconds: 0.5},
	)
	want := metrics.Counts{
		Events: map[string]int{"observed": 3, "started": 3, "finished": 2},
		Ended: map[metrics.Key]int{
			{Action: decider.Create, Outcome: event.Done}: 1, {Action: decider.Create, Outcome: event.Failed}: 1,
		},
		Seconds: map[decider.Action]float64{decider.Create: 2},
		Calls:   4, Running: 1, Observations: 1, Unreachable: 1, Seen: 7,
	}
	if diff := cmp.Diff(want, m.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	pairs := []any{
		"calls", 4, "observations", 1, "unreachable", 1, "running", 1,
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
				feed(m, event.Started{Action: decider.Update}, event.Finished{Action: decider.Update, Outcome: event.Done})
				_ = m.Counts()
			}
		})
	}
	wait.Wait()
	if c := m.Counts(); c.Running != 0 || c.Events["finished"] != 800 {
		t.Errorf("running %d, ended %d: want 0 and 800", c.Running, c.Events["finished"])
	}
}
