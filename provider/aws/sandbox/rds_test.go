package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

func rdsOf(c http.RoundTripper) *rds.Client { return rds.NewFromConfig(config(c, "us-east-1")) }

func dbInput(name string, change ...func(*rds.CreateDBInstanceInput)) *rds.CreateDBInstanceInput {
	in := &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: aws.String(name), DBInstanceClass: aws.String("db.t3.micro"), Engine: aws.String("postgres"), EngineVersion: aws.String("16"),
		AllocatedStorage: aws.Int32(20), StorageType: aws.String("gp3"), MasterUsername: aws.String("app"), ManageMasterUserPassword: aws.Bool(true),
		Tags: []types.Tag{{Key: aws.String("ovi:ref"), Value: aws.String("r")}},
	}
	for _, f := range change {
		f(in)
	}
	return in
}

func theDB(t *testing.T, cl *rds.Client, name string) types.DBInstance {
	t.Helper()
	return ok(cl.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String(name)}))(t).DBInstances[0]
}

func TestDatabaseLife(t *testing.T) {
	c, clk := open(t)
	cl := rdsOf(c)
	d := ok(cl.CreateDBInstance(ctx, dbInput("db")))(t).DBInstance
	if *d.DBInstanceStatus != "creating" || d.Endpoint != nil || *d.EngineVersion == "16" || !strings.HasPrefix(*d.EngineVersion, "16.") || d.MasterUserSecret.SecretArn == nil || *d.BackupRetentionPeriod != 1 {
		t.Errorf("new database: %+v", d)
	}
	_, err := cl.CreateDBInstance(ctx, dbInput("DB"))
	wantCode(t, err, "DBInstanceAlreadyExists")
	clk.pass(10 * time.Second)
	if s := *theDB(t, cl, "db").DBInstanceStatus; s != "backing-up" {
		t.Errorf("after creating: %s", s)
	}
	clk.pass(10 * time.Second)
	got := theDB(t, cl, "db")
	if *got.DBInstanceStatus != "available" || *got.Endpoint.Port != 5432 || len(got.TagList) != 1 || len(got.VpcSecurityGroups) != 1 || got.DBSubnetGroup == nil || len(got.DBSubnetGroup.Subnets) != 6 {
		t.Errorf("available database: %+v", got)
	}
	ok(cl.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: aws.String("db")}))(t)
	clk.pass(10 * time.Second)
	_, err = cl.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), MultiAZ: aws.Bool(true)})
	wantCode(t, err, "InvalidDBInstanceState")
	ok(cl.StartDBInstance(ctx, &rds.StartDBInstanceInput{DBInstanceIdentifier: aws.String("db")}))(t)
	clk.pass(10 * time.Second)
	ok(cl.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("db"), FinalDBSnapshotIdentifier: aws.String("last")}))(t)
	_, err = cl.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("db"), SkipFinalSnapshot: aws.Bool(true)})
	wantCode(t, err, "InvalidDBInstanceState")
	if s := *theDB(t, cl, "db").DBInstanceStatus; s != "deleting" {
		t.Errorf("deleted database is %s", s)
	}
	clk.pass(10 * time.Second)
	_, err = cl.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String("db")})
	wantCode(t, err, "DBInstanceNotFound")
	snaps := ok(cl.DescribeDBSnapshots(ctx, &rds.DescribeDBSnapshotsInput{DBInstanceIdentifier: aws.String("db")}))(t).DBSnapshots
	if len(snaps) != 1 || *snaps[0].DBSnapshotIdentifier != "last" || *snaps[0].Status != "available" {
		t.Errorf("snapshots %v", snaps)
	}
	ok(cl.CreateDBInstance(ctx, dbInput("db")))(t) // the name is free again
}

func TestModificationsArePendingUntilTheWindow(t *testing.T) {
	c, clk := open(t) // Saturday 09:00; the window opens on Sunday at 06:00
	cl := rdsOf(c)
	ok(cl.CreateDBInstance(ctx, dbInput("db")))(t)
	clk.pass(20 * time.Second)
	later := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), DBInstanceClass: aws.String("db.t3.small"), DeletionProtection: aws.Bool(true)}
	ok(cl.ModifyDBInstance(ctx, later))(t)
	got := theDB(t, cl, "db")
	if *got.DBInstanceClass != "db.t3.micro" || aws.ToString(got.PendingModifiedValues.DBInstanceClass) != "db.t3.small" || !*got.DeletionProtection || *got.DBInstanceStatus != "available" {
		t.Errorf("waiting: %+v", got)
	}
	clk.pass(21 * time.Hour)
	got = theDB(t, cl, "db")
	if *got.DBInstanceClass != "db.t3.small" || got.PendingModifiedValues.DBInstanceClass != nil {
		t.Errorf("after the window: %s", *got.DBInstanceClass)
	}
}

