package boottime

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Host is this host's clock.
func Host() Clock {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // absent in some containers
	boot := strings.TrimSpace(string(id))
	return func() (string, time.Duration) {
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
			return boot, time.Duration(time.Now().UnixNano())
		}
		return boot, time.Duration(ts.Nano())
	}
}
