package database

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// databases reads all of them: RDS has no filter by tag. Members of clusters are not resources of this
// kind; the cluster defines them.
func databases(ctx context.Context, g *api.Region) ([]types.DBInstance, error) {
	all, err := databasesIn(ctx, g)
	return slices.DeleteFunc(all, func(d types.DBInstance) bool { return aws.ToString(d.DBClusterIdentifier) != "" }), err
}

// database returns one database, even if it is being deleted. A database that does not exist is an
// error that is absent.
func database(ctx context.Context, g *api.Region, id string) (types.DBInstance, error) {
	out, err := g.RDS.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String(id)})
	if err != nil {
		return types.DBInstance{}, api.Classify("", err)
	}
	return api.Only(out.DBInstances, nil, "rds.DescribeDBInstances", id)
}

// observedDB converts an answer of RDS to a resource. The UID is DbiResourceId, which differs if a
// database is deleted and created again under its identifier. Pending modifications count as made,
// see overlay.
// Amazon RDS API Reference, DBInstance: DbiResourceId is the "Region-unique, immutable identifier
// for the DB instance".
func observedDB(g *api.Region, d types.DBInstance) resource.Observed {
	o := resource.Observed{
		ID: aws.ToString(d.DBInstanceIdentifier), UID: aws.ToString(d.DbiResourceId),
		Since: aws.ToTime(d.InstanceCreateTime),
	}
	status := aws.ToString(d.DBInstanceStatus)
	a := api.Attrs{}
	if o.Health = dbState(status); status == "stopping" { // it will not run by itself
		o.Health = resource.Stopped
	}
	if o.Health != resource.Healthy && o.Health != resource.Stopped {
		o.Message = status
	}
	a.Text("size", d.DBInstanceClass)
	a.Text("engine", d.Engine)
	a.Text("engine_version", d.EngineVersion)
	storage(a, d)
	a.Flag("multi_az", d.MultiAZ)
	a.Text("zone", d.AvailabilityZone)
	a.Flag("public", d.PubliclyAccessible)
	a.Text("username", d.MasterUsername)
	a.Text("database", d.DBName)
	a.Number("backup_days", d.BackupRetentionPeriod)
	a.Text("backup_window", d.PreferredBackupWindow)
	a.Text("maintenance_window", aws.String(strings.ToLower(aws.ToString(d.PreferredMaintenanceWindow))))
	a.Flag("minor_upgrades", d.AutoMinorVersionUpgrade)
	a.Flag("deletion_protection", d.DeletionProtection)
	if e := d.Endpoint; e != nil {
		a.Number("port", e.Port)
		if h := aws.ToString(e.Address); h != "" {
			a["endpoint"] = resource.String(fmt.Sprintf("%s:%d", h, aws.ToInt32(e.Port)))
		}
	}
	if s := d.MasterUserSecret; s != nil {
		a.Text("password_secret", s.SecretArn)
	}
	if s := d.DBSubnetGroup; s != nil {
		a.Text("subnet_group", s.DBSubnetGroupName)
	}
	if len(d.DBParameterGroups) > 0 {
		a.Text(parameterGroup, d.DBParameterGroups[0].DBParameterGroupName)
	}
	var groups []string
	for _, s := range d.VpcSecurityGroups {
		if aws.ToString(s.Status) != "removing" { // so that a plan does not remove it again
			groups = append(groups, aws.ToString(s.VpcSecurityGroupId))
		}
	}
	slices.Sort(groups)
	a.Texts("security_groups", groups)
	if waits := overlay(a, d.PendingModifiedValues); len(waits) > 0 {
		o.Message = strings.TrimPrefix(o.Message+"; pending until the maintenance window: "+strings.Join(waits, ", ")+
			"; any change made now applies these too", "; ")
	}
	o.Attrs = a.Build()
	g.IdentifyNamed(&o, api.KindRDS, o.ID, rdsTagMap(d.TagList))
	return o
}

