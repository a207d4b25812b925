package rules

import (
	"slices"
	"time"
)

// Window is a maintenance window: a span of the day, on some days of the week, in a time zone.
// An action that windows cover starts only while one of them is open.
type Window struct {
	Name string
	Days []time.Weekday // the days it opens on; empty is every day
	// From and To are wall-clock times since midnight. A To at or before From is on the next
	// day; equal times are a whole day.
	From, To time.Duration
	Zone     *time.Location // nil is UTC
	// The actions and kinds that it covers. No Actions: delete, replace and restart, except
	// starting what does not run; no Kinds: all.
	Actions []string
	Kinds   []string
}

// Covers reports whether the window covers an action on a kind.
func (w Window) Covers(action, kind string) bool {
	if len(w.Kinds) > 0 && !slices.Contains(w.Kinds, kind) {
		return false
	}
	if len(w.Actions) > 0 {
		return slices.Contains(w.Actions, action)
	}
	return action == "delete" || action == "replace" || action == "restart"
}

// Open reports whether the window is open at a time: from its opening minute until before its
// closing one.
func (w Window) Open(now time.Time) bool {
	now = now.In(w.zone())
	for back := range 2 {
		from, to, ok := w.on(now, -back)
		if ok && !now.Before(from) && now.Before(to) {
			return true
		}
	}
	return false
}

// Next is when the window opens next, after now. A wall-clock time that the zone skips is the
// one after the gap, as in time.Date.
func (w Window) Next(now time.Time) time.Time {
	now = now.In(w.zone())
	for ahead := range 9 {
		if from, _, ok := w.on(now, ahead); ok && from.After(now) {
			return from
		}
	}
	return time.Time{} // not reached: every day of the week comes within nine days
}

// on returns the window that opens some days after the given time, if it opens on that day.
func (w Window) on(now time.Time, days int) (from, to time.Time, ok bool) {
	day := time.Date(now.Year(), now.Month(), now.Day()+days, 12, 0, 0, 0, w.zone())
	if len(w.Days) > 0 && !slices.Contains(w.Days, day.Weekday()) {
		return from, to, false
	}
	from = clock(day, 0, w.From, w.zone())
	end := 0
	if w.To <= w.From {
		end = 1
	}
	return from, clock(day, end, w.To, w.zone()), true
}

func clock(day time.Time, plus int, at time.Duration, zone *time.Location) time.Time {
	h, m := int(at/time.Hour), int(at%time.Hour/time.Minute)
	return time.Date(day.Year(), day.Month(), day.Day()+plus, h, m, 0, 0, zone)
}

func (w Window) zone() *time.Location {
	if w.Zone == nil {
		return time.UTC
	}
	return w.Zone
}
