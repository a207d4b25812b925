package database

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// readWindows takes the windows that a request names. One that it does not name is where the other is not: AWS
// chooses it (RDS API reference: CreateDBInstance, PreferredMaintenanceWindow).
func readWindows(x *core.Exchange, d *database) {
	d.BackupTime, d.Window = x.P.Or("PreferredBackupWindow",
		"04:00-04:30"), strings.ToLower(x.P.Or("PreferredMaintenanceWindow", "sun:06:00-sun:06:30"))
	if !windowsMeet(d) {
		return
	}
	switch {
	case !x.P.Has("PreferredMaintenanceWindow"):
		d.Window = "sun:16:00-sun:16:30"
	case !x.P.Has("PreferredBackupWindow"):
		d.BackupTime = "16:00-16:30"
	}
}

// stretch is a part of the week, from its first Monday at midnight on.
type stretch struct{ from, long time.Duration }

const week = 7 * 24 * time.Hour

// span is when a window is open: on one day, or on each.
func span(window string) []stretch {
	from, to, _ := strings.Cut(window, "-")
	if len(from) > len("hh:mm") {
		start := moment(from)
		return []stretch{{start, (moment(to) - start + week) % week}}
	}
	var out []stretch
	for day := range 7 {
		start := moment(from)
		out = append(out, stretch{
			time.Duration(day)*24*time.Hour + start,
			(moment(to) - start + 24*time.Hour) % (24 * time.Hour),
		})
	}
	return out
}

func moment(s string) time.Duration {
	day := time.Duration(0)
	if len(s) > len("hh:mm") {
		day = time.Duration(slices.Index([]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, s[:3])) * 24 * time.Hour
		s = s[4:]
	}
	return day + time.Duration(wire.Atoi(s[:2]))*time.Hour + time.Duration(wire.Atoi(s[3:]))*time.Minute
}

// windowsMeet reports that the windows have a moment in common, also across the end of the week.
func windowsMeet(d *database) bool {
	if !backupTime.MatchString(d.BackupTime) || !windowTime.MatchString(d.Window) {
		return false
	}
	for _, a := range span(d.BackupTime) {
		for _, b := range span(d.Window) {
			if (b.from-a.from+week)%week < a.long || (a.from-b.from+week)%week < b.long {
				return true
			}
		}
	}
	return false
}

var backupTime = wire.Late(`^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$`)

var windowTime = wire.Late(`^(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):([0-5]\d)` +
	`-(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):[0-5]\d$`)

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

// checkBackups: both windows are at least 30 minutes long, and apart (RDS API reference: CreateDBInstance).
func checkBackups(d *database) error {
	switch {
	case d.Retention < 0 || d.Retention > 35:
		return wire.Failf("InvalidParameterValue", "Invalid backup retention period: %d. Must be from 0 to 35.", d.Retention)
	case !backupTime.MatchString(d.BackupTime):
		return wire.Failf("InvalidParameterValue", "The parameter PreferredBackupWindow is not of the form hh24:mi-hh24:mi.")
	case !windowTime.MatchString(d.Window):
		return wire.Failf("InvalidParameterValue",
			"The parameter PreferredMaintenanceWindow is not of the form ddd:hh24:mi-ddd:hh24:mi.")
	case span(d.BackupTime)[0].long < 30*time.Minute, span(d.Window)[0].long < 30*time.Minute:
		return wire.Failf("InvalidParameterValue",
			"The backup window and the maintenance window must be at least 30 minutes long.")
	case windowsMeet(d):
		return wire.Failf("InvalidParameterValue", "The backup window and maintenance window must not overlap.")
	}
	return nil
}

// readNetwork chooses subnets and firewall: those named, or the default
// network's ("Working with a DB instance in a VPC").
func readNetwork(x *core.Exchange, d *database) error {
	multi := x.P.Yes("MultiAZ")
	d.Settings.MultiAZ = &multi
	d.AZ = x.P.Str("AvailabilityZone")
	switch {
	case multi && d.AZ != "":
		return wire.Failf("InvalidParameterCombination",
			"Requesting a specific availability zone is not valid for Multi-AZ instances.")
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
			return nil, wire.Failf("InvalidParameterCombination",
				"The DB instance and EC2 security group are in different VPCs. The DB instance is in %s and the EC2 security "+
					"group is in %s", g.VPC, sg.VPC)
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
