package balance

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindBalancer is the kind load_balancer.
	KindBalancer = "load_balancer"
	application  = "application"
	facing       = "internet-facing"
)

// kindOfBalancer returns the kind load_balancer. A replacement is created first, so that the old
// load balancer serves requests until the new one exists.
func kindOfBalancer() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindBalancer,
			Doc: "A load balancer that distributes requests across targets.\n\n" +
				"Its listeners define which requests it accepts; their target groups define where requests\n" +
				"go. The resource name is the AWS name, unless identifier sets another. " +
				"A create-first replacement gets a short hash as a\n" +
				"suffix.",
			NamePattern: elbName, NameDoc: elbNameDoc,
			CrossCheck: api.CrossChecks(api.TagTraits{}, balancerZones),
			Identifier: api.Identifier,
			Holds:      api.HoldsName("load balancer", api.Identifier), HoldsDoc: api.HeldInRegion,
			Replace: func(resource.Desired, resource.Observed) []resource.Strategy { return api.CreateFirst() },
			Attrs: []resource.Attribute{
				api.SuffixedIdentifierAttr(elbName),
				{
					Name: "balancer_type", Type: resource.TString, Effect: resource.Replace,
					HarmlessDefault: true, Default: resource.String(application),
					Enum:    []string{application, "network"},
					Example: application, Doc: "application for HTTP and HTTPS, network for TCP, TLS and UDP.",
				},
				{
					Name: "scheme", Type: resource.TString, Effect: resource.Replace, Default: resource.String(facing),
					Enum:    []string{facing, "internal"},
					Example: "internal", Doc: "Whether it has public addresses. If so, its VPC needs an internet gateway before: " +
						"name it in depends_on.",
				},
				{
					Name: "subnets", Type: resource.TSet, Required: true, Min: api.Bound(1),
					Elem: &resource.Attribute{
						Type: resource.TString, RefKind: api.KindSubnet, IDPrefix: "subnet-", Parent: api.KindVPC,
					},
					Example: "[public-a, public-b]", Doc: "The subnets it is in, one in each availability zone; an application load " +
						"balancer needs two.",
				},
				api.GroupsAttr("The security groups that apply to it. If omitted, the VPC's default group."),
				{Name: "dns_name", Type: resource.TString, Computed: true, Doc: "The name by which it is reached."},
				{Name: "zone_id", Type: resource.TString, Computed: true, Doc: "The hosted zone of that name, for aliases."},
			},
		},
		List: listBalancers, Read: readBalancer, Tag: tagELB, Check: checkBalancer,
		Create: createBalancer, Update: updateBalancer, Remove: deleteBalancer,
		Calls: api.Calls{
			Service:  "elasticloadbalancing",
			Observes: "DescribeLoadBalancers DescribeTags",
			Creates:  "AddTags CreateLoadBalancer",
			Changes:  "AddTags RemoveTags SetSecurityGroups SetSubnets",
			Deletes:  "DeleteLoadBalancer",
			Linked:   "elasticloadbalancing.amazonaws.com",
		},
	}
}

// balancerZones: an application load balancer is in two zones at least ("Subnets for your load
// balancer"). A network load balancer may be in a single zone (Elastic Load Balancing API
// Reference, CreateLoadBalancer), so it is not checked.
func balancerZones(c *api.Checking) {
	some := &api.Checking{Find: c.Find}
	for _, d := range c.Configured {
		if api.DesiredIs(d.Attrs, "balancer_type", application) {
			some.Configured = append(some.Configured, d)
		}
	}
	api.TwoZones(some)
	c.Found = append(c.Found, some.Found...)
}

