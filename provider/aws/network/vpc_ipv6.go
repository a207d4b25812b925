package network

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	ipv6Attr = "ipv6"
	ipv6CIDR = "ipv6_cidr"
)

// blockInUse is how EC2 refuses to take an IPv6 block away.
const blockInUse = "InvalidCidrBlock.InUse"

func vpcIPv6Attrs() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: ipv6Attr, Type: resource.TBool, Omit: api.Omitting(resource.Bool(false)), Example: "true",
			Doc: "Whether it also has a /56 of IPv6 addresses, which Amazon chooses. false releases them, and is " +
				"rejected while a subnet has some of them. If omitted, the current setting is kept; a new VPC " +
				"has none.",
		},
		{Name: ipv6CIDR, Type: resource.TString, Computed: true, ChangesWith: []string{ipv6Attr}, Doc: "Its IPv6 addresses."},
	}
}

// blocks6 are the IPv6 blocks that a VPC has or is getting. AWS goes on reporting those that it had.
func blocks6(v types.Vpc) (out []types.VpcIpv6CidrBlockAssociation) {
	for _, b := range v.Ipv6CidrBlockAssociationSet {
		s := stateOf6(b)
		if s == types.VpcCidrBlockStateCodeAssociated || s == types.VpcCidrBlockStateCodeAssociating {
			out = append(out, b)
		}
	}
	return out
}

// stateOf6 returns the state of a block, or an empty state if EC2 does not report it.
func stateOf6(b types.VpcIpv6CidrBlockAssociation) types.VpcCidrBlockStateCode {
	if b.Ipv6CidrBlockState == nil {
		return ""
	}
	return b.Ipv6CidrBlockState.State
}

// observedIPv6 sets the IPv6 attributes. A VPC usually has one block from Amazon. If it has
// several, the first associated block is shown. A block that is still being associated counts for
// ipv6, so that no plan adds a second one, but its addresses are not shown.
func observedIPv6(a api.Attrs, v types.Vpc) {
	all := blocks6(v)
	a[ipv6Attr] = resource.Bool(len(all) > 0)
	for _, b := range all {
		if stateOf6(b) == types.VpcCidrBlockStateCodeAssociated {
			a.Text(ipv6CIDR, b.Ipv6CidrBlock)
			return
		}
	}
}

// setIPv6 gives a VPC a block or takes all of its blocks away. Amazon EC2 API Reference, DisassociateVpcCidrBlock:
// resources in the block must be deleted first, so a subnet with IPv6 addresses prevents it and is named in the
// error. All blocks are released, because the configuration has one switch for them.
func setIPv6(ctx context.Context, g *api.Region, id string, on bool) error {
	if on {
		return addIPv6(ctx, g, id)
	}
	v, err := vpcs().One(ctx, g, id)
	if err != nil {
		return err
	}
	for _, b := range blocks6(v) {
		err := g.DeleteHeld(ctx, aws.ToString(b.AssociationId), func() error {
			_, err := g.EC2.DisassociateVpcCidrBlock(ctx, &ec2.DisassociateVpcCidrBlockInput{AssociationId: b.AssociationId})
			return err
		}, func() ([]api.Holder, error) { return api.Held(haveIPv6(ctx, g, id)) }, blockInUse, "DependencyViolation")
		if err != nil {
			return err
		}
	}
	return awaitIPv6(ctx, g, id, "", false)
}

// addIPv6 looks first: the call has no token, and made twice it adds a second block. A block that
// the VPC has, or is getting, counts as found.
func addIPv6(ctx context.Context, g *api.Region, id string) error {
	made, err := api.NoRetry(ctx, g, func() (types.VpcIpv6CidrBlockAssociation, error) {
		out, err := g.EC2.AssociateVpcCidrBlock(ctx, &ec2.AssociateVpcCidrBlockInput{
			VpcId: aws.String(id), AmazonProvidedIpv6CidrBlock: aws.Bool(true),
		}, api.OnlyRefused)
		if err != nil {
			return types.VpcIpv6CidrBlockAssociation{}, err
		}
		return *out.Ipv6CidrBlockAssociation, nil
	}, func() ([]types.VpcIpv6CidrBlockAssociation, error) {
		v, err := vpcs().One(ctx, g, id)
		return blocks6(v), err
	})
	if err != nil {
		return err
	}
	return awaitIPv6(ctx, g, id, aws.ToString(made.AssociationId), true)
}

// awaitIPv6 waits until the VPC has a block, or none. association is the one that was made, if its
// ID is known: another may have failed long ago. An associating or disassociating block means that
// the VPC still changes: its final state is not known until EC2 has finished.
func awaitIPv6(ctx context.Context, g *api.Region, id, association string, on bool) error {
	return g.AwaitSeen(ctx, g.Wait.Compute, "the IPv6 addresses of "+id, func(ctx context.Context) error {
		v, err := vpcs().Poll(ctx, g, id)
		if err != nil {
			return err
		}
		has := false
		for _, b := range v.Ipv6CidrBlockAssociationSet {
			switch stateOf6(b) {
			case types.VpcCidrBlockStateCodeAssociated:
				has = true
			case types.VpcCidrBlockStateCodeAssociating, types.VpcCidrBlockStateCodeDisassociating,
				types.VpcCidrBlockStateCodeFailing:
				return api.ErrWait
			case types.VpcCidrBlockStateCodeFailed:
				if on && (association == "" || association == aws.ToString(b.AssociationId)) {
					return failedIPv6(id, b)
				}
			case types.VpcCidrBlockStateCodeDisassociated:
			}
		}
		if has != on {
			return api.ErrWait // not visible yet
		}
		return nil
	})
}

// failedIPv6 returns the error of a block that AWS could not provide. Its hint suggests a new
// attempt, which requests another block.
func failedIPv6(id string, b types.VpcIpv6CidrBlockAssociation) error {
	return &provider.Error{
		Cause: provider.Configuration, Op: "ec2.AssociateVpcCidrBlock",
		Err:  fmt.Errorf("AWS could not give %s IPv6 addresses: %s", id, aws.ToString(b.Ipv6CidrBlockState.StatusMessage)),
		Hint: "apply again to ask for others",
	}
}

// haveIPv6 lists the subnets of a VPC that have some of its IPv6 addresses. A block that is being
// added or removed counts as well.
func haveIPv6(ctx context.Context, g *api.Region, vpc string) (names []string, err error) {
	all, err := subnets().Where(ctx, g, api.Where("vpc-id", vpc))
	for _, s := range all {
		for _, b := range s.Ipv6CidrBlockAssociationSet {
			if b.Ipv6CidrBlockState != nil && b.Ipv6CidrBlockState.State != types.SubnetCidrBlockStateCodeDisassociated {
				names = append(names, api.NameID(observedSubnet(g, s)))
				break
			}
		}
	}
	return names, err
}