func TestImmediateModificationsApplyPendingOnes(t *testing.T) {
	c, clk := open(t)
	cl := rdsOf(c)
	ok(cl.CreateDBInstance(ctx, dbInput("db")))(t)
	clk.pass(20 * time.Second)
	ok(cl.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), DBInstanceClass: aws.String("db.t3.small")}))(t)
	ok(cl.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), AllocatedStorage: aws.Int32(21), ApplyImmediately: aws.Bool(true)}))(t)
	var seen []string
	for range 3 {
		got := theDB(t, cl, "db")
		seen = append(seen, fmt.Sprintf("%s %s %d", *got.DBInstanceStatus, *got.DBInstanceClass, *got.AllocatedStorage))
		clk.pass(10 * time.Second)
	}
	want := "modifying db.t3.micro 20, storage-optimization db.t3.small 22, available db.t3.small 22"
	if got := strings.Join(seen, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDatabaseRefusals(t *testing.T) {
	c, clk := open(t)
	cl := rdsOf(c)
	ok(cl.CreateDBInstance(ctx, dbInput("db", func(in *rds.CreateDBInstanceInput) { in.DeletionProtection = aws.Bool(true) })))(t)
	clk.pass(20 * time.Second)
	create := func(change func(*rds.CreateDBInstanceInput)) func() error {
		return func() error { _, err := cl.CreateDBInstance(ctx, dbInput("other", change)); return err }
	}
	modify := func(in rds.ModifyDBInstanceInput) func() error {
		in.DBInstanceIdentifier = aws.String("db")
		return func() error { _, err := cl.ModifyDBInstance(ctx, &in); return err }
	}
	remove := func(name string, in rds.DeleteDBInstanceInput) func() error {
		in.DBInstanceIdentifier = aws.String(name)
		return func() error { _, err := cl.DeleteDBInstance(ctx, &in); return err }
	}
	list := func(in rds.DescribeDBInstancesInput) func() error {
		return func() error { _, err := cl.DescribeDBInstances(ctx, &in); return err }
	}
	ok(cl.CreateDBInstance(ctx, dbInput("plain")))(t)
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"a bad name", create(func(in *rds.CreateDBInstanceInput) { in.DBInstanceIdentifier = aws.String("a--b") }), "InvalidParameterValue"},
		{"an unknown engine", create(func(in *rds.CreateDBInstanceInput) { in.Engine = aws.String("postgre") }), "InvalidParameterValue"},
		{"an unknown version", create(func(in *rds.CreateDBInstanceInput) { in.EngineVersion = aws.String("9.6") }), "InvalidParameterCombination"},
		{"an unknown class", create(func(in *rds.CreateDBInstanceInput) { in.DBInstanceClass = aws.String("t3.micro") }), "InvalidParameterValue"},
		{"too little storage", create(func(in *rds.CreateDBInstanceInput) { in.AllocatedStorage = aws.Int32(5) }), "InvalidParameterValue"},
		{"no storage", create(func(in *rds.CreateDBInstanceInput) { in.AllocatedStorage = nil }), "InvalidParameterValue"},
		{"two passwords", create(func(in *rds.CreateDBInstanceInput) { in.MasterUserPassword = aws.String("example-not-a-secret") }), "InvalidParameterCombination"},
		{"a reserved user", create(func(in *rds.CreateDBInstanceInput) { in.MasterUsername = aws.String("admin") }), "InvalidParameterValue"},
		{"an unknown group", create(func(in *rds.CreateDBInstanceInput) { in.VpcSecurityGroupIds = []string{"sg-0"} }), "InvalidParameterValue"},
		{"an unknown subnet group", create(func(in *rds.CreateDBInstanceInput) { in.DBSubnetGroupName = aws.String("none") }), "DBSubnetGroupNotFoundFault"},
		{"shrinking", modify(rds.ModifyDBInstanceInput{AllocatedStorage: aws.Int32(10)}), "InvalidParameterCombination"},
		{"an older version", modify(rds.ModifyDBInstanceInput{EngineVersion: aws.String("15")}), "InvalidParameterCombination"},
		{"a newer major version unasked", modify(rds.ModifyDBInstanceInput{EngineVersion: aws.String("17")}), "InvalidParameterCombination"},
		{"deleting a protected one", remove("db", rds.DeleteDBInstanceInput{SkipFinalSnapshot: aws.Bool(true)}), "InvalidParameterCombination"},
		{"deleting without a word on snapshots", remove("plain", rds.DeleteDBInstanceInput{}), "InvalidParameterCombination"},
		{"deleting with both words", remove("plain", rds.DeleteDBInstanceInput{SkipFinalSnapshot: aws.Bool(true), FinalDBSnapshotIdentifier: aws.String("s")}), "InvalidParameterCombination"},
		{"a final snapshot of a database that is being created", remove("plain", rds.DeleteDBInstanceInput{FinalDBSnapshotIdentifier: aws.String("s")}), "InvalidDBInstanceState"},
		{"deleting a database that does not exist", remove("none", rds.DeleteDBInstanceInput{SkipFinalSnapshot: aws.Bool(true)}), "DBInstanceNotFound"},
		{"a filter by tag", list(rds.DescribeDBInstancesInput{Filters: []types.Filter{{Name: aws.String("tag:a"), Values: []string{"b"}}}}), "InvalidParameterValue"},
		{"a page that is too small", list(rds.DescribeDBInstancesInput{MaxRecords: aws.Int32(19)}), "InvalidParameterValue"},
		{"modifying what is being made", func() error {
			_, err := cl.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("plain"), MultiAZ: aws.Bool(true)})
			return err
		}, "InvalidDBInstanceState"},
	} {
		t.Run(c.name, func(t *testing.T) { wantCode(t, c.do(), c.want) })
	}
}

