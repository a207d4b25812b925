package sandbox_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// network makes a network with a subnet and a group.
func network(t *testing.T, cl *ec2.Client) (vpcID, subnetID, groupID *string) {
	t.Helper()
	v := ok(cl.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16"), TagSpecifications: []types.TagSpecification{tagSpec("vpc", "ovi:ref=v")}}))(t).Vpc
	s := ok(cl.CreateSubnet(ctx, &ec2.CreateSubnetInput{VpcId: v.VpcId, CidrBlock: aws.String("10.0.1.0/24"), AvailabilityZone: aws.String("us-east-1b")}))(t).Subnet
	g := ok(cl.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{VpcId: v.VpcId, GroupName: aws.String("web"), Description: aws.String("d"), TagSpecifications: []types.TagSpecification{tagSpec("security-group", "ovi:ref=g")}}))(t)
	if v.State != "pending" || len(v.Tags) != 1 || len(g.Tags) != 1 || *s.AvailabilityZone != "us-east-1b" {
		t.Errorf("vpc %v, group tags %v, subnet %v", v, g.Tags, s)
	}
	return v.VpcId, s.SubnetId, g.GroupId
}

func TestNetworkRefusals(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	vpcID, subnetID, groupID := network(t, cl)
	in := run(t, cl, "", func(in *ec2.RunInstancesInput) { in.SubnetId, in.SecurityGroupIds = subnetID, []string{*groupID} })
	if *in.VpcId != *vpcID {
		t.Errorf("instance in %s", *in.VpcId)
	}
	subnet := func(cidr string) func() error {
		return func() error {
			_, err := cl.CreateSubnet(ctx, &ec2.CreateSubnetInput{VpcId: vpcID, CidrBlock: aws.String(cidr)})
			return err
		}
	}
	group := func(name string) func() error {
		return func() error {
			_, err := cl.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{VpcId: vpcID, GroupName: aws.String(name), Description: aws.String("d")})
			return err
		}
	}
	deleteSubnet := func() error { _, err := cl.DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: subnetID}); return err }
	deleteGroup := func() error {
		_, err := cl.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: groupID})
		return err
	}
	deleteVPC := func() error { _, err := cl.DeleteVpc(ctx, &ec2.DeleteVpcInput{VpcId: vpcID}); return err }
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"an overlapping subnet", subnet("10.0.1.128/25"), "InvalidSubnet.Conflict"},
		{"a subnet outside", subnet("10.1.0.0/24"), "InvalidSubnet.Range"},
		{"a subnet that is too small", subnet("10.0.2.0/29"), "InvalidSubnet.Range"},
		{"no CIDR at all", subnet("ten"), "InvalidParameterValue"},
		{"a group of the same name", group("web"), "InvalidGroup.Duplicate"},
		{"a group named like an id", group("sg-web"), "InvalidParameterValue"},
		{"a subnet in use", deleteSubnet, "DependencyViolation"},
		{"a group in use", deleteGroup, "DependencyViolation"},
		{"a network in use", deleteVPC, "DependencyViolation"},
		{"an instance across networks", func() error {
			_, err := cl.RunInstances(ctx, runInput("", func(in *ec2.RunInstancesInput) { in.SecurityGroupIds = []string{*groupID} }))
			return err
		}, "InvalidParameter"},
	} {
		t.Run(c.name, func(t *testing.T) { wantCode(t, c.do(), c.want) })
	}
	ok(cl.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{*in.InstanceId}}))(t)
	wantCode(t, deleteSubnet(), "DependencyViolation") // still shutting down
	clk.pass(10 * time.Second)
	for _, do := range []func() error{deleteSubnet, deleteGroup, deleteVPC} {
		wantCode(t, do(), "")
	}
	_, err := cl.DescribeVpcs(ctx, &ec2.DescribeVpcsInput{VpcIds: []string{*vpcID}})
	wantCode(t, err, "InvalidVpcID.NotFound")
}

func permission(port int32, cidrs ...string) types.IpPermission {
	p := types.IpPermission{IpProtocol: aws.String("tcp"), FromPort: &port, ToPort: &port}
	for _, c := range cidrs {
		p.IpRanges = append(p.IpRanges, types.IpRange{CidrIp: aws.String(c), Description: aws.String("x")})
	}
	return p
}

