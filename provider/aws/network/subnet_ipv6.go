package network

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	blockAttr  = "ipv6_block"
	assignAttr = "assign_ipv6"
)

// vpcBits6 and subnetBits6 are the lengths of the blocks that Amazon provides; blockByte is the byte of an
// address between them.
const (
	vpcBits6    = 56
	subnetBits6 = 64
	blockByte   = vpcBits6 / 8
)

func subnetIPv6Attrs() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: blockAttr, Type: resource.TInt, Min: api.Bound(0), Max: api.Bound(255), Example: "1",
			Doc: "The number of its /64 in the VPC's IPv6 addresses: 1 is 2001:db8:0:1::/64 of 2001:db8::/56. The " +
				"VPC needs ipv6: true, and each subnet needs its own number. If omitted, the current block is " +
				"kept; a new subnet has none.",
		},
		{
			Name: assignAttr, Type: resource.TBool, Omit: api.Omitting(resource.Bool(false)), Example: "true",
			Doc: "Whether instances launched in it get an IPv6 address. It needs ipv6_block. If omitted, the " +
				"current setting is kept; a new subnet assigns none.",
		},
		{
			Name: ipv6CIDR, Type: resource.TString, Computed: true, ChangesWith: []string{blockAttr},
			Doc: "Its IPv6 addresses.",
		},
	}
}

// canonicalSubnet normalizes the block and rejects assign_ipv6 without ipv6_block: AWS refuses to
// assign IPv6 addresses in a subnet that has no IPv6 block.
func canonicalSubnet(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	a, out := canonicalCIDR(a)
	_, has := a.Get(blockAttr)
	if on, _ := api.Flag(a, assignAttr); on && !has {
		out = append(out, resource.Problem{
			Path: assignAttr, Summary: "a subnet without IPv6 addresses cannot assign any",
			Suggestion: "set ipv6_block, and ipv6: true on the VPC",
		})
	}
	return a, out
}

// subnetBlocks6 are the IPv6 blocks that a subnet has or is getting: one at most.
func subnetBlocks6(s types.Subnet) (out []types.SubnetIpv6CidrBlockAssociation) {
	for _, b := range s.Ipv6CidrBlockAssociationSet {
		if c := subnetState6(b); c == types.SubnetCidrBlockStateCodeAssociated ||
			c == types.SubnetCidrBlockStateCodeAssociating {
			out = append(out, b)
		}
	}
	return out
}

// subnetState6 returns the state of a block, or an empty state if EC2 does not report it. Such a
// block does not count.
func subnetState6(b types.SubnetIpv6CidrBlockAssociation) types.SubnetCidrBlockStateCode {
	if b.Ipv6CidrBlockState == nil {
		return ""
	}
	return b.Ipv6CidrBlockState.State
}

// observedSubnetIPv6: a block of another length than /64 has no number. What is assigned from it is not shown
// either, since a configuration cannot have the one without the other.
func observedSubnetIPv6(a api.Attrs, s types.Subnet) {
	assigns := aws.ToBool(s.AssignIpv6AddressOnCreation)
	for _, b := range subnetBlocks6(s) {
		a.Text(ipv6CIDR, b.Ipv6CidrBlock)
		if p, err := netip.ParsePrefix(aws.ToString(b.Ipv6CidrBlock)); err == nil && p.Addr().Is6() &&
			p.Bits() == subnetBits6 {
			a[blockAttr] = resource.Int(p.Addr().As16()[blockByte])
		}
	}
	if _, has := a[blockAttr]; has || !assigns {
		a[assignAttr] = resource.Bool(assigns)
	}
}

// errNoBlock reports that a VPC has no associated /56. block6 waits for one: a block that is still
// being associated cannot be divided yet.
var errNoBlock = errors.New("no IPv6 addresses")

