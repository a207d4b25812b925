package network

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// applyRouteTable brings the routes and subnets of a table to the configuration. An existing route
// or association that is correct, for example after a lost response, is not changed, so the
// function may be repeated at any point. Routes come first, so that a subnet never joins a table
// that lacks its configured routes. The result is read after all changes.
func applyRouteTable(ctx context.Context, g *api.Region, id string, want resource.Attrs) (resource.Observed, error) {
	t, err := awaitRouteTable(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	if err := setRoutes(ctx, g, id, routesOf(t), want.List("routes")); err != nil {
		return resource.Observed{}, err
	}
	if err := setSubnets(ctx, g, t, want.Texts("subnets")); err != nil {
		return resource.Observed{}, err
	}
	if t, err = awaitRouteTable(ctx, g, id); err != nil {
		return resource.Observed{}, err
	}
	return observedRouteTable(g, t), nil
}

// awaitRouteTable waits until a table is seen and none of its subnets is joining or leaving.
func awaitRouteTable(ctx context.Context, g *api.Region, id string) (t types.RouteTable, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the route table "+id, func(ctx context.Context) error {
		if t, err = tablesOfRoutes().One(ctx, g, id); err != nil {
			return err
		}
		for _, a := range t.Associations {
			// The states associating and disassociating change without another call.
			if a.AssociationState != nil && strings.HasSuffix(string(a.AssociationState.State), "ing") {
				return api.ErrWait
			}
		}
		return nil
	})
	return t, err
}

// byDestination are routes by their addresses, of which a table has one route each.
func byDestination(routes resource.List) map[string]resource.Attrs {
	out := make(map[string]resource.Attrs, len(routes))
	for _, v := range routes {
		route, _ := v.(resource.Attrs)
		cidr, _ := api.Text(route, "cidr")
		out[cidr] = route
	}
	return out
}

// setRoutes changes the target of a route in one call, so that there is no moment without one, and
// removes routes last. Amazon EC2 API Reference, ReplaceRoute: the call replaces the target of an
// existing route, so the traffic always has one. A route that is already gone counts as removed.
func setRoutes(ctx context.Context, g *api.Region, id string, have, want resource.List) error {
	was, is := byDestination(have), byDestination(want)
	for _, cidr := range destinations(want) {
		old, exists := was[cidr]
		if exists && api.Equal(old, is[cidr]) {
			continue
		}
		if err := putRoute(ctx, g, id, is[cidr], exists); err != nil {
			return err
		}
	}
	for _, cidr := range destinations(have) {
		if _, keep := is[cidr]; keep {
			continue
		}
		in := &ec2.DeleteRouteInput{RouteTableId: aws.String(id)}
		in.DestinationCidrBlock, in.DestinationIpv6CidrBlock = destination(cidr)
		if _, err := g.EC2.DeleteRoute(ctx, in); err != nil && !api.Absent(err) {
			return api.Classify("", err)
		}
	}
	return nil
}

// destinations returns the blocks of routes in a fixed order, so that two runs make the same calls
// in the same order.
func destinations(routes resource.List) []string {
	out := make([]string, 0, len(routes))
	for cidr := range byDestination(routes) {
		out = append(out, cidr)
	}
	slices.Sort(out)
	return out
}

// destination is a block as EC2 takes it: IPv4 and IPv6 are two parameters.
func destination(cidr string) (v4, v6 *string) {
	if strings.Contains(cidr, ":") {
		return nil, aws.String(cidr)
	}
	return aws.String(cidr), nil
}

// putRoute creates a route or changes where it goes. Its target may have been created a moment ago.
func putRoute(ctx context.Context, g *api.Region, id string, route resource.Attrs, exists bool) error {
	cidr, _ := api.Text(route, "cidr")
	// EC2 has one parameter for internet gateways and virtual private gateways.
	gateway := api.DesiredText(route, KindInternetGateway)
	if gateway == nil {
		gateway = api.DesiredText(route, "virtual_gateway")
	}
	v4, v6 := destination(cidr)
	return g.Patiently(ctx, g.Wait.Appear, func() error {
		if exists {
			_, err := g.EC2.ReplaceRoute(ctx, &ec2.ReplaceRouteInput{
				RouteTableId: aws.String(id), DestinationCidrBlock: v4, DestinationIpv6CidrBlock: v6, GatewayId: gateway,
				NatGatewayId: api.DesiredText(route, KindNAT), InstanceId: api.DesiredText(route, "instance"),
				VpcPeeringConnectionId: api.DesiredText(route, "vpc_peering"),
				TransitGatewayId:       api.DesiredText(route, "transit_gateway"),
			})
			return api.Classify("", err)
		}
		_, err := g.EC2.CreateRoute(ctx, &ec2.CreateRouteInput{
			RouteTableId: aws.String(id), DestinationCidrBlock: v4, DestinationIpv6CidrBlock: v6, GatewayId: gateway,
			NatGatewayId: api.DesiredText(route, KindNAT), InstanceId: api.DesiredText(route, "instance"),
			VpcPeeringConnectionId: api.DesiredText(route, "vpc_peering"),
			TransitGatewayId:       api.DesiredText(route, "transit_gateway"),
		})
		return api.Classify("", err)
	}, "InvalidRouteTableID.NotFound", "InvalidGatewayID.NotFound", "InvalidInternetGatewayID.NotFound",
		"InvalidNatGatewayID.NotFound", "NatGatewayNotFound", "InvalidInstanceID.NotFound")
}

