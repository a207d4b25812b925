package aws

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func vpcs(ctx context.Context, g *region, in *ec2.DescribeVpcsInput) ([]types.Vpc, error) {
	return pages(ctx, "ec2.DescribeVpcs", func(ctx context.Context, token *string) ([]types.Vpc, *string, error) {
		in.NextToken, in.MaxResults = token, pageOf(in.VpcIds)
		out, err := g.ec2.DescribeVpcs(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Vpcs, out.NextToken, nil
	})
}

func observedVPC(g *region, v types.Vpc) resource.Observed {
	o := resource.Observed{ID: aws.ToString(v.VpcId), Health: resource.Healthy}
	if v.State == types.VpcStatePending {
		o.Health = resource.Pending
	}
	a := attrs{}
	a.text("cidr", v.CidrBlock)
	observedIPv6(a, v)
	o.Attrs = a.done()
	tags := tagsOf(v.Tags)
	g.identify(&o, kindVPC, naturalVPC(tags, o.ID), tags)
	if aws.ToBool(v.IsDefault) && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o
}

var vpcName = regexp.MustCompile(`^` + tagName + `$`)

// naturalVPC is the Name tag of a VPC, if a resource can have that name. VPCs are few and named
// with care, so that one with the name of a configured one is most likely meant. A name that
// has the form of an id is none, and neither is one that ovi wrote: its marks are its name.
func naturalVPC(tags map[string]string, id string) string {
	name := tags[tagHuman]
	if tags[tagNamed] == "true" || strings.HasPrefix(name, "vpc-") || !vpcName.MatchString(name) {
		return id
	}
	return name
}

func readVPC(ctx context.Context, g *region, id string) (resource.Observed, error) {
	v, err := oneVPC(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedVPC(g, v), nil
}

func createVPC(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	cidr, _ := text(r.Desired.Attrs, "cidr")
	in := &ec2.CreateVpcInput{
		CidrBlock:         aws.String(cidr),
		TagSpecifications: []types.TagSpecification{born(types.ResourceTypeVpc, g.birthTags(r, true))},
	}
	ipv6, _ := flag(r.Desired.Attrs, ipv6Attr)
	if ipv6 {
		in.AmazonProvidedIpv6CidrBlock = aws.Bool(true)
	}
	made, err := noRetry(ctx, g, func() (types.Vpc, error) {
		out, err := g.ec2.CreateVpc(ctx, in, onlyRefused)
		if err != nil {
			return types.Vpc{}, err
		}
		return *out.Vpc, nil
	}, func() ([]types.Vpc, error) { return vpcs(ctx, g, &ec2.DescribeVpcsInput{Filters: bornWith(r.Key)}) })
	if err != nil {
		return resource.Observed{}, err
	}
	id := aws.ToString(made.VpcId)
	_, hasSupport := flag(r.Desired.Attrs, "dns_support")
	_, hasNames := flag(r.Desired.Attrs, "dns_hostnames")
	if err := setDNS(ctx, g, r.Desired.Attrs, id, hasSupport, hasNames); err != nil {
		return resource.Observed{}, err
	}
	if ipv6 {
		if err := awaitIPv6(ctx, g, id, "", true); err != nil {
			return resource.Observed{}, err
		}
	}
	return awaitVPC(ctx, g, id)
}

// setDNS sets the two flags, one per call as AWS requires.
func setDNS(ctx context.Context, g *region, a resource.Attrs, id string, support, hostnames bool) error {
	set := func(in *ec2.ModifyVpcAttributeInput) error {
		in.VpcId = aws.String(id)
		return g.patiently(ctx, g.wait.Appear, func() error {
			_, err := g.ec2.ModifyVpcAttribute(ctx, in)
			return classify("", err)
		}, "InvalidVpcID.NotFound")
	}
	if v, ok := flag(a, "dns_support"); ok && support {
		if err := set(&ec2.ModifyVpcAttributeInput{EnableDnsSupport: &types.AttributeBooleanValue{Value: aws.Bool(v)}}); err != nil {
			return err
		}
	}
	if v, ok := flag(a, "dns_hostnames"); ok && hostnames {
		return set(&ec2.ModifyVpcAttributeInput{EnableDnsHostnames: &types.AttributeBooleanValue{Value: aws.Bool(v)}})
	}
	return nil
}

func oneVPC(ctx context.Context, g *region, id string) (types.Vpc, error) {
	all, err := vpcs(ctx, g, &ec2.DescribeVpcsInput{VpcIds: []string{id}})
	return only(all, err, "ec2.DescribeVpcs", id)
}

func awaitVPC(ctx context.Context, g *region, id string) (o resource.Observed, err error) {
	err = g.awaitSeen(ctx, g.wait.Compute, "the vpc "+id, func(ctx context.Context) error {
		v, err := oneVPC(ctx, g, id)
		if err != nil {
			return err
		}
		if v.State == types.VpcStatePending {
			return errWait
		}
		o = observedVPC(g, v)
		return nil
	})
	return o, err
}

func updateVPC(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	if err := setDNS(ctx, g, r.Desired.Attrs, id, changed(r, "dns_support"), changed(r, "dns_hostnames")); err != nil {
		return resource.Observed{}, err
	}
	if on, set := flag(r.Desired.Attrs, ipv6Attr); set && changed(r, ipv6Attr) {
		if err := setIPv6(ctx, g, id, on); err != nil {
			return resource.Observed{}, err
		}
	}
	return awaitVPC(ctx, g, id)
}

func deleteVPC(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	return g.deleteHeld(ctx, id, func() error {
		_, err := g.ec2.DeleteVpc(ctx, &ec2.DeleteVpcInput{VpcId: aws.String(id)})
		return err
	}, func() ([]string, error) { return inVPC(ctx, g, id) }, "DependencyViolation")
}

// inVPC lists what is in a VPC and prevents its deletion.
func inVPC(ctx context.Context, g *region, id string) ([]string, error) {
	var names []string
	subnets, err := subnets(ctx, g, &ec2.DescribeSubnetsInput{Filters: where("vpc-id", id)})
	if err != nil {
		return nil, err
	}
	for _, s := range subnets {
		names = append(names, nameID(observedSubnet(g, s)))
	}
	groups, err := groups(ctx, g, &ec2.DescribeSecurityGroupsInput{Filters: where("vpc-id", id)})
	for _, s := range groups {
		if aws.ToString(s.GroupName) != "default" {
			names = append(names, nameID(observedGroup(g, s)))
		}
	}
	return names, err
}

// nameID is an ID and, if the resource has marks, its ref.
func nameID(o resource.Observed) string {
	if !o.Marks.IsZero() {
		return fmt.Sprintf("%s (%s)", o.ID, o.Marks.Ref)
	}
	return o.ID
}

func networks(ctx context.Context, s *sweep) ([]types.Vpc, error) {
	return once(s, kindVPC, func() ([]types.Vpc, error) { return vpcs(ctx, s.region, &ec2.DescribeVpcsInput{}) })
}
