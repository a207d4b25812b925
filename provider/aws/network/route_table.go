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

// KindRouteTable is the kind route_table.
const KindRouteTable = "route_table"

func kindOfRouteTable() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindRouteTable,
			Doc: "A route table for the traffic of subnets.\n\n" +
				"The configuration holds all of its routes and subnets: one that is added outside ovi is\n" +
				"drift and is removed again. The route to the addresses of the VPC itself is there always,\n" +
				"and routes that a virtual private gateway spreads are left alone. It is created with its\n" +
				"name as its Name tag; an existing one is adopted by its ID.",
			NameTag:     api.TagHuman,
			NamePattern: api.TagName, NameDoc: api.TagNameDoc,
			CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, oneTableEach),
			Replace:    replaceRouteTable,
			Holds:      holdsRoutes, HoldsDoc: "the routing of each of its subnets",
			Attrs: []resource.Attribute{
				{
					Name: "vpc", Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: api.KindVPC,
					IDPrefix: "vpc-",
					Example:  "main", Doc: "The VPC it is part of.",
				},
				{
					Name: "routes", Type: resource.TSet, Valid: destinationsOnce,
					HarmlessDefault: true, Default: resource.List{}, Elem: routeElem(),
					Example: "[{cidr: 0.0.0.0/0, internet_gateway: main}]", Doc: "Where traffic to addresses outside the VPC goes.",
				},
				{
					Name: "subnets", Type: resource.TSet, HarmlessDefault: true, Default: resource.List{},
					Elem:    &resource.Attribute{Type: resource.TString, RefKind: api.KindSubnet, IDPrefix: "subnet-", Weak: true},
					Example: "[public-a, public-b]", Doc: "The subnets that use it. A subnet that no table names uses the main " +
						"table of its VPC.",
				},
			},
		},
		List: tablesOfRoutes().ListAll, ByTag: true, Read: tablesOfRoutes().ReadByID, Tag: api.TagEC2, Check: checkRouteTable,
		Create: createRouteTable, Update: updateRouteTable, Remove: deleteRouteTable,
		Calls: api.Calls{
			Service:  "ec2",
			Own:      "route-table/*",
			Observes: "DescribeRouteTables",
			Creates:  "CreateRouteTable",
			Changes:  "AssociateRouteTable CreateRoute DeleteRoute DisassociateRouteTable ReplaceRoute",
			Deletes:  "DeleteRouteTable",
			Touches:  "AssociateRouteTable CreateRoute CreateRouteTable DisassociateRouteTable ReplaceRoute",
		},
	}
}

// routeElem returns the schema of a route. A target of a kind that ovi does not manage is named by
// its ID alone.
func routeElem() *resource.Attribute {
	id := func(name, prefix, doc string) resource.Attribute {
		return resource.Attribute{Name: name, Type: resource.TString, Pattern: prefix + `-[0-9a-z]+`, Doc: doc}
	}
	return &resource.Attribute{Type: resource.TObject, Valid: validRoute, Fields: []resource.Attribute{
		{Name: "cidr", Type: resource.TString, Required: true, Pattern: api.CIDRPattern, Doc: "The addresses, IPv4 or IPv6."},
		{
			Name: KindInternetGateway, Type: resource.TString, RefKind: KindInternetGateway, IDPrefix: "igw-", Weak: true,
			Doc: "Target: an internet gateway.",
		},
		{
			Name: KindNAT, Type: resource.TString, RefKind: KindNAT, IDPrefix: "nat-", Weak: true,
			Doc: "Target: a NAT gateway.",
		},
		{
			Name: "instance", Type: resource.TString, RefKind: api.KindEC2, IDPrefix: "i-", Weak: true,
			Doc: "Target: an instance.",
		},
		id("vpc_peering", "pcx", "Target: the ID of a VPC peering connection."),
		id("transit_gateway", "tgw", "Target: the ID of a transit gateway."),
		id("virtual_gateway", "vgw", "Target: the ID of a virtual private gateway."),
	}}
}

// destinationsOnce rejects two routes to one block: a route table has one target for each. EC2 rejects the second
// with RouteAlreadyExists (Amazon EC2 Developer Guide, "Error codes").
func destinationsOnce(v resource.Value) []resource.Problem {
	list, _ := v.(resource.List)
	seen := map[string]bool{}
	for _, item := range list {
		route, _ := item.(resource.Attrs)
		cidr, known := api.Text(route, "cidr") // a reference is known after apply
		if known && seen[cidr] {
			return api.WrongValue("keep one of them", "two routes have the destination %s", cidr)
		}
		seen[cidr] = true
	}
	return nil
}