// rawBalancers returns all pages of a list, or an error. The service accepts no page size together
// with names or ARNs.
func rawBalancers(ctx context.Context, g *api.Region, in *elb.DescribeLoadBalancersInput) ([]types.LoadBalancer,
	error,
) {
	return api.Pages(ctx, "elasticloadbalancing.DescribeLoadBalancers",
		func(ctx context.Context, token *string) ([]types.LoadBalancer, *string, error) {
			if in.Marker = token; len(in.Names)+len(in.LoadBalancerArns) == 0 {
				in.PageSize = aws.Int32(elbPage)
			}
			out, err := g.ELB.DescribeLoadBalancers(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return out.LoadBalancers, out.NextMarker, nil
		})
}

// observedBalancers returns load balancers with their tags, or the error of their list.
func observedBalancers(ctx context.Context, g *api.Region, all []types.LoadBalancer, err error) ([]resource.Observed,
	error,
) {
	if err != nil {
		return nil, err
	}
	return withTags(ctx, g, all, func(b types.LoadBalancer) *string { return b.LoadBalancerArn },
		func(b types.LoadBalancer, tags map[string]string) resource.Observed {
			return observedBalancer(g, b, tags)
		})
}

// observedBalancer converts an answer of the service. An impaired load balancer is healthy with a
// message: it serves requests, and a replacement would interrupt them. LoadBalancerState: an
// impaired load balancer "is routing traffic but does not have the resources it needs to scale".
// Subnets and groups are sorted, because their order means nothing.
func observedBalancer(g *api.Region, b types.LoadBalancer, tags map[string]string) resource.Observed {
	o := resource.Observed{ID: aws.ToString(b.LoadBalancerArn), Since: aws.ToTime(b.CreatedTime), Health: resource.Healthy}
	if b.State != nil {
		switch b.State.Code {
		case types.LoadBalancerStateEnumProvisioning:
			o.Health = resource.Pending
		case types.LoadBalancerStateEnumFailed:
			o.Health, o.Message = resource.Failing, aws.ToString(b.State.Reason)
		case types.LoadBalancerStateEnumActiveImpaired:
			o.Message = "impaired: " + aws.ToString(b.State.Reason)
		case types.LoadBalancerStateEnumActive:
		default:
			o.Health, o.Message = api.UnknownState(b.State.Code)
		}
	}
	a := api.Attrs{"balancer_type": resource.String(b.Type), "scheme": resource.String(b.Scheme)}
	var subnets []string
	for _, z := range b.AvailabilityZones {
		subnets = append(subnets, aws.ToString(z.SubnetId))
	}
	slices.Sort(subnets)
	a.Texts("subnets", subnets)
	groups := slices.Clone(b.SecurityGroups)
	slices.Sort(groups)
	a.Texts("security_groups", groups)
	a.Text("dns_name", b.DNSName)
	a.Text("zone_id", b.CanonicalHostedZoneId)
	o.Attrs = a.Build()
	g.IdentifyNamed(&o, KindBalancer, aws.ToString(b.LoadBalancerName), tags)
	return o
}

func listBalancers(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := allBalancers(ctx, s)
	return observedBalancers(ctx, s.Region, all, err)
}

func readBalancer(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	raw, err := rawBalancers(ctx, g, &elb.DescribeLoadBalancersInput{LoadBalancerArns: []string{id}})
	all, err := observedBalancers(ctx, g, raw, err)
	return lone(all, err, "elasticloadbalancing.DescribeLoadBalancers", id)
}

func checkBalancer(ctx context.Context, g *api.Region, r provider.Request) error {
	return balancerByName(g, r).check(ctx, g, r)
}

// balancerByName finds and creates the load balancer of a request. Subnets and security groups may
// have been created a moment ago, so refusals that name them are repeated for the wait of
// propagation. A missing gateway is not one of these refusals, so it is an error at once.
func balancerByName(g *api.Region, r provider.Request) byName {
	a := r.Desired.Attrs
	kind, _ := api.Text(a, "balancer_type")
	scheme, _ := api.Text(a, "scheme")
	return byName{
		max: elbNameMax,
		find: func(ctx context.Context, name string) (resource.Observed, error) {
			raw, err := rawBalancers(ctx, g, &elb.DescribeLoadBalancersInput{Names: []string{name}})
			all, err := observedBalancers(ctx, g, raw, err)
			return lone(all, err, "elasticloadbalancing.DescribeLoadBalancers", name)
		},
		create: func(ctx context.Context, name string) error {
			return g.PatientlyIf(ctx, g.Wait.Appear, func() error {
				_, err := g.ELB.CreateLoadBalancer(ctx, &elb.CreateLoadBalancerInput{
					Name: aws.String(name), Type: types.LoadBalancerTypeEnum(kind), Scheme: types.LoadBalancerSchemeEnum(scheme),
					Subnets: a.Texts("subnets"), SecurityGroups: a.Texts("security_groups"), Tags: elbTagList(g.BirthTags(r, false)),
				})
				return noGateway(err)
			}, notYet)
		},
	}
}

// createBalancer creates a load balancer once per key and waits until it is in service.
func createBalancer(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	o, err := balancerByName(g, r).make(ctx, g, r)
	if err != nil {
		return o, err
	}
	return awaitBalancer(ctx, g, o.ID)
}

// awaitBalancer waits until it is in service, which takes some minutes. A load balancer in the
// state failed "could not be set up" (LoadBalancerState): its settings must be corrected, so the
// wait ends with an error.
func awaitBalancer(ctx context.Context, g *api.Region, id string) (o resource.Observed, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the load balancer "+id, func(ctx context.Context) error {
		b, err := pollBalancer(ctx, g, id)
		if err != nil {
			return err
		}
		switch o = observedBalancer(g, b, nil); {
		case o.Health == resource.Pending:
			return api.ErrWait
		case o.Health == resource.Failing:
			return api.Mistake("elasticloadbalancing.CreateLoadBalancer", fmt.Errorf("%s failed: %s", id, o.Message),
				"correct what it names, and apply again")
		}
		return nil
	})
	if err != nil {
		return o, err
	}
	return readBalancer(ctx, g, id) // with its tags
}

