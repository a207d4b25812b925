package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider/fake"
)

// TestASlowObservationOverALaggingListCreatesOneResource: no plan waits for the observation, which is
// recorded late and does not list what was created just before. The resource is created once all the
// same, and is never taken for deleted.
func TestASlowObservationOverALaggingListCreatesOneResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		want := wants(disk("d", 20))
		b.cloud.Break(fake.Faults{Lag: 4, Before: func(ctx context.Context, c fake.Call) error {
			if c.Verb == fake.Observe {
				time.Sleep(5 * time.Second)
			}
			return nil
		}})
		stop := b.loops(stackOf(want), loop.RunOptions{Interval: 20 * time.Second, Patience: time.Second, Apply: true, Tell: d.tell})
		time.Sleep(10 * time.Minute)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		late := 0
		for _, c := range d.all() {
			if c.Planned != nil && len(c.Planned.Plan.Unreachable) > 0 {
				late++
			}
		}
		if late == 0 || b.calls() == 0 {
			t.Fatalf("%d observations were late, %d calls: the test shows nothing", late, b.calls())
		}
		if all := b.cloud.Resources(here); len(all) != 1 {
			t.Errorf("%d resources exist: %+v", len(all), all)
		}
		if diff := cmp.Diff([]string{"started disk/d", "finished disk/d"}, b.events(event.TypeStarted, event.TypeFinished)); diff != "" {
			t.Errorf("actions (-want +got):\n%s", diff)
		}
		if got := b.events(event.TypeLost); len(got) != 0 {
			t.Errorf("taken for deleted: %v", got)
		}
		b.cloud.Break(fake.Faults{})
		b.settled(want)
		time.Sleep(5 * time.Second) // the last observation, which ignores its context, ends
	})
}
