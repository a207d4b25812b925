package awsfake

import (
	"net/netip"
	"time"
)

func vpcActions() map[string]handler {
	return map[string]handler{
		"CreateVpc": createVPC, "DescribeVpcs": describeVPCs, "DeleteVpc": deleteVPC,
		"ModifyVpcAttribute": modifyVPC, "DescribeVpcAttribute": describeVPCAttribute,
		"CreateSubnet": createSubnet, "DescribeSubnets": describeSubnets, "DeleteSubnet": deleteSubnet,
		"ModifySubnetAttribute": modifySubnet,
		"AssociateVpcCidrBlock": associateVPC, "DisassociateVpcCidrBlock": disassociateVPC,
		"AssociateSubnetCidrBlock": associateSubnet, "DisassociateSubnetCidrBlock": disassociateSubnet,
	}
}

type xmlVPC struct {
	ID      string         `xml:"vpcId"`
	Owner   string         `xml:"ownerId"`
	State   string         `xml:"state"`
	CIDR    string         `xml:"cidrBlock"`
	Assoc   []xmlCIDRAssoc `xml:"cidrBlockAssociationSet>item"`
	Assoc6  []xmlTie6      `xml:"ipv6CidrBlockAssociationSet>item"`
	DHCP    string         `xml:"dhcpOptionsId"`
	Tenancy string         `xml:"instanceTenancy"`
	Default bool           `xml:"isDefault"`
	Tags    []xmlTag       `xml:"tagSet>item"`
}

type xmlCIDRAssoc struct {
	ID    string `xml:"associationId"`
	CIDR  string `xml:"cidrBlock"`
	State string `xml:"cidrBlockState>state"`
}

func viewVPC(v *vpc, state string, now time.Time) xmlVPC {
	suffix := v.ID[len("vpc-"):]
	return xmlVPC{
		ID: v.ID, Owner: Account, State: state, CIDR: v.CIDR, DHCP: "dopt-" + suffix, Tenancy: orDefault(v.Tenancy),
		Default: v.Default, Tags: tagSet(v.Tags), Assoc: []xmlCIDRAssoc{{"vpc-cidr-assoc-" + suffix, v.CIDR, associated}},
		Assoc6: viewTies6(v.V6, now, amazonPool),
	}
}

func orDefault(s string) string {
	if s == "" {
		return "default"
	}
	return s
}

// block reads an IPv4 block whose length is within bounds and whose address is
// its first one.
func block(param, cidr string, code string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(cidr)
	if err != nil || !p.Addr().Is4() {
		return p, failf("InvalidParameterValue", "Value (%s) for parameter %s is invalid. This is not a valid CIDR block.", cidr, param)
	}
	if p.Bits() < 16 || p.Bits() > 28 {
		return p, failf(code, "The CIDR '%s' is invalid: the netmask must be from /16 to /28.", cidr)
	}
	// AWS takes 10.0.1.7/16 for 10.0.0.0/16 (EC2 API reference: CreateVpc).
	return p.Masked(), nil
}

// createVPC makes a network with its default group. There is no client token:
// twice the same call makes two (EC2 API reference: CreateVpc).
func createVPC(x *exchange) (any, error) {
	if !x.p.has("CidrBlock") {
		return nil, missing("cidrBlock")
	}
	p, err := block("cidrBlock", x.p.str("CidrBlock"), "InvalidVpc.Range")
	if err != nil {
		return nil, err
	}
	tags, err := x.specTags("vpc")
	if err != nil {
		return nil, err
	}
	v := &vpc{base: x.tx.fresh("vpc-", x.Region), CIDR: p.String(), Tenancy: x.p.str("InstanceTenancy"), DNSSupport: true, Life: through(x.now, x.settle, "available", "pending")}
	v.Tags = tags
	if x.p.yes("AmazonProvidedIpv6CidrBlock") {
		v.V6 = []tie6{amazon6(x)}
	}
	g := defaultGroup(x.tx.fresh("sg-", x.Region), v.ID)
	v.Group = g.ID
	x.tx.put(v)
	x.tx.put(g)
	x.tx.put(mainTable(v))
	return struct {
		VPC xmlVPC `xml:"vpc"`
	}{viewVPC(v, v.Life.first(), time.Time{})}, nil
}

