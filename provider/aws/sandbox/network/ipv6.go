package network

import (
	"net/netip"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// most6 is how many IPv6 blocks a network may have ("Amazon VPC quotas").
const most6 = 5

// states of a block of addresses (EC2 API reference: VpcCidrBlockState).
const ()

type xmlTie6 struct {
	ID    string `xml:"associationId"`
	CIDR  string `xml:"ipv6CidrBlock"`
	State string `xml:"ipv6CidrBlockState>state"`
	Pool  string `xml:"ipv6Pool,omitempty"`
}

// viewTie6: a block that was given up is reported as such, with the holder's others.
func viewTie6(t tie6, state, pool string) xmlTie6 { return xmlTie6{t.ID, t.CIDR, state, pool} }

func viewTies6(all []tie6, now time.Time, pool string) []xmlTie6 {
	var out []xmlTie6
	for _, t := range all {
		out = append(out, viewTie6(t, t.Life.At(now), pool))
	}
	return out
}

// amazon6 gives a network another /56 of the range for documentation, which no two networks share.
func amazon6(x *core.Exchange) tie6 {
	n := x.Tx.Next()
	first := netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, byte(n >> 16), byte(n >> 8), byte(n)})
	return tie6{
		ID: x.Tx.Fresh("vpc-cidr-assoc-", x.Region).ID, CIDR: netip.PrefixFrom(first, 56).String(),
		Life: core.Through(x.Now, x.Settle, associated, "associating"),
	}
}

func giveUp6(x *core.Exchange, t tie6) tie6 {
	t.Life = core.Through(x.Now, x.Settle, disassociated, "disassociating")
	return t
}

type tied6 struct {
	VPC    string  `xml:"vpcId,omitempty"`
	Subnet string  `xml:"subnetId,omitempty"`
	Tie    xmlTie6 `xml:"ipv6CidrBlockAssociation"`
}

// associateVPC gives a network a block of Amazon's. There is no client token: twice the same call
// gives it two (EC2 API reference: AssociateVpcCidrBlock).
func associateVPC(x *core.Exchange) (any, error) {
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	if !x.P.Yes("AmazonProvidedIpv6CidrBlock") {
		return nil, wire.Failf("InvalidParameterCombination",
			"The sandbox supports only blocks of IPv6 addresses that Amazon provides.")
	}
	n := *v
	n.V6 = slices.DeleteFunc(slices.Clone(v.V6), func(t tie6) bool { return t.Life.At(x.Now) == disassociated })
	if len(n.V6) >= most6 {
		return nil, wire.Failf("CidrLimitExceeded", "This network '%s' has met its maximum number of allowed CIDRs: %d", v.ID,
			most6)
	}
	t := amazon6(x)
	n.V6 = append(n.V6, t)
	x.Tx.Put(&n)
	return tied6{VPC: v.ID, Tie: viewTie6(t, t.Life.First(), amazonPool)}, nil
}

const amazonPool = "Amazon"

// disassociateVPC: a subnet's part of the block holds it back (EC2 answers InvalidCidrBlock.InUse).
func disassociateVPC(x *core.Exchange) (any, error) {
	id := x.P.Str("AssociationId")
	if id == "" {
		return nil, wire.Missing("associationId")
	}
	for _, v := range core.List[*VPC](x.Tx, x.Region) {
		i := slices.IndexFunc(v.V6, func(t tie6) bool { return t.ID == id && t.held() })
		if i < 0 {
			continue
		}
		cidr := v.V6[i].CIDR
		if slices.ContainsFunc(occupied(x, v), func(t tie6) bool { return within6(t.CIDR, cidr) }) {
			return nil, wire.Failf("InvalidCidrBlock.InUse", "The vpc %s currently has a subnet within CIDR block %s", v.ID,
				cidr)
		}
		n := *v
		n.V6 = slices.Clone(v.V6)
		n.V6[i] = giveUp6(x, v.V6[i])
		x.Tx.Put(&n)
		return tied6{VPC: v.ID, Tie: viewTie6(n.V6[i], n.V6[i].Life.First(), amazonPool)}, nil
	}
	return nil, wire.Failf("InvalidVpcCidrBlockAssociationID.NotFound",
		"The vpc CIDR block with association ID %s does not exist", id)
}

