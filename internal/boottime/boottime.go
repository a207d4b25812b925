// Package boottime tells how long this boot of the host has lasted, asleep or awake, and
// names the boot. Deadlines that a wall clock must not judge are kept on it: setting the
// date does not move it, a suspended host does not stop it (which Go's own monotonic clock
// does), and a reboot gives it another name.
package boottime

import "time"

// A Clock reads the time of the boot. boot is empty where the host does not name it.
type Clock func() (boot string, since time.Duration)
