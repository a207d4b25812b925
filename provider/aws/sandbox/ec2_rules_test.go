package sandbox_test

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// TestInstanceRefusals holds one refusal of AWS's a row.
func TestInstanceRefusals(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	up := *run(t, cl, "").InstanceId
	guarded := *run(t, cl, "", func(in *ec2.RunInstancesInput) { in.DisableApiTermination = aws.Bool(true) }).InstanceId
	clk.pass(10 * time.Second)
	launch := func(change func(*ec2.RunInstancesInput)) func() error {
		return func() error { _, err := cl.RunInstances(ctx, runInput("", change)); return err }
	}
	modify := func(in ec2.ModifyInstanceAttributeInput) func() error {
		return func() error { _, err := cl.ModifyInstanceAttribute(ctx, &in); return err }
	}
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"an unknown size", launch(func(in *ec2.RunInstancesInput) { in.InstanceType = "t3.huge" }), "InvalidParameterValue"},
		{"a malformed image", launch(func(in *ec2.RunInstancesInput) { in.ImageId = aws.String("ami-x") }), "InvalidAMIID.Malformed"},
		{"an image that does not exist", launch(func(in *ec2.RunInstancesInput) { in.ImageId = aws.String("ami-00000000000000000") }), "InvalidAMIID.NotFound"},
		{"an image for the other architecture", launch(func(in *ec2.RunInstancesInput) { in.InstanceType = "t4g.micro" }), "InvalidParameterValue"},
		{"an unknown subnet", launch(func(in *ec2.RunInstancesInput) { in.SubnetId = aws.String("subnet-0") }), "InvalidSubnetID.NotFound"},
		{"an unknown group", launch(func(in *ec2.RunInstancesInput) { in.SecurityGroupIds = []string{"sg-0"} }), "InvalidGroup.NotFound"},
		{"an unknown key", launch(func(in *ec2.RunInstancesInput) { in.KeyName = aws.String("unknown") }), "InvalidKeyPair.NotFound"},
		{"user data that is not base64", launch(func(in *ec2.RunInstancesInput) { in.UserData = aws.String("#!/bin/sh") }), "InvalidUserData.Malformed"},
		{"a reserved tag", launch(func(in *ec2.RunInstancesInput) {
			in.TagSpecifications = []types.TagSpecification{tagSpec("instance", "aws:x=1")}
		}), "InvalidParameterValue"},
		{"a root volume below its snapshot", launch(func(in *ec2.RunInstancesInput) {
			in.BlockDeviceMappings = []types.BlockDeviceMapping{{DeviceName: aws.String("/dev/xvda"), Ebs: &types.EbsBlockDevice{VolumeSize: aws.Int32(4)}}}
		}), "InvalidBlockDeviceMapping"},
		{"a dry run that would succeed", launch(func(in *ec2.RunInstancesInput) { in.DryRun = aws.Bool(true) }), "DryRunOperation"},
		{"a size change while running", modify(ec2.ModifyInstanceAttributeInput{InstanceId: &up, InstanceType: &types.AttributeValue{Value: aws.String("t3.small")}}), "IncorrectInstanceState"},
		{"two attributes at once", modify(ec2.ModifyInstanceAttributeInput{InstanceId: &up, EbsOptimized: &types.AttributeBooleanValue{Value: aws.Bool(true)}, DisableApiTermination: &types.AttributeBooleanValue{Value: aws.Bool(true)}}), "InvalidParameterCombination"},
		{"starting an instance that does not exist", func() error {
			_, err := cl.StartInstances(ctx, &ec2.StartInstancesInput{InstanceIds: []string{"i-0"}})
			return err
		}, "InvalidInstanceID.NotFound"},
		{"ending a protected one", func() error {
			_, err := cl.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{guarded}})
			return err
		}, "OperationNotPermitted"},
		{"ending one good and one missing", func() error {
			_, err := cl.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{up, "i-0"}})
			return err
		}, "InvalidInstanceID.NotFound"},
		{"tagging a resource that does not exist", func() error {
			_, err := cl.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{up, "i-0"}, Tags: []types.Tag{{Key: aws.String("k"), Value: aws.String("v")}}})
			return err
		}, "InvalidInstanceID.NotFound"},
	} {
		t.Run(c.name, func(t *testing.T) { wantCode(t, c.do(), c.want) })
	}
	if got := state(t, cl, up); got != "running" {
		t.Errorf("a refused call left the instance %s", got)
	}
	out := ok(cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("tag-key", "*")}}))(t)
	if len(out.Reservations) != 0 {
		t.Error("a refused call left a tag")
	}
}

func TestSizeAndUserDataChangeWhenStopped(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	id := run(t, cl, "").InstanceId
	clk.pass(10 * time.Second)
	ok(cl.StopInstances(ctx, &ec2.StopInstancesInput{InstanceIds: []string{*id}}))(t)
	clk.pass(10 * time.Second)
	ok(cl.ModifyInstanceAttribute(ctx, &ec2.ModifyInstanceAttributeInput{InstanceId: id, InstanceType: &types.AttributeValue{Value: aws.String("t3.small")}}))(t)
	ok(cl.ModifyInstanceAttribute(ctx, &ec2.ModifyInstanceAttributeInput{InstanceId: id, UserData: &types.SecureBlobAttributeValue{Value: []byte("hello")}}))(t)
	in := ok(cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{*id}}))(t).Reservations[0].Instances[0]
	data := ok(cl.DescribeInstanceAttribute(ctx, &ec2.DescribeInstanceAttributeInput{InstanceId: id, Attribute: "userData"}))(t)
	plain, err := base64.StdEncoding.DecodeString(aws.ToString(data.UserData.Value))
	if in.InstanceType != "t3.small" || err != nil || string(plain) != "hello" {
		t.Errorf("type %s, user data %q (%v)", in.InstanceType, plain, err)
	}
	if in.PublicIpAddress != nil {
		t.Error("a stopped instance keeps its public address")
	}
}

