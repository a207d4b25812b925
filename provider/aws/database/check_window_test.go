package database

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestWindowsOfDatabasesAreLongEnoughAndApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ backup, upkeep, path string }{
		{"03:00-04:00", "sun:05:00-sun:06:00", ""},
		{"03:00-04:00", "Sun:04:00-Sun:04:30", ""},
		{"03:00-04:01", "sun:04:00-sun:04:30", "maintenance_window"},
		{"03:00-04:00", "sun:02:30-sun:03:01", "maintenance_window"},
		{"23:30-00:30", "wed:00:00-wed:00:30", "maintenance_window"},
		{"23:30-00:30", "mon:23:45-tue:00:15", "maintenance_window"},
		{"23:30-00:30", "sun:22:30-sun:23:30", ""},
		{"12:00-12:30", "sun:23:30-mon:13:00", "maintenance_window"},
		{"12:00-12:30", "sun:23:30-mon:12:00", ""},
		{"03:00-03:29", "", "backup_window"},
		{"", "sun:23:45-mon:00:14", "maintenance_window"},
		{"", "sun:23:45-mon:00:15", ""},
		{"", "sunday:05:00-sun:06:00", "maintenance_window"},
		{"24:00-01:00", "", "backup_window"},
	} {
		a := map[string]resource.Value{"size": resource.String("db.t3.micro")}
		for name, s := range map[string]string{"backup_window": c.backup, "maintenance_window": c.upkeep} {
			if s != "" {
				a[name] = resource.String(s)
			}
		}
		_, problems := resource.Check(rdsSchema(), resource.AttrsOf(a))
		switch {
		case c.path == "" && len(problems) > 0, c.path != "" && (len(problems) != 1 || problems[0].Path != c.path):
			t.Errorf("%q and %q: %+v", c.backup, c.upkeep, problems)
		}
	}
}
