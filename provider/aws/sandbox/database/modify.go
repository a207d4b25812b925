package database

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// usable returns the current database, when it is in one of the states.
func usable(x *core.Exchange, states ...string) (*database, error) {
	d, err := db(x)
	if err != nil {
		return nil, err
	}
	if s := d.Life.At(x.Now); !slices.Contains(states, s) {
		return nil, wire.Failf("InvalidDBInstanceState", "Database instance is not in %s state. (%s is %s.)",
			strings.Join(states, " or "), d.ID, s)
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
	if n, err := x.P.Num("AllocatedStorage", 0); err == nil && n <= d.Settings.Storage &&
		d.Life.At(x.Now) == "storage-full" {
		return nil, wire.Failf("InvalidDBInstanceState", "Database instance is not in available state. (%s is storage-full.)",
			d.ID)
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
		return nil, wire.Failf("InvalidParameterCombination",
			"You can't currently modify the storage of this DB instance because the previous storage modification is being "+
				"optimized.")
	}
	if d.Pending != nil {
		merged := &database{Settings: d.Pending.settings}
		merged.take(waits)
		merged.Settings.Retention = cmp.Or(waits.Retention, d.Pending.Retention)
		waits = merged.Settings
		storage = storage || waits.Storage != 0
	}
	shown := schedule(x, d, waits, now, storage)
	x.Tx.Put(d)
	return oneDB{viewDB(x, d, shown)}, nil
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

// changeAtOnce sets what never waits.
func changeAtOnce(x *core.Exchange, d *database) error {
	p := x.P
	d.Protected = p.Flag("DeletionProtection", d.Protected)
	d.Public = p.Flag("PubliclyAccessible", d.Public)
	d.CopyTags = p.Flag("CopyTagsToSnapshot", d.CopyTags)
	d.AutoMinor = p.Flag("AutoMinorVersionUpgrade", d.AutoMinor)
	d.IAMAuth = p.Flag("EnableIAMDatabaseAuthentication", d.IAMAuth)
	d.Insights = p.Flag("EnablePerformanceInsights", d.Insights)
	d.CA = p.Or("CACertificateIdentifier", d.CA)
	if p.Has("DBParameterGroupName") {
		d.ParamGroup = strings.ToLower(p.Str("DBParameterGroupName"))
		if err := parametersOf(x, d); err != nil {
			return err
		}
	}
	d.BackupTime = p.Or("PreferredBackupWindow", d.BackupTime)
	d.Window = strings.ToLower(p.Or("PreferredMaintenanceWindow", d.Window))
	var err error
	if d.MaxStorage, err = p.Num("MaxAllocatedStorage", d.MaxStorage); err != nil {
		return err
	}
	if d.Monitoring, err = p.Num("MonitoringInterval", d.Monitoring); err != nil {
		return err
	}
	if d.Port, err = p.Num("DBPortNumber", d.Port); err != nil {
		return err
	}
	if p.Has("VpcSecurityGroupIds") {
		g, ok := core.Find[*subnetGroup](x.Tx, x.Region, d.SubnetGroup)
		if !ok {
			g = &subnetGroup{}
		}
		if d.Groups, err = rdsGroups(x, g); err != nil {
			return err
		}
	}
	if err := changeLogin(x, d); err != nil {
		return err
	}
	return checkBackups(d)
}

// changeLogin: a password is either managed or given; one that is given is
// checked and not stored.
func changeLogin(x *core.Exchange, d *database) error {
	password := x.P.Str("MasterUserPassword")
	managed := x.P.Flag("ManageMasterUserPassword", d.Secret != "")
	switch {
	case managed && password != "":
		return wire.Failf("InvalidParameterCombination",
			"You can't specify MasterUserPassword for an instance with ManageMasterUserPassword enabled.")
	case managed && d.Secret == "":
		d.Secret = "arn:aws:secretsmanager:" + x.Region + ":" + wire.Account + ":secret:rds!db-" +
			x.Tx.St.Hex("secret", d.Seq)[:32]
	case !managed && d.Secret != "" && password == "":
		return wire.Failf("InvalidParameterCombination",
			"MasterUserPassword is required when you turn ManageMasterUserPassword off.")
	case !managed:
		d.Secret = ""
	}
	if password != "" {
		return checkPassword(password)
	}
	return nil
}

// changeLater collects the changes and waits for the window.
func changeLater(x *core.Exchange, d *database) (settings, error) {
	var s settings
	class, err := dbClassOf(x)
	if err != nil {
		return s, err
	}
	if class != d.Settings.Class {
		s.Class = class
	}
	if s.Version, err = upgrade(x, d); err != nil {
		return s, err
	}
	if x.P.Has("MultiAZ") && x.P.Yes("MultiAZ") != d.multi() {
		multi := x.P.Yes("MultiAZ")
		s.MultiAZ = &multi
	}
	days, err := x.P.Num("BackupRetentionPeriod", d.Retention)
	if err != nil {
		return s, err
	}
	if days < 0 || days > 35 {
		return s, wire.Failf("InvalidParameterValue", "Invalid backup retention period: %d. Must be from 0 to 35.", days)
	}
	if (days == 0) != (d.Retention == 0) {
		s.Retention = &days
	} else {
		d.Retention = days
	}
	return s, growth(x, d, &s)
}

// upgrade: versions go up only, and across major versions only when allowed.
func upgrade(x *core.Exchange, d *database) (string, error) {
	asked, have := x.P.Str("EngineVersion"), d.Settings.Version
	allowed := x.P.Yes("AllowMajorVersionUpgrade")
	if asked == "" || asked == have {
		return "", nil
	}
	want, err := engineVersion(d.Engine, asked)
	if err != nil || want == have {
		return "", err
	}
	if older(want, have) {
		return "", wire.Failf("InvalidParameterCombination", "Cannot upgrade %s from %s to %s", d.Engine, have, want)
	}
	if major(d.Engine, want) != major(d.Engine, have) && !allowed {
		return "", wire.Failf("InvalidParameterCombination",
			"The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version.")
	}
	return want, nil
}

func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		if m, n := wire.Atoi(as[i]), wire.Atoi(bs[i]); m != n {
			return m < n
		}
	}
	return len(as) < len(bs)
}

