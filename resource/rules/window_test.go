package rules_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource/rules"
)

func TestWindow(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatalf("the zone database is missing (Debian: tzdata): %v", err)
	}
	at := func(s string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04", s, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	night := rules.Window{Days: []time.Weekday{time.Saturday}, From: 22 * time.Hour, To: 4 * time.Hour, Zone: berlin}
	for name, c := range map[string]struct {
		now  string
		open bool
		next string
	}{
		"before it, the same day":                  {"2026-11-21 21:59", false, "2026-11-21 22:00"},
		"its first minute":                         {"2026-11-21 22:00", true, "2026-11-28 22:00"},
		"after midnight, Saturday's window":        {"2026-11-22 03:59", true, "2026-11-28 22:00"},
		"its closing minute":                       {"2026-11-22 04:00", false, "2026-11-28 22:00"},
		"the small hours before Saturday's window": {"2026-11-21 03:00", false, "2026-11-21 22:00"},
		"across the end of summer time":            {"2026-10-25 03:30", true, "2026-10-31 22:00"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := night.Open(at(c.now)); got != c.open {
				t.Errorf("open: got %v, want %v", got, c.open)
			}
			if got := night.Next(at(c.now)); !got.Equal(at(c.next)) {
				t.Errorf("next: got %v, want %v", got, at(c.next))
			}
		})
	}
}

// A window always opens again, and is open at the time that Next returns.
func TestWindowIsOpenAtNext(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		w := rules.Window{
			From: time.Duration(rapid.IntRange(0, 24*60-1).Draw(t, "from")) * time.Minute,
			To:   time.Duration(rapid.IntRange(0, 24*60-1).Draw(t, "to")) * time.Minute,
		}
		for d := range 7 {
			if rapid.Bool().Draw(t, "day") {
				w.Days = append(w.Days, time.Weekday(d))
			}
		}
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0)
		next := w.Next(now)
		if !next.After(now) || !w.Open(next) || next.Sub(now) > 8*24*time.Hour {
			t.Fatalf("%+v at %v: next is %v, open then: %v", w, now, next, w.Open(next))
		}
	})
}

func TestWindowCovers(t *testing.T) {
	w := rules.Window{Kinds: []string{"rds"}}
	for name, c := range map[string]struct {
		w            rules.Window
		action, kind string
		want         bool
	}{
		"delete, by default":    {w, "delete", "rds", true},
		"restart, by default":   {w, "restart", "rds", true},
		"update is not covered": {w, "update", "rds", false},
		"another kind":          {w, "delete", "ec2", false},
		"a listed action":       {rules.Window{Actions: []string{"update"}}, "update", "ec2", true},
		"an action not listed":  {rules.Window{Actions: []string{"update"}}, "delete", "ec2", false},
	} {
		if got := c.w.Covers(c.action, c.kind); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
