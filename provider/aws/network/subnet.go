package network

import (
	"context"
	"net/netip"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

func subnets() api.StandardKind[types.Subnet] {
	return api.StandardKind[types.Subnet]{
		Kind: api.KindSubnet, Call: "ec2.DescribeSubnets", Filter: "subnet-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.Subnet, *string, error) {
			out, err := g.EC2.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{
				SubnetIds: q.IDs, Filters: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.Subnets, out.NextToken, nil
		},
		ID:      func(x types.Subnet) *string { return x.SubnetId },
		Observe: observedSubnet,
	}
}

// observedSubnet converts an answer of EC2 to a resource. A default subnet came with the account:
// until it has marks, it is reported as a default and not as an unmanaged resource. public_ip is
// false if EC2 does not report it.
func observedSubnet(g *api.Region, s types.Subnet) resource.Observed {
	o := resource.Observed{ID: aws.ToString(s.SubnetId), Health: resource.Healthy}
	switch s.State {
	case types.SubnetStatePending:
		o.Health = resource.Pending
	case types.SubnetStateFailed, types.SubnetStateFailedInsufficientCapacity, types.SubnetStateUnavailable:
		o.Health, o.Message = resource.Failing, string(s.State)
	case types.SubnetStateAvailable:
	default:
		o.Health, o.Message = api.UnknownState(s.State)
	}
	a := api.Attrs{}
	a.Text("vpc", s.VpcId)
	a.Text("cidr", s.CidrBlock)
	a.Text("zone", s.AvailabilityZone)
	a["public_ip"] = resource.Bool(aws.ToBool(s.MapPublicIpOnLaunch))
	observedSubnetIPv6(a, s)
	o.Attrs = a.Build()
	g.Identify(&o, api.KindSubnet, "", api.TagsOf(s.Tags))
	if aws.ToBool(s.DefaultForAz) && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o
}

// createSubnet creates a subnet and waits for it and its IPv6 block. The zone is chosen before the
// call, because AWS may choose a zone that lacks current instance types. A failure after the call
// leaves a tagged subnet, which the next attempt finds and completes. Amazon EC2 API Reference,
// CreateSubnet: without a zone, "we do not necessarily select a different zone for each subnet". A
// repeated attempt may choose another zone without harm, because orderSubnet searches for the
// subnet before it creates one.
func createSubnet(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	vpc, _ := api.Text(r.Desired.Attrs, "vpc")
	zone := api.DesiredText(r.Desired.Attrs, "zone")
	if zone == nil {
		zone = freeZone(ctx, g, vpc)
	}
	in := &ec2.CreateSubnetInput{
		VpcId:             api.DesiredText(r.Desired.Attrs, "vpc"),
		CidrBlock:         api.DesiredText(r.Desired.Attrs, "cidr"),
		AvailabilityZone:  zone,
		TagSpecifications: []types.TagSpecification{api.Born(types.ResourceTypeSubnet, g.BirthTags(r, true))},
	}
	if n, set := api.Number(r.Desired.Attrs, blockAttr); set {
		cidr, err := block6(ctx, g, vpc, n)
		if err != nil {
			return resource.Observed{}, err
		}
		in.Ipv6CidrBlock = aws.String(cidr)
	}
	id, err := orderSubnet(ctx, g, r, in)
	if err != nil {
		return resource.Observed{}, err
	}
	if err := finishSubnet(ctx, g, r, id, aws.ToString(in.Ipv6CidrBlock)); err != nil {
		return resource.Observed{}, err
	}
	return awaitSubnet(ctx, g, id)
}

// orderSubnet creates a subnet once per key and returns its ID. CreateSubnet has no client token,
// so NoRetry finds the result of an earlier attempt by its tag. A VPC that is not visible yet is
// waited for.
func orderSubnet(ctx context.Context, g *api.Region, r provider.Request, in *ec2.CreateSubnetInput) (string, error) {
	made, err := api.NoRetry(ctx, g, func() (types.Subnet, error) {
		var out *ec2.CreateSubnetOutput
		err := g.Patiently(ctx, g.Wait.Appear, func() (err error) {
			out, err = g.EC2.CreateSubnet(ctx, in, api.OnlyRefused)
			return api.Classify("", err)
		}, "InvalidVpcID.NotFound")
		if err != nil {
			return types.Subnet{}, err
		}
		return *out.Subnet, nil
	}, func() ([]types.Subnet, error) {
		return subnets().Where(ctx, g, api.BornWith(r.Key))
	})
	return aws.ToString(made.SubnetId), err
}

// finishSubnet sets the attributes that CreateSubnet does not have, one per call ("You can only modify one attribute
// at a time", ModifySubnetAttribute). Addresses can be assigned only from a block that is associated.
func finishSubnet(ctx context.Context, g *api.Region, r provider.Request, id, block string) error {
	if public, _ := api.Flag(r.Desired.Attrs, "public_ip"); public {
		if err := setPublicIP(ctx, g, id, true); err != nil {
			return err
		}
	}
	if block == "" {
		return nil
	}
	if err := awaitBlock6(ctx, g, id, block); err != nil {
		return err
	}
	if on, _ := api.Flag(r.Desired.Attrs, assignAttr); on {
		return setAssign6(ctx, g, id, true)
	}
	return nil
}

// setPublicIP sets whether instances that are launched in a subnet get a public IPv4 address. It
// may be repeated, since the call sets a value. A subnet that is not visible yet is waited for.
func setPublicIP(ctx context.Context, g *api.Region, id string, on bool) error {
	return g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.EC2.ModifySubnetAttribute(ctx, &ec2.ModifySubnetAttributeInput{
			SubnetId: aws.String(id), MapPublicIpOnLaunch: &types.AttributeBooleanValue{Value: aws.Bool(on)},
		})
		return api.Classify("", err)
	}, "InvalidSubnetID.NotFound")
}

