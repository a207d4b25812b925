//go:build unix

package decider_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time this process has had: on a busy machine the only honest
// measure of "on one core".
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
