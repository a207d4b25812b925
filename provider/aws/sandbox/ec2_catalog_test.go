package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func TestCatalog(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	images := ok(cl.DescribeImages(ctx, &ec2.DescribeImagesInput{Filters: []types.Filter{filter("architecture", "arm64")}}))(t).Images
	if len(images) != 1 || images[0].Architecture != "arm64" || *images[0].RootDeviceName != "/dev/xvda" {
		t.Errorf("images %v", images)
	}
	own := ok(cl.DescribeImages(ctx, &ec2.DescribeImagesInput{ImageIds: []string{"ami-0123456789abcdef0"}}))(t).Images
	if len(own) != 1 || *own[0].Public {
		t.Errorf("own image %v", own)
	}
	kinds := ok(cl.DescribeInstanceTypes(ctx, &ec2.DescribeInstanceTypesInput{InstanceTypes: []types.InstanceType{"t4g.micro"}}))(t).InstanceTypes
	if len(kinds) != 1 || kinds[0].ProcessorInfo.SupportedArchitectures[0] != "arm64" || *kinds[0].MemoryInfo.SizeInMiB != 1024 {
		t.Errorf("types %+v", kinds)
	}
	_, err := cl.DescribeInstanceTypes(ctx, &ec2.DescribeInstanceTypesInput{InstanceTypes: []types.InstanceType{"t3.huge"}})
	wantCode(t, err, "InvalidInstanceType")
	zones := ok(cl.DescribeAvailabilityZones(ctx, nil))(t).AvailabilityZones
	if len(zones) != 6 || *zones[0].ZoneId != "use1-az1" {
		t.Errorf("%d zones, the first %s", len(zones), *zones[0].ZoneId)
	}
	if regions := ok(cl.DescribeRegions(ctx, nil))(t).Regions; len(regions) < 10 {
		t.Errorf("%d regions", len(regions))
	}
}

func TestKeysAreImportedAndUsed(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	in := &ec2.ImportKeyPairInput{KeyName: aws.String("me"), PublicKeyMaterial: []byte("ssh-ed25519 AAAA example")}
	ok(cl.ImportKeyPair(ctx, in))(t)
	_, err := cl.ImportKeyPair(ctx, in)
	wantCode(t, err, "InvalidKeyPair.Duplicate")
	keys := ok(cl.DescribeKeyPairs(ctx, &ec2.DescribeKeyPairsInput{KeyNames: []string{"me"}}))(t).KeyPairs
	if len(keys) != 1 || keys[0].KeyType != "ed25519" || keys[0].PublicKey != nil {
		t.Errorf("keys %v", keys)
	}
	if i := run(t, cl, "", func(in *ec2.RunInstancesInput) { in.KeyName = aws.String("me") }); *i.KeyName != "me" {
		t.Errorf("key %s", *i.KeyName)
	}
	_, err = cl.ImportKeyPair(ctx, &ec2.ImportKeyPairInput{KeyName: aws.String("other"), PublicKeyMaterial: []byte("AAAA")})
	wantCode(t, err, "InvalidKey.Format")
	ok(cl.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{*keys[0].KeyPairId}, Tags: []types.Tag{{Key: aws.String("team"), Value: aws.String("ops")}}}))(t)
	keys = ok(cl.DescribeKeyPairs(ctx, &ec2.DescribeKeyPairsInput{IncludePublicKey: aws.Bool(true)}))(t).KeyPairs
	if len(keys) != 1 || *keys[0].PublicKey != "ssh-ed25519 AAAA me\n" || len(keys[0].Tags) != 1 {
		t.Errorf("with its public key and its tag: %v", keys)
	}
	ok(cl.DeleteKeyPair(ctx, &ec2.DeleteKeyPairInput{KeyPairId: aws.String("key-0123456789abcdef0")}))(t)
	ok(cl.DeleteKeyPair(ctx, &ec2.DeleteKeyPairInput{KeyPairId: keys[0].KeyPairId}))(t)
	_, err = cl.DescribeKeyPairs(ctx, &ec2.DescribeKeyPairsInput{KeyNames: []string{"me"}})
	wantCode(t, err, "InvalidKeyPair.NotFound")
}

func TestRulesAreRewrittenInPlace(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	_, _, id := network(t, cl)
	made := ok(cl.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: id, IpPermissions: []types.IpPermission{permission(80, "10.0.0.0/8"), permission(81, "10.0.0.0/8")}}))(t)
	rule := made.SecurityGroupRules[0].SecurityGroupRuleId
	edit := func(port int32) error {
		_, err := cl.ModifySecurityGroupRules(ctx, &ec2.ModifySecurityGroupRulesInput{GroupId: id, SecurityGroupRules: []types.SecurityGroupRuleUpdate{{SecurityGroupRuleId: rule, SecurityGroupRule: &types.SecurityGroupRuleRequest{IpProtocol: aws.String("tcp"), FromPort: &port, ToPort: &port, CidrIpv4: aws.String("10.0.0.0/8")}}}})
		return err
	}
	wantCode(t, edit(81), "InvalidPermission.Duplicate")
	wantCode(t, edit(82), "")
	described := permission(82, "10.0.0.0/8")
	described.IpRanges[0].Description = aws.String("new words")
	ok(cl.UpdateSecurityGroupRuleDescriptionsIngress(ctx, &ec2.UpdateSecurityGroupRuleDescriptionsIngressInput{GroupId: id, IpPermissions: []types.IpPermission{described}}))(t)
	got := ok(cl.DescribeSecurityGroupRules(ctx, &ec2.DescribeSecurityGroupRulesInput{SecurityGroupRuleIds: []string{*rule}}))(t).SecurityGroupRules
	if len(got) != 1 || *got[0].FromPort != 82 || *got[0].Description != "new words" {
		t.Errorf("rule %+v", got)
	}
	ok(cl.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: id, SecurityGroupRuleIds: []string{*rule}}))(t)
	_, err := cl.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: id, SecurityGroupRuleIds: []string{*rule}})
	wantCode(t, err, "InvalidSecurityGroupRuleId.NotFound")
}

