package database

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// restoreDB creates a database from a snapshot, and then sets what the restoring call does not take. Each part
// finds what an earlier attempt did.
func restoreDB(ctx context.Context, g *api.Region, id, snapshot string, r provider.Request) (types.DBInstance, error) {
	s, err := restorable(ctx, g, snapshot, r)
	if err == nil {
		_, _, err = api.Secret(r.Desired.Attrs, "password") // one without a value is refused before anything is created
	}
	if err != nil {
		return types.DBInstance{}, err
	}
	in := orderRestore(g, r, s)
	err = claimName(ctx, g, id, r, func(ctx context.Context) error {
		_, err := g.RDS.RestoreDBInstanceFromDBSnapshot(ctx, in)
		return err
	})
	if err != nil {
		return types.DBInstance{}, err
	}
	d, err := awaitDB(ctx, g, id, "to be restored", anyDB)
	if err != nil {
		return d, err
	}
	// The restored database is treated as one whose configuration has changed. snapshot and
	// password are write-only, so no comparison finds them: changesOf must still see both.
	r.Have = observedDB(g, d)
	r.Changes = append(resource.Diff(r.Desired.Attrs, r.Have.Attrs, rdsSchema(), resource.DiffOptions{}),
		resource.Change{Path: snapshotAttr}, resource.Change{Path: "password"})
	change, err := changesOf(r, d)
	if err != nil || change == nil {
		return d, err
	}
	return modifyDB(ctx, g, change)
}

// restorable reads a snapshot, and refuses one that gives no database as configured: what cannot be
// changed in a database would replace it right after it was restored. A snapshot that is still
// being created is a cause that passes; every other refusal is a mistake of the configuration.
func restorable(ctx context.Context, g *api.Region, name string, r provider.Request) (types.DBSnapshot, error) {
	const op = "rds.DescribeDBSnapshots"
	out, err := g.RDS.DescribeDBSnapshots(ctx, snapshotNamed(name))
	if api.Absent(err) || err == nil && len(out.DBSnapshots) == 0 {
		return types.DBSnapshot{}, api.Mistake(op, provider.Errorf("snapshot %q does not exist in %s", name, g.Name),
			otherSnapshots(ctx, g, api.Named(&r.Desired)))
	}
	if err != nil {
		return types.DBSnapshot{}, err
	}
	s := out.DBSnapshots[0]
	if status := aws.ToString(s.Status); status != "available" {
		return s, &provider.Error{
			Cause: provider.Unreachable, Op: op, Err: provider.Errorf("snapshot %q is %s", name, status),
			Hint: "apply again once it is available",
		}
	}
	has := api.Attrs{}
	has.Text("engine", s.Engine)
	has.Text("username", s.MasterUsername)
	has.Flag("encrypted", s.Encrypted)
	has.Text(api.KMSKeyAttr, s.KmsKeyId)
	var fixed resource.Attrs
	for _, attr := range []string{"engine", "username", "encrypted", api.KMSKeyAttr} {
		if v, configured := r.Desired.Attrs.Get(attr); configured && !api.Unresolved(r.Desired.Attrs, attr) {
			fixed = fixed.With(attr, v)
		}
	}
	if all := resource.Diff(fixed, has.Build(), rdsSchema(), resource.DiffOptions{}); len(all) > 0 {
		c := all[0]
		hint := "omit " + c.Path + ", or set it to what the snapshot has"
		if c.Path == "encrypted" || c.Path == api.KMSKeyAttr {
			hint = "copy the snapshot with the key (`aws rds copy-db-snapshot --kms-key-id`), and name the copy"
		}
		return s, api.Mistake(op, fmt.Errorf("snapshot %q has %s %s, and %s is configured", name, c.Path, api.Plain(c.From),
			api.Plain(c.To)), hint)
	}
	return s, nil
}

