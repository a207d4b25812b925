package network

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func natActions() map[string]core.Handler {
	return map[string]core.Handler{
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
	Tags      []core.XMLTag   `xml:"tagSet>item"`
}

func viewNAT(n *natGateway, state string) xmlNAT {
	out := xmlNAT{
		ID: n.ID, Subnet: n.Subnet, VPC: n.VPC, State: state, Type: n.Type, Made: n.Made,
		Tags: core.TagSet(n.Tags),
	}
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
func createNAT(x *core.Exchange) (any, error) {
	type made struct {
		NAT xmlNAT `xml:"natGateway"`
	}
	if err := x.CheckToken(); err != nil {
		return nil, err
	}
	again, repeated, err := x.Remembered()
	if err != nil {
		return nil, err
	}
	if repeated {
		if n, ok := core.Find[*natGateway](x.Tx, x.Region, again[0]); ok {
			return made{viewNAT(n, n.Life.At(x.Now))}, nil
		}
	}
	sn, ok := core.Find[*Subnet](x.Tx, x.Region, x.P.Str("SubnetId"))
	if !ok {
		return nil, ec2.NotFound(x.P.Str("SubnetId"), "InvalidSubnetID.NotFound")
	}
	tags, err := x.SpecTags("natgateway")
	if err != nil {
		return nil, err
	}
	n := &natGateway{
		Base: x.Tx.Fresh("nat-", x.Region), Subnet: sn.ID, VPC: sn.VPC,
		Type: x.P.Or("ConnectivityType", "public"),
	}
	n.Tags, n.Local = tags, PrivateAddress(x, sn.ID, n.Seq)
	n.Life = core.Through(x.Now, x.Settle, "available", "pending")
	if n.Type == "public" {
		if err := publish(x, n); err != nil {
			return nil, err
		}
	} else if x.P.Has("AllocationId") {
		return nil, wire.Failf("InvalidParameterCombination", "A private NAT gateway has no allocation ID.")
	}
	x.Tx.Put(n)
	x.Remember([]string{n.ID})
	return made{viewNAT(n, n.Life.First())}, nil
}

// publish gives a NAT gateway its address.
func publish(x *core.Exchange, n *natGateway) error {
	a, err := allocation(x, x.P.Str("AllocationId"))
	if err != nil {
		return err
	}
	if a.Association != "" {
		return wire.Failf("Resource.AlreadyAssociated", "resource %s is already associated with associate-id %s", a.ID,
			a.Association)
	}
	n.Address, n.Public = a.ID, a.IP
	if gatewayOf(x, n.VPC) == nil {
		n.Failure = "Gateway.NotAttached Network " + n.VPC + " has no Internet gateway attached"
		n.Life = core.Through(x.Now, x.Settle, "failed", "pending")
		return nil
	}
	c := *a
	c.NAT, c.Association = n.ID, x.Tx.Fresh("eipassoc-", x.Region).ID
	x.Tx.Put(&c)
	return nil
}

func describeNATs(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*natGateway](x, "NatGatewayId", "NatGatewayNotFound")
	if err != nil {
		return nil, err
	}
	all, err = core.Filtered(x, all, func(n *natGateway, name string) ([]string, bool) {
		switch name {
		case "nat-gateway-id":
			return core.One(n.ID)
		case "vpc-id":
			return core.One(n.VPC)
		case "subnet-id":
			return core.One(n.Subnet)
		case "state":
			return core.One(n.Life.At(x.Now))
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2.Page(x, all, "NatGatewayId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlNAT
	for _, n := range rows {
		out = append(out, viewNAT(n, n.Life.At(x.Now)))
	}
	return struct {
		Set  []xmlNAT `xml:"natGatewaySet>item"`
		Next *string  `xml:"nextToken"`
	}{out, next}, nil
}

// deleteNAT gives the address back; the gateway is listed as deleted for about an hour (EC2 API
// reference: DeleteNatGateway).
func deleteNAT(x *core.Exchange) (any, error) {
	id := x.P.Str("NatGatewayId")
	n, ok := core.Find[*natGateway](x.Tx, x.Region, id)
	if !ok {
		return nil, wire.Failf("NatGatewayNotFound", "The Nat Gateway %s was not found", id)
	}
	if !n.dead() {
		c := *n
		c.Life = core.Through(x.Now, x.Settle, natDeleted, "deleting")
		c.Until = c.Life.End().Add(x.KeepDead)
		x.Tx.Put(&c)
		if a, ok := core.Find[*address](x.Tx, x.Region, n.Address); ok && a.NAT == n.ID {
			free := *a
			free.NAT, free.Association = "", ""
			x.Tx.Put(&free)
		}
	}
	return struct {
		ID string `xml:"natGatewayId"`
	}{id}, nil
}