// block6 is the /64 of a VPC with a number. The VPC may have its addresses only since a moment ago.
// A VPC that still has none after the wait for propagation is a wrong configuration.
func block6(ctx context.Context, g *api.Region, vpc string, n int64) (cidr string, err error) {
	err = g.PatientlyIf(ctx, g.Wait.Appear, func() error {
		v, err := vpcs().One(ctx, g, vpc)
		if err != nil {
			return err
		}
		cidr, err = part6(v, n)
		return err
	}, func(err error) bool { return errors.Is(err, errNoBlock) })
	return cidr, err
}

// part6 returns the /64 with a number from 0 to 255 of the first associated /56 of a VPC. The
// number is the byte after the first 56 bits. A block that is not associated yet has no addresses
// to use, and only a /56 has exactly 256 parts.
func part6(v types.Vpc, n int64) (string, error) {
	for _, b := range blocks6(v) {
		whole, err := netip.ParsePrefix(aws.ToString(b.Ipv6CidrBlock))
		if stateOf6(b) != types.VpcCidrBlockStateCodeAssociated || err != nil || whole.Bits() != vpcBits6 {
			continue
		}
		address := whole.Masked().Addr().As16()
		address[blockByte] = byte(n)
		return netip.PrefixFrom(netip.AddrFrom16(address), subnetBits6).String(), nil
	}
	return "", &provider.Error{
		Cause: provider.Configuration, Op: "ec2.DescribeVpcs",
		Err:  fmt.Errorf("%s has %w of which a subnet could have a part: it needs a /56", aws.ToString(v.VpcId), errNoBlock),
		Hint: "set ipv6: true on the VPC",
	}
}

// updateIPv6 changes the block and what is assigned from it. A block that is assigned from stays associated: on
// the way from one block to another nothing is assigned. If assign_ipv6 is not configured, the observed setting is
// restored after the move.
func updateIPv6(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	assigns, configured := api.Flag(r.Desired.Attrs, assignAttr)
	if !configured {
		assigns, _ = api.Flag(r.Have.Attrs, assignAttr)
	}
	n, set := api.Number(r.Desired.Attrs, blockAttr)
	moves := set && api.Changed(r, blockAttr)
	if moves {
		vpc, _ := api.Text(r.Have.Attrs, "vpc")
		if err := moveBlock6(ctx, g, id, vpc, n); err != nil {
			return err
		}
	}
	if configured && api.Changed(r, assignAttr) || moves && assigns {
		return setAssign6(ctx, g, id, assigns)
	}
	return nil
}

// moveBlock6 gives a subnet a block, after it has removed another one. Amazon EC2 API Reference,
// AssociateSubnetCidrBlock: "You can only associate a single IPv6 CIDR block with your subnet", so there is a moment
// without one. The function starts from the live state: after an interruption it continues where the last attempt
// stopped. The new block is computed first, so that a VPC without IPv6 addresses fails before anything is removed.
func moveBlock6(ctx context.Context, g *api.Region, id, vpc string, n int64) error {
	cidr, err := block6(ctx, g, vpc, n)
	if err != nil {
		return err
	}
	s, err := subnets().One(ctx, g, id)
	if err != nil {
		return err
	}
	for _, b := range subnetBlocks6(s) {
		if aws.ToString(b.Ipv6CidrBlock) == cidr {
			return awaitBlock6(ctx, g, id, cidr)
		}
		if aws.ToBool(s.AssignIpv6AddressOnCreation) {
			if err := setAssign6(ctx, g, id, false); err != nil {
				return err
			}
		}
		if err := dropBlock6(ctx, g, id, aws.ToString(b.AssociationId)); err != nil {
			return err
		}
	}
	// NoRetry looks first, since the call has no token. A block that is associated or being associated counts as found
	// if it has the same addresses.
	_, err = api.NoRetry(ctx, g, func() (types.SubnetIpv6CidrBlockAssociation, error) {
		out, err := g.EC2.AssociateSubnetCidrBlock(ctx, &ec2.AssociateSubnetCidrBlockInput{
			SubnetId: aws.String(id), Ipv6CidrBlock: aws.String(cidr),
		}, api.OnlyRefused)
		if err != nil {
			return types.SubnetIpv6CidrBlockAssociation{}, err
		}
		return *out.Ipv6CidrBlockAssociation, nil
	}, func() ([]types.SubnetIpv6CidrBlockAssociation, error) {
		s, err := subnets().One(ctx, g, id)
		return slices.DeleteFunc(subnetBlocks6(s), func(b types.SubnetIpv6CidrBlockAssociation) bool {
			return aws.ToString(b.Ipv6CidrBlock) != cidr
		}), err
	})
	if err != nil {
		return err
	}
	return awaitBlock6(ctx, g, id, cidr)
}

