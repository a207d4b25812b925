package loop

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovi-project/ovi/engine"
)

// scheduler computes when the next cycle starts. It uses neither a clock nor a random source.
type scheduler struct {
	interval time.Duration
	failures int // consecutive failed cycles
}

const (
	jitter       = 0.1 // of a pause, either way, so that instances started together spread out
	shortest     = time.Second
	pollInterval = 10 // unfinished actions are continued after a tenth of the interval
)

// next returns the pause after a cycle. chance is a random number from 0 to 1.
func (t *scheduler) next(failed, unfinished bool, took time.Duration, chance float64) time.Duration {
	pause := t.interval - took
	switch {
	// The pause doubles with each failure, from a second up to the interval.
	case failed:
		pause = min(t.interval, shortest<<min(t.failures, 10))
		t.failures++
	case unfinished:
		t.failures = 0
		pause = t.interval / pollInterval
	default:
		t.failures = 0
	}
	return t.jittered(pause, chance)
}

// regular returns the pause before the cycle that follows when nothing else starts one.
func (t *scheduler) regular(took time.Duration, chance float64) time.Duration {
	return t.jittered(t.interval-took, chance)
}

func (t *scheduler) jittered(pause time.Duration, chance float64) time.Duration {
	// After a cycle that took longer than the interval, the next one does not follow at once.
	if pause = max(pause, min(shortest, t.interval)); pause > shortest {
		pause += time.Duration((2*chance - 1) * jitter * float64(pause))
	}
	return pause
}

func jitterSource() float64 { return rand.Float64() }

// unfinished reports whether another cycle can soon finish something. Failed actions do not count:
// BackOff defers them. Neither does what waits where a check refused something: that ends only when
// the configuration or the host changes.
func unfinished(r *engine.Result) bool {
	if r == nil {
		return false
	}
	refused := slices.ContainsFunc(r.Outcomes, func(o engine.Outcome) bool { return o.Status == engine.Refused })
	for _, o := range r.Outcomes {
		switch o.Status {
		case engine.Uncertain, engine.Claimed, engine.Stale:
			return true
		case engine.WaitingFor:
			if !refused {
				return true
			}
		case engine.Done, engine.ByOther, engine.Failed, engine.Interrupted, engine.Yielded:
		}
	}
	return false
}