// validRoute requires a block in the form that AWS reports and exactly one target. A block with
// address bits behind its prefix would be drift in every cycle, because EC2 stores the masked form.
// Amazon EC2 API Reference, ReplaceRoute: "specify exactly one of the resources from the parameter
// list".
func validRoute(v resource.Value) []resource.Problem {
	route, _ := v.(resource.Attrs)
	cidr, known := api.Text(route, "cidr") // a reference is known after apply
	switch p, err := netip.ParsePrefix(cidr); {
	case !known:
	case err != nil:
		return []resource.Problem{{
			Path: "cidr", Summary: "invalid address block \"" + cidr + "\"",
			Suggestion: "use for example 0.0.0.0/0",
		}}
	case cidr != p.Masked().String():
		return []resource.Problem{{
			Path: "cidr", Summary: "\"" + cidr + "\" is not how AWS writes this address block",
			Suggestion: "use " + p.Masked().String(),
		}}
	}
	n := 0
	for _, name := range []string{
		KindInternetGateway, KindNAT, "instance", "vpc_peering", "transit_gateway", "virtual_gateway",
	} {
		if _, set := route.Get(name); set {
			n++
		}
	}
	if n != 1 {
		return []resource.Problem{{
			Summary:    "a route needs one target",
			Suggestion: "set one of internet_gateway, nat_gateway, instance, vpc_peering, transit_gateway and virtual_gateway",
		}}
	}
	return nil
}

// oneTableEach finds subnets that two tables name: a subnet uses one. The name and the ID of one
// subnet count as two subnets; AWS refuses the second association then (see setSubnets).
func oneTableEach(c *api.Checking) {
	taken := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		v, _ := d.Attrs.Get("subnets")
		list, _ := v.(resource.List)
		for _, s := range list {
			key := d.Ref.Location + " " + string(resource.AppendJSON(nil, s))
			if first := taken[key]; first != nil && first != d {
				c.Wrong(d, "subnets", "remove it from one of the two",
					"a subnet of it is also in %s: a subnet uses one route table", api.WhereConfigured(first))
				continue
			}
			taken[key] = d
		}
	}
}

// replaceRouteTable: a subnet uses one table, so the old one must leave it first, unless the new
// one is of another VPC.
func replaceRouteTable(d resource.Desired, have resource.Observed) []resource.Strategy {
	if api.OtherVPC(d, have) {
		return api.CreateFirst()
	}
	return api.DestroyFirst()
}