func TestDatabaseTagsAndPages(t *testing.T) {
	c, _ := open(t)
	cl := rdsOf(c)
	for i := range 45 {
		ok(cl.CreateDBInstance(ctx, dbInput(fmt.Sprintf("db-%02d", i))))(t)
	}
	pages := rds.NewDescribeDBInstancesPaginator(cl, &rds.DescribeDBInstancesInput{MaxRecords: aws.Int32(20)})
	var sizes []int
	var arn *string
	for pages.HasMorePages() {
		out := ok(pages.NextPage(ctx))(t)
		sizes = append(sizes, len(out.DBInstances))
		arn = out.DBInstances[0].DBInstanceArn
	}
	if fmt.Sprint(sizes) != "[20 20 5]" {
		t.Errorf("pages %v", sizes)
	}
	ok(cl.AddTagsToResource(ctx, &rds.AddTagsToResourceInput{ResourceName: arn, Tags: []types.Tag{{Key: aws.String("k"), Value: aws.String("v")}}}))(t)
	ok(cl.RemoveTagsFromResource(ctx, &rds.RemoveTagsFromResourceInput{ResourceName: arn, TagKeys: []string{"ovi:ref"}}))(t)
	tags := ok(cl.ListTagsForResource(ctx, &rds.ListTagsForResourceInput{ResourceName: arn}))(t).TagList
	if len(tags) != 1 || *tags[0].Key != "k" {
		t.Errorf("tags %v", tags)
	}
}

func TestSubnetsOfAGroupAreNotDeleted(t *testing.T) {
	c, clk := open(t)
	cl, net := rdsOf(c), ec2Of(c)
	vpcID, b, _ := network(t, net)
	group := func(ids ...string) error {
		_, err := cl.CreateDBSubnetGroup(ctx, &rds.CreateDBSubnetGroupInput{DBSubnetGroupName: aws.String("app"), DBSubnetGroupDescription: aws.String("d"), SubnetIds: ids})
		return err
	}
	wantCode(t, group(*b), "DBSubnetGroupDoesNotCoverEnoughAZs")
	a := ok(net.CreateSubnet(ctx, &ec2.CreateSubnetInput{VpcId: vpcID, CidrBlock: aws.String("10.0.2.0/24"), AvailabilityZone: aws.String("us-east-1a")}))(t).Subnet
	wantCode(t, group(*a.SubnetId, *b), "")
	ok(cl.CreateDBInstance(ctx, dbInput("db", func(in *rds.CreateDBInstanceInput) { in.DBSubnetGroupName = aws.String("app") })))(t)
	_, err := cl.DeleteDBSubnetGroup(ctx, &rds.DeleteDBSubnetGroupInput{DBSubnetGroupName: aws.String("app")})
	wantCode(t, err, "InvalidDBSubnetGroupStateFault")
	_, err = net.DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: a.SubnetId})
	wantCode(t, err, "DependencyViolation")
	ok(cl.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("db"), SkipFinalSnapshot: aws.Bool(true)}))(t)
	clk.pass(10 * time.Second)
	ok(cl.DeleteDBSubnetGroup(ctx, &rds.DeleteDBSubnetGroupInput{DBSubnetGroupName: aws.String("app")}))(t)
}