func TestStatusOfRunningInstances(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	run(t, cl, "")
	shown := func(all bool) int {
		return len(ok(cl.DescribeInstanceStatus(ctx, &ec2.DescribeInstanceStatusInput{IncludeAllInstances: &all}))(t).InstanceStatuses)
	}
	if shown(false) != 0 || shown(true) != 1 {
		t.Error("a pending instance")
	}
	clk.pass(10 * time.Second)
	if shown(false) != 1 {
		t.Error("a running instance")
	}
}

func TestSnapshotsAndRestarts(t *testing.T) {
	c, clk := open(t)
	cl := rdsOf(c)
	ok(cl.CreateDBInstance(ctx, dbInput("db", func(in *rds.CreateDBInstanceInput) { in.BackupRetentionPeriod = aws.Int32(0) })))(t)
	clk.pass(10 * time.Second)
	ok(cl.RebootDBInstance(ctx, &rds.RebootDBInstanceInput{DBInstanceIdentifier: aws.String("db")}))(t)
	if s := *theDB(t, cl, "db").DBInstanceStatus; s != "rebooting" {
		t.Errorf("status %s", s)
	}
	clk.pass(10 * time.Second)
	ok(cl.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("db"), FinalDBSnapshotIdentifier: aws.String("last")}))(t)
	clk.pass(10 * time.Second)
	ok(cl.CreateDBInstance(ctx, dbInput("db", func(in *rds.CreateDBInstanceInput) { in.BackupRetentionPeriod = aws.Int32(0) })))(t)
	clk.pass(10 * time.Second)
	again := &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("db"), FinalDBSnapshotIdentifier: aws.String("last")}
	_, err := cl.DeleteDBInstance(ctx, again)
	wantCode(t, err, "DBSnapshotAlreadyExists")
	ok(cl.DeleteDBSnapshot(ctx, &rds.DeleteDBSnapshotInput{DBSnapshotIdentifier: aws.String("last")}))(t)
	ok(cl.DeleteDBInstance(ctx, again))(t)
}

func TestBucketPolicyAndOwnership(t *testing.T) {
	c, _ := open(t)
	cl := s3Of(c, "us-east-1", true)
	name := aws.String("policed")
	const own = `{"Statement":{"Effect":"Allow","Principal":{"AWS":"123456789012"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::policed/*"}}`
	ok(cl.CreateBucket(ctx, bucketIn(*name, "us-east-1")))(t)
	_, err := cl.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: name})
	wantCode(t, err, "NoSuchBucketPolicy")
	for _, bad := range []string{"{", `{"Statement":[]}`, strings.ReplaceAll(own, "policed", "other"), strings.Replace(own, "s3:", "ec2:", 1), strings.Replace(own, "Principal", "Sid", 1)} {
		_, err = cl.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: name, Policy: aws.String(bad)})
		wantCode(t, err, "MalformedPolicy")
	}
	_, err = cl.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: name, Policy: aws.String(strings.Replace(own, "123456789012", "*", 1))})
	wantCode(t, err, "AccessDenied") // public policies are blocked
	ok(cl.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: name, Policy: aws.String(own)}))(t)
	if p := ok(cl.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: name}))(t); *p.Policy != own {
		t.Errorf("policy %s", *p.Policy)
	}
	owner := ok(cl.GetBucketOwnershipControls(ctx, &s3.GetBucketOwnershipControlsInput{Bucket: name}))(t).OwnershipControls.Rules
	if len(owner) != 1 || owner[0].ObjectOwnership != "BucketOwnerEnforced" {
		t.Errorf("ownership %v", owner)
	}
	for _, k := range []string{"a/1", "a/2", "b"} {
		ok(cl.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: &k}))(t)
	}
	listed := ok(cl.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: name, Delimiter: aws.String("/")}))(t)
	if len(listed.Contents) != 1 || len(listed.CommonPrefixes) != 1 || *listed.CommonPrefixes[0].Prefix != "a/" {
		t.Errorf("listed %v in %v", listed.Contents, listed.CommonPrefixes)
	}
	ok(cl.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: name, Delete: &s3types.Delete{Objects: []s3types.ObjectIdentifier{{Key: aws.String("a/1")}, {Key: aws.String("a/2")}, {Key: aws.String("b")}}}}))(t)
	ok(cl.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: name}))(t)
}
