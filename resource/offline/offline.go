// Package offline has the reason for a scope that sends reports, and has sent none for too long. It is offline since
// then, which is not a failure, and nothing is concluded of it.
package offline

import (
	"errors"
	"time"
)

// Err is the reason for a scope whose newest report is too old.
var Err = errors.New("offline")

// Error is an Err with the time of the newest report; zero: there was none.
type Error struct{ Since time.Time }

func (e *Error) Error() string {
	if e.Since.IsZero() {
		return "offline: it has never reported"
	}
	return "offline since " + e.Since.UTC().Format("2006-01-02 15:04:05 UTC")
}

// Is reports that it is an Err.
func (e *Error) Is(target error) bool { return target == Err }

// Since returns since when a scope is offline, zero if it never reported; false if the error
// is another.
func Since(err error) (time.Time, bool) {
	var e *Error
	if errors.As(err, &e) {
		return e.Since, true
	}
	return time.Time{}, errors.Is(err, Err)
}
