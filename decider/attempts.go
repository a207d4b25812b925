package decider

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// DefaultAttempts is the number of attempts of one configuration in a stack whose rules set none.
const DefaultAttempts = 8

// Attempts counts the attempts in a row of one configuration of a resource that did not succeed.
type Attempts struct {
	Desired       string         // digest of the configuration
	Failures      int            // that failed, and count
	Configuration int            // of these, the ones that the configuration surely caused
	Lost          int            // whose run ended before it recorded a result, and of which nothing was observed
	Other         int            // failures since the last other result that pass without a change; they do not count
	Since         time.Time      // of the first of these
	Last          time.Time      // when the last attempt ended
	Cause         provider.Cause // of the last failure
	Error         string         // of the last attempt
}

// LostForOne is the number of lost attempts that count as one that failed. That a run was ended says little
// of a configuration; that every run ends while it is tried says that it may be what ends them.
const LostForOne = 4

// Used is how many attempts count against the limit.
func (a Attempts) Used() int { return a.Failures + a.Lost/LostForOne }

// Made is how many attempts there were that count.
func (a Attempts) Made() int { return a.Failures + a.Lost }

// Any reports whether there was an attempt that did not succeed.
func (a Attempts) Any() bool { return a.Made()+a.Other > 0 }

// UsedUp reports whether no further attempt is allowed, and the cause of the failures that used them up;
// Unclassified: of several causes.
func (a Attempts) UsedUp(l rules.Attempts) (bool, provider.Cause) {
	most := l.Count
	if most <= 0 {
		most = DefaultAttempts
	}
	switch {
	case l.Configuration > 0 && a.Configuration >= l.Configuration:
		return true, provider.Configuration
	case l.Other > 0 && a.Other >= l.Other:
		return true, a.Cause
	}
	return a.Used() >= most, provider.Unclassified
}

// NumberOf says how many attempts did not succeed: "3 attempts". Where none counts, it is the number of the others.
func NumberOf(a Attempts) string {
	n := a.Made()
	if n == 0 {
		n = a.Other
	}
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

// Waits reports whether the last failure is no attempt: its cause ends without a change of the configuration.
func (a Attempts) Waits() bool { return a.Other > 0 }

// Waiting says what an action waits for and since when, and what to do: the provider's advice, or else who can
// resolve the cause.
func (a Attempts) Waiting() (text, suggestion string) {
	h := provider.HandlingOf(a.Cause)
	message, suggestion := provider.Parted(a.Error)
	if suggestion == "" {
		suggestion = h.Remedy
	}
	return fmt.Sprintf("waits for %s since %s, tried %s; last error: %s", h.Waits,
		a.Since.UTC().Format("2006-01-02 15:04 UTC"), times(a.Other), message), suggestion
}

// Stalled reports whether a cause that passes has lasted for too long.
func (a Attempts) Stalled(now time.Time) bool {
	return a.Waits() && now.Sub(a.Since) >= provider.HandlingOf(a.Cause).Alert
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
		usedUp, cause := a.UsedUp(AttemptsAllowed(f.Rules[d.Ref.Stack], d.Ref))
		if !usedUp {
			continue
		}
		last := "last error"
		if cause != "" {
			last += " (cause: " + string(cause) + ")"
		}
		tried := "to " + string(d.Proposed) + " it"
		if d.Desired != nil {
			tried = "of " + resource.ShortDigest(d.Desired.Digest())
		}
		out[i] = Blocker{
			Reason:     fmt.Sprintf("%s %s failed; %s: %s", NumberOf(a), tried, last, a.Error),
			Suggestion: "change the configuration, or run `ovi retry " + f.called(d.Ref) + "`",
		}
	}
	return out, nil
}

// Stalled is the Policy of warnings of causes that last.
const Stalled = "stalled"

// Warn implements Warner.
func (AttemptLimit) Warn(p Plan, f Facts) map[int][]Warning {
	out := map[int][]Warning{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if a, ok := d.attempts(f); ok && a.Stalled(f.Now) {
			text, suggestion := a.Waiting()
			out[i] = []Warning{{Policy: Stalled, Text: text + "; " + suggestion}}
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
