package database

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// modifyDB makes a change and waits until it has happened. A database may be reported as available,
// with its old values, for a while after RDS has accepted the change. The wait covers both signs of
// a change under way: a value that is pending, and a value that RDS does not report yet.
func modifyDB(ctx context.Context, g *api.Region, in *rds.ModifyDBInstanceInput) (types.DBInstance, error) {
	err := onceReady(ctx, g, func() error {
		_, err := g.RDS.ModifyDBInstance(ctx, in)
		return err
	})
	if err != nil {
		return types.DBInstance{}, err
	}
	return awaitDBThrough(ctx, g, *in.DBInstanceIdentifier, "to take its changes", statusFull,
		func(d types.DBInstance) bool {
			return len(overlay(api.Attrs{}, d.PendingModifiedValues)) == 0 && took(d, in)
		})
}

// took reports that a database has the values of a change. AllocatedStorage may exceed the order,
// because RDS rounds it up and grows it automatically. A password is not readable, so it is not
// part of the comparison.
// Any version that fits the ordered one is accepted: "If you specify only a major version", RDS
// uses its default minor version (Amazon RDS API Reference, ModifyDBInstance, EngineVersion).
func took(d types.DBInstance, in *rds.ModifyDBInstanceInput) bool {
	return has(d.DBInstanceClass, in.DBInstanceClass) && has(d.StorageType, in.StorageType) &&
		has(d.MultiAZ, in.MultiAZ) &&
		has(d.PubliclyAccessible, in.PubliclyAccessible) && has(d.DeletionProtection, in.DeletionProtection) &&
		has(d.BackupRetentionPeriod, in.BackupRetentionPeriod) &&
		has(d.AutoMinorVersionUpgrade, in.AutoMinorVersionUpgrade) &&
		has(d.PreferredBackupWindow, in.PreferredBackupWindow) &&
		(in.PreferredMaintenanceWindow == nil ||
			strings.EqualFold(aws.ToString(d.PreferredMaintenanceWindow), *in.PreferredMaintenanceWindow)) &&
		aws.ToInt32(d.AllocatedStorage) >= aws.ToInt32(in.AllocatedStorage) && has(d.Iops, in.Iops) &&
		has(d.StorageThroughput, in.StorageThroughput) &&
		(!aws.ToBool(in.ManageMasterUserPassword) || d.MasterUserSecret != nil) &&
		(in.MaxAllocatedStorage == nil || growsTo(d) == growsTo(
			types.DBInstance{AllocatedStorage: d.AllocatedStorage, MaxAllocatedStorage: in.MaxAllocatedStorage})) &&
		(in.DBParameterGroupName == nil || len(d.DBParameterGroups) > 0 &&
			has(d.DBParameterGroups[0].DBParameterGroupName, in.DBParameterGroupName)) &&
		(in.EngineVersion == nil || versionFits(*in.EngineVersion, aws.ToString(d.EngineVersion)) != resource.Differs)
}

// has reports that a value is the one asked for, or that none is.
func has[T comparable](have, want *T) bool { return want == nil || have != nil && *have == *want }

// full reports whether a database has no free storage.
func full(d types.DBInstance) bool { return aws.ToString(d.DBInstanceStatus) == statusFull }

// grows reports whether a change enlarges the storage, which ends the status storage-full.
func grows(in *rds.ModifyDBInstanceInput, d types.DBInstance) bool {
	return in != nil && aws.ToInt32(in.AllocatedStorage) > aws.ToInt32(d.AllocatedStorage)
}

