package sandbox_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func volumeInput(token string, size int32) *ec2.CreateVolumeInput {
	return &ec2.CreateVolumeInput{AvailabilityZone: aws.String("us-east-1a"), Size: &size, VolumeType: "gp3", ClientToken: aws.String(token)}
}

func TestVolumeLife(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	v := ok(cl.CreateVolume(ctx, volumeInput("tok", 10)))(t)
	if again := ok(cl.CreateVolume(ctx, volumeInput("tok", 10)))(t); *again.VolumeId != *v.VolumeId {
		t.Error("one token made two volumes")
	}
	_, err := cl.CreateVolume(ctx, volumeInput("tok", 11))
	wantCode(t, err, "IdempotentParameterMismatch")
	in := run(t, cl, "")
	attach := func(device string) error {
		_, err := cl.AttachVolume(ctx, &ec2.AttachVolumeInput{VolumeId: v.VolumeId, InstanceId: in.InstanceId, Device: aws.String(device)})
		return err
	}
	wantCode(t, attach("/dev/sdf"), "IncorrectState") // both are on their way still
	clk.pass(10 * time.Second)
	wantCode(t, attach("sdf"), "InvalidParameterValue")
	wantCode(t, attach("/dev/sdf"), "")
	wantCode(t, attach("/dev/sdg"), "VolumeInUse")
	_, err = cl.DeleteVolume(ctx, &ec2.DeleteVolumeInput{VolumeId: v.VolumeId})
	wantCode(t, err, "VolumeInUse")
	status := func() (string, int32) {
		got := ok(cl.DescribeVolumes(ctx, &ec2.DescribeVolumesInput{VolumeIds: []string{*v.VolumeId}}))(t).Volumes[0]
		return string(got.State), *got.Size
	}
	mod := func(size int32) error {
		_, err := cl.ModifyVolume(ctx, &ec2.ModifyVolumeInput{VolumeId: v.VolumeId, Size: &size})
		return err
	}
	wantCode(t, mod(5), "InvalidParameterValue")
	wantCode(t, mod(20), "")
	if _, size := status(); size != 10 {
		t.Errorf("size %d while it is modified", size)
	}
	wantCode(t, mod(30), "IncorrectModificationState")
	for i, want := range []types.VolumeModificationState{"modifying", "optimizing", "completed"} {
		m := ok(cl.DescribeVolumesModifications(ctx, &ec2.DescribeVolumesModificationsInput{VolumeIds: []string{*v.VolumeId}}))(t).VolumesModifications[0]
		if m.ModificationState != want {
			t.Errorf("phase %d is %s", i, m.ModificationState)
		}
		clk.pass(10 * time.Second)
	}
	ok(cl.DetachVolume(ctx, &ec2.DetachVolumeInput{VolumeId: v.VolumeId}))(t)
	clk.pass(10 * time.Second)
	if s, size := status(); s != "available" || size != 20 {
		t.Errorf("%s of %d GiB", s, size)
	}
	ok(cl.DeleteVolume(ctx, &ec2.DeleteVolumeInput{VolumeId: v.VolumeId}))(t)
	clk.pass(10 * time.Second)
	_, err = cl.DescribeVolumes(ctx, &ec2.DescribeVolumesInput{VolumeIds: []string{*v.VolumeId}})
	wantCode(t, err, "InvalidVolume.NotFound")
}

func TestVolumesOfATerminatedInstance(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	in := run(t, cl, "", func(in *ec2.RunInstancesInput) {
		in.BlockDeviceMappings = []types.BlockDeviceMapping{
			{DeviceName: aws.String("/dev/xvda"), Ebs: &types.EbsBlockDevice{VolumeSize: aws.Int32(30), VolumeType: "gp3", Encrypted: aws.Bool(true)}},
			{DeviceName: aws.String("/dev/sdf"), Ebs: &types.EbsBlockDevice{VolumeSize: aws.Int32(5), DeleteOnTermination: aws.Bool(false)}},
		}
		in.TagSpecifications = []types.TagSpecification{tagSpec("volume", "of=in")}
	})
	mine := &ec2.DescribeVolumesInput{Filters: []types.Filter{filter("tag:of", "in")}}
	if got := ok(cl.DescribeVolumes(ctx, mine))(t).Volumes; len(got) != 2 || *got[0].Size != 30 || !*got[0].Encrypted {
		t.Fatalf("volumes %v", got)
	}
	clk.pass(10 * time.Second)
	_, err := cl.DetachVolume(ctx, &ec2.DetachVolumeInput{VolumeId: in.BlockDeviceMappings[0].Ebs.VolumeId})
	wantCode(t, err, "OperationNotPermitted")
	ok(cl.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{*in.InstanceId}}))(t)
	clk.pass(10 * time.Second)
	got := ok(cl.DescribeVolumes(ctx, mine))(t).Volumes
	if len(got) != 1 || *got[0].Size != 5 || got[0].State != "available" {
		t.Errorf("left over: %v", got)
	}
}

func TestZonesMustMatch(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	in := run(t, cl, "", func(in *ec2.RunInstancesInput) {
		in.Placement = &types.Placement{AvailabilityZone: aws.String("us-east-1c")}
	})
	v := ok(cl.CreateVolume(ctx, volumeInput("t", 1)))(t)
	clk.pass(10 * time.Second)
	_, err := cl.AttachVolume(ctx, &ec2.AttachVolumeInput{VolumeId: v.VolumeId, InstanceId: in.InstanceId, Device: aws.String("/dev/sdf")})
	wantCode(t, err, "InvalidVolume.ZoneMismatch")
}

func TestEveryListIsPaged(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	vpcID, _, _ := network(t, cl)
	for i := range 12 {
		ok(cl.CreateVolume(ctx, volumeInput("", int32(i+1))))(t)
		ok(cl.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.1.0.0/16")}))(t)
		ok(cl.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{VpcId: vpcID, GroupName: aws.String("g" + string(rune('a'+i))), Description: aws.String("d")}))(t)
	}
	count := func(name string, next func() (bool, int, error)) {
		t.Helper()
		pages, rows := 0, 0
		for more := true; more; pages++ {
			m, n, err := next()
			if err != nil {
				t.Fatal(err)
			}
			more, rows = m, rows+n
		}
		if pages < 3 || rows < 12 {
			t.Errorf("%s: %d rows on %d pages", name, rows, pages)
		}
	}
	five := aws.Int32(5)
	volumes := ec2.NewDescribeVolumesPaginator(cl, &ec2.DescribeVolumesInput{MaxResults: five})
	count("volumes", func() (bool, int, error) {
		out, err := volumes.NextPage(ctx)
		return volumes.HasMorePages(), len(out.Volumes), err
	})
	vpcs := ec2.NewDescribeVpcsPaginator(cl, &ec2.DescribeVpcsInput{MaxResults: five})
	count("vpcs", func() (bool, int, error) {
		out, err := vpcs.NextPage(ctx)
		return vpcs.HasMorePages(), len(out.Vpcs), err
	})
	groups := ec2.NewDescribeSecurityGroupsPaginator(cl, &ec2.DescribeSecurityGroupsInput{MaxResults: five})
	count("groups", func() (bool, int, error) {
		out, err := groups.NextPage(ctx)
		return groups.HasMorePages(), len(out.SecurityGroups), err
	})
}
