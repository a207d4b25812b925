package database

import (
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
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

func viewSubnetGroup(x *core.Exchange, g *subnetGroup) xmlSubnetGroup {
	out := xmlSubnetGroup{Name: g.ID, About: g.About, VPC: g.VPC, Status: "Complete", ARN: g.ARN}
	for _, id := range g.Subnets {
		if s, ok := core.Find[*network.Subnet](x.Tx, x.Region, id); ok {
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
func readSubnets(x *core.Exchange, g *subnetGroup) error {
	g.Subnets = x.P.WrappedStrs("SubnetIds", "SubnetIdentifier")
	if len(g.Subnets) == 0 {
		return wire.Missing("SubnetIds")
	}
	for _, id := range g.Subnets {
		s, ok := core.Find[*network.Subnet](x.Tx, x.Region, id)
		if !ok {
			return wire.Failf("InvalidSubnet", "Some input subnets in :%v are invalid.", g.Subnets)
		}
		if g.VPC != "" && g.VPC != s.VPC {
			return wire.Failf("InvalidParameterValue", "Subnets are not all from the same VPC")
		}
		g.VPC = s.VPC
	}
	if len(zonesOf(x, g)) < 2 {
		return wire.Failf("DBSubnetGroupDoesNotCoverEnoughAZs",
			"The DB subnet group doesn't meet Availability Zone (AZ) coverage requirement. Current AZ coverage: %s. Add "+
				"subnets to cover at least 2 AZs.", strings.Join(zonesOf(x, g), ","))
	}
	return nil
}

func createSubnetGroup(x *core.Exchange) (any, error) {
	name := strings.ToLower(x.P.Str("DBSubnetGroupName"))
	switch {
	case name == "":
		return nil, wire.Missing("DBSubnetGroupName")
	case name == "default" || len(name) > 255:
		return nil, wire.Failf("InvalidParameterValue", "The parameter DBSubnetGroupName is not valid: %s", name)
	}
	if _, there := core.Find[*subnetGroup](x.Tx, x.Region, name); there {
		return nil, wire.Failf("DBSubnetGroupAlreadyExists", "The DB subnet group '%s' already exists.", name)
	}
	g := &subnetGroup{About: x.P.Str("DBSubnetGroupDescription"), ARN: rdsARN(x, "subgrp", name)}
	if err := readSubnets(x, g); err != nil {
		return nil, err
	}
	tags, err := readRDSTags(x.P)
	if err != nil {
		return nil, err
	}
	g.Base = x.Tx.Named(name, x.Region)
	g.Tags = tags
	x.Tx.Put(g)
	return oneSubnetGroup{viewSubnetGroup(x, g)}, nil
}

func subnetGroupOf(x *core.Exchange) (*subnetGroup, error) {
	name := strings.ToLower(x.P.Str("DBSubnetGroupName"))
	g, ok := core.Find[*subnetGroup](x.Tx, x.Region, name)
	if !ok {
		return nil, wire.FailAs(404, "DBSubnetGroupNotFoundFault", "DB subnet group '%s' does not exist.", name)
	}
	return g, nil
}

func modifySubnetGroup(x *core.Exchange) (any, error) {
	g, err := subnetGroupOf(x)
	if err != nil {
		return nil, err
	}
	n := *g
	n.About = x.P.Or("DBSubnetGroupDescription", g.About)
	if err := readSubnets(x, &n); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return oneSubnetGroup{viewSubnetGroup(x, &n)}, nil
}

func describeSubnetGroups(x *core.Exchange) (any, error) {
	rows := core.List[*subnetGroup](x.Tx, x.Region)
	if x.P.Str("DBSubnetGroupName") != "" {
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
func deleteSubnetGroup(x *core.Exchange) (any, error) {
	g, err := subnetGroupOf(x)
	if err != nil {
		return nil, err
	}
	for _, d := range core.List[*database](x.Tx, x.Region) {
		if d.SubnetGroup == g.ID {
			return nil, wire.Failf("InvalidDBSubnetGroupStateFault",
				"Cannot delete the subnet group '%s' because at least one database instance: %s is still using it.", g.ID, d.ID)
		}
	}
	x.Tx.Drop(g)
	return nil, nil
}
