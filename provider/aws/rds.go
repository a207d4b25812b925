package aws

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
	"github.com/ovi-project/ovi/resource"
)

// databases reads all of them: RDS has no filter by tag. Members of clusters are not resources of this
// kind; the cluster defines them.
func databases(ctx context.Context, g *region) ([]types.DBInstance, error) {
	all, err := pages(ctx, "rds.DescribeDBInstances", func(ctx context.Context, token *string) ([]types.DBInstance, *string, error) {
		out, err := g.rds.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{MaxRecords: aws.Int32(rdsPage), Marker: token})
		if err != nil {
			return nil, nil, err
		}
		return out.DBInstances, out.Marker, nil
	})
	return slices.DeleteFunc(all, func(d types.DBInstance) bool { return aws.ToString(d.DBClusterIdentifier) != "" }), err
}

func database(ctx context.Context, g *region, id string) (types.DBInstance, error) {
	out, err := g.rds.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String(id)})
	if err != nil {
		return types.DBInstance{}, classify("", err)
	}
	return only(out.DBInstances, nil, "rds.DescribeDBInstances", id)
}

func rdsTags(tags map[string]string) []types.Tag {
	out := make([]types.Tag, 0, len(tags))
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return out
}

func rdsTagMap(tags []types.Tag) map[string]string {
	out := make(map[string]string, len(tags))
	for _, t := range tags {
		out[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return out
}

func observedDB(g *region, d types.DBInstance) resource.Observed {
	o := resource.Observed{ID: aws.ToString(d.DBInstanceIdentifier), UID: aws.ToString(d.DbiResourceId), Since: aws.ToTime(d.InstanceCreateTime)}
	status := aws.ToString(d.DBInstanceStatus)
	a := attrs{}
	if o.Health = dbState(status); status == "stopping" { // it will not run by itself
		o.Health = resource.Stopped
	}
	if o.Health != resource.Healthy && o.Health != resource.Stopped {
		o.Message = status
	}
	a.text("size", d.DBInstanceClass)
	a.text("engine", d.Engine)
	a.text("engine_version", d.EngineVersion)
	storage(a, d)
	a.flag("multi_az", d.MultiAZ)
	a.text("zone", d.AvailabilityZone)
	a.flag("public", d.PubliclyAccessible)
	a.text("username", d.MasterUsername)
	a.text("database", d.DBName)
	a.number("backup_days", d.BackupRetentionPeriod)
	a.text("backup_window", d.PreferredBackupWindow)
	a.text("maintenance_window", aws.String(strings.ToLower(aws.ToString(d.PreferredMaintenanceWindow))))
	a.flag("minor_upgrades", d.AutoMinorVersionUpgrade)
	a.flag("deletion_protection", d.DeletionProtection)
	if e := d.Endpoint; e != nil {
		a.number("port", e.Port)
		if h := aws.ToString(e.Address); h != "" {
			a["endpoint"] = resource.String(fmt.Sprintf("%s:%d", h, aws.ToInt32(e.Port)))
		}
	}
	if s := d.MasterUserSecret; s != nil {
		a.text("password_secret", s.SecretArn)
	}
	if s := d.DBSubnetGroup; s != nil {
		a.text("subnet_group", s.DBSubnetGroupName)
	}
	if len(d.DBParameterGroups) > 0 {
		a.text(parameterGroup, d.DBParameterGroups[0].DBParameterGroupName)
	}
	a.texts("security_groups", dbGroups(d))
	if waits := overlay(a, d.PendingModifiedValues); len(waits) > 0 {
		o.Message = strings.TrimPrefix(o.Message+"; pending until the maintenance window: "+strings.Join(waits, ", ")+
			"; any change made now applies these too", "; ")
	}
	o.Attrs = a.done()
	g.identify(&o, kindRDS, o.ID, rdsTagMap(d.TagList))
	return o
}

func readDB(ctx context.Context, g *region, id string) (resource.Observed, error) {
	d, err := database(ctx, g, id)
	if err == nil && deleting(d) {
		err = &provider.Error{Class: provider.NotFound, Op: "rds.DescribeDBInstances", Err: fmt.Errorf("%s is being deleted", id)}
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedDB(g, d), nil
}

func dbGroups(d types.DBInstance) []string {
	var groups []string
	for _, s := range d.VpcSecurityGroups {
		if aws.ToString(s.Status) != "removing" {
			groups = append(groups, aws.ToString(s.VpcSecurityGroupId))
		}
	}
	slices.Sort(groups)
	return groups
}

// overlay puts what is scheduled over what is: else each plan would order the same change again. It
// lists what is pending.
func overlay(a attrs, p *types.PendingModifiedValues) []string {
	if p == nil {
		return nil
	}
	var waits []string
	put := func(name string, v resource.Value) {
		if v != nil && !equal(a[name], v) {
			waits = append(waits, fmt.Sprintf("%s %s -> %s", name, plain(a[name]), plain(v)))
			a[name] = v
		}
	}
	next := attrs{}
	next.text("size", p.DBInstanceClass)
	next.number("storage", p.AllocatedStorage)
	next.text("storage_type", p.StorageType)
	next.number("iops", p.Iops)
	next.number("throughput", p.StorageThroughput)
	next.flag("multi_az", p.MultiAZ)
	next.number("port", p.Port)
	next.number("backup_days", p.BackupRetentionPeriod)
	next.text("engine_version", p.EngineVersion)
	for _, name := range slices.Sorted(maps.Keys(next)) {
		put(name, next[name])
	}
	return waits
}

// statusFull is a database without free storage: it takes no writes until it has more.
const statusFull = "storage-full"

// dbState is the health of a database.
func dbState(status string) resource.Health {
	switch status {
	case "available", "storage-optimization", "backing-up", "storage-config-upgrade":
		return resource.Healthy
	case "stopped":
		return resource.Stopped
	case "failed", statusFull, "restore-error", "inaccessible-encryption-credentials", "inaccessible-encryption-credentials-recoverable",
		"insufficient-capacity":
		return resource.Failing
	}
	if strings.HasPrefix(status, "incompatible-") {
		return resource.Failing
	}
	return resource.Pending
}

// awaitDB waits until a database is in a stable state: available, stopped, or failed, which is an error.
func awaitDB(ctx context.Context, g *region, id, what string, ready func(types.DBInstance) bool) (types.DBInstance, error) {
	return awaitDBThrough(ctx, g, id, what, "", ready)
}

// awaitDBThrough is awaitDB for a change that ends a failure: that status passes.
func awaitDBThrough(ctx context.Context, g *region, id, what, passing string, ready func(types.DBInstance) bool) (d types.DBInstance, err error) {
	err = g.awaitSeen(ctx, g.wait.Database, fmt.Sprintf("the database %s %s", id, what), func(ctx context.Context) error {
		if d, err = database(ctx, g, id); err != nil {
			return err
		}
		health := dbState(aws.ToString(d.DBInstanceStatus))
		switch {
		case passing != "" && aws.ToString(d.DBInstanceStatus) == passing:
			return errWait
		case health == resource.Failing:
			return permanent("rds.DescribeDBInstances", fmt.Errorf("%s is %s", id, aws.ToString(d.DBInstanceStatus)), "check its events in the AWS console")
		case health == resource.Pending || !ready(d):
			return errWait
		}
		return nil
	})
	return d, err
}

func deleting(d types.DBInstance) bool { return aws.ToString(d.DBInstanceStatus) == "deleting" }

// awaitNoDB waits until a database is gone.
func awaitNoDB(ctx context.Context, g *region, id string) error {
	return g.await(ctx, g.wait.Database, "the database "+id+" to be gone", func(ctx context.Context) error {
		_, err := database(ctx, g, id)
		if absent(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return errWait
	})
}

// taken is the error for a name that is in use.
func taken(o resource.Observed, r provider.Request) error {
	err := fmt.Errorf("%s %q exists and is unmanaged", r.Desired.Ref.Kind, o.ID)
	if !o.Marks.IsZero() {
		err = fmt.Errorf("%s %q exists and carries the tags of %s", r.Desired.Ref.Kind, o.ID, o.Marks.Ref)
	}
	return conflict("", err, fmt.Sprintf("use another name, or run `ovi adopt %s/%s --id %s`", r.Desired.Ref.Kind, r.Desired.Ref.Name, o.ID))
}
