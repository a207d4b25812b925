package aws

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func (g *region) subnets(ctx context.Context, in *ec2.DescribeSubnetsInput) ([]types.Subnet, error) {
	return pages(ctx, "ec2.DescribeSubnets", func(ctx context.Context, token *string) ([]types.Subnet, *string, error) {
		in.NextToken, in.MaxResults = token, pageOf(in.SubnetIds)
		out, err := g.ec2.DescribeSubnets(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Subnets, out.NextToken, nil
	})
}

func (g *region) observedSubnet(s types.Subnet) resource.Observed {
	o := resource.Observed{ID: aws.ToString(s.SubnetId), Health: resource.Healthy}
	switch s.State {
	case types.SubnetStatePending:
		o.Health = resource.Pending
	case types.SubnetStateFailed, types.SubnetStateFailedInsufficientCapacity, types.SubnetStateUnavailable:
		o.Health, o.Message = resource.Failing, string(s.State)
	case types.SubnetStateAvailable:
	}
	a := attrs{}
	a.text("vpc", s.VpcId)
	a.text("cidr", s.CidrBlock)
	a.text("zone", s.AvailabilityZone)
	a["public_ip"] = resource.Bool(aws.ToBool(s.MapPublicIpOnLaunch))
	observedSubnetIPv6(a, s)
	o.Attrs = a.done()
	g.identify(&o, kindSubnet, "", tagsOf(s.Tags))
	if aws.ToBool(s.DefaultForAz) && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o
}

func (g *region) subnet(ctx context.Context, id string) (types.Subnet, error) {
	all, err := g.subnets(ctx, &ec2.DescribeSubnetsInput{SubnetIds: []string{id}})
	return only(all, err, "ec2.DescribeSubnets", id)
}

func readSubnet(ctx context.Context, g *region, id string) (resource.Observed, error) {
	s, err := g.subnet(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return g.observedSubnet(s), nil
}

func createSubnet(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	vpc, _ := text(r.Desired.Attrs, "vpc")
	zone := desired(r.Desired.Attrs, "zone")
	if zone == nil {
		zone = g.freeZone(ctx, vpc)
	}
	in := &ec2.CreateSubnetInput{
		VpcId:             desired(r.Desired.Attrs, "vpc"),
		CidrBlock:         desired(r.Desired.Attrs, "cidr"),
		AvailabilityZone:  zone,
		TagSpecifications: []types.TagSpecification{born(types.ResourceTypeSubnet, g.birthTags(r, true))},
	}
	if n, set := number(r.Desired.Attrs, blockAttr); set {
		cidr, err := g.block6(ctx, vpc, n)
		if err != nil {
			return resource.Observed{}, err
		}
		in.Ipv6CidrBlock = aws.String(cidr)
	}
	id, err := g.orderSubnet(ctx, r, in)
	if err != nil {
		return resource.Observed{}, err
	}
	if err := g.finishSubnet(ctx, r, id, aws.ToString(in.Ipv6CidrBlock)); err != nil {
		return resource.Observed{}, err
	}
	return g.awaitSubnet(ctx, id)
}

func (g *region) orderSubnet(ctx context.Context, r provider.Request, in *ec2.CreateSubnetInput) (string, error) {
	made, err := noRetry(ctx, g, func() (types.Subnet, error) {
		var out *ec2.CreateSubnetOutput
		err := g.patiently(ctx, g.wait.Appear, func() (err error) {
			out, err = g.ec2.CreateSubnet(ctx, in, onlyRefused)
			return classify("", err)
		}, "InvalidVpcID.NotFound")
		if err != nil {
			return types.Subnet{}, err
		}
		return *out.Subnet, nil
	}, func() ([]types.Subnet, error) {
		return g.subnets(ctx, &ec2.DescribeSubnetsInput{Filters: bornWith(r.Key)})
	})
	return aws.ToString(made.SubnetId), err
}

// finishSubnet sets what the call that creates a subnet does not.
func (g *region) finishSubnet(ctx context.Context, r provider.Request, id, block string) error {
	if public, _ := flag(r.Desired.Attrs, "public_ip"); public {
		if err := g.setPublicIP(ctx, id, true); err != nil {
			return err
		}
	}
	if block == "" {
		return nil
	}
	if err := g.awaitBlock6(ctx, id, block); err != nil {
		return err
	}
	if on, _ := flag(r.Desired.Attrs, assignAttr); on {
		return g.setAssign6(ctx, id, true)
	}
	return nil
}

func (g *region) setPublicIP(ctx context.Context, id string, on bool) error {
	return g.patiently(ctx, g.wait.Appear, func() error {
		_, err := g.ec2.ModifySubnetAttribute(ctx, &ec2.ModifySubnetAttributeInput{
			SubnetId: aws.String(id), MapPublicIpOnLaunch: &types.AttributeBooleanValue{Value: aws.Bool(on)},
		})
		return classify("", err)
	}, "InvalidSubnetID.NotFound")
}

func (g *region) awaitSubnet(ctx context.Context, id string) (o resource.Observed, err error) {
	err = g.awaitSeen(ctx, g.wait.Compute, "the subnet "+id, func(ctx context.Context) error {
		s, err := g.subnet(ctx, id)
		if err != nil {
			return err
		}
		if s.State == types.SubnetStatePending {
			return errWait
		}
		o = g.observedSubnet(s)
		return nil
	})
	return o, err
}

func updateSubnet(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	if changed(r, "public_ip") {
		on, _ := flag(r.Desired.Attrs, "public_ip")
		if err := g.setPublicIP(ctx, id, on); err != nil {
			return resource.Observed{}, err
		}
	}
	if err := g.updateIPv6(ctx, r); err != nil {
		return resource.Observed{}, err
	}
	return g.awaitSubnet(ctx, id)
}

func deleteSubnet(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	return g.deleteHeld(ctx, id, func() error {
		_, err := g.ec2.DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: aws.String(id)})
		return err
	}, func() ([]string, error) {
		names, err := g.instancesWhere(ctx, "subnet-id", id)
		if err != nil {
			return nil, err
		}
		others, err := g.interfacesWhere(ctx, "subnet-id", id)
		return append(names, others...), err
	}, "DependencyViolation")
}

// desired reads a configured string for the SDK: nil if it is not set.
func desired(a resource.Attrs, name string) *string {
	if s, ok := text(a, name); ok && s != "" {
		return aws.String(s)
	}
	return nil
}