// dropBlock6 removes a block and waits until it is gone: AWS first requires the instances with addresses to be
// deleted. Amazon EC2 API Reference, DisassociateSubnetCidrBlock: "You must detach or delete all gateways and
// resources that are associated with the CIDR block before you can disassociate it".
func dropBlock6(ctx context.Context, g *api.Region, id, association string) error {
	err := g.DeleteHeld(ctx, association, func() error {
		_, err := g.EC2.DisassociateSubnetCidrBlock(ctx,
			&ec2.DisassociateSubnetCidrBlockInput{AssociationId: aws.String(association)})
		return err
	}, func() ([]api.Holder, error) { return api.Held(withIPv6(ctx, g, id)) }, blockInUse, "DependencyViolation")
	if err != nil {
		return err
	}
	return awaitBlock6(ctx, g, id, "")
}

// awaitBlock6 waits until a subnet has a block and no other; "" is none. An associating,
// disassociating or failing block still changes, so the wait continues. A failed block ends the
// wait only if it has the requested addresses: EC2 may still list the failure of an earlier
// attempt.
func awaitBlock6(ctx context.Context, g *api.Region, id, cidr string) error {
	return g.AwaitSeen(ctx, g.Wait.Compute, "the IPv6 addresses of "+id, func(ctx context.Context) error {
		s, err := subnets().Poll(ctx, g, id)
		if err != nil {
			return err
		}
		has := ""
		for _, b := range s.Ipv6CidrBlockAssociationSet {
			own := aws.ToString(b.Ipv6CidrBlock)
			switch subnetState6(b) {
			case types.SubnetCidrBlockStateCodeAssociated:
				has = own
			case types.SubnetCidrBlockStateCodeAssociating, types.SubnetCidrBlockStateCodeDisassociating,
				types.SubnetCidrBlockStateCodeFailing:
				return api.ErrWait
			case types.SubnetCidrBlockStateCodeFailed:
				if own == cidr {
					return &provider.Error{
						Cause: provider.Configuration, Op: "ec2.AssociateSubnetCidrBlock", Hint: "apply again",
						Err: fmt.Errorf("AWS could not give %s the IPv6 addresses %s: %s", id, cidr,
							aws.ToString(b.Ipv6CidrBlockState.StatusMessage)),
					}
				}
			case types.SubnetCidrBlockStateCodeDisassociated:
			}
		}
		if has != cidr {
			return api.ErrWait // not visible yet
		}
		return nil
	})
}

// setAssign6 sets whether network interfaces that are created in a subnet get an IPv6 address. It
// may be repeated, since the call sets a value. A subnet that is not visible yet is waited for.
func setAssign6(ctx context.Context, g *api.Region, id string, on bool) error {
	return g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.EC2.ModifySubnetAttribute(ctx, &ec2.ModifySubnetAttributeInput{
			SubnetId: aws.String(id), AssignIpv6AddressOnCreation: &types.AttributeBooleanValue{Value: aws.Bool(on)},
		})
		return api.Classify("", err)
	}, "InvalidSubnetID.NotFound")
}

// withIPv6 lists the instances in a subnet that have an IPv6 address. Other interfaces are not
// listed, although they may prevent the removal of the block as well.
func withIPv6(ctx context.Context, g *api.Region, subnet string) (names []string, err error) {
	all, err := api.Instances(ctx, g, &ec2.DescribeInstancesInput{
		Filters: append(api.Where("subnet-id", subnet), api.Living()...),
	})
	for _, i := range all {
		if aws.ToString(i.Ipv6Address) != "" {
			names = append(names, api.InstanceName(g, i))
		}
	}
	return names, err
}
