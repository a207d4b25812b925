package database

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// usable gives the current database, when it is in one of the states.
func usable(x *core.Exchange, states ...string) (*database, error) {
	d, err := db(x)
	if err != nil {
		return nil, err
	}
	if s := d.Life.At(x.Now); !slices.Contains(states, s) {
		return nil, wire.Failf("InvalidDBInstanceState", "Database instance is not in %s state. (%s is %s.)", strings.Join(states, " or "), d.ID, s)
	}
	n := *d.at(x.Now)
	return &n, nil
}

// modifyDB changes a database. What needs an interruption waits for the
// maintenance window, unless ApplyImmediately is set, which also applies what
// was pending already (RDS API reference: ModifyDBInstance, and "Modifying an
// Amazon RDS DB instance": settings and when they apply).
func modifyDB(x *core.Exchange) (any, error) {
	d, err := usable(x, "available", "storage-optimization", "storage-full")
	if err != nil {
		return nil, err
	}
	if n, err := x.P.Num("AllocatedStorage", 0); err == nil && n <= d.Settings.Storage && d.Life.At(x.Now) == "storage-full" {
		return nil, wire.Failf("InvalidDBInstanceState", "Database instance is not in available state. (%s is storage-full.)", d.ID)
	}
	now := x.P.Yes("ApplyImmediately")
	optimizing := d.Life.At(x.Now) == "storage-optimization"
	if err := changeAtOnce(x, d); err != nil {
		return nil, err
	}
	waits, err := changeLater(x, d)
	if err != nil {
		return nil, err
	}
	storage := waits.Storage != 0 || waits.Type != "" || waits.IOPS != 0 || waits.Through != 0
	if storage && optimizing {
		return nil, wire.Failf("InvalidParameterCombination", "You can't currently modify the storage of this DB instance because the previous storage modification is being optimized.")
	}
	if d.Pending != nil {
		merged := &database{Settings: d.Pending.settings}
		merged.take(waits)
		merged.Settings.Retention = orElseInt(waits.Retention, d.Pending.Retention)
		waits = merged.Settings
		storage = storage || waits.Storage != 0
	}
	shown := schedule(x, d, waits, now, storage)
	x.Tx.Put(d)
	return oneDB{viewDB(x, d, shown)}, nil
}

func orElseInt(n, other *int) *int {
	if n != nil {
		return n
	}
	return other
}

// schedule says when the waiting settings hold, and gives the status to show.
func schedule(x *core.Exchange, d *database, waits settings, now, storage bool) string {
	switch {
	case waits == settings{}:
		d.Pending = nil
		return d.Life.At(x.Now)
	case !now:
		d.Pending = &pending{waits, nextWindow(d.Window, x.Now)}
		return d.Life.At(x.Now)
	}
	d.Life = core.Through(x.Now, x.Settle, "available", "modifying")
	if storage {
		d.Life = core.Through(x.Now, x.Settle, "available", "modifying", "storage-optimization")
	}
	d.Pending = &pending{waits, d.Life.Phases[0].Until}
	return "modifying"
}

// nextWindow is when the maintenance window next opens, in UTC.
func nextWindow(window string, now time.Time) time.Time {
	m := windowTime.FindStringSubmatch(window)
	if m == nil {
		return now.Add(7 * 24 * time.Hour)
	}
	days := []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	ahead := (slices.Index(days, m[1]) - int(now.Weekday()) + 7) % 7
	open := time.Date(now.Year(), now.Month(), now.Day()+ahead, wire.Atoi(m[2]), wire.Atoi(m[3]), 0, 0, time.UTC)
	if !open.After(now) {
		open = open.AddDate(0, 0, 7)
	}
	return open
}

func dbPower(x *core.Exchange, from []string, final, passing string) (any, error) {
	d, err := usable(x, from...)
	if err != nil {
		return nil, err
	}
	d.Life = core.Through(x.Now, x.Settle, final, passing)
	x.Tx.Put(d)
	return oneDB{viewDB(x, d, passing)}, nil
}

func startDB(x *core.Exchange) (any, error) {
	return dbPower(x, []string{"stopped"}, "available", "starting")
}

func stopDB(x *core.Exchange) (any, error) {
	x.P.Str("DBSnapshotIdentifier")
	return dbPower(x, []string{"available"}, "stopped", "stopping")
}

func rebootDB(x *core.Exchange) (any, error) {
	x.P.Str("ForceFailover")
	return dbPower(x, []string{"available"}, "available", "rebooting")
}
