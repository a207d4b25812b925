package decider

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// DefaultAttempts is how many attempts of one configuration a stack allows whose rules set none.
const DefaultAttempts = 8

// StalledAfter is how long transient errors may last before they are reported as stalled.
const StalledAfter = 10 * time.Minute

// Attempts counts the attempts in a row of one configuration of a resource that did not succeed.
type Attempts struct {
	Desired   string    // digest of the configuration
	Failures  int       // that failed for good
	Permanent int       // of these, the ones in an error that the same configuration ends in again
	Lost      int       // whose run ended before it recorded a result, and of which nothing was observed
	Transient int       // transient errors since the last other result; they do not count
	Since     time.Time // of the first of these
	Last      time.Time // when the last attempt ended
	Error     string    // of the last attempt
}

// LostForOne is how many lost attempts count as one that failed. That a run was ended says little
// of a configuration; that every run ends while it is tried says that it may be what ends them.
const LostForOne = 4

// Used is how many attempts count against the limit.
func (a Attempts) Used() int { return a.Failures + a.Lost/LostForOne }

// Made is how many attempts there were that had no transient error.
func (a Attempts) Made() int { return a.Failures + a.Lost }

// Any reports whether there was an attempt that did not succeed.
func (a Attempts) Any() bool { return a.Made()+a.Transient > 0 }

// UsedUp reports whether no further attempt is allowed, and the class of the errors that used them up;
// "" means together.
func (a Attempts) UsedUp(l rules.Attempts) (bool, resource.Cause) {
	most := l.Count
	if most <= 0 {
		most = DefaultAttempts
	}
	switch {
	case l.Permanent > 0 && a.Permanent >= l.Permanent:
		return true, resource.Permanent
	case l.Transient > 0 && a.Transient >= l.Transient:
		return true, resource.Transient
	}
	return a.Used() >= most, ""
}

// NumberOf says how many attempts did not succeed: "3 attempts". Of what only transient errors stopped, these do.
func NumberOf(a Attempts) string {
	n := a.Made()
	if n == 0 {
		n = a.Transient
	}
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

// Stalled reports whether transient errors have lasted for too long.
func (a Attempts) Stalled(now time.Time) bool {
	return a.Transient > 0 && now.Sub(a.Since) >= StalledAfter
}

// AttemptLimit blocks a configuration whose attempts are used up, until it changes or an operator
// allows new ones. It warns of one that is stalled.
type AttemptLimit struct{}

// Name implements Policy.
func (AttemptLimit) Name() string { return "attempts" }

// Review implements Policy.
func (AttemptLimit) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		a, ok := d.attempts(f)
		if !ok {
			continue
		}
		usedUp, class := a.UsedUp(AttemptsAllowed(f.Rules[d.Ref.Stack], d.Ref))
		if !usedUp {
			continue
		}
		last := "last error"
		if class != "" {
			last = "last, " + string(class) + " error"
		}
		out[i] = Blocker{
			Reason:     fmt.Sprintf("%s %s failed; %s: %s", NumberOf(a), d.ofConfiguration(), last, a.Error),
			Suggestion: "change the configuration, or run `ovi retry " + d.Ref.Short() + "`",
		}
	}
	return out, nil
}

// Stalled is the Policy of warnings of transient errors that last.
const Stalled = "stalled"

// Warn implements Warner.
func (AttemptLimit) Warn(p Plan, f Facts) map[int][]Warning {
	out := map[int][]Warning{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if a, ok := d.attempts(f); ok && a.Stalled(f.Now) {
			out[i] = []Warning{{Policy: Stalled, Text: fmt.Sprintf("transient errors since %s; last error: %s",
				a.Since.UTC().Format("2006-01-02 15:04 UTC"), a.Error)}}
		}
	}
	return out
}

// attempts returns the attempts of what a decision proposes.
func (d *Decision) attempts(f Facts) (Attempts, bool) {
	if f.Attempts == nil || !d.Proposed.Executes() || d.Proposed == Revert { // to go back is no attempt
		return Attempts{}, false
	}
	return f.Attempts(d.Ref, d.DesiredDigest())
}

// AttemptsAllowed is how many attempts of one configuration of a resource the rules of its stack allow.
func AttemptsAllowed(r rules.Rules, ref resource.Ref) rules.Attempts {
	return r.AttemptsOf(ref.Kind, ref.Name)
}

// ofConfiguration names the configuration that is tried.
func (d *Decision) ofConfiguration() string {
	if d.Desired == nil {
		return "to " + string(d.Proposed) + " it"
	}
	return "of " + resource.ShortDigest(d.Desired.Digest())
}
