package network

import (
	"net/netip"
	"slices"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type xmlSubnet struct {
	ID       string        `xml:"subnetId"`
	ARN      string        `xml:"subnetArn"`
	Owner    string        `xml:"ownerId"`
	State    string        `xml:"state"`
	VPC      string        `xml:"vpcId"`
	CIDR     string        `xml:"cidrBlock"`
	Free     int           `xml:"availableIpAddressCount"`
	AZ       string        `xml:"availabilityZone"`
	AZID     string        `xml:"availabilityZoneId"`
	Default  bool          `xml:"defaultForAz"`
	PublicIP bool          `xml:"mapPublicIpOnLaunch"`
	IPv6     bool          `xml:"assignIpv6AddressOnCreation"`
	Assoc6   []xmlTie6     `xml:"ipv6CidrBlockAssociationSet>item"`
	Tags     []core.XMLTag `xml:"tagSet>item"`
}

func viewSubnet(x *core.Exchange, s *Subnet, state string) xmlSubnet {
	return xmlSubnet{
		ID: s.ID, ARN: "arn:aws:ec2:" + x.Region + ":" + wire.Account + ":subnet/" + s.ID, Owner: wire.Account, State: state,
		VPC: s.VPC, CIDR: s.CIDR, Free: FreeAddresses(x, s.ID), AZ: s.AZ,
		AZID: ec2.ZoneID(x.Region, slices.Index(ec2.Zones(x.Region), s.AZ)), Default: s.Default, PublicIP: s.PublicIP,
		Tags: core.TagSet(s.Tags),
		IPv6: s.Assign6, Assoc6: viewTies6(s.V6, x.Now, ""),
	}
}

// createSubnet: inside its network and beside every other subnet (EC2 API
// reference: CreateSubnet). It has no client token.
func createSubnet(x *core.Exchange) (any, error) {
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	if !x.P.Has("CidrBlock") {
		return nil, wire.Missing("cidrBlock")
	}
	p, err := block("cidrBlock", x.P.Str("CidrBlock"), "InvalidSubnet.Range")
	if err != nil {
		return nil, err
	}
	outer, err := netip.ParsePrefix(v.CIDR)
	if err != nil || !outer.Contains(p.Addr()) || p.Bits() < outer.Bits() {
		return nil, wire.Failf("InvalidSubnet.Range", "The CIDR '%s' is invalid.", p)
	}
	for _, other := range core.List[*Subnet](x.Tx, x.Region) {
		q, err := netip.ParsePrefix(other.CIDR)
		if err == nil && other.VPC == v.ID && q.Overlaps(p) {
			return nil, wire.Failf("InvalidSubnet.Conflict", "The CIDR '%s' conflicts with another subnet", p)
		}
	}
	all := ec2.Zones(x.Region)
	az := x.P.Or("AvailabilityZone", all[(int(x.Tx.St.Seq)+len(all)-2)%len(all)]) // any of them
	if !ec2.ValidZone(x.Region, az) {
		return nil, wire.Failf("InvalidParameterValue",
			"Value (%s) for parameter availabilityZone is invalid. Subnets can currently only be created in the following "+
				"availability zones: %v.", az, ec2.Zones(x.Region))
	}
	tags, err := x.SpecTags("subnet")
	if err != nil {
		return nil, err
	}
	s := &Subnet{
		Base: x.Tx.Fresh("subnet-", x.Region), VPC: v.ID, AZ: az, CIDR: p.String(),
		Life: core.Through(x.Now, x.Settle, "available", "pending"),
	}
	s.Tags = tags
	if cidr := x.P.Str("Ipv6CidrBlock"); cidr != "" {
		if err := fits6(x, v, cidr); err != nil {
			return nil, err
		}
		s.V6 = []tie6{subnet6(x, cidr)}
	}
	x.Tx.Put(s)
	return struct {
		Subnet xmlSubnet `xml:"subnet"`
	}{viewSubnet(x, s, s.Life.First())}, nil
}

func describeSubnets(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*Subnet](x, "SubnetId", "InvalidSubnetID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = core.Filtered(x, all, func(s *Subnet, name string) ([]string, bool) {
		switch name {
		case "subnet-id":
			return core.One(s.ID)
		case "vpc-id":
			return core.One(s.VPC)
		case "availability-zone", "availabilityZone":
			return core.One(s.AZ)
		case "cidr-block", "cidr", "cidrBlock":
			return core.One(s.CIDR)
		case "default-for-az", "defaultForAz":
			return core.Truth(s.Default)
		case "map-public-ip-on-launch":
			return core.Truth(s.PublicIP)
		case "state":
			return core.One(s.Life.At(x.Now))
		case "owner-id":
			return core.One(wire.Account)
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2.Page(x, all, "SubnetId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlSubnet
	for _, s := range rows {
		out = append(out, viewSubnet(x, s, s.Life.At(x.Now)))
	}
	return struct {
		Set  []xmlSubnet `xml:"subnetSet>item"`
		Next *string     `xml:"nextToken"`
	}{out, next}, nil
}

// deleteSubnet: an address in use holds it back, of an instance, an interface, a NAT gateway or a database
// ("Delete a subnet"). An instance gives its address back once it is
// terminated, not before.
func deleteSubnet(x *core.Exchange) (any, error) {
	s, err := subnetOf(x)
	if err != nil {
		return nil, err
	}
	for _, in := range core.List[*ec2.Instance](x.Tx, x.Region) {
		if in.Subnet == s.ID && in.Life.At(x.Now) != "terminated" {
			return nil, wire.Failf("DependencyViolation", "The subnet '%s' has dependencies and cannot be deleted.", s.ID)
		}
	}
	for _, n := range core.List[*natGateway](x.Tx, x.Region) {
		if n.Subnet == s.ID && n.Life.At(x.Now) != natDeleted && n.Life.At(x.Now) != "failed" {
			return nil, wire.Failf("DependencyViolation", "The subnet '%s' has dependencies and cannot be deleted.", s.ID)
		}
	}
	if core.InUse(x, s.ID) || endpointIn(x, s.ID) || interfaceIn(x, s.ID) {
		return nil, wire.Failf("DependencyViolation", "The subnet '%s' has dependencies and cannot be deleted.", s.ID)
	}
	untie(x, s.ID)
	x.Tx.Drop(s)
	return ec2.Success{Return: true}, nil
}

// modifySubnet changes one attribute a call (EC2 API reference:
// ModifySubnetAttribute).
func modifySubnet(x *core.Exchange) (any, error) {
	s, err := subnetOf(x)
	if err != nil {
		return nil, err
	}
	n := *s
	public, assign := x.P.Has("MapPublicIpOnLaunch"), x.P.Has("AssignIpv6AddressOnCreation")
	switch {
	case public && assign:
		return nil, wire.Failf("InvalidParameterCombination", "Only one attribute can be modified at a time.")
	case public:
		n.PublicIP = x.P.Yes("MapPublicIpOnLaunch.Value")
	case assign:
		n.Assign6 = x.P.Yes("AssignIpv6AddressOnCreation.Value")
	default:
		return nil, wire.Failf("InvalidParameterCombination",
			"The sandbox supports only the subnet attributes mapPublicIpOnLaunch and assignIpv6AddressOnCreation.")
	}
	if n.Assign6 && !slices.ContainsFunc(s.V6, tie6.held) {
		return nil, wire.BadValue("true", "assignIpv6AddressOnCreation", "The subnet has no IPv6 CIDR block.")
	}
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}
