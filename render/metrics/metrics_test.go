package metrics_test

import (
	"sync"
	"testing"
	"time"

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
		event.Started{Key: "a", Action: decider.Create},
		event.Started{Key: "b", Action: decider.Create},
		event.Started{Key: "c", Action: decider.Delete},
		event.Finished{Key: "a", Action: decider.Create, Outcome: event.Done, Seconds: 1.5, Tries: 3},
		event.Finished{Key: "b", Action: decider.Create, Outcome: event.Failed, Seconds: 0.5},
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

// TestTheOldestActionInFlight: its start is known until it ends.
func TestTheOldestActionInFlight(t *testing.T) {
	m := metrics.New()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	start := func(key string, after time.Duration) {
		m.Record(event.Record{At: at.Add(after), Event: event.Started{Key: key}})
	}
	start("a", 0)
	start("b", time.Minute)
	if got := m.Counts().Oldest; !got.Equal(at) {
		t.Errorf("oldest %s, want %s", got, at)
	}
	feed(m, event.Finished{Key: "a", Outcome: event.Done})
	if got := m.Counts().Oldest; !got.Equal(at.Add(time.Minute)) {
		t.Errorf("oldest %s, want %s", got, at.Add(time.Minute))
	}
	feed(m, event.Finished{Key: "b", Outcome: event.NotCalled})
	for _, f := range m.Counts().Families() {
		if f.Name == "ovi_actions_in_flight_oldest_timestamp_seconds" && f.Samples[0].Value != 0 {
			t.Errorf("%s is %v, want 0", f.Name, f.Samples[0].Value)
		}
	}
	if c := m.Counts(); !c.Oldest.IsZero() || c.Calls != 1 {
		t.Errorf("oldest %s and %d calls, want none and 1", c.Oldest, c.Calls)
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
