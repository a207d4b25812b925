package network

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func routeActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateRouteTable": createRouteTable, "DescribeRouteTables": describeRouteTables,
		"DeleteRouteTable":    deleteRouteTable,
		"AssociateRouteTable": associateRouteTable, "DisassociateRouteTable": disassociateRouteTable,
		"CreateRoute":  func(x *core.Exchange) (any, error) { return putRoute(x, false) },
		"ReplaceRoute": func(x *core.Exchange) (any, error) { return putRoute(x, true) },
		"DeleteRoute":  deleteRoute,
	}
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
	Tags   []core.XMLTag `xml:"tagSet>item"`
}

func viewRouteTable(x *core.Exchange, t *routeTable) xmlRouteTable {
	out := xmlRouteTable{ID: t.ID, VPC: t.VPC, Owner: wire.Account, Tags: core.TagSet(t.Tags)}
	if v, ok := core.Find[*VPC](x.Tx, x.Region, t.VPC); ok {
		local := "local"
		out.Routes = append(out.Routes,
			xmlRoute{CIDR4: &v.CIDR, Gateway: &local, State: "active", Origin: "CreateRouteTable"})
	}
	for _, r := range t.Routes {
		view := xmlRoute{State: "active", Origin: "CreateRoute"}
		if strings.Contains(r.CIDR, ":") {
			view.CIDR6 = &r.CIDR
		} else {
			view.CIDR4 = &r.CIDR
		}
		switch prefix, _, _ := strings.Cut(r.Target, "-"); prefix {
		case "nat":
			view.NAT = &r.Target
		case "i":
			view.Instance = &r.Target
		case "pcx":
			view.Peering = &r.Target
		case "tgw":
			view.Transit = &r.Target
		default:
			view.Gateway = &r.Target
		}
		if !targetExists(x, r.Target) {
			view.State = "blackhole"
		}
		out.Routes = append(out.Routes, view)
	}
	if t.Main {
		out.Ties = append(out.Ties, xmlTableTie{
			ID: "rtbassoc-" + strings.TrimPrefix(t.ID, "rtb-"), Table: t.ID, Main: true,
			State: "associated",
		})
	}
	for _, s := range t.Ties {
		out.Ties = append(out.Ties, xmlTableTie{ID: s.ID, Table: t.ID, Subnet: &s.Subnet, State: "associated"})
	}
	return out
}

// targetExists reports whether a target exists. Of kinds that the sandbox does not have, all do.
func targetExists(x *core.Exchange, target string) bool {
	switch prefix, _, _ := strings.Cut(target, "-"); prefix {
	case "igw":
		_, ok := core.Find[*InternetGateway](x.Tx, x.Region, target)
		return ok
	case "nat":
		n, ok := core.Find[*natGateway](x.Tx, x.Region, target)
		return ok && !n.dead()
	case "i":
		in, ok := core.Find[*ec2.Instance](x.Tx, x.Region, target)
		return ok && !in.Dead()
	}
	return true
}

// createRouteTable honours its token as RunInstances does (EC2 API reference: CreateRouteTable).
func createRouteTable(x *core.Exchange) (any, error) {
	type made struct {
		Table xmlRouteTable `xml:"routeTable"`
	}
	again, repeated, err := x.Remembered()
	if err != nil {
		return nil, err
	}
	if repeated {
		if t, ok := core.Find[*routeTable](x.Tx, x.Region, again[0]); ok {
			return made{viewRouteTable(x, t)}, nil
		}
	}
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	tags, err := x.SpecTags("route-table")
	if err != nil {
		return nil, err
	}
	t := &routeTable{Base: x.Tx.Fresh("rtb-", x.Region), VPC: v.ID}
	t.Tags = tags
	x.Tx.Put(t)
	x.Remember([]string{t.ID})
	return made{viewRouteTable(x, t)}, nil
}

