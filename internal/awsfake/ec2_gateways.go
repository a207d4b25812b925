package awsfake

func gatewayActions() map[string]handler {
	return map[string]handler{
		"CreateInternetGateway": createInternetGateway, "DescribeInternetGateways": describeInternetGateways,
		"AttachInternetGateway": attachInternetGateway, "DetachInternetGateway": detachInternetGateway, "DeleteInternetGateway": deleteInternetGateway,
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
	Tags  []xmlTag        `xml:"tagSet>item"`
}

func viewInternetGateway(g *internetGateway) xmlInternetGateway {
	out := xmlInternetGateway{ID: g.ID, Owner: Account, Tags: tagSet(g.Tags)}
	if g.VPC != "" {
		out.Ties = []xmlGatewayTie{{g.VPC, "available"}}
	}
	return out
}

// createInternetGateway has no client token: twice the same call makes two (EC2 API reference:
// CreateInternetGateway).
func createInternetGateway(x *exchange) (any, error) {
	tags, err := x.specTags("internet-gateway")
	if err != nil {
		return nil, err
	}
	g := &internetGateway{base: x.tx.fresh("igw-", x.Region)}
	g.Tags = tags
	x.tx.put(g)
	return struct {
		Gateway xmlInternetGateway `xml:"internetGateway"`
	}{viewInternetGateway(g)}, nil
}

func describeInternetGateways(x *exchange) (any, error) {
	all, err := named[*internetGateway](x, "InternetGatewayId", "InvalidInternetGatewayID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = filtered(x, all, func(g *internetGateway, name string) ([]string, bool) {
		switch name {
		case "internet-gateway-id":
			return one(g.ID)
		case "attachment.vpc-id":
			return one(g.VPC)
		case "attachment.state":
			if g.VPC == "" {
				return nil, true
			}
			return one("available")
		case "owner-id":
			return one(Account)
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "InternetGatewayId", 1000)
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

func internetGatewayOf(x *exchange) (*internetGateway, error) {
	id := x.p.str("InternetGatewayId")
	if id == "" {
		return nil, missing("internetGatewayId")
	}
	g, ok := find[*internetGateway](x.tx, x.Region, id)
	if !ok {
		return nil, failf("InvalidInternetGatewayID.NotFound", "The internetGateway ID '%s' does not exist", id)
	}
	return g, nil
}

// attachInternetGateway: a gateway has one network, and a network one gateway ("Enable internet access
// for a VPC using an internet gateway"; code Resource.AlreadyAssociated).
func attachInternetGateway(x *exchange) (any, error) {
	g, err := internetGatewayOf(x)
	if err != nil {
		return nil, err
	}
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	if g.VPC != "" {
		return nil, failf("Resource.AlreadyAssociated", "resource %s is already attached to network %s", g.ID, g.VPC)
	}
	if gatewayOf(x, v.ID) != nil {
		return nil, failf("InvalidParameterValue", "Network %s already has an internet gateway attached", v.ID)
	}
	n := *g
	n.VPC = v.ID
	x.tx.put(&n)
	return success{Return: true}, nil
}

// gatewayOf is the internet gateway of a network, or nil.
func gatewayOf(x *exchange, vpcID string) *internetGateway {
	for _, g := range list[*internetGateway](x.tx, x.Region) {
		if g.VPC == vpcID {
			return g
		}
	}
	return nil
}

// detachInternetGateway is refused while something in the network has a public address (EC2 API
// reference: DetachInternetGateway: "The VPC must not contain any running instances with Elastic IP
// addresses or public IPv4 addresses").
func detachInternetGateway(x *exchange) (any, error) {
	g, err := internetGatewayOf(x)
	if err != nil {
		return nil, err
	}
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	if g.VPC != v.ID {
		return nil, failf("Gateway.NotAttached", "resource %s is not attached to network %s", g.ID, v.ID)
	}
	if publicIn(x, v.ID) || inUse(x, v.ID) {
		return nil, failf("DependencyViolation", "Network %s has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.", v.ID)
	}
	n := *g
	n.VPC = ""
	x.tx.put(&n)
	return success{Return: true}, nil
}

func publicIn(x *exchange, vpcID string) bool {
	for _, n := range list[*natGateway](x.tx, x.Region) {
		if n.VPC == vpcID && n.Public != "" && n.Life.at(x.now) != natDeleted {
			return true
		}
	}
	for _, in := range list[*instance](x.tx, x.Region) {
		if in.VPC == vpcID && !in.dead() && (in.Public != "" || addressOf(x, in.ID) != nil) {
			return true
		}
	}
	return false
}

func deleteInternetGateway(x *exchange) (any, error) {
	g, err := internetGatewayOf(x)
	if err != nil {
		return nil, err
	}
	if g.VPC != "" {
		return nil, failf("DependencyViolation", "The internetGateway '%s' has dependencies and cannot be deleted.", g.ID)
	}
	x.tx.drop(g)
	return success{Return: true}, nil
}
