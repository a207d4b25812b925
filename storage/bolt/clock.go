package bolt

import "time"

// A Clock says how long this boot of the host has lasted, asleep or awake, and names the
// boot. Leases are judged by it and not by the wall clock: setting the date then neither
// frees a claim nor keeps one, a suspended host finds its leases ended when it wakes, and
// after a reboot, which no holder survived, all of them have ended.
type Clock func() (boot string, since time.Duration)
