package awsfake

import (
	"strings"
)

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

func viewSubnetGroup(x *exchange, g *subnetGroup) xmlSubnetGroup {
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
func readSubnets(x *exchange, g *subnetGroup) error {
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
	if len(zonesOf(x, g)) < 2 {
		return failf("DBSubnetGroupDoesNotCoverEnoughAZs", "The DB subnet group doesn't meet Availability Zone (AZ) coverage requirement. Current AZ coverage: %s. Add subnets to cover at least 2 AZs.", strings.Join(zonesOf(x, g), ","))
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
	g := &subnetGroup{About: x.p.str("DBSubnetGroupDescription"), ARN: rdsARN(x, "subgrp", name)}
	if err := readSubnets(x, g); err != nil {
		return nil, err
	}
	tags, err := readRDSTags(x.p)
	if err != nil {
		return nil, err
	}
	g.base = x.tx.named(name, x.Region)
	g.Tags = tags
	x.tx.put(g)
	return oneSubnetGroup{viewSubnetGroup(x, g)}, nil
}

func subnetGroupOf(x *exchange) (*subnetGroup, error) {
	name := strings.ToLower(x.p.str("DBSubnetGroupName"))
	g, ok := find[*subnetGroup](x.tx, x.Region, name)
	if !ok {
		return nil, failAs(404, "DBSubnetGroupNotFoundFault", "DB subnet group '%s' does not exist.", name)
	}
	return g, nil
}

func modifySubnetGroup(x *exchange) (any, error) {
	g, err := subnetGroupOf(x)
	if err != nil {
		return nil, err
	}
	n := *g
	n.About = x.p.or("DBSubnetGroupDescription", g.About)
	if err := readSubnets(x, &n); err != nil {
		return nil, err
	}
	x.tx.put(&n)
	return oneSubnetGroup{viewSubnetGroup(x, &n)}, nil
}

func describeSubnetGroups(x *exchange) (any, error) {
	rows := list[*subnetGroup](x.tx, x.Region)
	if x.p.str("DBSubnetGroupName") != "" {
		g, err := subnetGroupOf(x)
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
		out = append(out, viewSubnetGroup(x, g))
	}
	return struct {
		Marker *string
		Set    []xmlSubnetGroup `xml:"DBSubnetGroups>DBSubnetGroup"`
	}{next, out}, nil
}

// deleteSubnetGroup: one that a database lives in stays (RDS API reference:
// DeleteDBSubnetGroup).
func deleteSubnetGroup(x *exchange) (any, error) {
	g, err := subnetGroupOf(x)
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
