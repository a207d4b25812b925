package database

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// readWindows takes the windows that a request names. One that it does not name is where the other is not: AWS
// chooses it (RDS API reference: CreateDBInstance, PreferredMaintenanceWindow).
func readWindows(x *core.Exchange, d *database) {
	d.BackupTime, d.Window = x.P.Or("PreferredBackupWindow", "04:00-04:30"), strings.ToLower(x.P.Or("PreferredMaintenanceWindow", "sun:06:00-sun:06:30"))
	if !windowsMeet(d) {
		return
	}
	switch {
	case !x.P.Has("PreferredMaintenanceWindow"):
		d.Window = "sun:16:00-sun:16:30"
	case !x.P.Has("PreferredBackupWindow"):
		d.BackupTime = "16:00-16:30"
	}
}

// checkWindows: both at least 30 minutes long, and apart (RDS API reference: CreateDBInstance).
func checkWindows(d *database) error {
	switch {
	case !backupTime.MatchString(d.BackupTime):
		return wire.Failf("InvalidParameterValue", "The parameter PreferredBackupWindow is not of the form hh24:mi-hh24:mi.")
	case !windowTime.MatchString(d.Window):
		return wire.Failf("InvalidParameterValue", "The parameter PreferredMaintenanceWindow is not of the form ddd:hh24:mi-ddd:hh24:mi.")
	case span(d.BackupTime)[0].long < 30*time.Minute, span(d.Window)[0].long < 30*time.Minute:
		return wire.Failf("InvalidParameterValue", "The backup window and the maintenance window must be at least 30 minutes long.")
	case windowsMeet(d):
		return wire.Failf("InvalidParameterValue", "The backup window and maintenance window must not overlap.")
	}
	return nil
}

// stretch is a part of the week, from its first Monday at midnight on.
type stretch struct{ from, long time.Duration }

const week = 7 * 24 * time.Hour

// span is when a window is open: on one day, or on each.
func span(window string) []stretch {
	from, to, _ := strings.Cut(window, "-")
	if len(from) > len("hh:mm") {
		start := moment(from)
		return []stretch{{start, (moment(to) - start + week) % week}}
	}
	var out []stretch
	for day := range 7 {
		start := moment(from)
		out = append(out, stretch{time.Duration(day)*24*time.Hour + start, (moment(to) - start + 24*time.Hour) % (24 * time.Hour)})
	}
	return out
}

func moment(s string) time.Duration {
	day := time.Duration(0)
	if len(s) > len("hh:mm") {
		day = time.Duration(slices.Index([]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, s[:3])) * 24 * time.Hour
		s = s[4:]
	}
	return day + time.Duration(wire.Atoi(s[:2]))*time.Hour + time.Duration(wire.Atoi(s[3:]))*time.Minute
}

// windowsMeet reports that the windows have a moment in common, also across the end of the week.
func windowsMeet(d *database) bool {
	if !backupTime.MatchString(d.BackupTime) || !windowTime.MatchString(d.Window) {
		return false
	}
	for _, a := range span(d.BackupTime) {
		for _, b := range span(d.Window) {
			if (b.from-a.from+week)%week < a.long || (a.from-b.from+week)%week < b.long {
				return true
			}
		}
	}
	return false
}

var backupTime = wire.Late(`^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$`)

var windowTime = wire.Late(`^(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):([0-5]\d)-(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):[0-5]\d$`)
