package awsfake_test

import (
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
