package awsfake

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
