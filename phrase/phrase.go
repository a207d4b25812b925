// Package phrase has the phrases that every output of ovi shares: times, ages, and what an operator
// did. It is pure: the time is a value.
package phrase

import (
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
)

// Second is a time to the second, in UTC.
func Second(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// Minute is a time to the minute, in UTC.
func Minute(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// Age says how long ago something was, in one unit.
func Age(d time.Duration) string {
	switch {
	case d < 0:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// Because appends a reason to a sentence; "" if there is none.
func Because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// Capital starts a sentence with a capital letter.
func Capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Replaced says how a replacement ended.
func Replaced(e event.ReplaceFinished) string {
	switch {
	case e.Reverted && e.ID != "":
		return "replacement reverted: " + e.ID + " is kept"
	case e.Reverted:
		return "replacement ended: neither resource exists"
	case e.ID == "":
		return "replacement ended: both resources are deleted"
	}
	return "replacement finished: " + e.ID
}

// Operator says what an operator did, what became of a replacement, or what happened to the audit
// log itself.
func Operator(e event.Event) string {
	switch e := e.(type) {
	case event.Blessed:
		if e.On {
			return "blessed by " + e.Who + Because(e.Reason)
		}
		return "blessing removed by " + e.Who + Because(e.Reason)
	case event.Adopted:
		return fmt.Sprintf("%s adopted into stack %s by %s%s", e.ID, e.Ref.Stack, e.Who, Because(e.Reason))
	case event.Revoked:
		return fmt.Sprintf("claim %d of %s revoked by %s%s", e.Token, e.ClaimedBy, e.Who, Because(e.Reason))
	case event.Refused:
		return "result not counted: " + e.Reason
	case event.ReplaceStarted:
		return fmt.Sprintf("replacement of %s started (%s)", e.Old, e.Strategy)
	case event.ReplaceReverted:
		return "replacement goes back: " + e.Why
	case event.ReplaceFinished:
		return Replaced(e)
	case event.Retried:
		return "new attempts allowed by " + e.Who + Because(e.Reason)
	case event.LastGood:
		return "healthy with configuration " + resource.ShortDigest(e.Desired)
	case event.Exhausted:
		return fmt.Sprintf("%d attempts of configuration %s failed: it is not tried again", e.Attempts, resource.ShortDigest(e.Desired))
	case event.KeyPinned:
		return "key of instance " + e.Instance + " trusted at its first use"
	case event.Acknowledged:
		return fmt.Sprintf("drift (%s) acknowledged by %s until %s%s", e.What, e.Who, Minute(e.Until), Because(e.Reason))
	}
	return strings.ReplaceAll(e.Type(), "_", " ")
}
