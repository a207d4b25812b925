package database

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	timePattern = `([01][0-9]|2[0-3]):[0-5][0-9]`
	dayPattern  = `([Mm]on|[Tt]ue|[Ww]ed|[Tt]hu|[Ff]ri|[Ss]at|[Ss]un)`
	dayMinutes  = 24 * 60
	weekMinutes = 7 * dayMinutes
	// shortestWindow: "Must be at least 30 minutes" (CreateDBInstanceInput, of both windows).
	shortestWindow = 30
)

// window is a time in which AWS works on a database, in minutes.
// The start counts from midnight or, for a weekly window, from Monday 00:00.
type window struct{ start, long int }

// windowOf reads "hh24:mi-hh24:mi", which recurs each day, or "ddd:hh24:mi-ddd:hh24:mi", which
// recurs each week. The patterns of the attributes allow nothing else. A window may pass midnight,
// or the end of the week: its length is counted modulo its period.
func windowOf(s string) window {
	from, to, _ := strings.Cut(strings.ToLower(s), "-")
	period := dayMinutes
	if strings.Count(from, ":") > 1 {
		period = weekMinutes
	}
	start := minuteOf(from)
	return window{start, (minuteOf(to) - start + period) % period}
}

// minuteOf is the minute of the day, or of the week.
func minuteOf(s string) int {
	n := 0
	if day, rest, _ := strings.Cut(s, ":"); strings.Contains(rest, ":") {
		n, s = slices.Index([]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, day)*dayMinutes, rest
	}
	h, m, _ := strings.Cut(s, ":")
	hour, _ := strconv.Atoi(h)
	minute, _ := strconv.Atoi(m)
	return n + hour*60 + minute
}

// windowLong rejects a window that is shorter than RDS accepts.
func windowLong(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	if w := windowOf(string(s)); w.long < shortestWindow {
		return api.WrongValue("use at least 30 minutes", "%s has %d minutes", s, w.long)
	}
	return nil
}

// judgeWindows: "must not conflict with the preferred maintenance window" (PreferredBackupWindow).
// A window that is not configured is not compared, because its value is not known here.
func judgeWindows(a resource.Attrs) []resource.Problem {
	backup, has := api.Text(a, "backup_window")
	upkeep, also := api.Text(a, "maintenance_window")
	if !has || !also || !overlap(windowOf(backup), windowOf(upkeep)) {
		return nil
	}
	return []resource.Problem{{
		Path: "maintenance_window", Summary: upkeep + " overlaps with backup_window " + backup,
		Suggestion: "use another time: the two windows must be apart",
	}}
}

// overlap reports that a daily window and a weekly one have a minute in common. The two recur with
// different periods, so it is enough to compare the weekly window with the daily windows around its
// start.
func overlap(daily, weekly window) bool {
	// that of the first day after the weekly one opens
	from := ((daily.start-weekly.start)%dayMinutes + dayMinutes) % dayMinutes
	return from < weekly.long || from+daily.long > dayMinutes
}