// growth: storage never shrinks, and grows by a tenth at least: less is
// rounded up to that (RDS API reference: ModifyDBInstance, AllocatedStorage).
func growth(x *core.Exchange, d *database, s *settings) error {
	want := *d
	var err error
	if want.Settings.Storage, err = x.P.Num("AllocatedStorage", d.Settings.Storage); err != nil {
		return err
	}
	if want.Settings.IOPS, err = x.P.Num("Iops", d.Settings.IOPS); err != nil {
		return err
	}
	if want.Settings.Through, err = x.P.Num("StorageThroughput", d.Settings.Through); err != nil {
		return err
	}
	want.Settings.Type = x.P.Or("StorageType", d.Settings.Type)
	if want.Settings.Type != d.Settings.Type { // what the other type had does not come with it
		want.Settings.IOPS, want.Settings.Through = wire.Atoi(x.P.Str("Iops")), wire.Atoi(x.P.Str("StorageThroughput"))
	}
	have := d.Settings.Storage
	if want.Settings.Storage < have {
		return wire.Failf("InvalidParameterCombination",
			"Invalid storage size for engine name %s and storage type %s: %d: the requested storage size cannot be less than "+
				"the current %s.", d.Engine, d.Settings.Type, want.Settings.Storage, strconv.Itoa(have))
	}
	larger := want.Settings.Storage > have && !x.P.Has("Iops")
	faster := want.Settings.IOPS != d.Settings.IOPS && x.P.Has("Iops") && !x.P.Has("AllocatedStorage")
	if provisioned(&want.Settings) && (larger || faster) {
		return wire.Failf("InvalidParameterCombination",
			"You must specify both the storage size and iops when modifying the storage size or iops on a DB instance that "+
				"has iops.")
	}
	if want.Settings.Storage > have {
		want.Settings.Storage = max(want.Settings.Storage, (have*11+9)/10)
	}
	if err := checkStorage(x, &want); err != nil {
		return err
	}
	if n := want.Settings.Storage; n != have {
		s.Storage = n
	}
	if k := want.Settings.Type; k != d.Settings.Type {
		s.Type = k
	}
	if n := want.Settings.IOPS; n != d.Settings.IOPS {
		s.IOPS = n
	}
	if n := want.Settings.Through; n != d.Settings.Through {
		s.Through = n
	}
	return nil
}
