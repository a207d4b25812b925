package awsfake

import (
	"slices"
	"strings"
)

var (
	backupTime = late(`^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$`)
	windowTime = late(`^(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):([0-5]\d)-(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):[0-5]\d$`)
)

func readBackups(x *exchange, d *database) error {
	var err error
	if d.Retention, err = x.p.num("BackupRetentionPeriod", 1); err != nil {
		return err
	}
	readWindows(x, d)
	d.CopyTags = x.p.yes("CopyTagsToSnapshot")
	d.Protected = x.p.yes("DeletionProtection")
	return checkBackups(d)
}

func checkBackups(d *database) error {
	if d.Retention < 0 || d.Retention > 35 {
		return failf("InvalidParameterValue", "Invalid backup retention period: %d. Must be from 0 to 35.", d.Retention)
	}
	return checkWindows(d)
}

// readNetwork chooses subnets and firewall: those named, or the default
// network's ("Working with a DB instance in a VPC").
func readNetwork(x *exchange, d *database) error {
	multi := x.p.yes("MultiAZ")
	d.Settings.MultiAZ = &multi
	d.AZ = x.p.str("AvailabilityZone")
	switch {
	case multi && d.AZ != "":
		return failf("InvalidParameterCombination", "Requesting a specific availability zone is not valid for Multi-AZ instances.")
	case d.AZ != "" && !validZone(x.Region, d.AZ):
		return failf("InvalidVPCNetworkStateFault", "The availability zone %s does not exist.", d.AZ)
	}
	g, err := homeGroup(x, strings.ToLower(x.p.str("DBSubnetGroupName")))
	if err != nil {
		return err
	}
	d.SubnetGroup = g.ID
	d.Public = x.p.flag("PubliclyAccessible", g.ID == "default")
	if d.AZ == "" {
		d.AZ = zonesOf(x, g)[0]
	}
	d.Groups, err = rdsGroups(x, g)
	return err
}

// homeGroup finds the subnet group; the one called default comes into being
// with the first database that needs it.
func homeGroup(x *exchange, name string) (*subnetGroup, error) {
	if name == "" {
		name = "default"
	}
	if g, ok := find[*subnetGroup](x.tx, x.Region, name); ok {
		return g, nil
	}
	home := ""
	for _, v := range list[*vpc](x.tx, x.Region) {
		if v.Default {
			home = v.ID
		}
	}
	if name != "default" || home == "" {
		return nil, failAs(404, "DBSubnetGroupNotFoundFault", "DB subnet group '%s' does not exist.", name)
	}
	g := &subnetGroup{base: x.tx.named(name, x.Region), About: "default", VPC: home, ARN: rdsARN(x, "subgrp", name)}
	for _, s := range list[*subnet](x.tx, x.Region) {
		if s.VPC == home {
			g.Subnets = append(g.Subnets, s.ID)
		}
	}
	if len(zonesOf(x, g)) == 0 {
		return nil, failf("InvalidVPCNetworkStateFault", "The default VPC has no subnets.")
	}
	x.tx.put(g)
	return g, nil
}

func zonesOf(x *exchange, g *subnetGroup) []string {
	var out []string
	for _, id := range g.Subnets {
		if s, ok := find[*subnet](x.tx, x.Region, id); ok && !slices.Contains(out, s.AZ) {
			out = append(out, s.AZ)
		}
	}
	slices.Sort(out)
	return out
}

func rdsGroups(x *exchange, g *subnetGroup) ([]string, error) {
	named := x.p.wrappedStrs("VpcSecurityGroupIds", "VpcSecurityGroupId")
	for _, id := range named {
		sg, ok := find[*securityGroup](x.tx, x.Region, id)
		if !ok {
			return nil, failf("InvalidParameterValue", "Invalid security group , groupId= %s, groupName=.", id)
		}
		if sg.VPC != g.VPC {
			return nil, failf("InvalidParameterCombination", "The DB instance and EC2 security group are in different VPCs. The DB instance is in %s and the EC2 security group is in %s", g.VPC, sg.VPC)
		}
	}
	if len(named) > 0 {
		return named, nil
	}
	v, ok := find[*vpc](x.tx, x.Region, g.VPC)
	if !ok {
		return nil, failf("InvalidVPCNetworkStateFault", "The VPC %s does not exist.", g.VPC)
	}
	return []string{v.Group}, nil
}
