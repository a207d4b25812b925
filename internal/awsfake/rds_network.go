package awsfake

import (
	"regexp"
	"slices"
	"strings"
)

var (
	backupTime = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$`)
	windowTime = regexp.MustCompile(`^(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):([0-5]\d)-(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):[0-5]\d$`)
)

func (x *exchange) readBackups(d *database) error {
	var err error
	if d.Retention, err = x.p.num("BackupRetentionPeriod", 1); err != nil {
		return err
	}
	d.BackupTime = x.p.or("PreferredBackupWindow", "04:00-04:30")
	d.Window = strings.ToLower(x.p.or("PreferredMaintenanceWindow", "sun:06:00-sun:06:30"))
	d.CopyTags = x.p.yes("CopyTagsToSnapshot")
	d.Protected = x.p.yes("DeletionProtection")
	return checkBackups(d)
}

func checkBackups(d *database) error {
	switch {
	case d.Retention < 0 || d.Retention > 35:
		return failf("InvalidParameterValue", "Invalid backup retention period: %d. Must be from 0 to 35.", d.Retention)
	case !backupTime.MatchString(d.BackupTime):
		return failf("InvalidParameterValue", "The parameter PreferredBackupWindow is not of the form hh24:mi-hh24:mi.")
	case !windowTime.MatchString(d.Window):
		return failf("InvalidParameterValue", "The parameter PreferredMaintenanceWindow is not of the form ddd:hh24:mi-ddd:hh24:mi.")
	}
	return nil
}

// readNetwork chooses subnets and firewall: those named, or the default
// network's ("Working with a DB instance in a VPC").
func (x *exchange) readNetwork(d *database) error {
	multi := x.p.yes("MultiAZ")
	d.Settings.MultiAZ = &multi
	d.AZ = x.p.str("AvailabilityZone")
	switch {
	case multi && d.AZ != "":
		return failf("InvalidParameterCombination", "Requesting a specific availability zone is not valid for Multi-AZ instances.")
	case d.AZ != "" && !validZone(x.Region, d.AZ):
		return failf("InvalidVPCNetworkStateFault", "The availability zone %s does not exist.", d.AZ)
	}
	g, err := x.homeGroup(strings.ToLower(x.p.str("DBSubnetGroupName")))
	if err != nil {
		return err
	}
	d.SubnetGroup = g.ID
	d.Public = x.p.flag("PubliclyAccessible", g.ID == "default")
	if d.AZ == "" {
		d.AZ = x.zonesOf(g)[0]
	}
	d.Groups, err = x.rdsGroups(g)
	return err
}

// homeGroup finds the subnet group; the one called default comes into being
// with the first database that needs it.
func (x *exchange) homeGroup(name string) (*subnetGroup, error) {
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
	g := &subnetGroup{base: x.tx.named(name, x.Region), About: "default", VPC: home, ARN: x.rdsARN("subgrp", name)}
	for _, s := range list[*subnet](x.tx, x.Region) {
		if s.VPC == home {
			g.Subnets = append(g.Subnets, s.ID)
		}
	}
	if len(x.zonesOf(g)) == 0 {
		return nil, failf("InvalidVPCNetworkStateFault", "The default VPC has no subnets.")
	}
	x.tx.put(g)
	return g, nil
}

func (x *exchange) zonesOf(g *subnetGroup) []string {
	var out []string
	for _, id := range g.Subnets {
		if s, ok := find[*subnet](x.tx, x.Region, id); ok && !slices.Contains(out, s.AZ) {
			out = append(out, s.AZ)
		}
	}
	slices.Sort(out)
	return out
}

func (x *exchange) rdsGroups(g *subnetGroup) ([]string, error) {
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

type xmlSubnetOf struct {
	ID     string `xml:"SubnetIdentifier"`
	AZ     string `xml:"SubnetAvailabilityZone>Name"`
	Status string `xml:"SubnetStatus"`
}

type xmlSubnetGroup struct {
	Name    string        `xml:"DBSubnetGroupName"`
	About   string        `xml:"DBSubnetGroupDescription"`
	VPC     string        `xml:"VpcId"`
	Status  string        `xml:"SubnetGroupStatus"`
	Subnets []xmlSubnetOf `xml:"Subnets>Subnet"`
	ARN     string        `xml:"DBSubnetGroupArn"`
}

func (x *exchange) viewSubnetGroup(g *subnetGroup) xmlSubnetGroup {
	out := xmlSubnetGroup{Name: g.ID, About: g.About, VPC: g.VPC, Status: "Complete", ARN: g.ARN}
	for _, id := range g.Subnets {
		if s, ok := find[*subnet](x.tx, x.Region, id); ok {
			out.Subnets = append(out.Subnets, xmlSubnetOf{id, s.AZ, "Active"})
		}
	}
	return out
}

type oneSubnetGroup struct {
	Group xmlSubnetGroup `xml:"DBSubnetGroup"`
}

// readSubnets: subnets of one network that cover at least two zones (RDS API
// reference: CreateDBSubnetGroup).
func (x *exchange) readSubnets(g *subnetGroup) error {
	g.Subnets = x.p.wrappedStrs("SubnetIds", "SubnetIdentifier")
	if len(g.Subnets) == 0 {
		return missing("SubnetIds")
	}
	for _, id := range g.Subnets {
		s, ok := find[*subnet](x.tx, x.Region, id)
		if !ok {
			return failf("InvalidSubnet", "Some input subnets in :%v are invalid.", g.Subnets)
		}
		if g.VPC != "" && g.VPC != s.VPC {
			return failf("InvalidParameterValue", "Subnets are not all from the same VPC")
		}
		g.VPC = s.VPC
	}
	if len(x.zonesOf(g)) < 2 {
		return failf("DBSubnetGroupDoesNotCoverEnoughAZs", "The DB subnet group doesn't meet Availability Zone (AZ) coverage requirement. Current AZ coverage: %s. Add subnets to cover at least 2 AZs.", strings.Join(x.zonesOf(g), ","))
	}
	return nil
}

func createSubnetGroup(x *exchange) (any, error) {
	name := strings.ToLower(x.p.str("DBSubnetGroupName"))
	switch {
	case name == "":
		return nil, missing("DBSubnetGroupName")
	case name == "default" || len(name) > 255:
		return nil, failf("InvalidParameterValue", "The parameter DBSubnetGroupName is not valid: %s", name)
	}
	if _, there := find[*subnetGroup](x.tx, x.Region, name); there {
		return nil, failf("DBSubnetGroupAlreadyExists", "The DB subnet group '%s' already exists.", name)
	}
	g := &subnetGroup{About: x.p.str("DBSubnetGroupDescription"), ARN: x.rdsARN("subgrp", name)}
	if err := x.readSubnets(g); err != nil {
		return nil, err
	}
	tags, err := readRDSTags(x.p)
	if err != nil {
		return nil, err
	}
	g.base = x.tx.named(name, x.Region)
	g.Tags = tags
	x.tx.put(g)
	return oneSubnetGroup{x.viewSubnetGroup(g)}, nil
}

func (x *exchange) subnetGroup() (*subnetGroup, error) {
	name := strings.ToLower(x.p.str("DBSubnetGroupName"))
	g, ok := find[*subnetGroup](x.tx, x.Region, name)
	if !ok {
		return nil, failAs(404, "DBSubnetGroupNotFoundFault", "DB subnet group '%s' does not exist.", name)
	}
	return g, nil
}

func modifySubnetGroup(x *exchange) (any, error) {
	g, err := x.subnetGroup()
	if err != nil {
		return nil, err
	}
	n := *g
	n.About = x.p.or("DBSubnetGroupDescription", g.About)
	if err := x.readSubnets(&n); err != nil {
		return nil, err
	}
	x.tx.put(&n)
	return oneSubnetGroup{x.viewSubnetGroup(&n)}, nil
}

func describeSubnetGroups(x *exchange) (any, error) {
	rows := list[*subnetGroup](x.tx, x.Region)
	if x.p.str("DBSubnetGroupName") != "" {
		g, err := x.subnetGroup()
		if err != nil {
			return nil, err
		}
		rows = []*subnetGroup{g}
	}
	page, next, err := rdsPage(x, rows)
	if err != nil {
		return nil, err
	}
	var out []xmlSubnetGroup
	for _, g := range page {
		out = append(out, x.viewSubnetGroup(g))
	}
	return struct {
		Marker *string
		Set    []xmlSubnetGroup `xml:"DBSubnetGroups>DBSubnetGroup"`
	}{next, out}, nil
}

// deleteSubnetGroup: one that a database lives in stays (RDS API reference:
// DeleteDBSubnetGroup).
func deleteSubnetGroup(x *exchange) (any, error) {
	g, err := x.subnetGroup()
	if err != nil {
		return nil, err
	}
	for _, d := range list[*database](x.tx, x.Region) {
		if d.SubnetGroup == g.ID {
			return nil, failf("InvalidDBSubnetGroupStateFault", "Cannot delete the subnet group '%s' because at least one database instance: %s is still using it.", g.ID, d.ID)
		}
	}
	x.tx.drop(g)
	return nil, nil
}
