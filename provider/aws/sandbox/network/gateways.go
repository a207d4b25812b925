package network

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func gatewayActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateInternetGateway": createInternetGateway, "DescribeInternetGateways": describeInternetGateways,
		"AttachInternetGateway": attachInternetGateway, "DetachInternetGateway": detachInternetGateway,
		"DeleteInternetGateway": deleteInternetGateway,
	}
}

type xmlGatewayTie struct {
	VPC   string `xml:"vpcId"`
	State string `xml:"state"`
}

type xmlInternetGateway struct {
	ID    string          `xml:"internetGatewayId"`
	Owner string          `xml:"ownerId"`
	Ties  []xmlGatewayTie `xml:"attachmentSet>item"`
	Tags  []core.XMLTag   `xml:"tagSet>item"`
}

func viewInternetGateway(g *InternetGateway) xmlInternetGateway {
	out := xmlInternetGateway{ID: g.ID, Owner: wire.Account, Tags: core.TagSet(g.Tags)}
	if g.VPC != "" {
		out.Ties = []xmlGatewayTie{{g.VPC, "available"}}
	}
	return out
}

// createInternetGateway has no client token: twice the same call makes two (EC2 API reference:
// CreateInternetGateway).
func createInternetGateway(x *core.Exchange) (any, error) {
	tags, err := x.SpecTags("internet-gateway")
	if err != nil {
		return nil, err
	}
	g := &InternetGateway{Base: x.Tx.Fresh("igw-", x.Region)}
	g.Tags = tags
	x.Tx.Put(g)
	return struct {
		Gateway xmlInternetGateway `xml:"internetGateway"`
	}{viewInternetGateway(g)}, nil
}

func describeInternetGateways(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*InternetGateway](x, "InternetGatewayId", "InvalidInternetGatewayID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = core.Filtered(x, all, func(g *InternetGateway, name string) ([]string, bool) {
		switch name {
		case "internet-gateway-id":
			return core.One(g.ID)
		case "attachment.vpc-id":
			return core.One(g.VPC)
		case "attachment.state":
			if g.VPC == "" {
				return nil, true
			}
			return core.One("available")
		case "owner-id":
			return core.One(wire.Account)
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2.Page(x, all, "InternetGatewayId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlInternetGateway
	for _, g := range rows {
		out = append(out, viewInternetGateway(g))
	}
	return struct {
		Set  []xmlInternetGateway `xml:"internetGatewaySet>item"`
		Next *string              `xml:"nextToken"`
	}{out, next}, nil
}

func internetGatewayOf(x *core.Exchange) (*InternetGateway, error) {
	id := x.P.Str("InternetGatewayId")
	if id == "" {
		return nil, wire.Missing("internetGatewayId")
	}
	g, ok := core.Find[*InternetGateway](x.Tx, x.Region, id)
	if !ok {
		return nil, wire.Failf("InvalidInternetGatewayID.NotFound", "The internetGateway ID '%s' does not exist", id)
	}
	return g, nil
}

// attachInternetGateway: a gateway has one network, and a network one gateway ("Enable internet access
// for a VPC using an internet gateway"; code Resource.AlreadyAssociated).
func attachInternetGateway(x *core.Exchange) (any, error) {
	g, err := internetGatewayOf(x)
	if err != nil {
		return nil, err
	}
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	if g.VPC != "" {
		return nil, wire.Failf("Resource.AlreadyAssociated", "resource %s is already attached to network %s", g.ID, g.VPC)
	}
	if gatewayOf(x, v.ID) != nil {
		return nil, wire.Failf("InvalidParameterValue", "Network %s already has an internet gateway attached", v.ID)
	}
	n := *g
	n.VPC = v.ID
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}

// detachInternetGateway is refused while something in the network has a public address (EC2 API
// reference: DetachInternetGateway: "The VPC must not contain any running instances with Elastic IP
// addresses or public IPv4 addresses").
func detachInternetGateway(x *core.Exchange) (any, error) {
	g, err := internetGatewayOf(x)
	if err != nil {
		return nil, err
	}
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	if g.VPC != v.ID {
		return nil, wire.Failf("Gateway.NotAttached", "resource %s is not attached to network %s", g.ID, v.ID)
	}
	if publicIn(x, v.ID) || core.InUse(x, v.ID) {
		return nil, wire.Failf("DependencyViolation",
			"Network %s has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.",
			v.ID)
	}
	n := *g
	n.VPC = ""
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}

func publicIn(x *core.Exchange, vpcID string) bool {
	for _, n := range core.List[*natGateway](x.Tx, x.Region) {
		if n.VPC == vpcID && n.Public != "" && n.Life.At(x.Now) != natDeleted {
			return true
		}
	}
	for _, in := range core.List[*ec2.Instance](x.Tx, x.Region) {
		if in.VPC == vpcID && !in.Dead() && (in.Public != "" || AddressOf(x, in.ID) != nil) {
			return true
		}
	}
	return false
}

func deleteInternetGateway(x *core.Exchange) (any, error) {
	g, err := internetGatewayOf(x)
	if err != nil {
		return nil, err
	}
	if g.VPC != "" {
		return nil, wire.Failf("DependencyViolation", "The internetGateway '%s' has dependencies and cannot be deleted.",
			g.ID)
	}
	x.Tx.Drop(g)
	return ec2.Success{Return: true}, nil
}