// snapshotNamed asks for one snapshot. One that AWS made by itself is found only by its type too, and one of another
// account only if shared ones are asked for (RDS API reference: DescribeDBSnapshots).
// DescribeDBSnapshots: "If this identifier is for an automated snapshot, the SnapshotType parameter
// must also be specified".
func snapshotNamed(name string) *rds.DescribeDBSnapshotsInput {
	in := &rds.DescribeDBSnapshotsInput{DBSnapshotIdentifier: aws.String(name)}
	switch {
	case strings.HasPrefix(name, "rds:"), strings.Contains(name, ":snapshot:rds:"):
		in.SnapshotType = aws.String("automated")
	case strings.HasPrefix(name, "awsbackup:"), strings.Contains(name, ":snapshot:awsbackup:"):
		in.SnapshotType = aws.String("awsbackup")
	case strings.HasPrefix(name, "arn:"):
		in.IncludeShared = aws.Bool(true)
	}
	return in
}

// otherSnapshots suggests the newest snapshots of a database of that name.
// The result is only a hint. It is made from the first page, and an error leads to a general hint.
func otherSnapshots(ctx context.Context, g *api.Region, database string) string {
	out, err := g.RDS.DescribeDBSnapshots(ctx, &rds.DescribeDBSnapshotsInput{DBInstanceIdentifier: aws.String(database)})
	if err != nil || len(out.DBSnapshots) == 0 {
		return "run `aws rds describe-db-snapshots` for those that do; copy one of another region first"
	}
	slices.SortFunc(out.DBSnapshots, func(a, b types.DBSnapshot) int {
		return aws.ToTime(b.SnapshotCreateTime).Compare(aws.ToTime(a.SnapshotCreateTime))
	})
	var names []string
	for _, s := range out.DBSnapshots[:min(3, len(out.DBSnapshots))] {
		names = append(names, fmt.Sprintf("%s (%s)", aws.ToString(s.DBSnapshotIdentifier),
			aws.ToTime(s.SnapshotCreateTime).UTC().Format("2006-01-02 15:04 UTC")))
	}
	return "use one of " + database + ": " + strings.Join(names, ", ")
}

// orderRestore is the call that restores a database, with all that it takes. The tags are in it: without any, RDS
// copies those of the snapshot. Storage is never less than the snapshot's.
// Attributes that the call does not take, such as the backup window, follow in restoreDB.
func orderRestore(g *api.Region, r provider.Request, s types.DBSnapshot) *rds.RestoreDBInstanceFromDBSnapshotInput {
	a := r.Desired.Attrs
	in := &rds.RestoreDBInstanceFromDBSnapshotInput{
		DBInstanceIdentifier:    aws.String(api.Named(&r.Desired)),
		DBSnapshotIdentifier:    api.DesiredText(a, snapshotAttr),
		DBInstanceClass:         api.DesiredText(a, "size"),
		Engine:                  api.DesiredText(a, "engine"),
		AvailabilityZone:        api.DesiredText(a, "zone"),
		MultiAZ:                 api.DesiredFlag(a, "multi_az"),
		PubliclyAccessible:      api.DesiredFlag(a, "public"),
		Port:                    api.DesiredInt(a, "port"),
		DBSubnetGroupName:       api.DesiredText(a, "subnet_group"),
		DBParameterGroupName:    api.DesiredText(a, parameterGroup),
		VpcSecurityGroupIds:     a.Texts("security_groups"),
		DeletionProtection:      api.DesiredFlag(a, "deletion_protection"),
		AutoMinorVersionUpgrade: api.DesiredFlag(a, "minor_upgrades"),
		CopyTagsToSnapshot:      aws.Bool(true),
		Tags:                    rdsTags(g.BirthTags(r, false)),
	}
	if n := api.DesiredInt(a, "storage"); aws.ToInt32(n) > aws.ToInt32(s.AllocatedStorage) {
		in.AllocatedStorage = n
	}
	return in
}