func TestTagsMergeAndAreRemoved(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	id := *run(t, cl, "", func(in *ec2.RunInstancesInput) {
		in.TagSpecifications = []types.TagSpecification{tagSpec("instance", "a=1", "b=2")}
	}).InstanceId
	ok(cl.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{id}, Tags: []types.Tag{{Key: aws.String("b"), Value: aws.String("3")}, {Key: aws.String("c"), Value: aws.String("4")}}}))(t)
	ok(cl.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: []string{id}, Tags: []types.Tag{{Key: aws.String("a")}, {Key: aws.String("c"), Value: aws.String("other")}}}))(t)
	out := ok(cl.DescribeTags(ctx, &ec2.DescribeTagsInput{Filters: []types.Filter{filter("resource-id", id)}}))(t)
	got := map[string]string{}
	for _, tag := range out.Tags {
		got[*tag.Key] = *tag.Value
	}
	if len(got) != 2 || got["b"] != "3" || got["c"] != "4" {
		t.Errorf("tags %v", got)
	}
}

func TestRegionsAreSeparateAndHaveDefaults(t *testing.T) {
	c, _ := open(t)
	here, there := ec2Of(c), ec2.NewFromConfig(config(c, "eu-west-1"))
	id := *run(t, here, "").InstanceId
	_, err := there.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	wantCode(t, err, "InvalidInstanceID.NotFound")
	subnets := ok(there.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{Filters: []types.Filter{filter("default-for-az", "true")}}))(t)
	if len(subnets.Subnets) != 3 {
		t.Errorf("%d default subnets", len(subnets.Subnets))
	}
	groups := ok(there.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{}))(t)
	if len(groups.SecurityGroups) != 1 || *groups.SecurityGroups[0].GroupName != "default" {
		t.Errorf("groups of a fresh region: %v", groups.SecurityGroups)
	}
}

func TestFilterWildcards(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	run(t, cl, "", func(in *ec2.RunInstancesInput) {
		in.TagSpecifications = []types.TagSpecification{tagSpec("instance", "ref=aws/us-east-1/ec2/web-*1")}
	})
	for pattern, want := range map[string]int{"aws/*/ec2/web-?1": 1, `aws/*web-\*1`: 1, "aws/*/ec2/web-2": 0, "*": 1, `*\?1`: 0} {
		out := ok(cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("tag:ref", pattern)}}))(t)
		if len(out.Reservations) != want {
			t.Errorf("%q matched %d", pattern, len(out.Reservations))
		}
	}
}

func TestProfilesMetadataAndAttributes(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	in := run(t, cl, "", func(in *ec2.RunInstancesInput) {
		in.IamInstanceProfile = &types.IamInstanceProfileSpecification{Name: aws.String("app")}
		in.MetadataOptions = &types.InstanceMetadataOptionsRequest{HttpTokens: "required", HttpPutResponseHopLimit: aws.Int32(1)}
	})
	clk.pass(10 * time.Second)
	out := ok(cl.DescribeIamInstanceProfileAssociations(ctx, &ec2.DescribeIamInstanceProfileAssociationsInput{Filters: []types.Filter{filter("instance-id", *in.InstanceId)}}))(t)
	ok(cl.ReplaceIamInstanceProfileAssociation(ctx, &ec2.ReplaceIamInstanceProfileAssociationInput{AssociationId: out.IamInstanceProfileAssociations[0].AssociationId, IamInstanceProfile: &types.IamInstanceProfileSpecification{Name: aws.String("other")}}))(t)
	ok(cl.ModifyInstanceMetadataOptions(ctx, &ec2.ModifyInstanceMetadataOptionsInput{InstanceId: in.InstanceId, HttpTokens: "optional"}))(t)
	ok(cl.ModifyInstanceAttribute(ctx, &ec2.ModifyInstanceAttributeInput{InstanceId: in.InstanceId, DisableApiTermination: &types.AttributeBooleanValue{Value: aws.Bool(true)}}))(t)
	got := ok(cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{*in.InstanceId}}))(t).Reservations[0].Instances[0]
	attr := ok(cl.DescribeInstanceAttribute(ctx, &ec2.DescribeInstanceAttributeInput{InstanceId: in.InstanceId, Attribute: "disableApiTermination"}))(t)
	if *got.IamInstanceProfile.Arn != "arn:aws:iam::"+sandbox.Account+":instance-profile/other" || got.MetadataOptions.HttpTokens != "optional" || *got.MetadataOptions.HttpPutResponseHopLimit != 1 || !*attr.DisableApiTermination.Value {
		t.Errorf("profile %v, metadata %v, protected %v", *got.IamInstanceProfile.Arn, got.MetadataOptions, *attr.DisableApiTermination.Value)
	}
	for _, r := range c.Requests() {
		if len(r.Ignored) > 0 {
			t.Errorf("%s took no notice of %v", r.Action, r.Ignored)
		}
	}
}
