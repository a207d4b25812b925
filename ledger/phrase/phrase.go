// Package phrase has the phrases that every output of ovi shares: times, ages, and what an operator
// did. It is pure: the time is a value.
package phrase

import (
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
)

// Second is a time to the second, in UTC.
func Second(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// Minute is a time to the minute, in UTC.
func Minute(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// ID is an ID as text shows it: of 64 hexadecimal digits, as containers and images have, the first
// twelve, as Podman's and Git's commands do. FindRef in package history finds a resource by those.
func ID(id string) string {
	if len(id) != 64 || strings.Trim(id, "0123456789abcdef") != "" {
		return id
	}
	return id[:ShortID]
}

// ShortID is the number of digits that ID shows of a long ID.
const ShortID = 12

// Age says how long ago something was, in one unit. It is never negative, even if a clock was set back since.
func Age(d time.Duration) string {
	d = max(d, 0)
	switch {
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

// Capital starts a sentence with a capital letter. The text must begin with an ASCII letter, since one byte
// is changed.
func Capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Found says what an observation found of an action whose result was open.
func Found(verb string, f event.Finding) string {
	switch f {
	case event.FoundDone:
		return "recovered: the " + verb + " was done"
	case event.FoundNotDone:
		return "recovered: the " + verb + " did not happen"
	case event.FoundFailed:
		return "recovered: the " + verb + " failed"
	}
	return "the result of the " + verb + " is unknown"
}

// Replaced says how a replacement ended. An ID is the resource that is left under the name; without one, none
// is left.
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
