package awsfake

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

func routeActions() map[string]handler {
	return map[string]handler{
		"CreateRouteTable": createRouteTable, "DescribeRouteTables": describeRouteTables, "DeleteRouteTable": deleteRouteTable,
		"AssociateRouteTable": associateRouteTable, "DisassociateRouteTable": disassociateRouteTable,
		"CreateRoute":  func(x *exchange) (any, error) { return putRoute(x, false) },
		"ReplaceRoute": func(x *exchange) (any, error) { return putRoute(x, true) },
		"DeleteRoute":  deleteRoute,
	}
}

// mainTable is the table that a network is born with: its subnets use it until they have another one.
// Its ID follows from the network's, so that no other ID depends on it.
func mainTable(v *vpc) *routeTable {
	b := v.base
	b.ID, b.Tags = "rtb-"+strings.TrimPrefix(v.ID, "vpc-"), nil
	return &routeTable{base: b, VPC: v.ID, Main: true}
}

type xmlRoute struct {
	CIDR4    *string `xml:"destinationCidrBlock"`
	CIDR6    *string `xml:"destinationIpv6CidrBlock"`
	Gateway  *string `xml:"gatewayId"`
	NAT      *string `xml:"natGatewayId"`
	Instance *string `xml:"instanceId"`
	Peering  *string `xml:"vpcPeeringConnectionId"`
	Transit  *string `xml:"transitGatewayId"`
	State    string  `xml:"state"`
	Origin   string  `xml:"origin"`
}

type xmlTableTie struct {
	ID     string  `xml:"routeTableAssociationId"`
	Table  string  `xml:"routeTableId"`
	Subnet *string `xml:"subnetId"`
	Main   bool    `xml:"main"`
	State  string  `xml:"associationState>state"`
}

type xmlRouteTable struct {
	ID     string        `xml:"routeTableId"`
	VPC    string        `xml:"vpcId"`
	Owner  string        `xml:"ownerId"`
	Routes []xmlRoute    `xml:"routeSet>item"`
	Ties   []xmlTableTie `xml:"associationSet>item"`
	Tags   []xmlTag      `xml:"tagSet>item"`
}

func viewRouteTable(x *exchange, t *routeTable) xmlRouteTable {
	out := xmlRouteTable{ID: t.ID, VPC: t.VPC, Owner: Account, Tags: tagSet(t.Tags)}
	if v, ok := find[*vpc](x.tx, x.Region, t.VPC); ok {
		local := "local"
		out.Routes = append(out.Routes, xmlRoute{CIDR4: &v.CIDR, Gateway: &local, State: "active", Origin: "CreateRouteTable"})
	}
	for _, r := range t.Routes {
		view := xmlRoute{State: "active", Origin: "CreateRoute"}
		if strings.Contains(r.CIDR, ":") {
			view.CIDR6 = &r.CIDR
		} else {
			view.CIDR4 = &r.CIDR
		}
		*view.target(r.Target) = &r.Target
		if !targetExists(x, r.Target) {
			view.State = "blackhole"
		}
		out.Routes = append(out.Routes, view)
	}
	if t.Main {
		out.Ties = append(out.Ties, xmlTableTie{ID: "rtbassoc-" + strings.TrimPrefix(t.ID, "rtb-"), Table: t.ID, Main: true, State: "associated"})
	}
	for _, s := range t.Ties {
		out.Ties = append(out.Ties, xmlTableTie{ID: s.ID, Table: t.ID, Subnet: &s.Subnet, State: "associated"})
	}
	return out
}

// target is the field for a target, by the prefix of its ID.
func (r *xmlRoute) target(id string) **string {
	switch prefix, _, _ := strings.Cut(id, "-"); prefix {
	case "nat":
		return &r.NAT
	case "i":
		return &r.Instance
	case "pcx":
		return &r.Peering
	case "tgw":
		return &r.Transit
	}
	return &r.Gateway
}

// targetExists reports whether a target exists. Of kinds that the sandbox does not have, all do.
func targetExists(x *exchange, target string) bool {
	switch prefix, _, _ := strings.Cut(target, "-"); prefix {
	case "igw":
		_, ok := find[*internetGateway](x.tx, x.Region, target)
		return ok
	case "nat":
		n, ok := find[*natGateway](x.tx, x.Region, target)
		return ok && !n.dead()
	case "i":
		in, ok := find[*instance](x.tx, x.Region, target)
		return ok && !in.dead()
	}
	return true
}