// setSubnets joins the subnets that are to use a table and lets the others go. A subnet that
// another table of the same plan lets go is waited for; another one is never taken from its table.
// The new associations come first: a subnet that is removed here may join another table of the same
// plan, and that call waits for this one. A subnet uses one table (Amazon VPC User Guide, "Route
// table concepts"); AssociateRouteTable refuses the second with Resource.AlreadyAssociated.
func setSubnets(ctx context.Context, g *api.Region, t types.RouteTable, want []string) error {
	have := map[string]string{}
	for _, a := range t.Associations {
		// An association without a subnet belongs to a gateway, or makes the table the main one of
		// the VPC.
		if a.SubnetId != nil && !leavingTable(a) {
			have[*a.SubnetId] = aws.ToString(a.RouteTableAssociationId)
		}
	}
	for _, subnet := range want {
		if have[subnet] != "" {
			continue
		}
		err := g.Patiently(ctx, g.Wait.Appear, func() error {
			_, err := g.EC2.AssociateRouteTable(ctx,
				&ec2.AssociateRouteTableInput{RouteTableId: t.RouteTableId, SubnetId: aws.String(subnet)})
			return api.Classify("", err)
		}, "InvalidSubnetID.NotFound", "InvalidRouteTableID.NotFound", "Resource.AlreadyAssociated")
		if err != nil {
			return otherTable(ctx, g, subnet, err)
		}
	}
	for subnet, association := range have {
		if slices.Contains(want, subnet) {
			continue
		}
		if err := leaveTable(ctx, g, association); err != nil {
			return err
		}
	}
	return nil
}

// leaveTable removes one association. An association that does not exist counts as removed, so that
// a repeated call succeeds. Amazon EC2 API Reference, DisassociateRouteTable: the subnet then "uses
// the routes in the VPC's main route table".
func leaveTable(ctx context.Context, g *api.Region, association string) error {
	_, err := g.EC2.DisassociateRouteTable(ctx, &ec2.DisassociateRouteTableInput{AssociationId: aws.String(association)})
	if err = api.Classify("", err); api.Absent(err) {
		return nil
	}
	return err
}

// otherTable adds to a refusal which table has the subnet. It only reads. If the table cannot be
// found, the refusal is returned unchanged.
func otherTable(ctx context.Context, g *api.Region, subnet string, err error) error {
	if !api.HasCode(err, "Resource.AlreadyAssociated") {
		return err
	}
	all, obs := tablesOfRoutes().Where(ctx, g, api.Where("association.subnet-id", subnet))
	if obs != nil || len(all) == 0 {
		return err
	}
	return &provider.Error{
		Cause: provider.InUse, Op: "ec2.AssociateRouteTable", Code: api.CodeOf(err), Err: err,
		Hint:   "remove " + subnet + " from " + api.NameID(observedRouteTable(g, all[0])) + " first, or adopt that table",
		Quotes: true,
	}
}

// deleteRouteTable lets its subnets go first: they use the main table of their VPC from then on.
// Amazon EC2 API Reference, DeleteRouteTable: "You must disassociate the route table from any
// subnets before you can delete it", and the main table cannot be deleted; so its own association
// is skipped. A repeated call continues with the associations that are left.
func deleteRouteTable(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	t, err := tablesOfRoutes().One(ctx, g, id)
	if err != nil {
		if api.Absent(err) {
			return nil
		}
		return err
	}
	for _, a := range t.Associations {
		if aws.ToBool(a.Main) || leavingTable(a) {
			continue
		}
		if err := leaveTable(ctx, g, aws.ToString(a.RouteTableAssociationId)); err != nil {
			return err
		}
	}
	return g.DeleteHeld(ctx, id, func() error {
		_, err := g.EC2.DeleteRouteTable(ctx, &ec2.DeleteRouteTableInput{RouteTableId: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) { return usersOf(ctx, g, id) }, "DependencyViolation")
}

// usersOf lists the subnets and gateways that use a route table. AWS itself removes an association that is ending. An
// absent table has no users.
func usersOf(ctx context.Context, g *api.Region, id string) ([]api.Holder, error) {
	t, err := tablesOfRoutes().One(ctx, g, id)
	if err != nil {
		return nil, api.UnlessAbsent(err)
	}
	var out []api.Holder
	for _, a := range t.Associations {
		name := cmp.Or(aws.ToString(a.SubnetId), aws.ToString(a.GatewayId))
		if aws.ToBool(a.Main) {
			name = "its VPC, as the main route table"
		}
		out = append(out, api.Holder{Name: name, Service: leavingTable(a)})
	}
	return out, nil
}
