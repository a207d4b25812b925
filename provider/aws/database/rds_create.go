package database

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// createDB relies on the name: RDS has no token. A database of that name that carries the key of this
// request was created by it.
func createDB(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id := api.Named(&r.Desired)
	d, err := newDB(ctx, g, id, r)
	if err == nil && r.Desired.State == resource.StateStopped && !isStopped(d) {
		d, err = powerDB(ctx, g, d, true)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedDB(g, d), nil
}

// newDB creates an empty database or restores one, and waits for it.
func newDB(ctx context.Context, g *api.Region, id string, r provider.Request) (types.DBInstance, error) {
	if snapshot := api.DesiredText(r.Desired.Attrs, snapshotAttr); snapshot != nil {
		return restoreDB(ctx, g, id, *snapshot, r)
	}
	in, err := orderDB(g, r)
	if err == nil {
		err = claimName(ctx, g, id, r, func(ctx context.Context) error {
			_, err := g.RDS.CreateDBInstance(ctx, in)
			return err
		})
	}
	if err != nil {
		return types.DBInstance{}, err
	}
	return awaitDB(ctx, g, id, "to be available", anyDB)
}

// Without a configured password RDS generates one and keeps it in Secrets Manager, so that no
// password passes through ovi. CopyTagsToSnapshot lets the final snapshot carry the marks of its
// database.
func orderDB(g *api.Region, r provider.Request) (*rds.CreateDBInstanceInput, error) {
	a := r.Desired.Attrs
	in := &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: aws.String(api.Named(&r.Desired)),
		DBInstanceClass:      api.DesiredText(a, "size"),
		Engine:               api.DesiredText(a, "engine"),
		EngineVersion:        api.DesiredText(a, "engine_version"),
		AllocatedStorage:     api.DesiredInt(a, "storage"),
		StorageType:          api.DesiredText(a, "storage_type"),
		StorageEncrypted:     api.DesiredFlag(a, "encrypted"),
		KmsKeyId:             api.DesiredText(a, api.KMSKeyAttr),
		AvailabilityZone:     api.DesiredText(a, "zone"),
		MultiAZ:              api.DesiredFlag(a, "multi_az"),
		PubliclyAccessible:   api.DesiredFlag(a, "public"),
		MasterUsername:       api.DesiredText(a, "username"),
		DBName:               api.DesiredText(a, "database"),
		Port:                 api.DesiredInt(a, "port"),
		DBSubnetGroupName:    api.DesiredText(a, "subnet_group"),
		DBParameterGroupName: api.DesiredText(a, parameterGroup),
		VpcSecurityGroupIds:  a.Texts("security_groups"),
		DeletionProtection:   api.DesiredFlag(a, "deletion_protection"),
		CopyTagsToSnapshot:   aws.Bool(true),

		AutoMinorVersionUpgrade:    api.DesiredFlag(a, "minor_upgrades"),
		PreferredBackupWindow:      api.DesiredText(a, "backup_window"),
		PreferredMaintenanceWindow: api.DesiredText(a, "maintenance_window"),

		Tags: rdsTags(g.BirthTags(r, false)),
	}
	in.BackupRetentionPeriod = api.DesiredInt(a, "backup_days")
	in.Iops, in.StorageThroughput = api.DesiredInt(a, "iops"), api.DesiredInt(a, "throughput")
	// 0 means no automatic growth, which a new database has if the parameter is missing.
	if n := api.DesiredInt(a, "max_storage"); aws.ToInt32(n) > 0 {
		in.MaxAllocatedStorage = n
	}
	password, given, err := api.Secret(a, "password")
	if given {
		in.MasterUserPassword = aws.String(password)
	} else {
		in.ManageMasterUserPassword = aws.Bool(true)
	}
	return in, err
}