func describeVPCs(x *exchange) (any, error) {
	all, err := named[*vpc](x, "VpcId", "InvalidVpcID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = filtered(x, all, func(v *vpc, name string) ([]string, bool) {
		switch name {
		case "vpc-id":
			return one(v.ID)
		case "cidr", "cidr-block", "cidr-block-association.cidr-block":
			return one(v.CIDR)
		case "is-default", "isDefault":
			return truth(v.Default)
		case "state":
			return one(v.Life.at(x.now))
		case "owner-id":
			return one(Account)
		case "dhcp-options-id":
			return one("dopt-" + v.ID)
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "VpcId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlVPC
	for _, v := range rows {
		out = append(out, viewVPC(v, v.Life.at(x.now), x.now))
	}
	return struct {
		Set  []xmlVPC `xml:"vpcSet>item"`
		Next *string  `xml:"nextToken"`
	}{out, next}, nil
}

func vpcOf(x *exchange) (*vpc, error) {
	id := x.p.str("VpcId")
	if id == "" {
		return nil, missing("vpcId")
	}
	v, ok := find[*vpc](x.tx, x.Region, id)
	if !ok {
		return nil, notFound(id, "InvalidVpcID.NotFound")
	}
	return v, nil
}

// deleteVPC takes the network's default group and main route table along; any subnet, gateway, other
// group or table holds it back ("Delete your VPC").
func deleteVPC(x *exchange) (any, error) {
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	busy := failf("DependencyViolation", "The vpc '%s' has dependencies and cannot be deleted.", v.ID)
	for _, sn := range list[*subnet](x.tx, x.Region) {
		if sn.VPC == v.ID {
			return nil, busy
		}
	}
	for _, g := range list[*securityGroup](x.tx, x.Region) {
		if g.VPC == v.ID && g.ID != v.Group {
			return nil, busy
		}
	}
	if gatewayOf(x, v.ID) != nil || endpointIn(x, v.ID) {
		return nil, busy
	}
	for _, t := range list[*routeTable](x.tx, x.Region) {
		if t.VPC != v.ID {
			continue
		}
		if !t.Main {
			return nil, busy
		}
		x.tx.drop(t)
	}
	if g, ok := find[*securityGroup](x.tx, x.Region, v.Group); ok {
		x.tx.drop(g)
	}
	x.tx.drop(v)
	return success{Return: true}, nil
}

// modifyVPC sets one attribute a call; names for hosts need the resolver first
// (EC2 API reference: ModifyVpcAttribute).
func modifyVPC(x *exchange) (any, error) {
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	n := *v
	support, names := x.p.has("EnableDnsSupport"), x.p.has("EnableDnsHostnames")
	switch {
	case support && names:
		return nil, failf("InvalidParameterCombination", "Only one attribute can be modified at a time.")
	case support:
		n.DNSSupport = x.p.yes("EnableDnsSupport.Value")
	case names:
		n.DNSHostnames = x.p.yes("EnableDnsHostnames.Value")
	default:
		return nil, failf("InvalidParameterCombination", "No attributes specified.")
	}
	x.tx.put(&n)
	return success{Return: true}, nil
}

func describeVPCAttribute(x *exchange) (any, error) {
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	out := struct {
		ID      string   `xml:"vpcId"`
		Support *xmlFlag `xml:"enableDnsSupport"`
		Names   *xmlFlag `xml:"enableDnsHostnames"`
		Usage   *xmlFlag `xml:"enableNetworkAddressUsageMetrics"`
	}{ID: v.ID}
	switch name := x.p.str("Attribute"); name {
	case "enableDnsSupport":
		out.Support = &xmlFlag{Value: v.DNSSupport}
	case "enableDnsHostnames":
		out.Names = &xmlFlag{Value: v.DNSHostnames}
	case "enableNetworkAddressUsageMetrics":
		out.Usage = &xmlFlag{}
	default:
		return nil, badValue(name, "attribute", "Unknown vpc attribute.")
	}
	return out, nil
}
