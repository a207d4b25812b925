package network

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// The kind vpc_endpoint and its attributes.
const (
	// KindEndpoint is the kind vpc_endpoint.
	KindEndpoint = "vpc_endpoint"
	serviceAttr  = "service"
	endpointType = "endpoint_type"
	routeTables  = "route_tables"
	privateDNS   = "private_dns"
	gatewayType  = "gateway"
	interfaces   = "interface"
	PolicyAttr   = "policy"
)

func kindOfEndpoint() api.Kind {
	refs := func(name, kind, prefix, doc string) resource.Attribute {
		return resource.Attribute{
			Name: name, Type: resource.TSet, Min: api.Bound(1),
			Elem:    &resource.Attribute{Type: resource.TString, RefKind: kind, IDPrefix: prefix, Weak: kind == KindRouteTable},
			Example: "[private]", Doc: doc,
		}
	}
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindEndpoint,
			Doc: "A private way from a VPC to a service of AWS or of others.\n\n" +
				"A gateway (of S3 and DynamoDB) costs nothing and is a route in route tables; an interface has addresses in " +
				"subnets. It is created with its name as its Name tag; an existing one is adopted by its ID.",
			NameTag: api.TagHuman, NamePattern: api.TagName, NameDoc: api.TagNameDoc,
			Canonical: canonicalEndpoint, CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, endpointRegions),
			Replace: replaceEndpoint,
			Holds:   holdsEndpoint, HoldsDoc: "the route of a route table to the service; the private DNS name of the " +
				"service in its VPC",
			Attrs: []resource.Attribute{
				{
					Name: api.KindVPC, Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: api.KindVPC,
					IDPrefix: "vpc-", Example: "main", Doc: "The VPC it belongs to.",
				},
				{
					Name: serviceAttr, Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: `[a-z0-9.-]+`,
					Max: api.Bound(255), Example: "com.amazonaws.us-east-1.s3", Doc: "The name of the service, with its region.",
				},
				{
					Name: endpointType, Type: resource.TString, Effect: resource.Replace,
					HarmlessDefault: true, Default: resource.String(gatewayType),
					Enum: []string{gatewayType, interfaces}, Example: interfaces,
					Doc: "gateway for S3 and DynamoDB, interface for all others.",
				},
				refs(routeTables, KindRouteTable, "rtb-", "The route tables that get a route to it, for a gateway."),
				refs("subnets", api.KindSubnet, "subnet-",
					"The subnets in which it has an address, one in each zone, for an interface."),
				api.GroupsAttr("The security groups of an interface. If omitted, the VPC's default group."),
				{
					Name: privateDNS, Type: resource.TBool,
					HarmlessDefault: true, CreateDefault: resource.Bool(true), Example: "false",
					Doc: "Whether the public name of the service resolves to it inside the VPC, for an interface. " +
						"The VPC needs dns_support and dns_hostnames.",
				},
				{
					Name: PolicyAttr, Type: resource.TString, Valid: validEndpointPolicy, Fits: api.SamePolicy, Max: api.Bound(20480),
					Example: "${file:endpoint.json}", Doc: "Who may reach what through it, as JSON. If omitted, AWS's own: " +
						"everything.",
				},
				{Name: "dns_name", Type: resource.TString, Computed: true, Doc: "The DNS name of an interface " +
					"endpoint."},
			},
		},
		List: endpointsIn().ListAll, ByTag: true, Read: endpointsIn().ReadByID, Tag: api.TagEC2, Check: checkEndpoint,
		Create: createEndpoint, Update: updateEndpoint, Remove: deleteEndpoint,
		Calls: api.Calls{
			Service:  "ec2",
			Own:      "vpc-endpoint/*",
			Observes: "DescribeVpcEndpoints",
			Creates:  "CreateVpcEndpoint",
			Changes:  "ModifyVpcEndpoint",
			Deletes:  "DeleteVpcEndpoints",
			Touches:  "CreateVpcEndpoint ModifyVpcEndpoint",
			Others:   []string{"route53:AssociateVPCWithHostedZone"},
		},
	}
}

