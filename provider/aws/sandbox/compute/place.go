package compute

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// locationInstance chooses network, zone and groups, from the instance's own
// parameters or from those of its first network interface.
func locationInstance(x *core.Exchange, in *ec2.Instance) error {
	subnetID, groups := x.P.Str("SubnetId"), x.P.Strs("SecurityGroupId")
	private := x.P.Str("PrivateIpAddress")
	nics := x.P.Items("NetworkInterface")
	var public string
	if len(nics) > 0 {
		if subnetID != "" || len(groups) > 0 || private != "" || x.P.Has("SecurityGroup") {
			return wire.Failf("InvalidParameterCombination",
				"Network interfaces and an instance-level subnet ID or security groups may not be specified on the same request")
		}
		if len(nics) > 1 {
			return wire.Failf("Unsupported", "The sandbox supports one network interface per instance.")
		}
		subnetID, groups = nics[0].Str("SubnetId"), nics[0].Strs("SecurityGroupId")
		public, private = nics[0].Str("AssociatePublicIpAddress"), nics[0].Str("PrivateIpAddress")
		nics[0].Str("DeviceIndex")
		nics[0].Str("DeleteOnTermination")
	}
	sn, err := subnetFor(x, subnetID)
	if err != nil {
		return err
	}
	if !offered(sn.AZ, in.Type) {
		return wire.Failf("Unsupported",
			"Your requested instance type (%s) is not supported in your requested Availability Zone (%s). Please retry your "+
				"request by not specifying an Availability Zone or choosing another.", in.Type, sn.AZ)
	}
	in.Subnet, in.VPC, in.AZ = sn.ID, sn.VPC, sn.AZ
	in.WantsPublic = sn.PublicIP
	if public != "" {
		in.WantsPublic = public == "true"
	}
	if in.Groups, err = network.GroupsFor(x, groups, x.P.Strs("SecurityGroup"), sn); err != nil {
		return err
	}
	if private == "" {
		return nil
	}
	if count, err := x.P.Num("MaxCount", 1); err != nil || count > 1 {
		return wire.Failf("InvalidParameterCombination",
			"The parameter PrivateIpAddress cannot be used with more than one instance.")
	}
	in.Private, err = network.FreeAddress(x, sn, private)
	return err
}

// subnetFor is the named subnet, or a default one ("Default VPCs": an instance
// without a subnet starts in a default subnet; here the first with room).
func subnetFor(x *core.Exchange, id string) (*network.Subnet, error) {
	az := x.P.Str("Placement.AvailabilityZone")
	if az != "" && !ec2.ValidZone(x.Region, az) {
		return nil, wire.Failf("InvalidParameterValue", "Invalid availability zone: [%s]", az)
	}
	if id != "" {
		sn, ok := core.Find[*network.Subnet](x.Tx, x.Region, id)
		if !ok {
			return nil, wire.Failf("InvalidSubnetID.NotFound", "The subnet ID '%s' does not exist", id)
		}
		if az != "" && az != sn.AZ {
			return nil, wire.Failf("InvalidParameterValue", "The availability zone '%s' is not the zone of subnet "+
				"'%s' (%s)", az, id,
				sn.AZ)
		}
		return sn, nil
	}
	need, err := x.P.Num("MinCount", 1)
	if err != nil {
		return nil, err
	}
	kind := x.P.Or("InstanceType", "m1.small")
	for _, sn := range core.List[*network.Subnet](x.Tx, x.Region) {
		if az == "" && !offered(sn.AZ, kind) {
			continue
		}
		if sn.Default && (az == sn.AZ || az == "" && network.FreeAddresses(x, sn.ID) >= need) {
			return sn, nil
		}
	}
	return nil, wire.Failf("MissingInput", "No subnets found for the default VPC. Please specify a subnet.")
}
