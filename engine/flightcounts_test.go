package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
)

// TestACycleCountsWhatIsInFlight: what a running apply works on is counted as in flight or waiting, and not as blocked by
// a policy.
func TestACycleCountsWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		var s commits
		s.commit(network("main"), server("a", "main"), disk("x", 10))
		b.cloud.Break(slowly(map[string]time.Duration{"create network/main": 10 * time.Minute}))
		stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell})
		time.Sleep(90 * time.Second)
		if diff := cmp.Diff(event.Counts{InFlight: 1, Waiting: 1, Unchanged: 1, Notify: 2}, d.last().Planned.Counts); diff != "" {
			t.Errorf("counts (-want +got):\n%s%+v", diff, d.last().Planned.Plan.Decisions)
		}
		time.Sleep(10 * time.Minute)
		_ = stop()
	})
}
