//go:build !linux

package bolt

import "time"

// HostClock is the wall clock where no clock of the boot is at hand: setting the date
// backwards may keep a dead process's claims for up to their time to live again.
func HostClock() Clock {
	return func() (string, time.Duration) { return "", time.Duration(time.Now().UnixNano()) }
}
