package ledger_test

import (
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// TestTheTimeOfflineDoesNotCount: neither against the deadline of an accepted action, nor against the
// grace of what is pending.
func TestTheTimeOfflineDoesNotCount(t *testing.T) {
	l := fresh(t)
	t0 := time.Now().UTC().Round(0)
	pending := resource.Observed{Ref: ref("a"), ID: "i1", Health: resource.Pending, Ownership: resource.Proven}
	observed := func(at time.Time, changed ...resource.Observed) {
		record(t, l, event.Observed{Scope: ref("a").Scope(), At: at, Complete: true, Changed: changed, Stacks: []string{"web"}, Part: 1, Of: 1})
	}
	offline := func(at time.Time) {
		record(t, l, event.Observed{Scope: ref("a").Scope(), At: at, Error: "offline", Offline: true, Part: 1, Of: 1})
	}
	observed(t0)
	record(t, l, event.Started{Ref: ref("a"), Key: "k", Action: decider.Create, Desired: "v1"})
	record(t, l, event.Finished{
		Ref: ref("a"), Key: "k", Action: decider.Create, Desired: "v1", Outcome: event.Accepted, ID: "i1", Resource: &pending, Deadline: t0.Add(10 * time.Minute),
	})
	observed(t0.Add(time.Minute), pending)
	until := func(want time.Duration) {
		t.Helper()
		open := must[[]ledger.OpenAction](t)(l.OpenActions(t.Context()))
		if got := must[time.Time](t)(l.Until(t.Context(), open[0])); !got.Equal(t0.Add(want)) {
			t.Errorf("the deadline is after %s, want %s", got.Sub(t0), want)
		}
	}
	until(10 * time.Minute)
	before := must[map[resource.Ref]rows.Down](t)(l.Down(t.Context(), storage.Now))[ref("a")]
	offline(t0.Add(2 * time.Minute))
	offline(t0.Add(20 * time.Minute))
	until(10 * time.Minute)            // while it is offline, nothing is known
	observed(t0.Add(31 * time.Minute)) // offline since the report after a minute
	until(40 * time.Minute)
	after := must[map[resource.Ref]rows.Down](t)(l.Down(t.Context(), storage.Now))[ref("a")]
	if got := after.Since.Sub(before.Since); got <= 29*time.Minute || got > 31*time.Minute {
		t.Errorf("pending for %s less than before, want for the time offline", got)
	}
	observed(t0.Add(40 * time.Minute))
	until(40 * time.Minute)
}