func TestRulesAreAddedAndRemoved(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	_, _, groupID := network(t, cl)
	allow := func(p ...types.IpPermission) error {
		_, err := cl.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: groupID, IpPermissions: p})
		return err
	}
	deny := func(p ...types.IpPermission) error {
		_, err := cl.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: groupID, IpPermissions: p})
		return err
	}
	self := types.IpPermission{IpProtocol: aws.String("-1"), UserIdGroupPairs: []types.UserIdGroupPair{{GroupId: groupID}}}
	six := types.IpPermission{IpProtocol: aws.String("6"), FromPort: aws.Int32(443), ToPort: aws.Int32(443), Ipv6Ranges: []types.Ipv6Range{{CidrIpv6: aws.String("::/0")}}}
	wantCode(t, allow(permission(443, "0.0.0.0/0", "10.0.0.7/8"), self, six), "")
	wantCode(t, allow(permission(80, "0.0.0.0/0"), permission(443, "0.0.0.0/0")), "InvalidPermission.Duplicate")
	wantCode(t, deny(permission(22, "0.0.0.0/0")), "InvalidPermission.NotFound")
	g := ok(cl.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{GroupIds: []string{*groupID}}))(t).SecurityGroups[0]
	if len(g.IpPermissions) != 2 || len(g.IpPermissionsEgress) != 1 || *g.IpPermissionsEgress[0].IpRanges[0].CidrIp != "0.0.0.0/0" {
		t.Fatalf("rules %v, egress %v", g.IpPermissions, g.IpPermissionsEgress)
	}
	https := g.IpPermissions[0]
	if len(https.IpRanges) != 2 || *https.IpRanges[1].CidrIp != "10.0.0.0/8" || len(https.Ipv6Ranges) != 1 {
		t.Errorf("https: %v %v", https.IpRanges, https.Ipv6Ranges)
	}
	wantCode(t, deny(permission(443, "0.0.0.0/0"), self), "")
	ok(cl.RevokeSecurityGroupEgress(ctx, &ec2.RevokeSecurityGroupEgressInput{GroupId: groupID, IpPermissions: []types.IpPermission{{IpProtocol: aws.String("-1"), IpRanges: []types.IpRange{{CidrIp: aws.String("0.0.0.0/0")}}}}}))(t)
	rules := ok(cl.DescribeSecurityGroupRules(ctx, &ec2.DescribeSecurityGroupRulesInput{Filters: []types.Filter{filter("group-id", *groupID)}}))(t).SecurityGroupRules
	if len(rules) != 2 {
		t.Errorf("%d rules left", len(rules))
	}
}

func TestAGroupInUseByARuleIsNotDeleted(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	vpcID, _, groupID := network(t, cl)
	other := ok(cl.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{VpcId: vpcID, GroupName: aws.String("db"), Description: aws.String("d")}))(t).GroupId
	ok(cl.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: other, IpPermissions: []types.IpPermission{{IpProtocol: aws.String("tcp"), FromPort: aws.Int32(5432), ToPort: aws.Int32(5432), UserIdGroupPairs: []types.UserIdGroupPair{{GroupId: groupID}}}}}))(t)
	_, err := cl.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: groupID})
	wantCode(t, err, "DependencyViolation")
	ok(cl.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: other}))(t)
	ok(cl.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: groupID}))(t)
}

func TestNetworkSwitches(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	vpcID, subnetID, _ := network(t, cl)
	ok(cl.ModifyVpcAttribute(ctx, &ec2.ModifyVpcAttributeInput{VpcId: vpcID, EnableDnsHostnames: &types.AttributeBooleanValue{Value: aws.Bool(true)}}))(t)
	ok(cl.ModifySubnetAttribute(ctx, &ec2.ModifySubnetAttributeInput{SubnetId: subnetID, MapPublicIpOnLaunch: &types.AttributeBooleanValue{Value: aws.Bool(true)}}))(t)
	names := ok(cl.DescribeVpcAttribute(ctx, &ec2.DescribeVpcAttributeInput{VpcId: vpcID, Attribute: "enableDnsHostnames"}))(t)
	support := ok(cl.DescribeVpcAttribute(ctx, &ec2.DescribeVpcAttributeInput{VpcId: vpcID, Attribute: "enableDnsSupport"}))(t)
	s := ok(cl.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{SubnetIds: []string{*subnetID}}))(t).Subnets[0]
	if !*names.EnableDnsHostnames.Value || !*support.EnableDnsSupport.Value || !*s.MapPublicIpOnLaunch || *s.AvailableIpAddressCount != 251 {
		t.Errorf("names %v, support %v, subnet %+v", *names.EnableDnsHostnames.Value, *support.EnableDnsSupport.Value, s)
	}
	private := run(t, cl, "", func(in *ec2.RunInstancesInput) {
		in.NetworkInterfaces = []types.InstanceNetworkInterfaceSpecification{{DeviceIndex: aws.Int32(0), SubnetId: subnetID, AssociatePublicIpAddress: aws.Bool(false)}}
	})
	public := run(t, cl, "", func(in *ec2.RunInstancesInput) { in.SubnetId = subnetID })
	if private.PublicIpAddress != nil || public.PublicIpAddress == nil {
		t.Errorf("public addresses %v and %v", private.PublicIpAddress, public.PublicIpAddress)
	}
}