// readDB returns one database. A database that is being deleted is absent: the deletion cannot be
// canceled (Amazon RDS API Reference, DeleteDBInstance).
func readDB(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	d, err := database(ctx, g, id)
	if err == nil && deleting(d) {
		err = &provider.Error{
			Cause: provider.Configuration, Absent: true, Op: "rds.DescribeDBInstances",
			Err: provider.Errorf("%s is being deleted", id),
		}
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedDB(g, d), nil
}

// overlay puts what is scheduled over what is: else each plan would order the same change again. It
// lists what is pending.
// With empty attributes, each pending value is listed. modifyDB waits until that list is empty.
func overlay(a api.Attrs, p *types.PendingModifiedValues) []string {
	if p == nil {
		return nil
	}
	var waits []string
	put := func(name string, v resource.Value) {
		if v != nil && !api.Equal(a[name], v) {
			waits = append(waits, fmt.Sprintf("%s %s -> %s", name, api.Plain(a[name]), api.Plain(v)))
			a[name] = v
		}
	}
	next := api.Attrs{}
	next.Text("size", p.DBInstanceClass)
	next.Number("storage", p.AllocatedStorage)
	next.Text("storage_type", p.StorageType)
	next.Number("iops", p.Iops)
	next.Number("throughput", p.StorageThroughput)
	next.Flag("multi_az", p.MultiAZ)
	next.Number("port", p.Port)
	next.Number("backup_days", p.BackupRetentionPeriod)
	next.Text("engine_version", p.EngineVersion)
	for _, name := range slices.Sorted(maps.Keys(next)) {
		put(name, next[name])
	}
	return waits
}

// statusFull is a database without free storage: it takes no writes until it has more.
const statusFull = "storage-full"

// dbState is the health of a database. Any other status, known or not, is pending: RDS adds
// statuses, and most of them name work in progress (Amazon RDS User Guide, "Viewing Amazon RDS DB
// instance status").
func dbState(status string) resource.Health {
	switch status {
	case "available", "storage-optimization", "backing-up", "storage-config-upgrade":
		return resource.Healthy
	case "stopped":
		return resource.Stopped
	case "failed", statusFull, "restore-error", "inaccessible-encryption-credentials",
		"inaccessible-encryption-credentials-recoverable",
		"insufficient-capacity":
		return resource.Failing
	}
	if strings.HasPrefix(status, "incompatible-") {
		return resource.Failing
	}
	return resource.Pending
}

// awaitDB waits until a database is in a stable state: available, stopped, or failed, which is an
// error. The limit is the wait for databases: some changes take more than an hour.
func awaitDB(ctx context.Context, g *api.Region, id, what string, ready func(types.DBInstance) bool) (types.DBInstance,
	error,
) {
	return awaitDBThrough(ctx, g, id, what, "", ready)
}

// awaitDBThrough is awaitDB for a change that ends a failure: that status passes.
// An empty passing lets no failure pass. The function ready is called only for a database that is
// neither failing nor pending.
func awaitDBThrough(ctx context.Context, g *api.Region, id, what, passing string,
	ready func(types.DBInstance) bool,
) (d types.DBInstance, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Database, fmt.Sprintf("the database %s %s", id, what), func(ctx context.Context) error {
		if d, err = pollDatabase(ctx, g, id); err != nil {
			return err
		}
		health := dbState(aws.ToString(d.DBInstanceStatus))
		switch {
		case passing != "" && aws.ToString(d.DBInstanceStatus) == passing:
			return api.ErrWait
		case health == resource.Failing:
			return api.Mistake("rds.DescribeDBInstances", provider.Errorf("%s is %s", id, aws.ToString(d.DBInstanceStatus)),
				"check its events in the AWS console")
		case health == resource.Pending || !ready(d):
			return api.ErrWait
		}
		return nil
	})
	return d, err
}

func deleting(d types.DBInstance) bool { return aws.ToString(d.DBInstanceStatus) == "deleting" }

// awaitNoDB waits until a database is gone. The final snapshot is part of this wait: the database
// stays listed until it is complete.
func awaitNoDB(ctx context.Context, g *api.Region, id string) error {
	return g.Await(ctx, g.Wait.Database, "the database "+id+" to be gone", func(ctx context.Context) error {
		_, err := pollDatabase(ctx, g, id)
		if api.Absent(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return api.ErrWait
	})
}

// listDatabases returns all databases of the region except databases that are being deleted.
func listDatabases(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := databases(ctx, s.Region)
	return api.ObservedAs(s, slices.DeleteFunc(all, deleting), err, observedDB)
}

// claimName orders the database. One of that name may still be being deleted, or not be visible
// yet. The identifier is unique in a region of an account, so a repeated order cannot create a
// second database. Only the key in the tags tells whether an earlier attempt of this request
// created the existing one.
func claimName(ctx context.Context, g *api.Region, id string, r provider.Request,
	order func(context.Context) error,
) error {
	return g.Await(ctx, g.Wait.Database, "the name "+id+" to be free", func(ctx context.Context) error {
		err := order(ctx)
		if err == nil || !api.HasCode(err, "DBInstanceAlreadyExists") {
			return api.Classify("", err)
		}
		d, err := database(ctx, g, id)
		switch o := observedDB(g, d); {
		case api.Absent(err), err == nil && deleting(d):
			return api.ErrWait
		case err != nil:
			return err
		case o.Marks.Key == r.Key && r.Key != "":
			return nil
		default:
			return api.Taken(o, r)
		}
	})
}

// advise returns what ends a failing state of a database. Starting it again ends none of them.
func advise(have resource.Observed) string {
	// observedDB writes the pending changes after a semicolon.
	status, _, _ := strings.Cut(have.Message, ";")
	switch status {
	case statusFull:
		return "raise storage or max_storage"
	case "inaccessible-encryption-credentials", "inaccessible-encryption-credentials-recoverable":
		return "enable its kms_key, and let the database use it"
	case "insufficient-capacity":
		return "choose another size, or wait until AWS has capacity"
	}
	return "read its events: aws rds describe-events --source-type db-instance --source-identifier " + have.ID
}