// within6 reports that a block is a part of another.
func within6(part, whole string) bool {
	p, err := netip.ParsePrefix(part)
	w, err2 := netip.ParsePrefix(whole)
	return err == nil && err2 == nil && w.Contains(p.Addr()) && p.Bits() >= w.Bits()
}

// occupied are the IPv6 blocks of a network's subnets that are not given up.
func occupied(x *core.Exchange, v *VPC) (out []tie6) {
	for _, s := range core.List[*Subnet](x.Tx, x.Region) {
		if s.VPC != v.ID {
			continue
		}
		for _, t := range s.V6 {
			if t.Life.At(x.Now) != disassociated {
				out = append(out, t)
			}
		}
	}
	return out
}

// fits6: a /64 of an IPv6 block that the network has, which no other subnet has ("Subnet CIDR blocks").
func fits6(x *core.Exchange, v *VPC, cidr string) error {
	p, err := netip.ParsePrefix(cidr)
	if err != nil || !p.Addr().Is6() {
		return wire.BadValue(cidr, "ipv6CidrBlock", "This is not a valid IPv6 CIDR block.")
	}
	inside := slices.ContainsFunc(v.V6, func(t tie6) bool {
		return t.Life.At(x.Now) == associated && within6(cidr, t.CIDR)
	})
	if p.Bits() != 64 || p != p.Masked() || !inside {
		return wire.Failf("InvalidSubnet.Range", "The CIDR '%s' is invalid.", cidr)
	}
	if slices.ContainsFunc(occupied(x, v), func(t tie6) bool { return t.CIDR == p.String() }) {
		return wire.Failf("InvalidSubnet.Conflict", "The CIDR '%s' conflicts with another subnet", cidr)
	}
	return nil
}

func subnet6(x *core.Exchange, cidr string) tie6 {
	return tie6{
		ID: x.Tx.Fresh("subnet-cidr-assoc-", x.Region).ID, CIDR: cidr,
		Life: core.Through(x.Now, x.Settle, associated, "associating"),
	}
}

// associateSubnet gives a subnet its one IPv6 block (EC2 API reference: AssociateSubnetCidrBlock).
func associateSubnet(x *core.Exchange) (any, error) {
	s, err := subnetOf(x)
	if err != nil {
		return nil, err
	}
	v, ok := core.Find[*VPC](x.Tx, x.Region, s.VPC)
	if !ok {
		return nil, ec2.NotFound(s.VPC, "InvalidVpcID.NotFound")
	}
	cidr := x.P.Str("Ipv6CidrBlock")
	if err := fits6(x, v, cidr); err != nil {
		return nil, err
	}
	n := *s
	n.V6 = slices.DeleteFunc(slices.Clone(s.V6), func(t tie6) bool { return t.Life.At(x.Now) == disassociated })
	if len(n.V6) > 0 {
		return nil, wire.Failf("CidrLimitExceeded", "The subnet '%s' has an IPv6 CIDR block.", s.ID)
	}
	t := subnet6(x, cidr)
	n.V6 = append(n.V6, t)
	x.Tx.Put(&n)
	return tied6{Subnet: s.ID, Tie: viewTie6(t, t.Life.First(), "")}, nil
}

// disassociateSubnet: a subnet that gives its addresses to what is created in it keeps them.
func disassociateSubnet(x *core.Exchange) (any, error) {
	id := x.P.Str("AssociationId")
	if id == "" {
		return nil, wire.Missing("associationId")
	}
	for _, s := range core.List[*Subnet](x.Tx, x.Region) {
		i := slices.IndexFunc(s.V6, func(t tie6) bool { return t.ID == id && t.held() })
		if i < 0 {
			continue
		}
		if s.Assign6 {
			return nil, wire.Failf("InvalidCidrBlock.InUse",
				"The subnet IPv6 CIDR block with association ID %s may not be disassociated, because its subnet has "+
					"assign-ipv6-address-on-creation set to true.", id)
		}
		n := *s
		n.V6 = slices.Clone(s.V6)
		n.V6[i] = giveUp6(x, s.V6[i])
		x.Tx.Put(&n)
		return tied6{Subnet: s.ID, Tie: viewTie6(n.V6[i], n.V6[i].Life.First(), "")}, nil
	}
	return nil, wire.Failf("InvalidSubnetCidrBlockAssociationID.NotFound",
		"The subnet CIDR block with association ID %s does not exist", id)
}