// tablesOfRoutes reads route tables. Their pages are smaller than the pages of other kinds, because
// DescribeRouteTables has a lower limit.
func tablesOfRoutes() api.StandardKind[types.RouteTable] {
	return api.StandardKind[types.RouteTable]{
		Kind: KindRouteTable, Call: "ec2.DescribeRouteTables", Filter: "route-table-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.RouteTable, *string, error) {
			if q.Most != nil {
				q.Most = aws.Int32(100) // "The value must be between 5 and 100"
			}
			out, err := g.EC2.DescribeRouteTables(ctx, &ec2.DescribeRouteTablesInput{
				RouteTableIds: q.IDs, Filters: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.RouteTables, out.NextToken, nil
		},
		ID:      func(x types.RouteTable) *string { return x.RouteTableId },
		Observe: observedRouteTable,
	}
}

// observedRouteTable converts an answer of EC2 to a resource. The main table of a VPC was made by
// AWS, so it is reported as a default until it has marks.
func observedRouteTable(g *api.Region, t types.RouteTable) resource.Observed {
	o := resource.Observed{ID: aws.ToString(t.RouteTableId), Health: resource.Healthy}
	a := api.Attrs{}
	a.Text("vpc", t.VpcId)
	a["routes"] = resource.SortSet(routesOf(t))
	subnets, main := resource.List{}, false
	for _, at := range t.Associations {
		main = main || aws.ToBool(at.Main)
		// An association that is being removed is omitted, so that a second update does not remove it again. Without a
		// subnet it is not an explicit one.
		if leavingTable(at) || at.SubnetId == nil {
			continue
		}
		subnets = append(subnets, resource.String(*at.SubnetId))
	}
	a["subnets"] = resource.SortSet(subnets)
	o.Attrs = a.Build()
	g.Identify(&o, KindRouteTable, "", api.TagsOf(t.Tags))
	if main && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o
}

// routesOf are the routes that were made one by one: not that of the VPC, and not those that a
// gateway spreads. A route whose target is gone (a black hole) is one. Amazon EC2 API Reference,
// Route: the origin CreateRoute means "The route was manually added to the route table". A route to
// a prefix list has no block and is skipped, since a configuration cannot name it. A route to a
// target without an attribute, such as an egress-only internet gateway, has its block alone, so it
// differs from every configured route.
func routesOf(t types.RouteTable) resource.List {
	out := resource.List{}
	for _, r := range t.Routes {
		cidr := aws.ToString(r.DestinationCidrBlock) + aws.ToString(r.DestinationIpv6CidrBlock)
		if r.Origin != types.RouteOriginCreateRoute || cidr == "" {
			continue
		}
		route := api.Attrs{"cidr": resource.String(cidr)}
		switch id := aws.ToString(r.GatewayId); {
		case len(id) > 4 && id[:4] == "vgw-":
			route.Text("virtual_gateway", r.GatewayId)
		case len(id) > 5 && id[:5] == "vpce-":
			continue // of a vpc endpoint, which makes and removes it
		default:
			route.Text(KindInternetGateway, r.GatewayId)
		}
		route.Text(KindNAT, r.NatGatewayId)
		route.Text("instance", r.InstanceId)
		route.Text("vpc_peering", r.VpcPeeringConnectionId)
		route.Text("transit_gateway", r.TransitGatewayId)
		out = append(out, route.Build())
	}
	return out
}

// leavingTable reports whether an association is ending or has ended. An association whose state
// EC2 does not report is not leaving.
func leavingTable(a types.RouteTableAssociation) bool {
	return a.AssociationState != nil && (a.AssociationState.State == types.RouteTableAssociationStateCodeDisassociating ||
		a.AssociationState.State == types.RouteTableAssociationStateCodeDisassociated)
}

// checkRouteTable asks EC2 for a dry run of the table alone. Its routes and subnets are checked by
// EC2 when they are set.
func checkRouteTable(ctx context.Context, g *api.Region, r provider.Request) error {
	if api.Unresolved(r.Desired.Attrs, "vpc") {
		return nil
	}
	_, err := g.EC2.CreateRouteTable(ctx, &ec2.CreateRouteTableInput{
		VpcId:  api.DesiredText(r.Desired.Attrs, "vpc"),
		DryRun: aws.Bool(true),
	})
	return api.DryRun(err)
}

// createRouteTable creates a table, then its routes and associations, and returns it as observed.
// The client token makes the call idempotent; NoRetry searches for the tag as well, because a token
// expires. A failure in between leaves a tagged table, which the next attempt finds and completes.
func createRouteTable(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	made, err := api.NoRetry(ctx, g, func() (types.RouteTable, error) {
		var out *ec2.CreateRouteTableOutput
		err := g.Patiently(ctx, g.Wait.Appear, func() (err error) {
			out, err = g.EC2.CreateRouteTable(ctx, &ec2.CreateRouteTableInput{
				VpcId: api.DesiredText(r.Desired.Attrs, "vpc"), ClientToken: aws.String(r.Key),
				TagSpecifications: []types.TagSpecification{api.Born(types.ResourceTypeRouteTable, g.BirthTags(r, true))},
			})
			return api.Classify("", err)
		}, "InvalidVpcID.NotFound")
		if err != nil {
			return types.RouteTable{}, err
		}
		return *out.RouteTable, nil
	}, func() ([]types.RouteTable, error) {
		return tablesOfRoutes().Where(ctx, g, api.BornWith(r.Key))
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return applyRouteTable(ctx, g, aws.ToString(made.RouteTableId), r.Desired.Attrs)
}

// updateRouteTable compares with the live routes, not with the changes of the plan, so that it may
// be repeated at any point.
func updateRouteTable(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	return applyRouteTable(ctx, g, r.Have.ID, r.Desired.Attrs)
}

// holdsRoutes: a subnet uses one route table (AssociateRouteTable).
func holdsRoutes(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	return api.HoldsEach(a, "subnets", resource.Hold{What: "routing of the subnet", Identity: true})
}