// canonicalEndpoint rejects attributes of the other type of endpoint. Amazon EC2 API Reference,
// CreateVpcEndpoint: route tables belong to a gateway endpoint; subnets, security groups and
// private DNS to an interface endpoint. The type must be known, because it decides which attributes
// are valid. private_dns: false is accepted for a gateway, since it changes nothing.
func canonicalEndpoint(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	inside, known := api.Text(a, endpointType)
	if _, set := a.Get(endpointType); set && !known {
		return a, []resource.Problem{{
			Path: endpointType, Summary: endpointType + " must be known before apply", Suggestion: "write gateway or interface",
		}}
	}
	_, chosen := a.Get(privateDNS)
	var problems []resource.Problem
	only := func(want, name string) {
		if _, set := a.Get(name); set && inside != want {
			problems = append(problems, resource.Problem{
				Path:       name,
				Summary:    "only an endpoint of the type " + want + " has " + name,
				Suggestion: "set endpoint_type: " + want + ", or remove it",
			})
		}
	}
	only(gatewayType, routeTables)
	only(interfaces, "subnets")
	only(interfaces, "security_groups")
	if v, _ := api.Flag(a, privateDNS); v && chosen {
		only(interfaces, privateDNS)
	}
	if _, set := a.Get("subnets"); inside == interfaces && !set {
		problems = append(problems, resource.Problem{
			Path: "subnets", Summary: "an interface needs a subnet",
			Suggestion: "name one in each zone in subnets",
		})
	}
	return a, problems
}

// validEndpointPolicy: a policy of a resource names who, in Principal, and what.
func validEndpointPolicy(v resource.Value) []resource.Problem {
	return api.JudgeDocument(v, func(st map[string]any) string {
		if !api.OneOf(st, "Principal", "NotPrincipal") {
			return `a statement of an endpoint's policy needs a Principal, for example "*"`
		}
		return ""
	})
}

// endpointRegions: AWS's own services are named with the region that they are in. A name of another
// form, such as com.amazonaws.vpce.REGION.NAME of a service of another account, is not checked.
func endpointRegions(c *api.Checking) {
	for _, d := range c.Configured {
		name, _ := api.Text(d.Attrs, serviceAttr)
		_, region := api.AccountAndRegion(d.Ref.Location)
		parts := strings.Split(strings.TrimPrefix(name, "cn."), ".")
		const regionAt = 2 // com.amazonaws.REGION.NAME, in China also cn.com.amazonaws.REGION.NAME
		if len(parts) > regionAt+1 && parts[0] == "com" && parts[1] == "amazonaws" &&
			api.RegionPattern.MatchString(parts[regionAt]) && parts[regionAt] != region {
			c.Wrong(d, serviceAttr, "use "+strings.Replace(name, parts[regionAt], region, 1), "%s is not a service of region %s",
				name, region)
		}
	}
}

// replaceEndpoint: a VPC has one route to a service, and one interface with its private name.
func replaceEndpoint(d resource.Desired, have resource.Observed) []resource.Strategy {
	if api.SameText(d, have, api.KindVPC) && api.SameText(d, have, serviceAttr) {
		return api.DestroyFirst()
	}
	return api.CreateFirst()
}