// awaitSubnet waits until a subnet is not pending and returns it. A failed subnet ends the wait
// without an error: the health of the result is failing.
func awaitSubnet(ctx context.Context, g *api.Region, id string) (o resource.Observed, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the subnet "+id, func(ctx context.Context) error {
		s, err := subnets().One(ctx, g, id)
		if err != nil {
			return err
		}
		if s.State == types.SubnetStatePending {
			return api.ErrWait
		}
		o = observedSubnet(g, s)
		return nil
	})
	return o, err
}

// updateSubnet changes the launch settings and the IPv6 block. All other attributes of a subnet
// need a replacement. Amazon EC2 API Reference, CreateSubnet: "After you create a subnet, you can't
// change its CIDR block".
func updateSubnet(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	if api.Changed(r, "public_ip") {
		on, _ := api.Flag(r.Desired.Attrs, "public_ip")
		if err := setPublicIP(ctx, g, id, on); err != nil {
			return resource.Observed{}, err
		}
	}
	if err := updateIPv6(ctx, g, r); err != nil {
		return resource.Observed{}, err
	}
	return awaitSubnet(ctx, g, id)
}

// deleteSubnet waits while deleted instances and services still have interfaces in the subnet
// (DeleteSubnet: "You must terminate all running instances in the subnet").
func deleteSubnet(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	return g.DeleteHeld(ctx, id, func() error {
		_, err := g.EC2.DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) {
		held, err := api.Held(api.InstancesWhere(ctx, g, "subnet-id", id))
		if err != nil {
			return nil, err
		}
		others, err := InterfacesWhere(ctx, g, "subnet-id", id)
		return append(held, others...), err
	}, "DependencyViolation")
}

// checkSubnet asks EC2 for a dry run. A conflict with the addresses of the subnet that this one
// replaces is not an error, because that subnet is deleted first. The IPv6 block is not part of the
// dry run: it is computed from the addresses of the VPC when the subnet is created.
func checkSubnet(ctx context.Context, g *api.Region, r provider.Request) error {
	a := r.Desired.Attrs
	if api.Unresolved(a) {
		return nil
	}
	_, err := g.EC2.CreateSubnet(ctx, &ec2.CreateSubnetInput{
		VpcId: api.DesiredText(a, "vpc"), CidrBlock: api.DesiredText(a, "cidr"), AvailabilityZone: api.DesiredText(a, "zone"),
		DryRun: aws.Bool(true),
	})
	if api.HasCode(err, "InvalidSubnet.Conflict") {
		old, had := block(&resource.Desired{Attrs: r.Have.Attrs})
		next, ok := block(&r.Desired)
		if had && ok && old.Overlaps(next) {
			return nil
		}
	}
	return api.DryRun(err)
}

// replaceSubnet: the subnets of one VPC must not overlap, in IPv6 either. In another VPC, which may not exist yet,
// nothing is in its way. If a block is unknown, the old subnet is deleted first, because its addresses may be in the
// way.
func replaceSubnet(d resource.Desired, have resource.Observed) []resource.Strategy {
	was, _ := api.Text(have.Attrs, "cidr")
	old, err := netip.ParsePrefix(was)
	next, ok := block(&d)
	switch {
	case err != nil || !ok:
		return api.DestroyFirst()
	case !api.SameText(d, have, api.KindVPC), !old.Overlaps(next) && !sameBlock(d, have):
		return api.CreateFirst()
	}
	return api.DestroyFirst()
}

// sameBlock reports that a subnet keeps its IPv6 block.
func sameBlock(d resource.Desired, have resource.Observed) bool {
	next, set := api.Number(d.Attrs, blockAttr)
	was, had := api.Number(have.Attrs, blockAttr)
	return set && had && next == was
}