// changesOf writes the changes as one call; nil if there is nothing for RDS to modify. Storage that
// would shrink is an error before the call, since the advice differs from the refusal of RDS.
// AllowMajorVersionUpgrade is set only for a change of the major version: without it RDS refuses
// such a change.
// If AWS generated the password so far and one is configured, ModifyDBInstance needs both
// parameters: RDS "deletes the secret and uses the new password".
func changesOf(r provider.Request, d types.DBInstance) (*rds.ModifyDBInstanceInput, error) {
	a := resource.Attrs{}
	n := 0
	for _, name := range []string{
		"size", "engine_version", "storage", "storage_type", "multi_az", "public", "password",
		"port", "security_groups", "backup_days", "deletion_protection", parameterGroup,
		"backup_window", "maintenance_window", "minor_upgrades", "max_storage", "iops", "throughput",
	} {
		if v, ok := r.Desired.Attrs.Get(name); ok && api.Changed(r, name) {
			a = a.With(name, v)
			n++
		}
	}
	// a restored one has that of the snapshot
	generate := api.Changed(r, snapshotAttr) && d.MasterUserSecret == nil && !api.IsSet(r.Desired.Attrs, "password")
	if n == 0 && !generate {
		return nil, nil
	}
	if want := api.DesiredInt(a, "storage"); want != nil && *want < aws.ToInt32(d.AllocatedStorage) {
		return nil, api.Mistake("rds.ModifyDBInstance",
			provider.Errorf("%s has %d GiB and cannot shrink to %d", r.Have.ID, *d.AllocatedStorage, *want),
			"create a new database and copy the data: storage can only grow")
	}
	in := modification(r.Have.ID, a)
	if v := api.DesiredText(a, "engine_version"); v != nil {
		in.EngineVersion = v
		engine := aws.ToString(d.Engine)
		in.AllowMajorVersionUpgrade = aws.Bool(major(engine, *v) != major(engine, aws.ToString(d.EngineVersion)))
	}
	if generate {
		in.ManageMasterUserPassword = aws.Bool(true)
	}
	in.MaxAllocatedStorage = ceiling(in, a, d)
	provision(in, d)
	password, given, err := api.Secret(a, "password")
	if given {
		in.MasterUserPassword = aws.String(password)
		if d.MasterUserSecret != nil { // so far AWS generates it
			in.ManageMasterUserPassword = aws.Bool(false)
		}
	}
	return in, err
}

// modification is the call that gives a database what has one value there and here.
// ApplyImmediately is set, because a plan that was approved must not take effect days later in a
// maintenance window.
// ModifyDBInstance applies "the modifications in this request and any pending modifications", so a
// pending change of another client is made as well.
func modification(id string, a resource.Attrs) *rds.ModifyDBInstanceInput {
	return &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: aws.String(id),
		ApplyImmediately:     aws.Bool(true),
		DBInstanceClass:      api.DesiredText(a, "size"),
		AllocatedStorage:     api.DesiredInt(a, "storage"),
		StorageType:          api.DesiredText(a, "storage_type"),
		Iops:                 api.DesiredInt(a, "iops"),
		StorageThroughput:    api.DesiredInt(a, "throughput"),
		MultiAZ:              api.DesiredFlag(a, "multi_az"),
		PubliclyAccessible:   api.DesiredFlag(a, "public"),
		DBPortNumber:         api.DesiredInt(a, "port"),
		VpcSecurityGroupIds:  a.Texts("security_groups"),
		DBParameterGroupName: api.DesiredText(a, parameterGroup),
		DeletionProtection:   api.DesiredFlag(a, "deletion_protection"),

		BackupRetentionPeriod:      api.DesiredInt(a, "backup_days"),
		AutoMinorVersionUpgrade:    api.DesiredFlag(a, "minor_upgrades"),
		PreferredBackupWindow:      api.DesiredText(a, "backup_window"),
		PreferredMaintenanceWindow: api.DesiredText(a, "maintenance_window"),
	}
}

// major is the part of a version that only a major upgrade changes: of MySQL and MariaDB the first two
// numbers ("Upgrading a DB instance engine version").
func major(engine, version string) string {
	parts := strings.Split(version, ".")
	n := 1
	if engine != "postgres" {
		n = 2
	}
	return strings.Join(parts[:min(n, len(parts))], ".")
}

// Exceeds means that the database is newer than its configuration, which is accepted: RDS upgrades
// minor versions, and no version can be reduced.
func versionFits(want, have string) resource.Fit {
	switch {
	case want == have || strings.HasPrefix(have, want+"."):
		return resource.Equivalent
	case olderVersion(want, have):
		return resource.Exceeds
	}
	return resource.Differs
}

// olderVersion reports that one version comes before another; what is no number is not ordered.
func olderVersion(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		m, err := strconv.Atoi(as[i])
		n, err2 := strconv.Atoi(bs[i])
		switch {
		case cmp.Or(err, err2) != nil:
			return false
		case m != n:
			return m < n
		}
	}
	return false
}

// anyDB accepts every database that awaitDB considers stable.
func anyDB(types.DBInstance) bool { return true }

// onceReady orders a change of a database that may be busy, for example with its first backup.
// A call that RDS refuses because of the state has no effect, so it is repeated until the wait for
// databases ends.
func onceReady(ctx context.Context, g *api.Region, order func() error) error {
	return g.Patiently(ctx, g.Wait.Database, func() error { return api.Classify("", order()) }, "InvalidDBInstanceState",
		"InvalidDBInstanceStateFault")
}