// updateBalancer sets the complete lists of subnets and of groups, so a repeated update has the
// same result. Elastic Load Balancing API Reference, SetSubnets: "The specified subnets replace the
// previously enabled subnets". A network load balancer accepts SetSecurityGroups only if it was
// created with a security group (SetSecurityGroups).
func updateBalancer(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id, a := aws.String(r.Have.ID), r.Desired.Attrs
	if api.Changed(r, "subnets") {
		if _, err := g.ELB.SetSubnets(ctx, &elb.SetSubnetsInput{
			LoadBalancerArn: id,
			Subnets:         a.Texts("subnets"),
		}); err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	if api.Changed(r, "security_groups") {
		if _, err := g.ELB.SetSecurityGroups(ctx,
			&elb.SetSecurityGroupsInput{LoadBalancerArn: id, SecurityGroups: a.Texts("security_groups")}); err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return awaitBalancer(ctx, g, r.Have.ID)
}

// deleteBalancer waits until it is gone. Its network interfaces go some minutes later; deleting its
// subnets and groups waits for that. Elastic Load Balancing API Reference, DeleteLoadBalancer: the
// call deletes its listeners too, and succeeds for a load balancer that does not exist. A load
// balancer with deletion protection is refused, and ovi does not remove the protection.
func deleteBalancer(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	_, err := g.ELB.DeleteLoadBalancer(ctx, &elb.DeleteLoadBalancerInput{LoadBalancerArn: aws.String(id)})
	if err = api.UnlessAbsent(err); err != nil {
		return err
	}
	return g.Await(ctx, g.Wait.Compute, "the deletion of "+id, func(ctx context.Context) error {
		_, err := pollBalancer(ctx, g, id)
		if err == nil {
			return api.ErrWait
		}
		return api.UnlessAbsent(err)
	})
}

// allBalancers returns the load balancers of a region. Listeners need the list too, so a sweep
// reads it once.
func allBalancers(ctx context.Context, s *api.Sweep) ([]types.LoadBalancer, error) {
	return api.Once(s, KindBalancer, func() ([]types.LoadBalancer, error) {
		return rawBalancers(ctx, s.Region, &elb.DescribeLoadBalancersInput{})
	})
}

// pollBalancer reads one of many load balancers that are waited for. If there are several, it reads all load balancers
// of the region: the service has no filter.
func pollBalancer(ctx context.Context, g *api.Region, id string) (types.LoadBalancer, error) {
	one := func(ctx context.Context, id string) ([]types.LoadBalancer, error) {
		return rawBalancers(ctx, g, &elb.DescribeLoadBalancersInput{LoadBalancerArns: []string{id}})
	}
	return api.Poll(ctx, g, "elasticloadbalancing.DescribeLoadBalancers", id, api.OneOrMany(one,
		func(ctx context.Context, _ []string) (map[string]types.LoadBalancer, error) {
			all, err := rawBalancers(ctx, g, &elb.DescribeLoadBalancersInput{})
			out := make(map[string]types.LoadBalancer, len(all))
			for _, b := range all {
				out[aws.ToString(b.LoadBalancerArn)] = b
			}
			return out, err
		}))
}
