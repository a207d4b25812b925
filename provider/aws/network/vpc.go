package network

import (
	"context"
	"net/netip"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

func vpcs() api.StandardKind[types.Vpc] {
	return api.StandardKind[types.Vpc]{
		Kind: api.KindVPC, Call: "ec2.DescribeVpcs", Filter: "vpc-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.Vpc, *string, error) {
			out, err := g.EC2.DescribeVpcs(ctx, &ec2.DescribeVpcsInput{
				VpcIds: q.IDs, Filters: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.Vpcs, out.NextToken, nil
		},
		ID:      func(x types.Vpc) *string { return x.VpcId },
		Observe: observedVPC,
	}
}

// observedVPC converts an answer of EC2. DescribeVpcs does not return the DNS attributes, which are
// therefore write-only in the schema. The default VPC came with the account: until it has marks, it
// is reported as a default and not as an unmanaged resource.
func observedVPC(g *api.Region, v types.Vpc) resource.Observed {
	o := resource.Observed{ID: aws.ToString(v.VpcId), Health: resource.Healthy}
	switch v.State {
	case types.VpcStatePending:
		o.Health = resource.Pending
	case types.VpcStateAvailable:
	default:
		o.Health, o.Message = api.UnknownState(v.State)
	}
	a := api.Attrs{}
	a.Text("cidr", v.CidrBlock)
	observedIPv6(a, v)
	o.Attrs = a.Build()
	tags := api.TagsOf(v.Tags)
	// The natural name is the Name tag, if a resource can have that name. VPCs are few and named with care, so that one
	// with the name of a configured one is most likely meant. A name that has the form of an id is none, and neither is
	// one that ovi wrote: its marks are its name.
	name := tags[api.TagHuman]
	if tags[api.TagNamed] == "true" || strings.HasPrefix(name, "vpc-") || !vpcName.MatchString(name) {
		name = o.ID
	}
	g.Identify(&o, api.KindVPC, name, tags)
	if aws.ToBool(v.IsDefault) && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o
}

// vpcName matches the names that a resource can have. A Name tag may hold any text.
var vpcName = regexp.MustCompile(`^` + api.TagName + `$`)

// createVPC creates a VPC and waits for it and its IPv6 block. CreateVpc has no client token, so a
// second call would create a second VPC; NoRetry finds the first by the tag of the request's key.
// An error after the call leaves a tagged VPC, which the next attempt finds and completes. The
// parameters of CreateVpc do not include the DNS flags. They are set by later calls, and only if
// they are configured.
func createVPC(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	cidr, _ := api.Text(r.Desired.Attrs, "cidr")
	in := &ec2.CreateVpcInput{
		CidrBlock:         aws.String(cidr),
		TagSpecifications: []types.TagSpecification{api.Born(types.ResourceTypeVpc, g.BirthTags(r, true))},
	}
	ipv6, _ := api.Flag(r.Desired.Attrs, ipv6Attr)
	if ipv6 {
		in.AmazonProvidedIpv6CidrBlock = aws.Bool(true)
	}
	made, err := api.NoRetry(ctx, g, func() (types.Vpc, error) {
		out, err := g.EC2.CreateVpc(ctx, in, api.OnlyRefused)
		if err != nil {
			return types.Vpc{}, err
		}
		return *out.Vpc, nil
	}, func() ([]types.Vpc, error) { return vpcs().Where(ctx, g, api.BornWith(r.Key)) })
	if err != nil {
		return resource.Observed{}, err
	}
	id := aws.ToString(made.VpcId)
	_, hasSupport := api.Flag(r.Desired.Attrs, "dns_support")
	_, hasNames := api.Flag(r.Desired.Attrs, "dns_hostnames")
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

// setDNS sets the two flags, support first. Amazon EC2 API Reference, ModifyVpcAttribute: "You cannot modify the DNS
// resolution and DNS hostnames attributes in the same request", and "You can only enable DNS hostnames if you've
// enabled DNS support". A flag is set if the caller selects it and it is configured. Both calls set a value, so they
// may be repeated.
func setDNS(ctx context.Context, g *api.Region, a resource.Attrs, id string, support, hostnames bool) error {
	set := func(in *ec2.ModifyVpcAttributeInput) error {
		in.VpcId = aws.String(id)
		return g.Patiently(ctx, g.Wait.Appear, func() error {
			_, err := g.EC2.ModifyVpcAttribute(ctx, in)
			return api.Classify("", err)
		}, "InvalidVpcID.NotFound")
	}
	if v, ok := api.Flag(a, "dns_support"); ok && support {
		if err := set(&ec2.ModifyVpcAttributeInput{
			EnableDnsSupport: &types.AttributeBooleanValue{Value: aws.Bool(v)},
		}); err != nil {
			return err
		}
	}
	if v, ok := api.Flag(a, "dns_hostnames"); ok && hostnames {
		return set(&ec2.ModifyVpcAttributeInput{EnableDnsHostnames: &types.AttributeBooleanValue{Value: aws.Bool(v)}})
	}
	return nil
}

// awaitVPC waits until a VPC is not pending and returns it.
func awaitVPC(ctx context.Context, g *api.Region, id string) (o resource.Observed, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the vpc "+id, func(ctx context.Context) error {
		v, err := vpcs().One(ctx, g, id)
		if err != nil {
			return err
		}
		if v.State == types.VpcStatePending {
			return api.ErrWait
		}
		o = observedVPC(g, v)
		return nil
	})
	return o, err
}

// updateVPC sets the changed flags and adds or removes the IPv6 block. The IPv4 block is fixed: a
// change of it is a replacement. All steps start from the live state or set a value, so an
// interrupted update may be repeated.
func updateVPC(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	if err := setDNS(ctx, g, r.Desired.Attrs, id, api.Changed(r, "dns_support"),
		api.Changed(r, "dns_hostnames")); err != nil {
		return resource.Observed{}, err
	}
	if on, set := api.Flag(r.Desired.Attrs, ipv6Attr); set && api.Changed(r, ipv6Attr) {
		if err := setIPv6(ctx, g, id, on); err != nil {
			return resource.Observed{}, err
		}
	}
	return awaitVPC(ctx, g, id)
}

// deleteVPC waits while resources that were deleted before it still occupy the VPC. Amazon EC2 API
// Reference, DeleteVpc: the default security group, network ACL and route table go with the VPC.
func deleteVPC(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	return g.DeleteHeld(ctx, id, func() error {
		_, err := g.EC2.DeleteVpc(ctx, &ec2.DeleteVpcInput{VpcId: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) { return api.Held(inVPC(ctx, g, id)) }, "DependencyViolation")
}

// inVPC names subnets and security groups in a VPC, to explain a refusal; other resources prevent the deletion too.
func inVPC(ctx context.Context, g *api.Region, id string) ([]string, error) {
	var names []string
	subnets, err := subnets().Where(ctx, g, api.Where("vpc-id", id))
	if err != nil {
		return nil, err
	}
	for _, s := range subnets {
		names = append(names, api.NameID(observedSubnet(g, s)))
	}
	groups, err := Groups().Where(ctx, g, api.Where("vpc-id", id))
	for _, s := range groups {
		// The default group is deleted with the VPC and prevents nothing.
		if aws.ToString(s.GroupName) != "default" {
			o := resource.Observed{ID: aws.ToString(s.GroupId)}
			g.Identify(&o, api.KindGroup, "", api.TagsOf(s.Tags))
			names = append(names, api.NameID(o))
		}
	}
	return names, err
}

// networks returns all VPCs of a region and reads them once per sweep. The kinds vpc and
// internet_gateway both need them.
func networks(ctx context.Context, s *api.Sweep) ([]types.Vpc, error) {
	return api.Once(s, api.KindVPC, func() ([]types.Vpc, error) { return vpcs().Where(ctx, s.Region, nil) })
}

// canonicalCIDR brings a block of addresses, which networkBlock has judged, to the form AWS gives it.
func canonicalCIDR(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	s, ok := api.Text(a, "cidr")
	if p, err := netip.ParsePrefix(s); ok && err == nil {
		a = a.With("cidr", resource.String(p.Masked().String()))
	}
	return a, nil
}

// checkVPC asks EC2 for a dry run, which reports a missing permission before the first action of
// the plan. Existing VPCs are no conflict, because two VPCs may have the same addresses.
func checkVPC(ctx context.Context, g *api.Region, r provider.Request) error {
	cidr, _ := api.Text(r.Desired.Attrs, "cidr")
	_, err := g.EC2.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String(cidr), DryRun: aws.Bool(true)})
	return api.DryRun(err)
}

// listVPCs always lists all VPCs: their natural name is the Name tag, so a filter by ovi's tags
// would hide an unmanaged VPC that has a configured name.
func listVPCs(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := networks(ctx, s)
	return api.ObservedAs(s, all, err, observedVPC)
}

// ReplaceVPC lets the new VPC be created first: two VPCs may have the same addresses.
func ReplaceVPC(resource.Desired, resource.Observed) []resource.Strategy { return api.CreateFirst() }
