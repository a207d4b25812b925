package reconcile

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// TestARunningActionIsToldOfEveryFiveMinutes: its age is by the record of its start and the clock of the caller.
func TestARunningActionIsToldOfEveryFiveMinutes(t *testing.T) {
	start := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	ref := resource.Ref{Stack: "web", Provider: "aws", Location: "1/eu", Kind: "rds", Name: "db"}
	p := &engine.Planned{Flights: []engine.Flight{{Ref: ref, Action: decider.Update, Since: start, By: "loop@host-2"}}}
	if diff := cmp.Diff([]string{"rds/db: updating for 3m, by loop@host-2"},
		flightLines(p, render.NewNames(ref.Scope()), start.Add(3*time.Minute+20*time.Second))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var f flying
	var told []int
	for minute := range 17 {
		if len(f.due(loop.Cycle{Stack: "web", Planned: p}, start.Add(time.Duration(minute)*time.Minute))) > 0 {
			told = append(told, minute)
		}
		if n := len(f.due(loop.Cycle{Stack: "other", Planned: &engine.Planned{}}, start)); n != 0 {
			t.Errorf("another stack: %d", n)
		}
	}
	if diff := cmp.Diff([]int{5, 10, 15}, told); diff != "" {
		t.Errorf("told in minutes (-want +got):\n%s", diff)
	}
	p.Flights[0].Since = start.Add(16 * time.Minute) // it ended, and another one started
	if n := len(f.due(loop.Cycle{Stack: "web", Planned: p}, start.Add(20*time.Minute))); n != 0 {
		t.Errorf("the age of an earlier action counts")
	}
}