// createRouteTable honours its token as RunInstances does (EC2 API reference: CreateRouteTable).
func createRouteTable(x *exchange) (any, error) {
	type made struct {
		Table xmlRouteTable `xml:"routeTable"`
	}
	again, repeated, err := x.remembered()
	if err != nil {
		return nil, err
	}
	if repeated {
		if t, ok := find[*routeTable](x.tx, x.Region, again[0]); ok {
			return made{viewRouteTable(x, t)}, nil
		}
	}
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	tags, err := x.specTags("route-table")
	if err != nil {
		return nil, err
	}
	t := &routeTable{base: x.tx.fresh("rtb-", x.Region), VPC: v.ID}
	t.Tags = tags
	x.tx.put(t)
	x.remember([]string{t.ID})
	return made{viewRouteTable(x, t)}, nil
}

func describeRouteTables(x *exchange) (any, error) {
	all, err := named[*routeTable](x, "RouteTableId", "InvalidRouteTableID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = filtered(x, all, func(t *routeTable, name string) ([]string, bool) {
		switch name {
		case "route-table-id":
			return one(t.ID)
		case "vpc-id":
			return one(t.VPC)
		case "association.main":
			return truth(t.Main)
		case "association.subnet-id":
			var subnets []string
			for _, s := range t.Ties {
				subnets = append(subnets, s.Subnet)
			}
			return subnets, true
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "RouteTableId", 100)
	if err != nil {
		return nil, err
	}
	var out []xmlRouteTable
	for _, t := range rows {
		out = append(out, viewRouteTable(x, t))
	}
	return struct {
		Set  []xmlRouteTable `xml:"routeTableSet>item"`
		Next *string         `xml:"nextToken"`
	}{out, next}, nil
}

func routeTableOf(x *exchange) (*routeTable, error) {
	id := x.p.str("RouteTableId")
	if id == "" {
		return nil, missing("routeTableId")
	}
	t, ok := find[*routeTable](x.tx, x.Region, id)
	if !ok {
		return nil, failf("InvalidRouteTableID.NotFound", "The routeTable ID '%s' does not exist", id)
	}
	n := *t
	n.Routes, n.Ties = slices.Clone(t.Routes), slices.Clone(t.Ties)
	return &n, nil
}

// deleteRouteTable: neither the main table nor one that subnets use can be deleted (EC2 API reference:
// DeleteRouteTable).
func deleteRouteTable(x *exchange) (any, error) {
	t, err := routeTableOf(x)
	if err != nil {
		return nil, err
	}
	if t.Main || len(t.Ties) > 0 {
		return nil, failf("DependencyViolation", "The routeTable '%s' has dependencies and cannot be deleted.", t.ID)
	}
	x.tx.drop(t)
	return success{Return: true}, nil
}

// associateRouteTable: a subnet has one table besides the main one; again the same is not refused.
func associateRouteTable(x *exchange) (any, error) {
	t, err := routeTableOf(x)
	if err != nil {
		return nil, err
	}
	sn, ok := find[*subnet](x.tx, x.Region, x.p.str("SubnetId"))
	switch {
	case !ok:
		return nil, notFound(x.p.str("SubnetId"), "InvalidSubnetID.NotFound")
	case sn.VPC != t.VPC:
		return nil, failf("InvalidParameterValue", "Route table %s and subnet %s belong to different networks", t.ID, sn.ID)
	}
	type joined struct {
		ID    string `xml:"associationId"`
		State string `xml:"associationState>state"`
	}
	for _, other := range list[*routeTable](x.tx, x.Region) {
		for _, s := range other.Ties {
			if s.Subnet != sn.ID {
				continue
			}
			if other.ID == t.ID {
				return joined{s.ID, "associated"}, nil
			}
			return nil, failf("Resource.AlreadyAssociated", "the specified association for route table %s conflicts with an existing association", t.ID)
		}
	}
	s := tie{x.tx.fresh("rtbassoc-", x.Region).ID, sn.ID}
	t.Ties = append(t.Ties, s)
	x.tx.put(t)
	return joined{s.ID, "associated"}, nil
}

func disassociateRouteTable(x *exchange) (any, error) {
	id := x.p.str("AssociationId")
	for _, t := range list[*routeTable](x.tx, x.Region) {
		i := slices.IndexFunc(t.Ties, func(s tie) bool { return s.ID == id })
		if i < 0 {
			continue
		}
		n := *t
		n.Ties = slices.Delete(slices.Clone(t.Ties), i, i+1)
		x.tx.put(&n)
		return success{Return: true}, nil
	}
	return nil, failf("InvalidAssociationID.NotFound", "The association ID '%s' does not exist", id)
}

// untie removes a subnet that is deleted from its table.
func untie(x *exchange, subnetID string) {
	for _, t := range list[*routeTable](x.tx, x.Region) {
		if i := slices.IndexFunc(t.Ties, func(s tie) bool { return s.Subnet == subnetID }); i >= 0 {
			n := *t
			n.Ties = slices.Delete(slices.Clone(t.Ties), i, i+1)
			x.tx.put(&n)
		}
	}
}

// putRoute creates the route of a block of addresses, of which a table has one, or changes where it
// goes (EC2 API reference: CreateRoute, ReplaceRoute).
func putRoute(x *exchange, again bool) (any, error) {
	t, err := routeTableOf(x)
	if err != nil {
		return nil, err
	}
	cidr := cmp.Or(x.p.str("DestinationCidrBlock"), x.p.str("DestinationIpv6CidrBlock"))
	p, err := netip.ParsePrefix(cidr)
	if err != nil {
		return nil, badValue(cidr, "destinationCidrBlock", "This is not a valid CIDR block.")
	}
	target, err := routeTarget(x, t)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(t.Routes, func(r route) bool { return r.CIDR == p.Masked().String() })
	switch {
	case i >= 0 && !again && t.Routes[i].Target != target:
		return nil, failf("RouteAlreadyExists", "The route identified by %s already exists.", cidr)
	case i < 0 && again:
		return nil, failf("InvalidParameterValue", "There is no route defined for '%s' in the route table. Use CreateRoute instead.", cidr)
	case i >= 0:
		t.Routes[i].Target = target
	default:
		t.Routes = append(t.Routes, route{p.Masked().String(), target})
	}
	x.tx.put(t)
	return success{Return: true}, nil
}

// routeTarget is the one target that a route has.
func routeTarget(x *exchange, t *routeTable) (string, error) {
	var out string
	for _, name := range []string{"GatewayId", "NatGatewayId", "InstanceId", "VpcPeeringConnectionId", "TransitGatewayId"} {
		if id := x.p.str(name); id != "" && out != "" {
			return "", failf("InvalidParameterCombination", "The request contains more than one target.")
		} else if id != "" {
			out = id
		}
	}
	switch {
	case out == "":
		return "", failf("MissingParameter", "The request must contain one target.")
	case !targetExists(x, out) && strings.HasPrefix(out, "igw-"):
		return "", failf("InvalidGatewayID.NotFound", "The gateway ID '%s' does not exist", out)
	case !targetExists(x, out) && strings.HasPrefix(out, "nat-"):
		return "", failf("InvalidNatGatewayID.NotFound", "The natGateway ID '%s' does not exist", out)
	case !targetExists(x, out):
		return "", notFound(out, "InvalidInstanceID.NotFound")
	}
	if g, ok := find[*internetGateway](x.tx, x.Region, out); ok && g.VPC != t.VPC {
		return "", failf("InvalidParameterValue", "route table %s and network gateway %s belong to different networks", t.ID, out)
	}
	return out, nil
}

func deleteRoute(x *exchange) (any, error) {
	t, err := routeTableOf(x)
	if err != nil {
		return nil, err
	}
	cidr := cmp.Or(x.p.str("DestinationCidrBlock"), x.p.str("DestinationIpv6CidrBlock"))
	i := slices.IndexFunc(t.Routes, func(r route) bool { return r.CIDR == cidr })
	if i < 0 {
		return nil, failf("InvalidRoute.NotFound", "no route with destination-cidr-block %s in route table %s", cidr, t.ID)
	}
	t.Routes = slices.Delete(t.Routes, i, i+1)
	x.tx.put(t)
	return success{Return: true}, nil
}