// endpointsIn reads endpoints. Gone hides deleted endpoints in lists and in reads by ID.
func endpointsIn() api.StandardKind[types.VpcEndpoint] {
	return api.StandardKind[types.VpcEndpoint]{
		Kind: KindEndpoint, Call: "ec2.DescribeVpcEndpoints", Filter: "vpc-endpoint-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.VpcEndpoint, *string, error) {
			out, err := g.EC2.DescribeVpcEndpoints(ctx, &ec2.DescribeVpcEndpointsInput{
				VpcEndpointIds: q.IDs, Filters: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.VpcEndpoints, out.NextToken, nil
		},
		ID:      func(x types.VpcEndpoint) *string { return x.VpcEndpointId },
		Observe: observedEndpoint,
		Gone:    endpointGone,
	}
}

// endpointState is in lower case: EC2 writes it in both.
func endpointState(e types.VpcEndpoint) string { return strings.ToLower(string(e.State)) }

// endpointGone: EC2 lists an endpoint for a while after it was deleted.
func endpointGone(e types.VpcEndpoint) string {
	if s := endpointState(e); s == "deleting" || s == "deleted" {
		return s
	}
	return ""
}

// observedEndpoint converts an answer of EC2 to a resource. A policy is brought to one form,
// because AWS may return it with other white space and order. An endpoint of any type other than
// gateway shows the attributes of an interface.
func observedEndpoint(g *api.Region, e types.VpcEndpoint) resource.Observed {
	o := resource.Observed{
		ID: aws.ToString(e.VpcEndpointId), Health: resource.Healthy,
		Since: aws.ToTime(e.CreationTimestamp),
	}
	switch endpointState(e) {
	case "pending":
		o.Health = resource.Pending
	case "pendingacceptance":
		o.Health, o.Message = resource.Unclear, "waits until the owner of the service accepts it"
	case "failed", "rejected", "expired":
		o.Health, o.Message = resource.Failing, endpointFailure(e)
	// An endpoint that is being deleted is converted only to name it as a holder.
	case "available", "partial", "deleting", "deleted":
	default:
		o.Health, o.Message = api.UnknownState(e.State)
	}
	a := api.Attrs{}
	a.Text(api.KindVPC, e.VpcId)
	a.Text(serviceAttr, e.ServiceName)
	kind := strings.ToLower(string(e.VpcEndpointType))
	a.Text(endpointType, &kind)
	set := func(name string, ids []string) {
		if len(ids) > 0 {
			a.Texts(name, slices.Sorted(slices.Values(ids)))
		}
	}
	if kind == gatewayType {
		set(routeTables, e.RouteTableIds)
	} else {
		set("subnets", e.SubnetIds)
		var groups []string
		for _, s := range e.Groups {
			groups = append(groups, aws.ToString(s.GroupId))
		}
		set("security_groups", groups)
		a.Flag(privateDNS, e.PrivateDnsEnabled)
		if len(e.DnsEntries) > 0 {
			a.Text("dns_name", e.DnsEntries[0].DnsName)
		}
	}
	if s := aws.ToString(e.PolicyDocument); s != "" {
		a[PolicyAttr] = resource.String(api.CanonicalDocument(s))
	}
	o.Attrs = a.Build()
	g.Identify(&o, KindEndpoint, "", api.TagsOf(e.Tags))
	if aws.ToBool(e.RequesterManaged) && o.OwnedBy == "" {
		o.OwnedBy = "the service that requested it"
	}
	return o
}

// endpointFailure returns AWS's reason for a failed endpoint, or its state if EC2 reports no error.
func endpointFailure(e types.VpcEndpoint) string {
	if l := e.LastError; l != nil {
		return fmt.Sprintf("%s: %s", aws.ToString(l.Code), aws.ToString(l.Message))
	}
	return endpointState(e)
}

// endpointInput returns the parameters of CreateVpcEndpoint for the configured type and omits the
// parameters of the other type.
func endpointInput(a resource.Attrs) *ec2.CreateVpcEndpointInput {
	in := &ec2.CreateVpcEndpointInput{
		VpcId: api.DesiredText(a, api.KindVPC), ServiceName: api.DesiredText(a, serviceAttr),
		PolicyDocument:  api.DesiredText(a, PolicyAttr),
		VpcEndpointType: types.VpcEndpointTypeGateway, RouteTableIds: a.Texts(routeTables),
	}
	if api.DesiredIs(a, endpointType, interfaces) {
		in.VpcEndpointType, in.SubnetIds, in.SecurityGroupIds = types.VpcEndpointTypeInterface, a.Texts("subnets"),
			a.Texts("security_groups")
		in.PrivateDnsEnabled = api.DesiredFlag(a, privateDNS)
	}
	return in
}

// checkEndpoint asks EC2 for a dry run if every reference is resolved. If an endpoint exists
// already, the request is not checked: that endpoint still has the route or the private name.
func checkEndpoint(ctx context.Context, g *api.Region, r provider.Request) error {
	if api.Unresolved(r.Desired.Attrs) || r.Have.ID != "" {
		return nil
	}
	in := endpointInput(r.Desired.Attrs)
	in.DryRun = aws.Bool(true)
	_, err := g.EC2.CreateVpcEndpoint(ctx, in)
	return api.DryRun(err)
}

// createEndpoint has a token, and looks for the tag of its key besides: a token is forgotten. An
// endpoint that is being deleted may still have the tag; it does not count as found.
func createEndpoint(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	in := endpointInput(r.Desired.Attrs)
	in.ClientToken = aws.String(r.Key)
	in.TagSpecifications = []types.TagSpecification{api.Born(types.ResourceTypeVpcEndpoint, g.BirthTags(r, true))}
	made, err := api.NoRetry(ctx, g, func() (types.VpcEndpoint, error) {
		var out *ec2.CreateVpcEndpointOutput
		err := g.Patiently(ctx, g.Wait.Appear, func() (err error) {
			out, err = g.EC2.CreateVpcEndpoint(ctx, in)
			return api.Classify("", err)
		}, "InvalidVpcId.NotFound", "InvalidVpcID.NotFound", "InvalidSubnetId.NotFound", "InvalidSubnetID.NotFound",
			"InvalidRouteTableId.NotFound", "InvalidSecurityGroupID.NotFound")
		if err != nil {
			return types.VpcEndpoint{}, err
		}
		return *out.VpcEndpoint, nil
	}, func() ([]types.VpcEndpoint, error) {
		all, err := endpointsIn().Where(ctx, g, api.BornWith(r.Key))
		return endpointsIn().WithoutGone(all), err
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return awaitEndpoint(ctx, g, aws.ToString(made.VpcEndpointId), resource.Attrs{})
}

// awaitEndpoint waits until an endpoint is usable, and has what a change set. want holds the
// changed lists and private_dns; it is empty after a creation. A policy, and the acceptance by the
// owner of the service, are not waited for.
func awaitEndpoint(ctx context.Context, g *api.Region, id string, want resource.Attrs) (o resource.Observed,
	err error,
) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the endpoint "+id, func(ctx context.Context) error {
		e, err := endpointsIn().Standing(pollEndpoint(ctx, g, id))
		if err != nil {
			return err
		}
		switch o = observedEndpoint(g, e); o.Health {
		case resource.Pending:
			return api.ErrWait
		case resource.Failing:
			return api.Mistake("ec2.CreateVpcEndpoint", fmt.Errorf("%s failed: %s", id, endpointFailure(e)),
				"delete it, correct the cause and apply again")
		}
		for _, name := range []string{routeTables, "subnets", "security_groups", privateDNS} {
			now, _ := o.Attrs.Get(name)
			if v, set := want.Get(name); set && (now == nil || !api.Equal(v, now)) {
				return api.ErrWait
			}
		}
		return nil
	})
	return o, err
}

