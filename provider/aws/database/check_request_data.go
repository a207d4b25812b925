package database

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
)

// checkDB asks for everything that a database names: RDS has no dry runs. A database of the same
// name is an error unless this request created it, it is being deleted, or it is the database that
// this request replaces.
func checkDB(ctx context.Context, g *api.Region, r provider.Request) error {
	id := api.Named(&r.Desired)
	d, err := database(ctx, g, id)
	switch {
	case err != nil && !api.Absent(err):
		return err
	case err == nil && !deleting(d) && id != r.Have.ID:
		if o := observedDB(g, d); o.Marks.Key == "" || o.Marks.Key != r.Key {
			return api.Taken(o, r)
		}
	}
	// If only the digest of the password is known, a creation cannot send the password, so the
	// check reports it.
	if !api.Unresolved(r.Desired.Attrs, "password") {
		if _, _, err := api.Secret(r.Desired.Attrs, "password"); err != nil {
			return err
		}
	}
	for _, check := range []func(context.Context, *api.Region, provider.Request) error{
		checkEngine, checkSnapshot,
		checkSubnetGroup, checkGroups,
	} {
		if err := check(ctx, g, r); err != nil {
			return err
		}
	}
	return nil
}

// checkEngine reports a version that RDS does not offer in the region.
func checkEngine(ctx context.Context, g *api.Region, r provider.Request) error {
	engine, version := api.DesiredText(r.Desired.Attrs, "engine"), api.DesiredText(r.Desired.Attrs, "engine_version")
	// A restored database may omit the engine, which the snapshot has.
	if engine == nil || version == nil || api.Unresolved(r.Desired.Attrs, "engine", "engine_version") {
		return nil
	}
	out, err := g.RDS.DescribeDBEngineVersions(ctx,
		&rds.DescribeDBEngineVersionsInput{Engine: engine, EngineVersion: version})
	if err != nil {
		return err
	}
	if len(out.DBEngineVersions) == 0 {
		return api.Mistake("rds.DescribeDBEngineVersions",
			provider.Errorf("%s has no version %s in %s", aws.ToString(engine), *version, g.Name),
			"run `aws rds describe-db-engine-versions --engine "+aws.ToString(engine)+"` for the versions")
	}
	return nil
}

// checkSnapshot reports a snapshot that does not exist, is not available yet or contradicts the
// configuration; see restorable.
func checkSnapshot(ctx context.Context, g *api.Region, r provider.Request) error {
	name := api.DesiredText(r.Desired.Attrs, snapshotAttr)
	if name == nil || api.Unresolved(r.Desired.Attrs, snapshotAttr) {
		return nil
	}
	_, err := restorable(ctx, g, *name, r)
	return err
}

// checkSubnetGroup reports a DB subnet group that does not exist. A reference to a group that is
// not created yet has no text and is not checked.
func checkSubnetGroup(ctx context.Context, g *api.Region, r provider.Request) error {
	name := api.DesiredText(r.Desired.Attrs, "subnet_group")
	if name == nil {
		return nil
	}
	_, err := g.RDS.DescribeDBSubnetGroups(ctx, &rds.DescribeDBSubnetGroupsInput{DBSubnetGroupName: name})
	if api.Absent(err) {
		return api.Mistake("rds.DescribeDBSubnetGroups",
			provider.Errorf("DB subnet group %q does not exist in %s", *name, g.Name),
			"create it, or name another with subnet_group")
	}
	return err
}

// The list names the missing groups itself if EC2 answers without an error.
func checkGroups(ctx context.Context, g *api.Region, r provider.Request) error {
	ids := r.Desired.Attrs.Texts("security_groups")
	if len(ids) == 0 || api.Unresolved(r.Desired.Attrs, "security_groups") {
		return nil
	}
	all, err := network.Groups().ByID(ctx, g, ids...)
	if err != nil {
		return err
	}
	for _, s := range all {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == aws.ToString(s.GroupId) })
	}
	if len(ids) > 0 {
		return api.Mistake("ec2.DescribeSecurityGroups",
			provider.Errorf("security group %s does not exist in %s", ids[0], g.Name), "name one that exists")
	}
	return nil
}
