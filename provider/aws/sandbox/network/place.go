package network

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// FreeAddress is an address that a request asks for: one of the subnet that AWS does not reserve and nothing uses (EC2 API
// reference: RunInstances and CreateNetworkInterface, PrivateIpAddress).
func FreeAddress(x *core.Exchange, sn *Subnet, private string) (string, error) {
	if private == "" {
		return "", nil
	}
	a, err := netip.ParseAddr(private)
	if err != nil || !a.Is4() {
		return "", wire.Failf("InvalidParameterValue", "invalid value for parameter address: %s", private)
	}
	p, err := netip.ParsePrefix(sn.CIDR)
	if err != nil || !p.Contains(a) {
		return "", wire.Failf("InvalidParameterValue", "Address %s does not fall within the subnet's address range", a)
	}
	if n := offset(p.Addr(), a); n < 4 || n == hosts(sn.CIDR)-1 {
		return "", wire.Failf("InvalidParameterValue", "Address %s is in subnet's reserved address range", a)
	}
	inUse := slices.ContainsFunc(core.List[*NetworkInterface](x.Tx, x.Region), func(n *NetworkInterface) bool { return n.Subnet == sn.ID && n.Private == a.String() })
	for _, other := range core.Below[*ec2.Instance](x.Tx, x.Region, sn.ID) {
		inUse = inUse || other.Private == a.String()
	}
	if inUse {
		return "", wire.Failf("InvalidIPAddress.InUse", "Address %s is in use.", a)
	}
	return a.String(), nil
}

// offset is how far an address is behind the first one of its block.
func offset(first, a netip.Addr) int {
	x, y := first.As4(), a.As4()
	n := 0
	for i := range x {
		n = n<<8 + int(y[i]) - int(x[i])
	}
	return n
}

// GroupsFor are the named groups, which must live in the subnet's network, or
// the network's default group.
func GroupsFor(x *core.Exchange, byID, byName []string, sn *Subnet) ([]string, error) {
	out := slices.Clone(byID)
	for _, name := range byName {
		g := groupNamed(x, name, sn.VPC)
		if g == nil {
			return nil, wire.Failf("InvalidGroup.NotFound", "The security group '%s' does not exist in VPC '%s'", name, sn.VPC)
		}
		out = append(out, g.ID)
	}
	for _, id := range out {
		g, ok := core.Find[*SecurityGroup](x.Tx, x.Region, id)
		if !ok {
			return nil, wire.Failf("InvalidGroup.NotFound", "The security group '%s' does not exist", id)
		}
		if g.VPC != sn.VPC {
			return nil, wire.Failf("InvalidParameter", "Security group %s and subnet %s belong to different networks.", id, sn.ID)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	if v, ok := core.Find[*VPC](x.Tx, x.Region, sn.VPC); ok {
		return []string{v.Group}, nil
	}
	return nil, wire.Failf("InvalidVpcID.NotFound", "The vpc ID '%s' does not exist", sn.VPC)
}

func groupNamed(x *core.Exchange, name, vpcID string) *SecurityGroup {
	for _, g := range core.List[*SecurityGroup](x.Tx, x.Region) {
		if g.Name == name && g.VPC == vpcID {
			return g
		}
	}
	return nil
}

// FreeAddresses: AWS reserves five addresses of each subnet ("Subnet
// CIDR blocks").
func FreeAddresses(x *core.Exchange, subnetID string) int {
	sn, ok := core.Find[*Subnet](x.Tx, x.Region, subnetID)
	if !ok {
		return 0
	}
	used := core.CountBelow[*ec2.Instance](x.Tx, x.Region, subnetID)
	for _, n := range core.List[*NetworkInterface](x.Tx, x.Region) {
		if n.Subnet == subnetID {
			used++
		}
	}
	return max(hosts(sn.CIDR)-5-used, 0)
}

func hosts(cidr string) int {
	p, err := netip.ParsePrefix(cidr)
	if err != nil {
		return 0
	}
	return 1 << (32 - p.Bits())
}

// PrivateAddress is a private address of the subnet. It follows from the sequence
// number, so that finding one costs no search; in a subnet that was used up
// once over, two instances may show the same one.
func PrivateAddress(x *core.Exchange, subnetID string, seq int64) string {
	sn, ok := core.Find[*Subnet](x.Tx, x.Region, subnetID)
	if !ok {
		return ""
	}
	p, err := netip.ParsePrefix(sn.CIDR)
	if err != nil {
		return ""
	}
	a := p.Addr().As4()
	n := uint32(a[0])<<24 | uint32(a[1])<<16 | uint32(a[2])<<8 | uint32(a[3])
	n += 4 + uint32(seq)%uint32(max(hosts(sn.CIDR)-5, 1))
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()
}

// PublicAddress is one of the addresses kept for documentation (RFC 5737), so
// that no instance of the sandbox appears to be a real machine.
func PublicAddress(seq int64) string { return fmt.Sprintf("203.0.113.%d", 1+seq%254) }
