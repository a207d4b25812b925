package awsfake

import (
	"net/netip"
	"slices"
)

// within6 reports that a block is a part of another.
func within6(part, whole string) bool {
	p, err := netip.ParsePrefix(part)
	w, err2 := netip.ParsePrefix(whole)
	return err == nil && err2 == nil && w.Contains(p.Addr()) && p.Bits() >= w.Bits()
}

// occupied are the IPv6 blocks of a network's subnets that are not given up.
func occupied(x *exchange, v *vpc) (out []tie6) {
	for _, s := range list[*subnet](x.tx, x.Region) {
		if s.VPC != v.ID {
			continue
		}
		for _, t := range s.V6 {
			if t.Life.at(x.now) != disassociated {
				out = append(out, t)
			}
		}
	}
	return out
}

func unused6(x *exchange, v *vpc, cidr string) error {
	if slices.ContainsFunc(occupied(x, v), func(t tie6) bool { return within6(t.CIDR, cidr) }) {
		return failf("InvalidCidrBlock.InUse", "The vpc %s currently has a subnet within CIDR block %s", v.ID, cidr)
	}
	return nil
}

// fits6: a /64 of an IPv6 block that the network has, which no other subnet has ("Subnet CIDR blocks").
func fits6(x *exchange, v *vpc, cidr string) error {
	p, err := netip.ParsePrefix(cidr)
	if err != nil || !p.Addr().Is6() {
		return badValue(cidr, "ipv6CidrBlock", "This is not a valid IPv6 CIDR block.")
	}
	inside := slices.ContainsFunc(v.V6, func(t tie6) bool { return t.Life.at(x.now) == associated && within6(cidr, t.CIDR) })
	if p.Bits() != 64 || p != p.Masked() || !inside {
		return failf("InvalidSubnet.Range", "The CIDR '%s' is invalid.", cidr)
	}
	if slices.ContainsFunc(occupied(x, v), func(t tie6) bool { return t.CIDR == p.String() }) {
		return failf("InvalidSubnet.Conflict", "The CIDR '%s' conflicts with another subnet", cidr)
	}
	return nil
}

func subnet6(x *exchange, cidr string) tie6 {
	return tie6{ID: x.tx.fresh("subnet-cidr-assoc-", x.Region).ID, CIDR: cidr, Life: through(x.now, x.settle, associated, "associating")}
}

// associateSubnet gives a subnet its one IPv6 block (EC2 API reference: AssociateSubnetCidrBlock).
func associateSubnet(x *exchange) (any, error) {
	s, err := subnetOf(x)
	if err != nil {
		return nil, err
	}
	v, ok := find[*vpc](x.tx, x.Region, s.VPC)
	if !ok {
		return nil, notFound(s.VPC, "InvalidVpcID.NotFound")
	}
	cidr := x.p.str("Ipv6CidrBlock")
	if err := fits6(x, v, cidr); err != nil {
		return nil, err
	}
	n := *s
	n.V6 = slices.DeleteFunc(slices.Clone(s.V6), func(t tie6) bool { return t.Life.at(x.now) == disassociated })
	if len(n.V6) > 0 {
		return nil, failf("CidrLimitExceeded", "The subnet '%s' has an IPv6 CIDR block.", s.ID)
	}
	t := subnet6(x, cidr)
	n.V6 = append(n.V6, t)
	x.tx.put(&n)
	return tied6{Subnet: s.ID, Tie: viewTie6(t, t.Life.first(), "")}, nil
}

// disassociateSubnet: a subnet that gives its addresses to what is created in it keeps them.
func disassociateSubnet(x *exchange) (any, error) {
	id := x.p.str("AssociationId")
	if id == "" {
		return nil, missing("associationId")
	}
	for _, s := range list[*subnet](x.tx, x.Region) {
		i := slices.IndexFunc(s.V6, func(t tie6) bool { return t.ID == id && t.held() })
		if i < 0 {
			continue
		}
		if s.Assign6 {
			return nil, failf("InvalidCidrBlock.InUse", "The subnet IPv6 CIDR block with association ID %s may not be disassociated, because its subnet has assign-ipv6-address-on-creation set to true.", id)
		}
		n := *s
		n.V6 = slices.Clone(s.V6)
		n.V6[i] = giveUp6(x, s.V6[i])
		x.tx.put(&n)
		return tied6{Subnet: s.ID, Tie: viewTie6(n.V6[i], n.V6[i].Life.first(), "")}, nil
	}
	return nil, failf("InvalidSubnetCidrBlockAssociationID.NotFound", "The subnet CIDR block with association ID %s does not exist", id)
}
