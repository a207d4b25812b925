package bolt

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// HostClock is this host's clock.
func HostClock() Clock {
	// Where the name of the boot cannot be read, a deadline that is further off than the
	// lease's time to live still betrays a reboot.
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	boot := strings.TrimSpace(string(id))
	return func() (string, time.Duration) {
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
			return boot, time.Duration(time.Now().UnixNano())
		}
		return boot, time.Duration(ts.Nano())
	}
}
