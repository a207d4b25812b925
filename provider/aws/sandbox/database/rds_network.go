package database

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

var ()

func readBackups(x *core.Exchange, d *database) error {
	var err error
	if d.Retention, err = x.P.Num("BackupRetentionPeriod", 1); err != nil {
		return err
	}
	readWindows(x, d)
	d.CopyTags = x.P.Yes("CopyTagsToSnapshot")
	d.Protected = x.P.Yes("DeletionProtection")
	return checkBackups(d)
}

func checkBackups(d *database) error {
	if d.Retention < 0 || d.Retention > 35 {
		return wire.Failf("InvalidParameterValue", "Invalid backup retention period: %d. Must be from 0 to 35.", d.Retention)
	}
	return checkWindows(d)
}

// readNetwork chooses subnets and firewall: those named, or the default
// network's ("Working with a DB instance in a VPC").
func readNetwork(x *core.Exchange, d *database) error {
	multi := x.P.Yes("MultiAZ")
	d.Settings.MultiAZ = &multi
	d.AZ = x.P.Str("AvailabilityZone")
	switch {
	case multi && d.AZ != "":
		return wire.Failf("InvalidParameterCombination", "Requesting a specific availability zone is not valid for Multi-AZ instances.")
	case d.AZ != "" && !ec2.ValidZone(x.Region, d.AZ):
		return wire.Failf("InvalidVPCNetworkStateFault", "The availability zone %s does not exist.", d.AZ)
	}
	g, err := homeGroup(x, strings.ToLower(x.P.Str("DBSubnetGroupName")))
	if err != nil {
		return err
	}
	d.SubnetGroup = g.ID
	d.Public = x.P.Flag("PubliclyAccessible", g.ID == "default")
	if d.AZ == "" {
		d.AZ = zonesOf(x, g)[0]
	}
	d.Groups, err = rdsGroups(x, g)
	return err
}

// homeGroup finds the subnet group; the one called default comes into being
// with the first database that needs it.
func homeGroup(x *core.Exchange, name string) (*subnetGroup, error) {
	if name == "" {
		name = "default"
	}
	if g, ok := core.Find[*subnetGroup](x.Tx, x.Region, name); ok {
		return g, nil
	}
	home := ""
	for _, v := range core.List[*network.VPC](x.Tx, x.Region) {
		if v.Default {
			home = v.ID
		}
	}
	if name != "default" || home == "" {
		return nil, wire.FailAs(404, "DBSubnetGroupNotFoundFault", "DB subnet group '%s' does not exist.", name)
	}
	g := &subnetGroup{Base: x.Tx.Named(name, x.Region), About: "default", VPC: home, ARN: rdsARN(x, "subgrp", name)}
	for _, s := range core.List[*network.Subnet](x.Tx, x.Region) {
		if s.VPC == home {
			g.Subnets = append(g.Subnets, s.ID)
		}
	}
	if len(zonesOf(x, g)) == 0 {
		return nil, wire.Failf("InvalidVPCNetworkStateFault", "The default VPC has no subnets.")
	}
	x.Tx.Put(g)
	return g, nil
}

func zonesOf(x *core.Exchange, g *subnetGroup) []string {
	var out []string
	for _, id := range g.Subnets {
		if s, ok := core.Find[*network.Subnet](x.Tx, x.Region, id); ok && !slices.Contains(out, s.AZ) {
			out = append(out, s.AZ)
		}
	}
	slices.Sort(out)
	return out
}

func rdsGroups(x *core.Exchange, g *subnetGroup) ([]string, error) {
	named := x.P.WrappedStrs("VpcSecurityGroupIds", "VpcSecurityGroupId")
	for _, id := range named {
		sg, ok := core.Find[*network.SecurityGroup](x.Tx, x.Region, id)
		if !ok {
			return nil, wire.Failf("InvalidParameterValue", "Invalid security group , groupId= %s, groupName=.", id)
		}
		if sg.VPC != g.VPC {
			return nil, wire.Failf("InvalidParameterCombination", "The DB instance and EC2 security group are in different VPCs. The DB instance is in %s and the EC2 security group is in %s", g.VPC, sg.VPC)
		}
	}
	if len(named) > 0 {
		return named, nil
	}
	v, ok := core.Find[*network.VPC](x.Tx, x.Region, g.VPC)
	if !ok {
		return nil, wire.Failf("InvalidVPCNetworkStateFault", "The VPC %s does not exist.", g.VPC)
	}
	return []string{v.Group}, nil
}
