package awsfake

import (
	"fmt"
	"net/netip"
	"slices"
)

// locationInstance chooses network, zone and groups, from the instance's own
// parameters or from those of its first network interface.
func locationInstance(x *exchange, in *instance) error {
	subnetID, groups := x.p.str("SubnetId"), x.p.strs("SecurityGroupId")
	private := x.p.str("PrivateIpAddress")
	nics := x.p.items("NetworkInterface")
	var public string
	if len(nics) > 0 {
		if subnetID != "" || len(groups) > 0 || private != "" || x.p.has("SecurityGroup") {
			return failf("InvalidParameterCombination", "Network interfaces and an instance-level subnet ID or security groups may not be specified on the same request")
		}
		if len(nics) > 1 {
			return failf("Unsupported", "The sandbox supports one network interface per instance.")
		}
		subnetID, groups = nics[0].str("SubnetId"), nics[0].strs("SecurityGroupId")
		public, private = nics[0].str("AssociatePublicIpAddress"), nics[0].str("PrivateIpAddress")
		nics[0].str("DeviceIndex")
		nics[0].str("DeleteOnTermination")
	}
	sn, err := subnetFor(x, subnetID)
	if err != nil {
		return err
	}
	if err := checkOffered(x, sn.AZ, in.Type); err != nil {
		return err
	}
	in.Subnet, in.VPC, in.AZ = sn.ID, sn.VPC, sn.AZ
	in.WantsPublic = sn.PublicIP
	if public != "" {
		in.WantsPublic = public == "true"
	}
	if in.Groups, err = groupsFor(x, groups, x.p.strs("SecurityGroup"), sn); err != nil {
		return err
	}
	return fixAddress(x, in, sn, private)
}

// subnetFor is the named subnet, or a default one ("Default VPCs": an instance
// without a subnet starts in a default subnet; here the first with room).
func subnetFor(x *exchange, id string) (*subnet, error) {
	az := x.p.str("Placement.AvailabilityZone")
	if az != "" && !validZone(x.Region, az) {
		return nil, failf("InvalidParameterValue", "Invalid availability zone: [%s]", az)
	}
	if id != "" {
		sn, ok := find[*subnet](x.tx, x.Region, id)
		if !ok {
			return nil, failf("InvalidSubnetID.NotFound", "The subnet ID '%s' does not exist", id)
		}
		if az != "" && az != sn.AZ {
			return nil, failf("InvalidParameterValue", "The availability zone '%s' is not that of subnet '%s' (%s)", az, id, sn.AZ)
		}
		return sn, nil
	}
	need, err := x.p.num("MinCount", 1)
	if err != nil {
		return nil, err
	}
	kind := x.p.or("InstanceType", "m1.small")
	for _, sn := range list[*subnet](x.tx, x.Region) {
		if az == "" && !offered(sn.AZ, kind) {
			continue
		}
		if sn.Default && (az == sn.AZ || az == "" && freeAddresses(x, sn.ID) >= need) {
			return sn, nil
		}
	}
	return nil, failf("MissingInput", "No subnets found for the default VPC. Please specify a subnet.")
}

// groupsFor are the named groups, which must live in the subnet's network, or
// the network's default group.
func groupsFor(x *exchange, byID, byName []string, sn *subnet) ([]string, error) {
	out := slices.Clone(byID)
	for _, name := range byName {
		g := groupNamed(x, name, sn.VPC)
		if g == nil {
			return nil, failf("InvalidGroup.NotFound", "The security group '%s' does not exist in VPC '%s'", name, sn.VPC)
		}
		out = append(out, g.ID)
	}
	for _, id := range out {
		g, ok := find[*securityGroup](x.tx, x.Region, id)
		if !ok {
			return nil, failf("InvalidGroup.NotFound", "The security group '%s' does not exist", id)
		}
		if g.VPC != sn.VPC {
			return nil, failf("InvalidParameter", "Security group %s and subnet %s belong to different networks.", id, sn.ID)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	if v, ok := find[*vpc](x.tx, x.Region, sn.VPC); ok {
		return []string{v.Group}, nil
	}
	return nil, failf("InvalidVpcID.NotFound", "The vpc ID '%s' does not exist", sn.VPC)
}

func groupNamed(x *exchange, name, vpcID string) *securityGroup {
	for _, g := range list[*securityGroup](x.tx, x.Region) {
		if g.Name == name && g.VPC == vpcID {
			return g
		}
	}
	return nil
}

// freeAddresses: AWS reserves five addresses of each subnet ("Subnet
// CIDR blocks").
func freeAddresses(x *exchange, subnetID string) int {
	sn, ok := find[*subnet](x.tx, x.Region, subnetID)
	if !ok {
		return 0
	}
	used := countBelow[*instance](x.tx, x.Region, subnetID)
	for _, n := range list[*networkInterface](x.tx, x.Region) {
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

// privateAddress is a private address of the subnet. It follows from the sequence
// number, so that finding one costs no search; in a subnet that was used up
// once over, two instances may show the same one.
func privateAddress(x *exchange, subnetID string, seq int64) string {
	sn, ok := find[*subnet](x.tx, x.Region, subnetID)
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

// publicAddress is one of the addresses kept for documentation (RFC 5737), so
// that no instance of the sandbox appears to be a real machine.
func publicAddress(seq int64) string { return fmt.Sprintf("203.0.113.%d", 1+seq%254) }
