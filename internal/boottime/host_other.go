//go:build !linux

package boottime

import "time"

// Host is the wall clock where no clock of the boot is available: there setting the date moves
// deadlines.
func Host() Clock {
	return func() (string, time.Duration) { return "", time.Duration(time.Now().UnixNano()) }
}