// snapshotName is the same for every attempt of one deletion, and another for the next. The key of
// the request decides: a retry after a lost answer names the same snapshot and does not create a
// second one.
func snapshotName(g *api.Region, r provider.Request) string {
	seed := r.Key
	// Without a key, two deletions must not share the name of a snapshot, so the time distinguishes
	// them.
	if seed == "" {
		seed = g.Clock().UTC().Format("20060102150405")
	}
	sum := sha256.Sum256([]byte(seed + "/" + r.Have.ID))
	return r.Have.ID + "-final-" + hex.EncodeToString(sum[:6])
}

// deleteDB deletes a database, with a final snapshot unless the last configuration switched it off,
// and waits until it is gone. It refuses a database that was created again under the same
// identifier. Automated backups are kept: DeleteAutomatedBackups is true by default (Amazon RDS API
// Reference, DeleteDBInstance), and ovi keeps them even without a final snapshot.
func deleteDB(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	d, err := database(ctx, g, id)
	if api.Absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	// An earlier call or another client ordered the deletion, and that order decided about the
	// final snapshot. Only the wait is left.
	if deleting(d) {
		return awaitNoDB(ctx, g, id)
	}
	if err := api.Same(r.Have, observedDB(g, d)); err != nil {
		return err
	}
	in := &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String(id), DeleteAutomatedBackups: aws.Bool(false)}
	if skipsSnapshot(r.Desired.Attrs) {
		in.SkipFinalSnapshot = aws.Bool(true)
	} else if status := aws.ToString(d.DBInstanceStatus); noSnapshotOf(status) { // see "Deleting a DB instance"
		return api.Mistake("rds.DeleteDBInstance",
			provider.Errorf("%s is %s, and AWS takes no final snapshot of it", aws.ToString(d.DBInstanceIdentifier), status),
			snapshotOff)
	} else {
		in.FinalDBSnapshotIdentifier = aws.String(snapshotName(g, r))
		if r.Progress != nil {
			r.Progress(provider.Progress{Text: "final snapshot " + *in.FinalDBSnapshotIdentifier})
		}
	}
	if err := orderDeletion(ctx, g, in); err != nil {
		return err
	}
	return awaitNoDB(ctx, g, id)
}

const snapshotOff = "set final_snapshot: false and apply, then delete it; its automated backups are kept"

// noSnapshotOf: with these statuses "you can only delete it when you skip creation of the final snapshot" (Amazon RDS
// API Reference, DeleteDBInstance).
func noSnapshotOf(status string) bool {
	return status == "failed" || status == "incompatible-restore" || status == "incompatible-network"
}

// orderDeletion orders the deletion. A database that is changing is waited for; one that is already
// being deleted, perhaps by an earlier call whose answer was lost, is as requested.
// DBSnapshotAlreadyExists is success if the database is being deleted: an earlier call has ordered
// the snapshot. A failed database that refuses is an error, since waiting does not end its failure.
func orderDeletion(ctx context.Context, g *api.Region, in *rds.DeleteDBInstanceInput) error {
	return g.Await(ctx, g.Wait.Database, "the database to accept its deletion", func(ctx context.Context) error {
		_, err := g.RDS.DeleteDBInstance(ctx, in)
		if err == nil || api.Absent(err) {
			return nil
		}
		if !api.HasCode(err, "InvalidDBInstanceState", "InvalidDBInstanceStateFault", "DBSnapshotAlreadyExists") {
			return api.Classify("", err)
		}
		d, obs := database(ctx, g, *in.DBInstanceIdentifier)
		switch health := dbState(aws.ToString(d.DBInstanceStatus)); {
		case api.Absent(obs):
			return nil
		case obs != nil:
			return obs
		case deleting(d):
			return nil
		case health != resource.Pending && !api.HasCode(err, "InvalidDBInstanceState", "InvalidDBInstanceStateFault"):
			return api.Classify("", err)
		case health == resource.Failing:
			return api.Classify("", err)
		}
		return api.ErrWait
	})
}