// updateEndpoint makes the difference against the live lists, so that a second call changes nothing
// more: ModifyVpcEndpoint takes lists to add and to remove, not the complete list. Without a
// difference no call is made. The wait compares with the configured lists, not with the response.
func updateEndpoint(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	now, err := endpointsIn().ReadByID(ctx, g, r.Have.ID)
	if err != nil {
		return resource.Observed{}, err
	}
	in, want := &ec2.ModifyVpcEndpointInput{VpcEndpointId: aws.String(r.Have.ID)}, resource.Attrs{}
	for _, s := range []struct {
		name      string
		more, few *[]string
	}{
		{routeTables, &in.AddRouteTableIds, &in.RemoveRouteTableIds},
		{"subnets", &in.AddSubnetIds, &in.RemoveSubnetIds},
		{"security_groups", &in.AddSecurityGroupIds, &in.RemoveSecurityGroupIds},
	} {
		if v, set := r.Desired.Attrs.Get(s.name); set && api.Changed(r, s.name) {
			have, next := now.Attrs.Texts(s.name), r.Desired.Attrs.Texts(s.name)
			*s.more, *s.few = except(next, have), except(have, next)
			want = want.With(s.name, resource.SortSet(slices.Clone(v.(resource.List))))
		}
	}
	if api.Changed(r, privateDNS) {
		in.PrivateDnsEnabled = api.DesiredFlag(r.Desired.Attrs, privateDNS)
		want = want.With(privateDNS, resource.Bool(aws.ToBool(in.PrivateDnsEnabled)))
	}
	if api.Changed(r, PolicyAttr) {
		in.PolicyDocument = api.DesiredText(r.Desired.Attrs, PolicyAttr)
	}
	different := in.PolicyDocument != nil || in.PrivateDnsEnabled != nil
	for _, list := range [][]string{
		in.AddRouteTableIds, in.RemoveRouteTableIds, in.AddSubnetIds, in.RemoveSubnetIds,
		in.AddSecurityGroupIds, in.RemoveSecurityGroupIds,
	} {
		different = different || len(list) > 0
	}
	if different {
		if err := g.UntilKnown(ctx, func() error {
			_, err := g.EC2.ModifyVpcEndpoint(ctx, in)
			return api.Classify("", err)
		}); err != nil {
			return resource.Observed{}, err
		}
	}
	return awaitEndpoint(ctx, g, r.Have.ID, want)
}

