package awsfake

import (
	"strings"
	"time"
)

const natDeleted = "deleted"

func natActions() map[string]handler {
	return map[string]handler{
		"CreateNatGateway": createNAT, "DescribeNatGateways": describeNATs, "DeleteNatGateway": deleteNAT,
	}
}

type xmlNATAddress struct {
	Allocation  *string `xml:"allocationId"`
	Association *string `xml:"associationId"`
	Public      *string `xml:"publicIp"`
	Private     string  `xml:"privateIp"`
	Primary     bool    `xml:"isPrimary"`
	Status      string  `xml:"status"`
}

type xmlNAT struct {
	ID        string          `xml:"natGatewayId"`
	Subnet    string          `xml:"subnetId"`
	VPC       string          `xml:"vpcId"`
	State     string          `xml:"state"`
	Type      string          `xml:"connectivityType"`
	Made      time.Time       `xml:"createTime"`
	Code      *string         `xml:"failureCode"`
	Failure   *string         `xml:"failureMessage"`
	Addresses []xmlNATAddress `xml:"natGatewayAddressSet>item"`
	Tags      []xmlTag        `xml:"tagSet>item"`
}

func viewNAT(n *natGateway, state string) xmlNAT {
	out := xmlNAT{ID: n.ID, Subnet: n.Subnet, VPC: n.VPC, State: state, Type: n.Type, Made: n.Made, Tags: tagSet(n.Tags)}
	at := xmlNATAddress{Private: n.Local, Primary: true, Status: "succeeded"}
	if n.Address != "" {
		at.Allocation, at.Public = &n.Address, &n.Public
	}
	out.Addresses = []xmlNATAddress{at}
	if code, message, failed := strings.Cut(n.Failure, " "); failed && state == "failed" {
		out.Code, out.Failure = &code, &message
	}
	return out
}

// createNAT: a public gateway in a network without internet gateway is made, and fails soon after
// ("Troubleshoot NAT gateways": Gateway.NotAttached). The token is honoured as that of RunInstances.
func createNAT(x *exchange) (any, error) {
	type made struct {
		NAT xmlNAT `xml:"natGateway"`
	}
	if err := x.checkToken(); err != nil {
		return nil, err
	}
	again, repeated, err := x.remembered()
	if err != nil {
		return nil, err
	}
	if repeated {
		if n, ok := find[*natGateway](x.tx, x.Region, again[0]); ok {
			return made{viewNAT(n, n.Life.at(x.now))}, nil
		}
	}
	sn, ok := find[*subnet](x.tx, x.Region, x.p.str("SubnetId"))
	if !ok {
		return nil, notFound(x.p.str("SubnetId"), "InvalidSubnetID.NotFound")
	}
	tags, err := x.specTags("natgateway")
	if err != nil {
		return nil, err
	}
	n := &natGateway{base: x.tx.fresh("nat-", x.Region), Subnet: sn.ID, VPC: sn.VPC, Type: x.p.or("ConnectivityType", "public")}
	n.Tags, n.Local = tags, privateAddress(x, sn.ID, n.Seq)
	n.Life = through(x.now, x.settle, "available", "pending")
	if n.Type == "public" {
		if err := publish(x, n); err != nil {
			return nil, err
		}
	} else if x.p.has("AllocationId") {
		return nil, failf("InvalidParameterCombination", "A private NAT gateway has no allocation ID.")
	}
	x.tx.put(n)
	x.remember([]string{n.ID})
	return made{viewNAT(n, n.Life.first())}, nil
}

// publish gives a NAT gateway its address.
func publish(x *exchange, n *natGateway) error {
	a, err := allocation(x, x.p.str("AllocationId"))
	if err != nil {
		return err
	}
	if a.Association != "" {
		return failf("Resource.AlreadyAssociated", "resource %s is already associated with associate-id %s", a.ID, a.Association)
	}
	n.Address, n.Public = a.ID, a.IP
	if gatewayOf(x, n.VPC) == nil {
		n.Failure = "Gateway.NotAttached Network " + n.VPC + " has no Internet gateway attached"
		n.Life = through(x.now, x.settle, "failed", "pending")
		return nil
	}
	c := *a
	c.NAT, c.Association = n.ID, x.tx.fresh("eipassoc-", x.Region).ID
	x.tx.put(&c)
	return nil
}

func describeNATs(x *exchange) (any, error) {
	all, err := named[*natGateway](x, "NatGatewayId", "NatGatewayNotFound")
	if err != nil {
		return nil, err
	}
	all, err = filtered(x, all, func(n *natGateway, name string) ([]string, bool) {
		switch name {
		case "nat-gateway-id":
			return one(n.ID)
		case "vpc-id":
			return one(n.VPC)
		case "subnet-id":
			return one(n.Subnet)
		case "state":
			return one(n.Life.at(x.now))
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "NatGatewayId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlNAT
	for _, n := range rows {
		out = append(out, viewNAT(n, n.Life.at(x.now)))
	}
	return struct {
		Set  []xmlNAT `xml:"natGatewaySet>item"`
		Next *string  `xml:"nextToken"`
	}{out, next}, nil
}

// deleteNAT gives the address back; the gateway is listed as deleted for about an hour (EC2 API
// reference: DeleteNatGateway).
func deleteNAT(x *exchange) (any, error) {
	id := x.p.str("NatGatewayId")
	n, ok := find[*natGateway](x.tx, x.Region, id)
	if !ok {
		return nil, failf("NatGatewayNotFound", "The Nat Gateway %s was not found", id)
	}
	if !n.dead() {
		c := *n
		c.Life = through(x.now, x.settle, natDeleted, "deleting")
		c.Until = c.Life.end().Add(x.keepDead)
		x.tx.put(&c)
		if a, ok := find[*address](x.tx, x.Region, n.Address); ok && a.NAT == n.ID {
			free := *a
			free.NAT, free.Association = "", ""
			x.tx.put(&free)
		}
	}
	return struct {
		ID string `xml:"natGatewayId"`
	}{id}, nil
}
