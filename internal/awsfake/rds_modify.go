package awsfake

import (
	"slices"
	"strings"
	"time"
)

func db(x *exchange) (*database, error) {
	id := strings.ToLower(x.p.str("DBInstanceIdentifier"))
	if id == "" {
		return nil, missing("DBInstanceIdentifier")
	}
	d, ok := find[*database](x.tx, x.Region, id)
	if !ok {
		return nil, failAs(404, "DBInstanceNotFound", "DBInstance %s not found.", id)
	}
	return d, nil
}

// usable gives the current database, when it is in one of the states.
func usable(x *exchange, states ...string) (*database, error) {
	d, err := db(x)
	if err != nil {
		return nil, err
	}
	if s := d.Life.at(x.now); !slices.Contains(states, s) {
		return nil, failf("InvalidDBInstanceState", "Database instance is not in %s state. (%s is %s.)", strings.Join(states, " or "), d.ID, s)
	}
	n := *d.at(x.now)
	return &n, nil
}

// modifyDB changes a database. What needs an interruption waits for the
// maintenance window, unless ApplyImmediately is set, which also applies what
// was pending already (RDS API reference: ModifyDBInstance, and "Modifying an
// Amazon RDS DB instance": settings and when they apply).
func modifyDB(x *exchange) (any, error) {
	d, err := usable(x, "available", "storage-optimization", "storage-full")
	if err != nil {
		return nil, err
	}
	if n, err := x.p.num("AllocatedStorage", 0); err == nil && n <= d.Settings.Storage && d.Life.at(x.now) == "storage-full" {
		return nil, failf("InvalidDBInstanceState", "Database instance is not in available state. (%s is storage-full.)", d.ID)
	}
	now := x.p.yes("ApplyImmediately")
	optimizing := d.Life.at(x.now) == "storage-optimization"
	if err := changeAtOnce(x, d); err != nil {
		return nil, err
	}
	waits, err := changeLater(x, d)
	if err != nil {
		return nil, err
	}
	storage := waits.Storage != 0 || waits.Type != "" || waits.IOPS != 0 || waits.Through != 0
	if storage && optimizing {
		return nil, failf("InvalidParameterCombination", "You can't currently modify the storage of this DB instance because the previous storage modification is being optimized.")
	}
	if d.Pending != nil {
		merged := &database{Settings: d.Pending.settings}
		merged.take(waits)
		merged.Settings.Retention = orElseInt(waits.Retention, d.Pending.Retention)
		waits = merged.Settings
		storage = storage || waits.Storage != 0
	}
	shown := schedule(x, d, waits, now, storage)
	x.tx.put(d)
	return oneDB{viewDB(x, d, shown)}, nil
}

func orElseInt(n, other *int) *int {
	if n != nil {
		return n
	}
	return other
}

// schedule says when the waiting settings hold, and gives the status to show.
func schedule(x *exchange, d *database, waits settings, now, storage bool) string {
	switch {
	case waits == settings{}:
		d.Pending = nil
		return d.Life.at(x.now)
	case !now:
		d.Pending = &pending{waits, nextWindow(d.Window, x.now)}
		return d.Life.at(x.now)
	}
	d.Life = through(x.now, x.settle, "available", "modifying")
	if storage {
		d.Life = through(x.now, x.settle, "available", "modifying", "storage-optimization")
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
	open := time.Date(now.Year(), now.Month(), now.Day()+ahead, atoi(m[2]), atoi(m[3]), 0, 0, time.UTC)
	if !open.After(now) {
		open = open.AddDate(0, 0, 7)
	}
	return open
}

func dbPower(x *exchange, from []string, final, passing string) (any, error) {
	d, err := usable(x, from...)
	if err != nil {
		return nil, err
	}
	d.Life = through(x.now, x.settle, final, passing)
	x.tx.put(d)
	return oneDB{viewDB(x, d, passing)}, nil
}

func startDB(x *exchange) (any, error) {
	return dbPower(x, []string{"stopped"}, "available", "starting")
}

func stopDB(x *exchange) (any, error) {
	x.p.str("DBSnapshotIdentifier")
	return dbPower(x, []string{"available"}, "stopped", "stopping")
}

func rebootDB(x *exchange) (any, error) {
	x.p.str("ForceFailover")
	return dbPower(x, []string{"available"}, "available", "rebooting")
}