// except returns the elements of a that are not in b.
func except(a, b []string) (out []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// deleteEndpoint waits until the endpoint is gone: until then it holds its subnets and groups. If DeleteVpcEndpoints
// cannot delete an endpoint, the call succeeds and its response lists the failure. An endpoint that does not exist is
// success, in both forms of the refusal.
func deleteEndpoint(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	const op = "ec2.DeleteVpcEndpoints"
	out, err := g.EC2.DeleteVpcEndpoints(ctx, &ec2.DeleteVpcEndpointsInput{VpcEndpointIds: []string{id}})
	switch {
	case api.HasCode(err, "InvalidVpcEndpointId.NotFound", "InvalidVpcEndpoint.NotFound"):
		return nil
	case err != nil:
		return api.Classify("", err) // also where a part of it is not found
	}
	for _, u := range out.Unsuccessful {
		if e := u.Error; e != nil {
			code, message := aws.ToString(e.Code), aws.ToString(e.Message)
			row, _ := api.CauseOfCode("ec2", "DeleteVpcEndpoints", code, message)
			if row.Absent {
				return nil
			}
			return &provider.Error{
				Cause: row.Cause, Code: code, Op: op, Err: fmt.Errorf("%s: %s", code, message), Hint: row.Hint,
			}
		}
	}
	return g.Await(ctx, g.Wait.Compute, "the endpoint "+id+" to be gone", func(ctx context.Context) error {
		e, err := pollEndpoint(ctx, g, id)
		switch {
		case api.Absent(err), err == nil && endpointState(e) == "deleted":
			return nil
		case err != nil:
			return err
		}
		return api.ErrWait
	})
}

// holdsEndpoint: a route table has one route to a service, and a VPC one private DNS name of it
// (CreateVpcEndpoint: RouteAlreadyExists, and "conflicting DNS domain"). private_dns is true by
// default, so only an explicit false releases the name.
func holdsEndpoint(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	service, _ := api.Text(a, serviceAttr)
	vpc, _ := api.Inside(a, api.KindVPC)
	if kind, _ := api.Text(a, endpointType); kind != interfaces {
		return api.HoldsEach(a, routeTables, resource.Hold{What: "route to the service", Name: service, Identity: true})
	}
	if private, set := api.Flag(a, privateDNS); set && !private {
		return nil
	}
	return []resource.Hold{{What: "private DNS name of the service", Of: vpc, Name: service, Identity: true}}
}

// pollEndpoint reads one of many endpoints that are waited for. An endpoint that is being deleted is read, too. A
// single endpoint is read by its ID, several by a filter.
func pollEndpoint(ctx context.Context, g *api.Region, id string) (types.VpcEndpoint, error) {
	s := endpointsIn()
	one := func(ctx context.Context, id string) ([]types.VpcEndpoint, error) { return s.ByID(ctx, g, id) }
	return api.Poll(ctx, g, s.Call, id, api.OneOrMany(one, s.Many(g)))
}
