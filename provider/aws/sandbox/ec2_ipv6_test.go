package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// vpcOf reads a network.
func vpcOf(t *testing.T, cl *ec2.Client, id *string) types.Vpc {
	t.Helper()
	return ok(cl.DescribeVpcs(ctx, &ec2.DescribeVpcsInput{VpcIds: []string{*id}}))(t).Vpcs[0]
}

func TestEachCallGivesANetworkAnotherIPv6Block(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	vpcID, _, _ := network(t, cl)
	add := func() (*ec2.AssociateVpcCidrBlockOutput, error) {
		return cl.AssociateVpcCidrBlock(ctx, &ec2.AssociateVpcCidrBlockInput{VpcId: vpcID, AmazonProvidedIpv6CidrBlock: aws.Bool(true)})
	}
	seen := map[string]bool{}
	for range 5 {
		a := ok(add())(t).Ipv6CidrBlockAssociation
		seen[*a.Ipv6CidrBlock] = true
		if a.Ipv6CidrBlockState.State != types.VpcCidrBlockStateCodeAssociating {
			t.Errorf("state %s", a.Ipv6CidrBlockState.State)
		}
	}
	_, err := add()
	wantCode(t, err, "CidrLimitExceeded")
	clk.pass(time.Minute)
	all := vpcOf(t, cl, vpcID).Ipv6CidrBlockAssociationSet
	if len(seen) != 5 || len(all) != 5 || all[0].Ipv6CidrBlockState.State != types.VpcCidrBlockStateCodeAssociated {
		t.Errorf("%d blocks, %d of them different: %+v", len(all), len(seen), all)
	}
	drop := func() error {
		_, err := cl.DisassociateVpcCidrBlock(ctx, &ec2.DisassociateVpcCidrBlockInput{AssociationId: all[0].AssociationId})
		return err
	}
	wantCode(t, drop(), "")
	wantCode(t, drop(), "InvalidVpcCidrBlockAssociationID.NotFound")
	clk.pass(time.Minute)
	if b := vpcOf(t, cl, vpcID).Ipv6CidrBlockAssociationSet[0]; b.Ipv6CidrBlockState.State != types.VpcCidrBlockStateCodeDisassociated {
		t.Errorf("it is %s", b.Ipv6CidrBlockState.State)
	}
	ok(add())(t)
	if n := len(vpcOf(t, cl, vpcID).Ipv6CidrBlockAssociationSet); n != 5 {
		t.Errorf("%d blocks", n)
	}
}

func TestIPv6OfSubnetsRefusals(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	v := ok(cl.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16"), AmazonProvidedIpv6CidrBlock: aws.Bool(true)}))(t).Vpc
	clk.pass(time.Minute)
	own := vpcOf(t, cl, v.VpcId).Ipv6CidrBlockAssociationSet[0]
	part := strings.TrimSuffix(*own.Ipv6CidrBlock, "00::/56") + "01::/64"
	subnet := func(cidr, six string) (*ec2.CreateSubnetOutput, error) {
		return cl.CreateSubnet(ctx, &ec2.CreateSubnetInput{VpcId: v.VpcId, CidrBlock: &cidr, Ipv6CidrBlock: &six})
	}
	a, b := ok(subnet("10.0.1.0/24", part))(t).Subnet, ok(subnet("10.0.2.0/24", strings.Replace(part, "01::", "02::", 1)))(t).Subnet
	clk.pass(time.Minute)
	assign := func(on bool) error {
		_, err := cl.ModifySubnetAttribute(ctx, &ec2.ModifySubnetAttributeInput{SubnetId: a.SubnetId, AssignIpv6AddressOnCreation: &types.AttributeBooleanValue{Value: &on}})
		return err
	}
	drop := func() error {
		_, err := cl.DisassociateSubnetCidrBlock(ctx, &ec2.DisassociateSubnetCidrBlockInput{AssociationId: a.Ipv6CidrBlockAssociationSet[0].AssociationId})
		return err
	}
	add := func(id *string, six string) error {
		_, err := cl.AssociateSubnetCidrBlock(ctx, &ec2.AssociateSubnetCidrBlockInput{SubnetId: id, Ipv6CidrBlock: &six})
		return err
	}
	created := func(six string) error { _, err := subnet("10.0.3.0/24", six); return err }
	wantCode(t, created(part), "InvalidSubnet.Conflict")
	wantCode(t, created("2001:db8:ffff:1::/64"), "InvalidSubnet.Range")
	wantCode(t, created("10.0.0.0/24"), "InvalidParameterValue")
	wantCode(t, add(b.SubnetId, part), "InvalidSubnet.Conflict")
	wantCode(t, add(b.SubnetId, strings.Replace(part, "01::", "03::", 1)), "CidrLimitExceeded")
	_, err := cl.DisassociateVpcCidrBlock(ctx, &ec2.DisassociateVpcCidrBlockInput{AssociationId: own.AssociationId})
	wantCode(t, err, "InvalidCidrBlock.InUse")
	wantCode(t, assign(true), "")
	wantCode(t, drop(), "InvalidCidrBlock.InUse")
	wantCode(t, assign(false), "")
	wantCode(t, drop(), "")
	wantCode(t, drop(), "InvalidSubnetCidrBlockAssociationID.NotFound")
	wantCode(t, assign(true), "InvalidParameterValue")
	wantCode(t, add(a.SubnetId, part), "InvalidSubnet.Conflict") // until it is given up
	clk.pass(time.Minute)
	wantCode(t, add(a.SubnetId, part), "")
}