func describeRouteTables(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*routeTable](x, "RouteTableId", "InvalidRouteTableID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = core.Filtered(x, all, func(t *routeTable, name string) ([]string, bool) {
		switch name {
		case "route-table-id":
			return core.One(t.ID)
		case "vpc-id":
			return core.One(t.VPC)
		case "association.main":
			return core.Truth(t.Main)
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
	rows, next, err := ec2.Page(x, all, "RouteTableId", 100)
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

func routeTableOf(x *core.Exchange) (*routeTable, error) {
	id := x.P.Str("RouteTableId")
	if id == "" {
		return nil, wire.Missing("routeTableId")
	}
	t, ok := core.Find[*routeTable](x.Tx, x.Region, id)
	if !ok {
		return nil, wire.Failf("InvalidRouteTableID.NotFound", "The routeTable ID '%s' does not exist", id)
	}
	n := *t
	n.Routes, n.Ties = slices.Clone(t.Routes), slices.Clone(t.Ties)
	return &n, nil
}

// deleteRouteTable: neither the main table nor one that subnets use can be deleted (EC2 API reference:
// DeleteRouteTable).
func deleteRouteTable(x *core.Exchange) (any, error) {
	t, err := routeTableOf(x)
	if err != nil {
		return nil, err
	}
	if t.Main || len(t.Ties) > 0 {
		return nil, wire.Failf("DependencyViolation", "The routeTable '%s' has dependencies and cannot be deleted.", t.ID)
	}
	x.Tx.Drop(t)
	return ec2.Success{Return: true}, nil
}

// associateRouteTable: a subnet has one table besides the main one; again the same is not refused.
func associateRouteTable(x *core.Exchange) (any, error) {
	t, err := routeTableOf(x)
	if err != nil {
		return nil, err
	}
	sn, ok := core.Find[*Subnet](x.Tx, x.Region, x.P.Str("SubnetId"))
	switch {
	case !ok:
		return nil, ec2.NotFound(x.P.Str("SubnetId"), "InvalidSubnetID.NotFound")
	case sn.VPC != t.VPC:
		return nil, wire.Failf("InvalidParameterValue", "Route table %s and subnet %s belong to different networks", t.ID,
			sn.ID)
	}
	type joined struct {
		ID    string `xml:"associationId"`
		State string `xml:"associationState>state"`
	}
	for _, other := range core.List[*routeTable](x.Tx, x.Region) {
		for _, s := range other.Ties {
			if s.Subnet != sn.ID {
				continue
			}
			if other.ID == t.ID {
				return joined{s.ID, "associated"}, nil
			}
			return nil, wire.Failf("Resource.AlreadyAssociated",
				"the specified association for route table %s conflicts with an existing association", t.ID)
		}
	}
	s := tie{x.Tx.Fresh("rtbassoc-", x.Region).ID, sn.ID}
	t.Ties = append(t.Ties, s)
	x.Tx.Put(t)
	return joined{s.ID, "associated"}, nil
}

func disassociateRouteTable(x *core.Exchange) (any, error) {
	id := x.P.Str("AssociationId")
	for _, t := range core.List[*routeTable](x.Tx, x.Region) {
		i := slices.IndexFunc(t.Ties, func(s tie) bool { return s.ID == id })
		if i < 0 {
			continue
		}
		n := *t
		n.Ties = slices.Delete(slices.Clone(t.Ties), i, i+1)
		x.Tx.Put(&n)
		return ec2.Success{Return: true}, nil
	}
	return nil, wire.Failf("InvalidAssociationID.NotFound", "The association ID '%s' does not exist", id)
}

// untie removes a subnet that is deleted from its table.
func untie(x *core.Exchange, subnetID string) {
	for _, t := range core.List[*routeTable](x.Tx, x.Region) {
		if i := slices.IndexFunc(t.Ties, func(s tie) bool { return s.Subnet == subnetID }); i >= 0 {
			n := *t
			n.Ties = slices.Delete(slices.Clone(t.Ties), i, i+1)
			x.Tx.Put(&n)
		}
	}
}

// putRoute creates the route of a block of addresses, of which a table has one, or changes where it
// goes (EC2 API reference: CreateRoute, ReplaceRoute).
func putRoute(x *core.Exchange, again bool) (any, error) {
	t, err := routeTableOf(x)
	if err != nil {
		return nil, err
	}
	cidr := cmp.Or(x.P.Str("DestinationCidrBlock"), x.P.Str("DestinationIpv6CidrBlock"))
	p, err := netip.ParsePrefix(cidr)
	if err != nil {
		return nil, wire.BadValue(cidr, "destinationCidrBlock", "This is not a valid CIDR block.")
	}
	target, err := routeTarget(x, t)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(t.Routes, func(r route) bool { return r.CIDR == p.Masked().String() })
	switch {
	case i >= 0 && !again && t.Routes[i].Target != target:
		return nil, wire.Failf("RouteAlreadyExists", "The route identified by %s already exists.", cidr)
	case i < 0 && again:
		return nil, wire.Failf("InvalidParameterValue",
			"There is no route defined for '%s' in the route table. Use CreateRoute instead.", cidr)
	case i >= 0:
		t.Routes[i].Target = target
	default:
		t.Routes = append(t.Routes, route{p.Masked().String(), target})
	}
	x.Tx.Put(t)
	return ec2.Success{Return: true}, nil
}

// routeTarget is the one target that a route has.
func routeTarget(x *core.Exchange, t *routeTable) (string, error) {
	var out string
	for _, name := range []string{
		"GatewayId", "NatGatewayId", "InstanceId", "VpcPeeringConnectionId",
		"TransitGatewayId",
	} {
		if id := x.P.Str(name); id != "" && out != "" {
			return "", wire.Failf("InvalidParameterCombination", "The request contains more than one target.")
		} else if id != "" {
			out = id
		}
	}
	switch {
	case out == "":
		return "", wire.Failf("MissingParameter", "The request must contain one target.")
	case !targetExists(x, out) && strings.HasPrefix(out, "igw-"):
		return "", wire.Failf("InvalidGatewayID.NotFound", "The gateway ID '%s' does not exist", out)
	case !targetExists(x, out) && strings.HasPrefix(out, "nat-"):
		return "", wire.Failf("InvalidNatGatewayID.NotFound", "The natGateway ID '%s' does not exist", out)
	case !targetExists(x, out):
		return "", ec2.NotFound(out, "InvalidInstanceID.NotFound")
	}
	if g, ok := core.Find[*InternetGateway](x.Tx, x.Region, out); ok && g.VPC != t.VPC {
		return "", wire.Failf("InvalidParameterValue", "route table %s and network gateway %s belong to different networks",
			t.ID, out)
	}
	return out, nil
}

func deleteRoute(x *core.Exchange) (any, error) {
	t, err := routeTableOf(x)
	if err != nil {
		return nil, err
	}
	cidr := cmp.Or(x.P.Str("DestinationCidrBlock"), x.P.Str("DestinationIpv6CidrBlock"))
	i := slices.IndexFunc(t.Routes, func(r route) bool { return r.CIDR == cidr })
	if i < 0 {
		return nil, wire.Failf("InvalidRoute.NotFound", "no route with destination-cidr-block %s in route table %s", cidr,
			t.ID)
	}
	t.Routes = slices.Delete(t.Routes, i, i+1)
	x.Tx.Put(t)
	return ec2.Success{Return: true}, nil
}
