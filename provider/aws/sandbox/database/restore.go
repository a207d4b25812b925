package database

import (
	"cmp"
	"maps"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// restoreDB makes a database from a snapshot, which gives what the request does not name: engine, user, password,
// databases, encryption, storage and days of backups. Without tags in the request it has those of the
// snapshot (RDS API reference: RestoreDBInstanceFromDBSnapshot).
func restoreDB(x *core.Exchange) (any, error) {
	id, err := newDBName(x)
	if err != nil {
		return nil, err
	}
	s, err := snapshotOf(x)
	if err != nil {
		return nil, err
	}
	if status := s.Life.At(x.Now); status != "available" {
		return nil, wire.Failf("InvalidDBSnapshotState", "Snapshot %s is not in the available state: it is %s.", s.ID, status)
	}
	if engine := x.P.Or("Engine", s.Engine); engine != s.Engine {
		return nil, wire.Failf("InvalidParameterCombination",
			"The engine %s is not compatible with the snapshot's engine %s.", engine, s.Engine)
	}
	d := &database{
		Engine: s.Engine, User: s.User, DBName: s.DBName, Encrypted: s.Encrypted, KMS: s.KMS, Retention: s.Retention,
		Settings: settings{Version: s.Version, Storage: s.Storage, Type: s.Type, IOPS: s.IOPS, Through: s.Through},
	}
	for _, step := range []func(*database) error{func(d *database) error {
		return restoredEngine(x, d)
	}, func(d *database) error { return restoredStorage(x, d) }, func(d *database) error { return readNetwork(x, d) }} {
		if err := step(d); err != nil {
			return nil, err
		}
	}
	readWindows(x, d)
	d.CopyTags, d.Protected = x.P.Yes("CopyTagsToSnapshot"), x.P.Yes("DeletionProtection")
	if err := nameDB(x, d, id); err != nil {
		return nil, err
	}
	if len(d.Tags) == 0 {
		d.Tags = maps.Clone(s.Tags)
	}
	d.Life = core.Through(x.Now, x.Settle, "available", "creating", "backing-up")
	x.Tx.Put(d)
	return oneDB{viewDB(x, d, "creating")}, nil
}

func restoredEngine(x *core.Exchange, d *database) error {
	class, err := dbClassOf(x)
	if err != nil {
		return err
	}
	d.Settings.Class = cmp.Or(class, "db.t3.micro")
	d.AutoMinor = x.P.Flag("AutoMinorVersionUpgrade", true)
	d.CA = "rds-ca-rsa2048-g1"
	d.ParamGroup = strings.ToLower(x.P.Or("DBParameterGroupName", "default."+d.Engine+major(d.Engine, d.Settings.Version)))
	if err := parametersOf(x, d); err != nil {
		return err
	}
	d.Port, err = x.P.Num("Port", portOf(d.Engine))
	return err
}

func restoredStorage(x *core.Exchange, d *database) error {
	size, err := x.P.Num("AllocatedStorage", d.Settings.Storage)
	switch {
	case err != nil:
		return err
	case size < d.Settings.Storage:
		return wire.Failf("InvalidParameterValue", "The allocated storage of %d GiB is less than the %d GiB of the snapshot.",
			size, d.Settings.Storage)
	}
	d.Settings.Storage = size
	return checkStorage(x, d)
}
