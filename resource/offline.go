package resource

import (
	"errors"
	"time"
)

// ErrOffline is the reason for a scope whose newest report is too old. It is offline since then,
// which is not a failure, and nothing is concluded of it.
var ErrOffline = errors.New("offline")

// OfflineError is an ErrOffline with the time of the newest report; zero: there was none.
type OfflineError struct{ Since time.Time }

func (e *OfflineError) Error() string {
	if e.Since.IsZero() {
		return "offline: it has never reported"
	}
	return "offline since " + e.Since.UTC().Format("2006-01-02 15:04:05 UTC")
}

// Is reports that it is an ErrOffline.
func (e *OfflineError) Is(target error) bool { return target == ErrOffline }

// OfflineSince returns since when a scope is offline, zero if it never reported; false if the error
// is another.
func OfflineSince(err error) (time.Time, bool) {
	var e *OfflineError
	if errors.As(err, &e) {
		return e.Since, true
	}
	return time.Time{}, errors.Is(err, ErrOffline)
}
