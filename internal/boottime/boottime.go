// Package boottime measures how long this boot of the host has lasted, asleep or awake, and
// identifies the boot. It is the clock for deadlines that must not depend on the wall clock:
// setting the date does not move it, a suspended host does not stop it (unlike Go's monotonic
// clock), and a reboot changes its id.
package boottime

import "time"

// A Clock reads the time of the boot. boot is empty where the host does not identify it.
type Clock func() (boot string, since time.Duration)
