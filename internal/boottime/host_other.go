//go:build !linux

package boottime

import "time"

// Host is the wall clock where no clock of the boot is at hand: setting the date there does
// move deadlines.
func Host() Clock {
	return func() (string, time.Duration) { return "", time.Duration(time.Now().UnixNano()) }
}
