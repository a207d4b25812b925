package loop

import (
	"math/rand/v2"
	"time"

	"github.com/ovi-project/ovi/engine"
)

// scheduler says when the next cycle begins. It asks no clock and no chance of its own.
type scheduler struct {
	interval time.Duration
	failures int // cycles in a row that came to nothing
}

const (
	jitter       = 0.1 // of a pause, either way: instances started together drift apart
	shortest     = time.Second
	pollInterval = 10 // what was left unfinished is looked at after a tenth of the interval
)

// next is the pause after a cycle that took so long. chance is from 0 to 1.
func (t *scheduler) next(failed, unfinished bool, took time.Duration, chance float64) time.Duration {
	pause := t.interval - took
	switch {
	case failed:
		pause = min(t.interval, shortest<<min(t.failures, 10))
		t.failures++
	case unfinished:
		t.failures = 0
		pause = t.interval / pollInterval
	default:
		t.failures = 0
	}
	if pause = max(pause, min(shortest, t.interval)); pause > shortest {
		pause += time.Duration((2*chance - 1) * jitter * float64(pause))
	}
	return pause
}

func jitterSource() float64 { return rand.Float64() }

// unfinished says that something was left that another cycle can do soon: the policies hold
// back what failed by itself.
func unfinished(r *engine.Result) bool {
	if r == nil {
		return false
	}
	for _, o := range r.Outcomes {
		switch o.Status {
		case engine.Uncertain, engine.Claimed, engine.Stale, engine.WaitingFor:
			return true
		case engine.Done, engine.ByOther, engine.Failed, engine.Interrupted:
		}
	}
	return false
}
