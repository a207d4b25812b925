package decider

import (
	"fmt"
	"hash/fnv"
	"math"
	"time"
)

// BackOff defers a configuration that failed, longer after each failure. Each resource waits for
// another part of that time, so that many that failed together are not tried again together. The zero
// value uses the defaults.
type BackOff struct {
	Base time.Duration // the longest wait after the first failure; default 30 s
	Max  time.Duration // the longest wait; default 1 h
}

// transientMax is the longest wait after a transient error, which costs no attempt.
const transientMax = 5 * time.Minute

// Name implements Policy.
func (BackOff) Name() string { return "back_off" }

// Review implements Policy.
func (b BackOff) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	if b.Base <= 0 {
		b.Base = 30 * time.Second
	}
	if b.Max <= 0 {
		b.Max = time.Hour
	}
	for i := range p.Decisions {
		a, ok := p.Decisions[i].attempts(f)
		failures := a.Failures + a.Transient
		if !ok || failures == 0 {
			continue
		}
		pause := b
		if a.Transient > 0 {
			pause.Max = min(b.Max, transientMax)
		}
		if until := a.Last.Add(pause.wait(failures, a.Desired)); f.Now.Before(until) {
			out[i] = Blocker{Until: &until, Reason: fmt.Sprintf("failed %s; last error: %s", times(failures), a.Error)}
		}
	}
	return out, nil
}

// wait doubles with each failure, up to Max. A part of its second half depends on what is tried: its
// digest has the ref in it, and the same input gives the same plan.
func (b BackOff) wait(failures int, desired string) time.Duration {
	d := min(b.Base, b.Max)
	for range failures - 1 {
		d = min(2*d, b.Max)
	}
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s %d", desired, failures)
	return d/2 + time.Duration(float64(d/2)*float64(h.Sum32())/math.MaxUint32)
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
