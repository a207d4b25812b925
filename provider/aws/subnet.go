package aws

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func subnets(ctx context.Context, g *region, in *ec2.DescribeSubnetsInput) ([]types.Subnet, error) {
	return pages(ctx, "ec2.DescribeSubnets", func(ctx context.Context, token *string) ([]types.Subnet, *string, error) {
		in.NextToken, in.MaxResults = token, pageOf(in.SubnetIds)
		out, err := g.ec2.DescribeSubnets(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Subnets, out.NextToken, nil
	})
}

func observedSubnet(g *region, s types.Subnet) resource.Observed {
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

func oneSubnet(ctx context.Context, g *region, id string) (types.Subnet, error) {
	all, err := subnets(ctx, g, &ec2.DescribeSubnetsInput{SubnetIds: []string{id}})
	return only(all, err, "ec2.DescribeSubnets", id)
}

func readSubnet(ctx context.Context, g *region, id string) (resource.Observed, error) {
	s, err := oneSubnet(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedSubnet(g, s), nil
}

func createSubnet(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	vpc, _ := text(r.Desired.Attrs, "vpc")
	zone := desired(r.Desired.Attrs, "zone")
	if zone == nil {
		zone = freeZone(ctx, g, vpc)
	}
	in := &ec2.CreateSubnetInput{
		VpcId:             desired(r.Desired.Attrs, "vpc"),
		CidrBlock:         desired(r.Desired.Attrs, "cidr"),
		AvailabilityZone:  zone,
		TagSpecifications: []types.TagSpecification{born(types.ResourceTypeSubnet, g.birthTags(r, true))},
	}
	if n, set := number(r.Desired.Attrs, blockAttr); set {
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

func orderSubnet(ctx context.Context, g *region, r provider.Request, in *ec2.CreateSubnetInput) (string, error) {
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
		return subnets(ctx, g, &ec2.DescribeSubnetsInput{Filters: bornWith(r.Key)})
	})
	return aws.ToString(made.SubnetId), err
}

// finishSubnet sets what the call that creates a subnet does not.
func finishSubnet(ctx context.Context, g *region, r provider.Request, id, block string) error {
	if public, _ := flag(r.Desired.Attrs, "public_ip"); public {
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
	if on, _ := flag(r.Desired.Attrs, assignAttr); on {
		return setAssign6(ctx, g, id, true)
	}
	return nil
}

func setPublicIP(ctx context.Context, g *region, id string, on bool) error {
	return g.patiently(ctx, g.wait.Appear, func() error {
		_, err := g.ec2.ModifySubnetAttribute(ctx, &ec2.ModifySubnetAttributeInput{
			SubnetId: aws.String(id), MapPublicIpOnLaunch: &types.AttributeBooleanValue{Value: aws.Bool(on)},
		})
		return classify("", err)
	}, "InvalidSubnetID.NotFound")
}

func awaitSubnet(ctx context.Context, g *region, id string) (o resource.Observed, err error) {
	err = g.awaitSeen(ctx, g.wait.Compute, "the subnet "+id, func(ctx context.Context) error {
		s, err := oneSubnet(ctx, g, id)
		if err != nil {
			return err
		}
		if s.State == types.SubnetStatePending {
			return errWait
		}
		o = observedSubnet(g, s)
		return nil
	})
	return o, err
}

func updateSubnet(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	if changed(r, "public_ip") {
		on, _ := flag(r.Desired.Attrs, "public_ip")
		if err := setPublicIP(ctx, g, id, on); err != nil {
			return resource.Observed{}, err
		}
	}
	if err := updateIPv6(ctx, g, r); err != nil {
		return resource.Observed{}, err
	}
	return awaitSubnet(ctx, g, id)
}

func deleteSubnet(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	return g.deleteHeld(ctx, id, func() error {
		_, err := g.ec2.DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: aws.String(id)})
		return err
	}, func() ([]string, error) {
		names, err := instancesWhere(ctx, g, "subnet-id", id)
		if err != nil {
			return nil, err
		}
		others, err := interfacesWhere(ctx, g, "subnet-id", id)
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
