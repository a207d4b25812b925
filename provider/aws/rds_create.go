package aws

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// createDB relies on the name: RDS has no token. A database of that name that carries the key of this
// request was created by it.
func createDB(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	id := r.Desired.Ref.Name
	d, err := newDB(ctx, g, id, r)
	if err == nil && r.Desired.State == resource.StateStopped {
		d, err = powerDB(ctx, g, d, true)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedDB(g, d), nil
}

// newDB creates an empty database or restores one, and waits for it.
func newDB(ctx context.Context, g *region, id string, r provider.Request) (types.DBInstance, error) {
	if snapshot := desired(r.Desired.Attrs, snapshotAttr); snapshot != nil {
		return restoreDB(ctx, g, id, *snapshot, r)
	}
	in, err := orderDB(g, r)
	if err == nil {
		err = claimName(ctx, g, id, r, func(ctx context.Context) error {
			_, err := g.rds.CreateDBInstance(ctx, in)
			return err
		})
	}
	if err != nil {
		return types.DBInstance{}, err
	}
	return awaitDB(ctx, g, id, "to be available", anyDB)
}

// claimName orders the database. One of that name may still be being deleted, or not be visible yet.
func claimName(ctx context.Context, g *region, id string, r provider.Request, order func(context.Context) error) error {
	return g.await(ctx, g.wait.Database, "the name "+id+" to be free", func(ctx context.Context) error {
		err := order(ctx)
		if err == nil || !hasCode(err, "DBInstanceAlreadyExists") {
			return classify("", err)
		}
		d, err := database(ctx, g, id)
		switch o := observedDB(g, d); {
		case absent(err), err == nil && deleting(d):
			return errWait
		case err != nil:
			return err
		case o.Marks.Key == r.Key && r.Key != "":
			return nil
		default:
			return taken(o, r)
		}
	})
}

func orderDB(g *region, r provider.Request) (*rds.CreateDBInstanceInput, error) {
	a := r.Desired.Attrs
	in := &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: aws.String(r.Desired.Ref.Name),
		DBInstanceClass:      desired(a, "size"),
		Engine:               desired(a, "engine"),
		EngineVersion:        desired(a, "engine_version"),
		AllocatedStorage:     desiredInt(a, "storage"),
		StorageType:          desired(a, "storage_type"),
		StorageEncrypted:     desiredFlag(a, "encrypted"),
		KmsKeyId:             desired(a, kmsKeyAttr),
		AvailabilityZone:     desired(a, "zone"),
		MultiAZ:              desiredFlag(a, "multi_az"),
		PubliclyAccessible:   desiredFlag(a, "public"),
		MasterUsername:       desired(a, "username"),
		DBName:               desired(a, "database"),
		Port:                 desiredInt(a, "port"),
		DBSubnetGroupName:    desired(a, "subnet_group"),
		DBParameterGroupName: desired(a, parameterGroup),
		VpcSecurityGroupIds:  a.Texts("security_groups"),
		DeletionProtection:   desiredFlag(a, "deletion_protection"),
		CopyTagsToSnapshot:   aws.Bool(true),

		AutoMinorVersionUpgrade:    desiredFlag(a, "minor_upgrades"),
		PreferredBackupWindow:      desired(a, "backup_window"),
		PreferredMaintenanceWindow: desired(a, "maintenance_window"),

		Tags: rdsTags(g.birthTags(r, false)),
	}
	in.BackupRetentionPeriod = desiredInt(a, "backup_days")
	in.Iops, in.StorageThroughput = desiredInt(a, "iops"), desiredInt(a, "throughput")
	if n := desiredInt(a, "max_storage"); aws.ToInt32(n) > 0 {
		in.MaxAllocatedStorage = n
	}
	password, given, err := secret(a, "password")
	if given {
		in.MasterUserPassword = aws.String(password)
	} else {
		in.ManageMasterUserPassword = aws.Bool(true)
	}
	return in, err
}

// secret reads a configured secret. A digest alone means that its source could not be read.
func secret(a resource.Attrs, name string) (value string, given bool, err error) {
	v, ok := a.Get(name)
	if !ok || v == nil {
		return "", false, nil
	}
	switch v := v.(type) {
	case resource.Secret:
		return v.Reveal(), true, nil
	case resource.String:
		return string(v), true, nil
	}
	return "", false, permanent("", fmt.Errorf("only the digest of %s is known, not its value", name), "apply where the source of the secret can be read")
}

func desiredFlag(a resource.Attrs, name string) *bool {
	if b, ok := flag(a, name); ok {
		return aws.Bool(b)
	}
	return nil
}

// snapshotName is the same for every attempt of one deletion, and another for the next.
func snapshotName(g *region, r provider.Request) string {
	seed := r.Key
	if seed == "" {
		seed = g.clock().UTC().Format("20060102150405")
	}
	sum := sha256.Sum256([]byte(seed + "/" + r.Have.ID))
	return r.Have.ID + "-final-" + hex.EncodeToString(sum[:6])
}

func deleteDB(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	d, err := database(ctx, g, id)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if deleting(d) {
		return awaitNoDB(ctx, g, id)
	}
	if err := same(r.Have, observedDB(g, d)); err != nil {
		return err
	}
	in := &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String(id), DeleteAutomatedBackups: aws.Bool(false)}
	if skipsSnapshot(r.Desired.Attrs) {
		in.SkipFinalSnapshot = aws.Bool(true)
	} else if err := snapshots(d); err != nil {
		return err
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

// snapshots refuses a database of which no final snapshot can be taken ("Deleting a DB instance").
func snapshots(d types.DBInstance) error {
	switch status := aws.ToString(d.DBInstanceStatus); status {
	case "failed", "incompatible-restore", "incompatible-network":
		return permanent("rds.DeleteDBInstance", fmt.Errorf("%s is %s, and AWS takes no final snapshot of it", aws.ToString(d.DBInstanceIdentifier), status),
			"set final_snapshot: false and apply, then delete it; its automated backups are kept")
	}
	return nil
}

// orderDeletion orders the deletion. A database that is changing is waited for; one that is already
// being deleted, perhaps by an earlier call whose answer was lost, is as requested.
func orderDeletion(ctx context.Context, g *region, in *rds.DeleteDBInstanceInput) error {
	return g.await(ctx, g.wait.Database, "the database to accept its deletion", func(ctx context.Context) error {
		_, err := g.rds.DeleteDBInstance(ctx, in)
		if err == nil || absent(err) {
			return nil
		}
		if !hasCode(err, "InvalidDBInstanceState", "InvalidDBInstanceStateFault", "DBSnapshotAlreadyExists") {
			return classify("", err)
		}
		d, obs := database(ctx, g, *in.DBInstanceIdentifier)
		switch health := dbState(aws.ToString(d.DBInstanceStatus)); {
		case absent(obs):
			return nil
		case obs != nil:
			return obs
		case deleting(d):
			return nil
		case health != resource.Pending && !hasCode(err, "InvalidDBInstanceState", "InvalidDBInstanceStateFault"):
			return classify("", err)
		case health == resource.Failing:
			return classify("", err)
		}
		return errWait
	})
}
