package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/box"
	"github.com/ovi-project/ovi/resource"
)

// sets changes the size of the box outside ovi.
func (y *yard) sets(b *box.Provider, size int64) {
	y.t.Helper()
	s, err := b.Observe(y.t.Context(), provider.ObserveRequest{Scope: webBox.Scope()})
	if err != nil || len(s.Resources) != 1 {
		y.t.Fatalf("there is %+v, %v", s.Resources, err)
	}
	desired := boxOf("web:1", size, "")[0].Resources[0]
	have := s.Resources[0]
	have.Ref = webBox
	if _, err := b.Update(y.t.Context(), provider.Request{
		Desired: desired, Have: have,
		Changes: []resource.Change{{Path: "size", From: resource.Int(1), To: resource.Int(size)}},
	}); err != nil {
		y.t.Fatal(err)
	}
}

// fought runs cycles while something sets the size each time, and returns when it was updated.
func (y *yard) fought(
	b *box.Provider, in []resource.Intent, cycles int, every time.Duration, size func() int64,
) (at []time.Duration, last *engine.Planned) {
	begun := time.Now()
	for range cycles {
		y.sets(b, size())
		last = y.round(in)
		if d, ok := decisionOn(last, webBox); ok && d.Action == decider.Update {
			at = append(at, time.Since(begun))
		}
		time.Sleep(every)
	}
	return at, last
}

// TestAFightOverAValueSlowsDown: from the third time that a value is set back to the same other one, ovi waits before
// it sets it again, longer each time, in every process. Another configuration or an operator resets the count.
func TestAFightOverAValueSlowsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, b := newBoxes(t)
		in := boxOf("web:1", 1, "")
		y.apply(in)
		nine := func() int64 { return 9 }
		at, last := y.fought(b, in, 150, 20*time.Second, nine)
		if len(at) < 5 || len(at) > 9 || at[1] > 20*time.Second || at[2] < 50*time.Second {
			t.Errorf("updated at %v", at)
		}
		d, _ := decisionOn(last, webBox)
		if len(d.Blockers) != 1 || d.Blockers[0].Policy != "fight" || d.Blockers[0].Until == nil ||
			time.Until(*d.Blockers[0].Until) > time.Hour || !strings.Contains(d.Blockers[0].Reason, "size was set back to 9") {
			t.Errorf("blocked by %+v", d.Blockers)
		}
		if len(d.Warnings) != 1 || d.Warnings[0].Policy != "fight" {
			t.Errorf("warnings %+v", d.Warnings)
		}
		y.stop()
		y.open(&crasher{})
		if at, _ = y.fought(b, in, 10, time.Second, nine); len(at) != 0 {
			t.Errorf("another process updated at %v", at)
		}
		if err := y.engine.Retry(t.Context(), webBox, engine.OperatorAction{Who: "ann"}); err != nil {
			t.Error(err)
		}
		if at, _ = y.fought(b, in, 10, time.Second, nine); len(at) != 2 {
			t.Errorf("after a retry, updated at %v", at)
		}
		in = boxOf("web:1", 2, "")
		if at, _ = y.fought(b, in, 10, time.Second, nine); len(at) != 3 { // the first applies the configuration
			t.Errorf("another configuration, updated at %v", at)
		}
		in, n := boxOf("web:1", 3, ""), int64(10)
		if at, _ = y.fought(b, in, 10, time.Second, func() int64 { n++; return n }); len(at) != 10 {
			t.Errorf("other values each time, updated at %v", at)
		}
		if undoes := recorded[event.Started](y); undoes[2].Undoes["size"] != "9" {
			t.Errorf("started: %+v", undoes[2])
		}
		y.replays()
		y.stop()
	})
}
