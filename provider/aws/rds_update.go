package aws

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func anyDB(types.DBInstance) bool { return true }

// updateDB makes all changes in one call, at once. That call also makes whatever else is pending
// until the maintenance window; Observe has reported that in the message.
func updateDB(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	d, err := g.awaitDB(ctx, id, "to be available or stopped", anyDB)
	if err != nil {
		return resource.Observed{}, err
	}
	in, err := changesOf(r, d)
	if err != nil {
		return resource.Observed{}, err
	}
	stopped := isStopped(d)
	wantStopped := wantsStopped(r, stopped)
	if stopped && (!wantStopped || in != nil) { // RDS changes only running databases
		if d, err = g.powerDB(ctx, d, false); err != nil {
			return resource.Observed{}, err
		}
		stopped = false
	}
	if in != nil {
		if d, err = g.modifyDB(ctx, in); err != nil {
			return resource.Observed{}, err
		}
	}
	if wantStopped && !stopped {
		if _, err = g.powerDB(ctx, d, true); err != nil {
			return resource.Observed{}, err
		}
	}
	if d, err = g.database(ctx, id); err != nil {
		return resource.Observed{}, err
	}
	return g.observedDB(d), nil
}

func isStopped(d types.DBInstance) bool { return aws.ToString(d.DBInstanceStatus) == "stopped" }

func (g *region) modifyDB(ctx context.Context, in *rds.ModifyDBInstanceInput) (types.DBInstance, error) {
	err := g.onceReady(ctx, func() error {
		_, err := g.rds.ModifyDBInstance(ctx, in)
		return err
	})
	if err != nil {
		return types.DBInstance{}, err
	}
	return g.awaitDB(ctx, *in.DBInstanceIdentifier, "to take its changes", func(d types.DBInstance) bool {
		return len(overlay(attrs{}, d.PendingModifiedValues)) == 0
	})
}

// onceReady orders a change of a database that may be busy, for example with its first backup.
func (g *region) onceReady(ctx context.Context, order func() error) error {
	return g.patiently(ctx, g.wait.Database, func() error { return classify("", order()) }, "InvalidDBInstanceState", "InvalidDBInstanceStateFault")
}

// changesOf writes the changes as one call; nil if there is nothing for RDS to modify.
func changesOf(r provider.Request, d types.DBInstance) (*rds.ModifyDBInstanceInput, error) {
	a := resource.Attrs{}
	n := 0
	for _, name := range []string{
		"size", "engine_version", "storage", "storage_type", "multi_az", "public", "password",
		"port", "security_groups", "backup_days", "deletion_protection",
	} {
		if v, ok := r.Desired.Attrs.Get(name); ok && changed(r, name) {
			a = a.With(name, v)
			n++
		}
	}
	if n == 0 {
		return nil, nil
	}
	if want := desiredInt(a, "storage"); want != nil && *want < aws.ToInt32(d.AllocatedStorage) {
		return nil, permanent("rds.ModifyDBInstance", fmt.Errorf("%s has %d GiB and cannot shrink to %d", r.Have.ID, *d.AllocatedStorage, *want),
			"create a new database and copy the data: storage can only grow")
	}
	in := &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: aws.String(r.Have.ID),
		ApplyImmediately:     aws.Bool(true),
		DBInstanceClass:      desired(a, "size"),
		AllocatedStorage:     desiredInt(a, "storage"),
		StorageType:          desired(a, "storage_type"),
		MultiAZ:              desiredFlag(a, "multi_az"),
		PubliclyAccessible:   desiredFlag(a, "public"),
		DBPortNumber:         desiredInt(a, "port"),
		VpcSecurityGroupIds:  a.Texts("security_groups"),
		DeletionProtection:   desiredFlag(a, "deletion_protection"),
	}
	in.BackupRetentionPeriod = desiredInt(a, "backup_days")
	if v := desired(a, "engine_version"); v != nil {
		in.EngineVersion = v
		in.AllowMajorVersionUpgrade = aws.Bool(major(*v) != major(aws.ToString(d.EngineVersion)))
	}
	password, given, err := secret(a, "password")
	if given {
		in.MasterUserPassword = aws.String(password)
		if d.MasterUserSecret != nil { // so far AWS generates it
			in.ManageMasterUserPassword = aws.Bool(false)
		}
	}
	return in, err
}

func major(version string) string {
	m, _, _ := strings.Cut(version, ".")
	return m
}

// powerDB stops or starts a database and waits for it.
func (g *region) powerDB(ctx context.Context, d types.DBInstance, off bool) (types.DBInstance, error) {
	id := aws.ToString(d.DBInstanceIdentifier)
	what, order := "to run", func() error {
		_, err := g.rds.StartDBInstance(ctx, &rds.StartDBInstanceInput{DBInstanceIdentifier: aws.String(id)})
		return err
	}
	if off {
		what, order = "to stop", func() error {
			_, err := g.rds.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: aws.String(id)})
			return err
		}
	}
	if err := g.onceReady(ctx, order); err != nil {
		return d, err
	}
	return g.awaitDB(ctx, id, what, func(d types.DBInstance) bool { return isStopped(d) == off })
}

// tagDB changes the tags of a database. RDS merges, so that other tags stay.
func tagDB(ctx context.Context, g *region, id string, set map[string]string, drop []string) error {
	d, err := g.database(ctx, id)
	if err != nil {
		return err
	}
	if len(set) > 0 {
		_, err := g.rds.AddTagsToResource(ctx, &rds.AddTagsToResourceInput{ResourceName: d.DBInstanceArn, Tags: rdsTags(set)})
		if err != nil {
			return classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	_, err = g.rds.RemoveTagsFromResource(ctx, &rds.RemoveTagsFromResourceInput{ResourceName: d.DBInstanceArn, TagKeys: drop})
	return classify("", err)
}
