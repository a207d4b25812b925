package awsfake

import (
	"net/netip"
	"slices"
)

type xmlSubnet struct {
	ID       string    `xml:"subnetId"`
	ARN      string    `xml:"subnetArn"`
	Owner    string    `xml:"ownerId"`
	State    string    `xml:"state"`
	VPC      string    `xml:"vpcId"`
	CIDR     string    `xml:"cidrBlock"`
	Free     int       `xml:"availableIpAddressCount"`
	AZ       string    `xml:"availabilityZone"`
	AZID     string    `xml:"availabilityZoneId"`
	Default  bool      `xml:"defaultForAz"`
	PublicIP bool      `xml:"mapPublicIpOnLaunch"`
	IPv6     bool      `xml:"assignIpv6AddressOnCreation"`
	Assoc6   []xmlTie6 `xml:"ipv6CidrBlockAssociationSet>item"`
	Tags     []xmlTag  `xml:"tagSet>item"`
}

func viewSubnet(x *exchange, s *subnet, state string) xmlSubnet {
	return xmlSubnet{
		ID: s.ID, ARN: "arn:aws:ec2:" + x.Region + ":" + Account + ":subnet/" + s.ID, Owner: Account, State: state,
		VPC: s.VPC, CIDR: s.CIDR, Free: freeAddresses(x, s.ID), AZ: s.AZ, AZID: zoneID(x.Region, slices.Index(zones(x.Region), s.AZ)), Default: s.Default, PublicIP: s.PublicIP, Tags: tagSet(s.Tags),
		IPv6: s.Assign6, Assoc6: viewTies6(s.V6, x.now, ""),
	}
}

// createSubnet: inside its network and beside every other subnet (EC2 API
// reference: CreateSubnet). It has no client token.
func createSubnet(x *exchange) (any, error) {
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	if !x.p.has("CidrBlock") {
		return nil, missing("cidrBlock")
	}
	p, err := block("cidrBlock", x.p.str("CidrBlock"), "InvalidSubnet.Range")
	if err != nil {
		return nil, err
	}
	if err := fits(x, v, p); err != nil {
		return nil, err
	}
	all := zones(x.Region)
	az := x.p.or("AvailabilityZone", all[(int(x.tx.st.seq)+len(all)-2)%len(all)]) // any of them
	if !validZone(x.Region, az) {
		return nil, failf("InvalidParameterValue", "Value (%s) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: %v.", az, zones(x.Region))
	}
	tags, err := x.specTags("subnet")
	if err != nil {
		return nil, err
	}
	s := &subnet{base: x.tx.fresh("subnet-", x.Region), VPC: v.ID, AZ: az, CIDR: p.String(), Life: through(x.now, x.settle, "available", "pending")}
	s.Tags = tags
	if cidr := x.p.str("Ipv6CidrBlock"); cidr != "" {
		if err := fits6(x, v, cidr); err != nil {
			return nil, err
		}
		s.V6 = []tie6{subnet6(x, cidr)}
	}
	x.tx.put(s)
	return struct {
		Subnet xmlSubnet `xml:"subnet"`
	}{viewSubnet(x, s, s.Life.first())}, nil
}

func fits(x *exchange, v *vpc, p netip.Prefix) error {
	outer, err := netip.ParsePrefix(v.CIDR)
	if err != nil || !outer.Contains(p.Addr()) || p.Bits() < outer.Bits() {
		return failf("InvalidSubnet.Range", "The CIDR '%s' is invalid.", p)
	}
	for _, other := range list[*subnet](x.tx, x.Region) {
		q, err := netip.ParsePrefix(other.CIDR)
		if err == nil && other.VPC == v.ID && q.Overlaps(p) {
			return failf("InvalidSubnet.Conflict", "The CIDR '%s' conflicts with another subnet", p)
		}
	}
	return nil
}

func describeSubnets(x *exchange) (any, error) {
	all, err := named[*subnet](x, "SubnetId", "InvalidSubnetID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = filtered(x, all, func(s *subnet, name string) ([]string, bool) {
		switch name {
		case "subnet-id":
			return one(s.ID)
		case "vpc-id":
			return one(s.VPC)
		case "availability-zone", "availabilityZone":
			return one(s.AZ)
		case "cidr-block", "cidr", "cidrBlock":
			return one(s.CIDR)
		case "default-for-az", "defaultForAz":
			return truth(s.Default)
		case "map-public-ip-on-launch":
			return truth(s.PublicIP)
		case "state":
			return one(s.Life.at(x.now))
		case "owner-id":
			return one(Account)
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "SubnetId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlSubnet
	for _, s := range rows {
		out = append(out, viewSubnet(x, s, s.Life.at(x.now)))
	}
	return struct {
		Set  []xmlSubnet `xml:"subnetSet>item"`
		Next *string     `xml:"nextToken"`
	}{out, next}, nil
}

func subnetOf(x *exchange) (*subnet, error) {
	id := x.p.str("SubnetId")
	if id == "" {
		return nil, missing("subnetId")
	}
	s, ok := find[*subnet](x.tx, x.Region, id)
	if !ok {
		return nil, notFound(id, "InvalidSubnetID.NotFound")
	}
	return s, nil
}

// deleteSubnet: an address in use holds it back, of an instance, an interface, a NAT gateway or a database
// ("Delete a subnet"). An instance gives its address back once it is
// terminated, not before.
func deleteSubnet(x *exchange) (any, error) {
	s, err := subnetOf(x)
	if err != nil {
		return nil, err
	}
	for _, in := range list[*instance](x.tx, x.Region) {
		if in.Subnet == s.ID && in.Life.at(x.now) != "terminated" {
			return nil, failf("DependencyViolation", "The subnet '%s' has dependencies and cannot be deleted.", s.ID)
		}
	}
	for _, n := range list[*natGateway](x.tx, x.Region) {
		if n.Subnet == s.ID && n.Life.at(x.now) != natDeleted && n.Life.at(x.now) != "failed" {
			return nil, failf("DependencyViolation", "The subnet '%s' has dependencies and cannot be deleted.", s.ID)
		}
	}
	if inUse(x, s.ID) || endpointIn(x, s.ID) || interfaceIn(x, s.ID) {
		return nil, failf("DependencyViolation", "The subnet '%s' has dependencies and cannot be deleted.", s.ID)
	}
	untie(x, s.ID)
	x.tx.drop(s)
	return success{Return: true}, nil
}

// modifySubnet changes one attribute a call (EC2 API reference:
// ModifySubnetAttribute).
func modifySubnet(x *exchange) (any, error) {
	s, err := subnetOf(x)
	if err != nil {
		return nil, err
	}
	n := *s
	public, assign := x.p.has("MapPublicIpOnLaunch"), x.p.has("AssignIpv6AddressOnCreation")
	switch {
	case public && assign:
		return nil, failf("InvalidParameterCombination", "Only one attribute can be modified at a time.")
	case public:
		n.PublicIP = x.p.yes("MapPublicIpOnLaunch.Value")
	case assign:
		n.Assign6 = x.p.yes("AssignIpv6AddressOnCreation.Value")
	default:
		return nil, failf("InvalidParameterCombination", "The sandbox supports only the subnet attributes mapPublicIpOnLaunch and assignIpv6AddressOnCreation.")
	}
	if n.Assign6 && !slices.ContainsFunc(s.V6, tie6.held) {
		return nil, badValue("true", "assignIpv6AddressOnCreation", "The subnet has no IPv6 CIDR block.")
	}
	x.tx.put(&n)
	return success{Return: true}, nil
}
