package network

import (
	"net/netip"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func vpcActions() map[string]core.Handler {
	return map[string]core.Handler{
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
	Tags    []core.XMLTag  `xml:"tagSet>item"`
}

type xmlCIDRAssoc struct {
	ID    string `xml:"associationId"`
	CIDR  string `xml:"cidrBlock"`
	State string `xml:"cidrBlockState>state"`
}

func viewVPC(v *VPC, state string, now time.Time) xmlVPC {
	suffix := v.ID[len("vpc-"):]
	return xmlVPC{
		ID: v.ID, Owner: wire.Account, State: state, CIDR: v.CIDR, DHCP: "dopt-" + suffix, Tenancy: orDefault(v.Tenancy),
		Default: v.Default, Tags: core.TagSet(v.Tags),
		Assoc:  []xmlCIDRAssoc{{"vpc-cidr-assoc-" + suffix, v.CIDR, associated}},
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
		return p, wire.Failf("InvalidParameterValue",
			"Value (%s) for parameter %s is invalid. This is not a valid CIDR block.", cidr, param)
	}
	if p.Bits() < 16 || p.Bits() > 28 {
		return p, wire.Failf(code, "The CIDR '%s' is invalid: the netmask must be from /16 to /28.", cidr)
	}
	// AWS takes 10.0.1.7/16 for 10.0.0.0/16 (EC2 API reference: CreateVpc).
	return p.Masked(), nil
}

// createVPC makes a network with its default group. There is no client token:
// twice the same call makes two (EC2 API reference: CreateVpc).
func createVPC(x *core.Exchange) (any, error) {
	if !x.P.Has("CidrBlock") {
		return nil, wire.Missing("cidrBlock")
	}
	p, err := block("cidrBlock", x.P.Str("CidrBlock"), "InvalidVpc.Range")
	if err != nil {
		return nil, err
	}
	tags, err := x.SpecTags("vpc")
	if err != nil {
		return nil, err
	}
	v := &VPC{
		Base: x.Tx.Fresh("vpc-", x.Region), CIDR: p.String(), Tenancy: x.P.Str("InstanceTenancy"), DNSSupport: true,
		Life: core.Through(x.Now, x.Settle, "available", "pending"),
	}
	v.Tags = tags
	if x.P.Yes("AmazonProvidedIpv6CidrBlock") {
		v.V6 = []tie6{amazon6(x)}
	}
	g := defaultGroup(x.Tx.Fresh("sg-", x.Region), v.ID)
	v.Group = g.ID
	x.Tx.Put(v)
	x.Tx.Put(g)
	x.Tx.Put(mainTable(v))
	return struct {
		VPC xmlVPC `xml:"vpc"`
	}{viewVPC(v, v.Life.First(), time.Time{})}, nil
}

func describeVPCs(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*VPC](x, "VpcId", "InvalidVpcID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = core.Filtered(x, all, func(v *VPC, name string) ([]string, bool) {
		switch name {
		case "vpc-id":
			return core.One(v.ID)
		case "cidr", "cidr-block", "cidr-block-association.cidr-block":
			return core.One(v.CIDR)
		case "is-default", "isDefault":
			return core.Truth(v.Default)
		case "state":
			return core.One(v.Life.At(x.Now))
		case "owner-id":
			return core.One(wire.Account)
		case "dhcp-options-id":
			return core.One("dopt-" + v.ID)
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2.Page(x, all, "VpcId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlVPC
	for _, v := range rows {
		out = append(out, viewVPC(v, v.Life.At(x.Now), x.Now))
	}
	return struct {
		Set  []xmlVPC `xml:"vpcSet>item"`
		Next *string  `xml:"nextToken"`
	}{out, next}, nil
}

// deleteVPC takes the network's default group and main route table along; any subnet, gateway, other
// group or table holds it back ("Delete your VPC").
func deleteVPC(x *core.Exchange) (any, error) {
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	busy := wire.Failf("DependencyViolation", "The vpc '%s' has dependencies and cannot be deleted.", v.ID)
	for _, sn := range core.List[*Subnet](x.Tx, x.Region) {
		if sn.VPC == v.ID {
			return nil, busy
		}
	}
	for _, g := range core.List[*SecurityGroup](x.Tx, x.Region) {
		if g.VPC == v.ID && g.ID != v.Group {
			return nil, busy
		}
	}
	if gatewayOf(x, v.ID) != nil || endpointIn(x, v.ID) {
		return nil, busy
	}
	for _, t := range core.List[*routeTable](x.Tx, x.Region) {
		if t.VPC != v.ID {
			continue
		}
		if !t.Main {
			return nil, busy
		}
		x.Tx.Drop(t)
	}
	if g, ok := core.Find[*SecurityGroup](x.Tx, x.Region, v.Group); ok {
		x.Tx.Drop(g)
	}
	x.Tx.Drop(v)
	return ec2.Success{Return: true}, nil
}

// modifyVPC sets one attribute a call; names for hosts need the resolver first
// (EC2 API reference: ModifyVpcAttribute).
func modifyVPC(x *core.Exchange) (any, error) {
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	n := *v
	support, names := x.P.Has("EnableDnsSupport"), x.P.Has("EnableDnsHostnames")
	switch {
	case support && names:
		return nil, wire.Failf("InvalidParameterCombination", "Only one attribute can be modified at a time.")
	case support:
		n.DNSSupport = x.P.Yes("EnableDnsSupport.Value")
	case names:
		n.DNSHostnames = x.P.Yes("EnableDnsHostnames.Value")
	default:
		return nil, wire.Failf("InvalidParameterCombination", "No attributes specified.")
	}
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}

func describeVPCAttribute(x *core.Exchange) (any, error) {
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	out := struct {
		ID      string       `xml:"vpcId"`
		Support *ec2.XMLFlag `xml:"enableDnsSupport"`
		Names   *ec2.XMLFlag `xml:"enableDnsHostnames"`
		Usage   *ec2.XMLFlag `xml:"enableNetworkAddressUsageMetrics"`
	}{ID: v.ID}
	switch name := x.P.Str("Attribute"); name {
	case "enableDnsSupport":
		out.Support = &ec2.XMLFlag{Value: v.DNSSupport}
	case "enableDnsHostnames":
		out.Names = &ec2.XMLFlag{Value: v.DNSHostnames}
	case "enableNetworkAddressUsageMetrics":
		out.Usage = &ec2.XMLFlag{}
	default:
		return nil, wire.BadValue(name, "attribute", "Unknown vpc attribute.")
	}
	return out, nil
}
