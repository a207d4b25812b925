package provider

import (
	"errors"
	"path"
	"strings"
	"time"
)

// Cause classifies the failure of a call by who can resolve it. The zero Cause is a failure that no table knows.
type Cause string

// The causes.
const (
	Unclassified   Cause = ""
	Configuration  Cause = "configuration"     // the same configuration fails again
	Denied         Cause = "denied"            // the credentials lack a right
	Expired        Cause = "expired"           // the credentials are missing or no longer valid
	Quota          Cause = "quota"             // a limit of the account or the host is reached
	Throttled      Cause = "throttled"         // too many calls at a time
	Unreachable    Cause = "unreachable"       // the system did not answer, and did nothing
	Propagation    Cause = "propagation"       // what was just created is not known everywhere yet
	InUseByService Cause = "in_use_by_service" // the system is busy with it, or releases it later
	InUse          Cause = "in_use"            // another resource uses it, or has its name
	Capacity       Cause = "capacity"          // the system has no room for it now
	UnknownResult  Cause = "unknown_result"    // the call may have succeeded: only an observation can tell
)

// Causes returns every cause but the zero one.
func Causes() []Cause {
	return []Cause{
		Configuration, Denied, Expired, Quota, Throttled, Unreachable, Propagation, InUseByService, InUse, Capacity,
		UnknownResult,
	}
}

// Handling defines how ovi handles a cause, in every provider alike.
type Handling struct {
	// Wait bounds the time for which one action waits for the cause to pass. A timeout of the configuration replaces it,
	// whatever its size; see Patience.
	Wait time.Duration
	// Repeats: the engine repeats the call meanwhile. Otherwise only a provider waits that knows what it waits for.
	Repeats bool
	// Counts: the failure is an attempt of the configuration, and a number of attempts blocks it. All others are
	// tried again without end, and succeed without an operator when the cause has gone.
	Counts bool
	// Pause bounds the pause between two actions that fail and do not count.
	Pause time.Duration
	// Alert bounds the time for which such failures may last before ovi raises an alert.
	Alert time.Duration
	// Waits completes "waits for", and Remedy says who can end the wait.
	Waits, Remedy string
	// MayArrive: a create that failed so may still take effect, so that the next attempt keeps its idempotency key.
	MayArrive bool
}

// longestPause bounds the pause of each cause that does not count, so that ovi notices soon that it has gone.
const longestPause = 5 * time.Minute

// HandlingOf is the one policy. A failure without a known cause is handled as one of the configuration, because a
// configuration that may be wrong must not be tried without end.
func HandlingOf(c Cause) Handling {
	h := Handling{Pause: longestPause, Alert: 10 * time.Minute}
	switch c {
	case Denied:
		h.Alert, h.Waits, h.Remedy = time.Minute, "a right", "ask the owner of the rights to grant it"
	case Expired:
		h.Alert, h.Waits, h.Remedy = time.Minute, "valid credentials", "log in again"
	case Quota:
		h.Alert, h.Waits, h.Remedy = time.Minute, "a quota", "ask the owner of the account for more"
	case Throttled:
		h.Wait, h.Repeats, h.MayArrive = 5*time.Minute, true, true
		h.Waits, h.Remedy = "the system to accept more calls", "run `ovi apply` again later; `ovi run` does"
	case Unreachable:
		h.Wait, h.Repeats, h.MayArrive = 10*time.Second, true, true
		h.Waits, h.Remedy = "an answer", "restore the system, or the network to it"
	case Propagation:
		h.Wait, h.Repeats = 2*time.Minute, true
		h.Waits, h.Remedy = "what was just created to be known everywhere", "run `ovi apply` again later; `ovi run` does"
	case InUseByService:
		h.Wait, h.Alert, h.MayArrive = 45*time.Minute, time.Hour, true
		h.Waits, h.Remedy = "the system to release it", "run `ovi apply` again later; `ovi run` does"
	case InUse:
		h.Wait = time.Minute
		h.Waits, h.Remedy = "another resource to release it", "remove that resource, or ask its owner to"
	case Capacity:
		h.Wait, h.Repeats, h.MayArrive = 10*time.Second, true, true
		h.Waits, h.Remedy = "capacity", "wait, or use another size or zone"
	case UnknownResult:
		h.Wait, h.Repeats, h.MayArrive = 10*time.Second, true, true
		h.Waits, h.Remedy = "an observation", "run `ovi plan`, which finds the result"
	case Configuration:
		return Handling{Counts: true, Remedy: "change the configuration"}
	default:
		return Handling{Counts: true, Remedy: "read the error, which does not say who can resolve it"}
	}
	return h
}

// Row is one row of a provider's table. An empty field matches everything, and a Code may be a pattern of path.Match.
// The first row that matches decides, so that rows of one service or with a text come first.
type Row struct {
	Service, Call, Code string
	Text                string // what the message contains, in lower case
	Cause               Cause
	Absent              bool   // the call failed because what it names does not exist
	Hint                string // what to do next
}

// Find returns the first row of a table that matches a failure; false if there is none.
func Find(table []Row, service, call, code, message string) (Row, bool) {
	message = strings.ToLower(message)
	is := func(want, have string) bool { return want == "" || want == have }
	for i := range table {
		r := &table[i]
		if is(r.Service, service) && is(r.Call, call) && matches(r.Code, code) && strings.Contains(message, r.Text) {
			return *r, true
		}
	}
	return Row{}, false
}

func matches(pattern, code string) bool {
	if !strings.ContainsAny(pattern, "*?[") {
		return pattern == "" || pattern == code
	}
	ok, err := path.Match(pattern, code)
	return ok && err == nil
}

// CauseOf returns the cause of an error; Unclassified if it has none.
func CauseOf(err error) Cause {
	var e *Error
	if errors.As(err, &e) {
		return e.Cause
	}
	return Unclassified
}

// Absent reports whether a call failed because what it names does not exist.
func Absent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Absent
}

// Passes reports whether a failure ends without a change of the configuration: the action is tried again.
func Passes(err error) bool { return err != nil && !HandlingOf(CauseOf(err)).Counts }

// Repeats reports whether the same call may succeed in a moment, so that what it left is kept for the next one.
func Repeats(err error) bool { return err != nil && HandlingOf(CauseOf(err)).Repeats }
