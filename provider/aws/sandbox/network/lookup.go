package network

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// FreeAddress is an address that a request asks for: one of the subnet that AWS does not reserve and nothing uses (EC2
// API
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
	inUse := slices.ContainsFunc(core.List[*Interface](x.Tx, x.Region), func(n *Interface) bool {
		return n.Subnet == sn.ID && n.Private == a.String()
	})
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
			return nil, wire.Failf("InvalidParameter", "Security group %s and subnet %s belong to different networks.", id,
				sn.ID)
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
	for _, n := range core.List[*Interface](x.Tx, x.Region) {
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

func allocation(x *core.Exchange, id string) (*address, error) {
	if id == "" {
		return nil, wire.Missing("allocationId")
	}
	a, ok := core.Find[*address](x.Tx, x.Region, id)
	if !ok {
		return nil, wire.Failf("InvalidAllocationID.NotFound", "The allocation ID '%s' does not exist", id)
	}
	return a, nil
}

// AddressOf is the address of an instance, or nil.
func AddressOf(x *core.Exchange, instanceID string) *address {
	for _, a := range core.List[*address](x.Tx, x.Region) {
		if a.Instance == instanceID {
			return a
		}
	}
	return nil
}

// nic finds the interface of a request, of those that were made by themselves or of instances.
func nic(x *core.Exchange) (*Interface, error) {
	id := x.P.Str("NetworkInterfaceId")
	if id == "" {
		return nil, wire.Missing("networkInterfaceId")
	}
	if n, ok := core.Find[*Interface](x.Tx, x.Region, id); ok {
		return n, nil
	}
	if all := interfaces(x); slices.ContainsFunc(all, func(n *Interface) bool { return n.ID == id }) {
		return all[slices.IndexFunc(all, func(n *Interface) bool { return n.ID == id })], nil
	}
	return nil, wire.Failf(noInterface, "The networkInterface ID '%s' does not exist", id)
}

// NicsOf lists the interfaces tied to an instance besides the one of its launch.
func NicsOf(x *core.Exchange, id string) []*Interface {
	var out []*Interface
	for _, n := range core.Below[*Interface](x.Tx, x.Region, id) {
		if !n.Gone(x.Now) && n.tie(x.Now) != nil {
			out = append(out, n)
		}
	}
	return out
}

// Several refuses what is about the one interface of an instance where it has more.
func Several(x *core.Exchange, in *ec2.Instance) error {
	if len(NicsOf(x, in.ID)) == 0 {
		return nil
	}
	return wire.Failf("InvalidInstanceID",
		"There are multiple interfaces attached to instance '%s'. Please specify an interface ID for the operation instead.",
		in.ID)
}

// interfaceIn reports an interface, made by itself, in a subnet or a group.
func interfaceIn(x *core.Exchange, id string) bool {
	return slices.ContainsFunc(core.List[*Interface](x.Tx, x.Region), func(n *Interface) bool {
		return n.Subnet == id || slices.Contains(n.Groups, id)
	})
}

// endpointIn reports an endpoint in a network, a subnet or a group.
func endpointIn(x *core.Exchange, id string) bool {
	return slices.ContainsFunc(core.List[*endpoint](x.Tx, x.Region), func(e *endpoint) bool {
		return e.Life.At(x.Now) != "deleted" &&
			(e.VPC == id || slices.Contains(e.Subnets, id) || slices.Contains(e.Groups, id))
	})
}

// gatewayOf is the internet gateway of a network, or nil.
func gatewayOf(x *core.Exchange, vpcID string) *InternetGateway {
	for _, g := range core.List[*InternetGateway](x.Tx, x.Region) {
		if g.VPC == vpcID {
			return g
		}
	}
	return nil
}

func badText(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r > 126 }) }

// homeVPC is the named network or the default one.
func homeVPC(x *core.Exchange) (string, error) {
	if x.P.Str("VpcId") != "" {
		v, err := vpcOf(x)
		if err != nil {
			return "", err
		}
		return v.ID, nil
	}
	for _, v := range core.List[*VPC](x.Tx, x.Region) {
		if v.Default {
			return v.ID, nil
		}
	}
	return "", wire.Failf("VPCIdNotSpecified", "No default VPC for this user")
}

