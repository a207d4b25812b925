package decider

import (
	"fmt"
	"hash/fnv"
	"math"
	"time"

	"github.com/ovi-project/ovi/provider"
)

// BackOff defers a configuration that failed, longer after each failure. Each resource waits for
// another part of that time, so that many that failed together are not tried again together. The zero
// value uses the defaults.
type BackOff struct {
	Base time.Duration // the longest wait after the first failure; default 30 s
	Max  time.Duration // the longest wait; default 1 h
}

// Name implements Policy.
func (BackOff) Name() string { return "back_off" }

// Review implements Policy.
func (b BackOff) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		a, ok := p.Decisions[i].attempts(f)
		if until, waits := b.Until(a, f.Now); ok && waits {
			failures := times(a.Failures + a.Other)
			blocker := Blocker{Until: &until, Reason: fmt.Sprintf("failed %s; last error: %s", failures, a.Error)}
			if a.Waits() {
				blocker.Reason, blocker.Suggestion = a.Waiting()
			}
			out[i] = blocker
		}
	}
	return out, nil
}

// Until returns the time before which a configuration is not tried again; false if it does not wait.
func (b BackOff) Until(a Attempts, now time.Time) (until time.Time, waits bool) {
	failures := a.Failures + a.Other
	if failures == 0 {
		return time.Time{}, false
	}
	if b.Base <= 0 {
		b.Base = 30 * time.Second
	}
	if b.Max <= 0 {
		b.Max = time.Hour
	}
	if a.Waits() {
		b.Max = min(b.Max, provider.HandlingOf(a.Cause).Pause)
	}
	// The wait doubles with each failure, up to Max. A part of its second half depends on the digest of the
	// configuration, which includes the ref, so that resources do not retry all at once and the same input gives the
	// same plan.
	wait := min(b.Base, b.Max)
	for range failures - 1 {
		wait = min(2*wait, b.Max)
	}
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s %d", a.Desired, failures)
	until = a.Last.Add(wait/2 + time.Duration(float64(wait/2)*float64(h.Sum32())/math.MaxUint32))
	return until, now.Before(until)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// DesiredDigest is the digest of the decision's configuration, or "absent" for one that deletes.
// Attempts are counted by it.
func (d *Decision) DesiredDigest() string {
	if d.Desired == nil {
		return "absent"
	}
	return d.Desired.Digest()
}
