package decider

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// BackOff defers a configuration that failed, longer after each failure, and after Breaker
// failures blocks it until it changes. The zero value uses the defaults.
type BackOff struct {
	Base    time.Duration // the wait after the first failure; default 30 s
	Max     time.Duration // the longest wait; default 1 h
	Breaker int           // failures that open the breaker; default 8, negative is never
}

// Name implements Policy.
func (BackOff) Name() string { return "back_off" }

// Review implements Policy.
func (b BackOff) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	if f.Attempts == nil {
		return out, nil
	}
	b = b.orDefault()
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if !d.Proposed.Executes() || d.Proposed == Revert { // to go back is no attempt
			continue
		}
		a, ok := f.Attempts(d.Ref)
		if !ok || a.Failures <= 0 || a.Desired != d.DesiredDigest() {
			continue
		}
		if blocker, blocked := b.judge(d.Ref, a, f.Now); blocked {
			out[i] = blocker
		}
	}
	return out, nil
}

func (b BackOff) orDefault() BackOff {
	if b.Base <= 0 {
		b.Base = 30 * time.Second
	}
	if b.Max <= 0 {
		b.Max = time.Hour
	}
	if b.Breaker == 0 {
		b.Breaker = 8
	}
	return b
}

func (b BackOff) judge(ref resource.Ref, a Attempts, now time.Time) (Blocker, bool) {
	if b.Breaker > 0 && a.Failures >= b.Breaker {
		return Blocker{
			Reason:     fmt.Sprintf("this configuration failed %s in a row; last error: %s", times(a.Failures), a.Error),
			Suggestion: "change the configuration, or run `ovi retry " + short(ref) + "`",
		}, true
	}
	until := a.Last.Add(b.wait(a.Failures))
	if !now.Before(until) {
		return Blocker{}, false
	}
	return Blocker{Until: &until, Reason: fmt.Sprintf("failed %s; last error: %s", times(a.Failures), a.Error)}, true
}

// wait doubles with each failure, up to Max.
func (b BackOff) wait(failures int) time.Duration {
	d := b.Base
	for range failures - 1 {
		if d *= 2; d >= b.Max {
			return b.Max
		}
	}
	return min(d, b.Max)
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