// group finds the group that the request is about, by id or by its name in the
// default network.
func group(x *core.Exchange) (*SecurityGroup, error) {
	id, name := x.P.Str("GroupId"), x.P.Str("GroupName")
	if id == "" && name == "" {
		return nil, wire.Missing("GroupId")
	}
	if id == "" {
		home, err := homeVPC(x)
		if err != nil {
			return nil, err
		}
		if g := groupNamed(x, name, home); g != nil {
			return g, nil
		}
		return nil, ec2.NotFound(name, "InvalidGroup.NotFound")
	}
	g, ok := core.Find[*SecurityGroup](x.Tx, x.Region, id)
	if !ok {
		return nil, ec2.NotFound(id, "InvalidGroup.NotFound")
	}
	return g, nil
}

const noInterface = "InvalidNetworkInterfaceID.NotFound"

// PrimaryOf is the interface that an instance was launched with ("Elastic network interfaces": the primary one cannot
// be
// detached, and goes with its instance).
func PrimaryOf(in *ec2.Instance) *Interface {
	suffix := in.ID[len("i-"):]
	return &Interface{
		Base: core.Base{ID: "eni-" + suffix, Region: in.Region, Seq: in.Seq, Made: in.Made}, Subnet: in.Subnet, VPC: in.VPC,
		AZ: in.AZ, Groups: in.Groups, Private: in.Private,
		NoSrcCheck: in.NoSrcCheck, Tie: &nicTie{
			ID: "eni-attach-" + suffix, Instance: in.ID, Kill: true, At: in.Launched,
			Life: core.Steady("attached"),
		},
	}
}

// interfaces are all: those made by themselves, those of instances, and those of NAT gateways.
func interfaces(x *core.Exchange) []*Interface {
	out := slices.Clone(core.List[*Interface](x.Tx, x.Region))
	for _, in := range core.List[*ec2.Instance](x.Tx, x.Region) {
		if in.Life.At(x.Now) != "terminated" {
			out = append(out, PrimaryOf(in))
		}
	}
	for _, g := range core.List[*natGateway](x.Tx, x.Region) {
		if s := g.Life.At(x.Now); s == natDeleted || s == "failed" {
			continue
		}
		n := &Interface{
			Base:   core.Base{ID: "eni-" + g.ID[len("nat-"):], Region: g.Region, Seq: g.Seq, Made: g.Made},
			Subnet: g.Subnet, VPC: g.VPC, Private: g.Local, Requester: true,
		}
		n.About = "Interface for NAT Gateway " + g.ID
		if sn, ok := core.Find[*Subnet](x.Tx, x.Region, g.Subnet); ok {
			n.AZ = sn.AZ
		}
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b *Interface) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

const natDeleted = "deleted"

// mainTable is the table that a network is born with: its subnets use it until they have another one.
// Its ID follows from the network's, so that no other ID depends on it.
func mainTable(v *VPC) *routeTable {
	b := v.Base
	b.ID, b.Tags = "rtb-"+strings.TrimPrefix(v.ID, "vpc-"), nil
	return &routeTable{Base: b, VPC: v.ID, Main: true}
}

func subnetOf(x *core.Exchange) (*Subnet, error) {
	id := x.P.Str("SubnetId")
	if id == "" {
		return nil, wire.Missing("subnetId")
	}
	s, ok := core.Find[*Subnet](x.Tx, x.Region, id)
	if !ok {
		return nil, ec2.NotFound(id, "InvalidSubnetID.NotFound")
	}
	return s, nil
}

func vpcOf(x *core.Exchange) (*VPC, error) {
	id := x.P.Str("VpcId")
	if id == "" {
		return nil, wire.Missing("vpcId")
	}
	v, ok := core.Find[*VPC](x.Tx, x.Region, id)
	if !ok {
		return nil, ec2.NotFound(id, "InvalidVpcID.NotFound")
	}
	return v, nil
}
