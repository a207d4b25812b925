package network

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func endpointActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateVpcEndpoint": createEndpoint, "DescribeVpcEndpoints": describeEndpoints, "ModifyVpcEndpoint": modifyEndpoint,
		"DeleteVpcEndpoints": deleteEndpoints,
	}
}

// endpointPolicy is the policy of an endpoint that is created without one ("Control access to VPC endpoints").
const endpointPolicy = `{"Version":"2008-10-17","Statement":[{"Effect":"Allow",` +
	`"Principal":"*","Action":"*","Resource":"*"}]}`

type xmlEndpointGroup struct {
	ID   string `xml:"groupId"`
	Name string `xml:"groupName"`
}

type xmlEndpoint struct {
	ID      string             `xml:"vpcEndpointId"`
	Type    string             `xml:"vpcEndpointType"`
	VPC     string             `xml:"vpcId"`
	Service string             `xml:"serviceName"`
	State   string             `xml:"state"`
	Policy  string             `xml:"policyDocument"`
	Tables  []string           `xml:"routeTableIdSet>item"`
	Subnets []string           `xml:"subnetIdSet>item"`
	Groups  []xmlEndpointGroup `xml:"groupSet>item"`
	Private bool               `xml:"privateDnsEnabled"`
	DNS     []string           `xml:"dnsEntrySet>item>dnsName"`
	Made    time.Time          `xml:"creationTimestamp"`
	Tags    []core.XMLTag      `xml:"tagSet>item"`
}

func viewEndpoint(e *endpoint, state string) xmlEndpoint {
	out := xmlEndpoint{
		ID: e.ID, Type: e.Type, VPC: e.VPC, Service: e.Service, State: state, Policy: e.Policy, Tables: e.Tables,
		Subnets: e.Subnets,
		Private: e.Private, Made: e.Made, Tags: core.TagSet(e.Tags),
	}
	for _, id := range e.Groups {
		out.Groups = append(out.Groups, xmlEndpointGroup{ID: id})
	}
	if e.Type == "Interface" {
		parts := strings.Split(e.Service, ".")
		out.DNS = []string{e.ID + "-" + e.ID[len(e.ID)-8:] + "." + parts[len(parts)-1] + "." + e.Region +
			".vpce.amazonaws.com"}
	}
	return out
}

// createEndpoint: the token is honored as that of RunInstances. A gateway is for S3 and DynamoDB alone, one of a
// service in a route table (EC2 API reference: CreateVpcEndpoint).
func createEndpoint(x *core.Exchange) (any, error) {
	type made struct {
		Endpoint xmlEndpoint `xml:"vpcEndpoint"`
	}
	if err := x.CheckToken(); err != nil {
		return nil, err
	}
	again, repeated, err := x.Remembered()
	if err != nil {
		return nil, err
	}
	if repeated {
		if e, ok := core.Find[*endpoint](x.Tx, x.Region, again[0]); ok {
			return made{viewEndpoint(e, e.Life.At(x.Now))}, nil
		}
	}
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	tags, err := x.SpecTags("vpc-endpoint")
	if err != nil {
		return nil, err
	}
	e := &endpoint{
		VPC: v.ID, Service: x.P.Str("ServiceName"), Type: x.P.Or("VpcEndpointType", "Gateway"),
		Policy: x.P.Or("PolicyDocument", endpointPolicy),
		Tables: x.P.Strs("RouteTableId"), Subnets: x.P.Strs("SubnetId"), Groups: x.P.Strs("SecurityGroupId"),
		Private: x.P.Flag("PrivateDnsEnabled", true),
	}
	if err := judgeEndpoint(x, e, v); err != nil {
		return nil, err
	}
	e.Base = x.Tx.Fresh("vpce-", x.Region)
	e.Tags, e.Life = tags, core.Steady("available")
	if e.Type == "Interface" {
		e.Life = core.Through(x.Now, x.Settle, "available", "pending")
	}
	x.Tx.Put(e)
	x.Remember([]string{e.ID})
	return made{viewEndpoint(e, e.Life.First())}, nil
}

func judgeEndpoint(x *core.Exchange, e *endpoint, v *VPC) error {
	gateway := strings.HasSuffix(e.Service, "."+x.Region+".s3") || strings.HasSuffix(e.Service, "."+x.Region+".dynamodb")
	switch {
	case !strings.HasPrefix(e.Service, "com.amazonaws."+x.Region+"."), e.Type == "Gateway" && !gateway:
		return wire.Failf("InvalidServiceName", "The Vpc Endpoint Service '%s' does not exist", e.Service)
	case e.Type == "Gateway" && len(e.Subnets)+len(e.Groups) > 0:
		return wire.Failf("InvalidParameter", "Gateway endpoints have neither subnets nor security groups.")
	case e.Type == "Interface" && len(e.Tables) > 0:
		return wire.Failf("InvalidParameter", "Endpoint type (Interface) does not have route tables.")
	case e.Type == "Interface" && e.Private && !(v.DNSSupport && v.DNSHostnames):
		return wire.Failf("InvalidParameter",
			"Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set to true for %s", v.ID)
	case !json.Valid([]byte(e.Policy)):
		return wire.Failf("InvalidPolicyDocument", "The policy is not valid JSON.")
	}
	e.Private = e.Private && e.Type == "Interface"
	if e.Type == "Interface" && len(e.Groups) == 0 {
		e.Groups = []string{v.Group}
	}
	return partsOf(x, e)
}

// partsOf checks what an endpoint is made of: all of it is in its network, a route table has one endpoint of a
// service, and a network one private name of it.
func partsOf(x *core.Exchange, e *endpoint) error {
	for _, id := range e.Tables {
		t, ok := core.Find[*routeTable](x.Tx, x.Region, id)
		if !ok || t.VPC != e.VPC {
			return wire.Failf("InvalidRouteTableId.NotFound", "The routeTable ID '%s' does not exist", id)
		}
		for _, o := range core.List[*endpoint](x.Tx, x.Region) {
			if o.ID != e.ID && o.Until.IsZero() && o.Service == e.Service && slices.Contains(o.Tables, id) {
				return wire.Failf("RouteAlreadyExists", "route table %s already has a route with destination-prefix-list-id", id)
			}
		}
	}
	for _, o := range core.List[*endpoint](x.Tx, x.Region) {
		if o.ID != e.ID && o.Until.IsZero() && o.VPC == e.VPC && o.Service == e.Service && o.Private && e.Private {
			return wire.Failf("InvalidParameter", "private-dns-enabled cannot be set because there is already a conflicting "+
				"DNS domain for %s in the VPC %s", e.Service, e.VPC)
		}
	}
	for _, id := range e.Subnets {
		if s, ok := core.Find[*Subnet](x.Tx, x.Region, id); !ok || s.VPC != e.VPC {
			return wire.Failf("InvalidSubnetId.NotFound", "The subnet ID '%s' does not exist", id)
		}
	}
	for _, id := range e.Groups {
		if g, ok := core.Find[*SecurityGroup](x.Tx, x.Region, id); !ok || g.VPC != e.VPC {
			return wire.Failf("InvalidSecurityGroupID.NotFound", "The security group '%s' does not exist", id)
		}
	}
	return nil
}

func describeEndpoints(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*endpoint](x, "VpcEndpointId", "InvalidVpcEndpointId.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = core.Filtered(x, all, func(e *endpoint, name string) ([]string, bool) {
		switch name {
		case "vpc-endpoint-id":
			return core.One(e.ID)
		case "vpc-id":
			return core.One(e.VPC)
		case "service-name":
			return core.One(e.Service)
		case "vpc-endpoint-state":
			return core.One(e.Life.At(x.Now))
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2.Page(x, all, "VpcEndpointId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlEndpoint
	for _, e := range rows {
		out = append(out, viewEndpoint(e, e.Life.At(x.Now)))
	}
	return struct {
		Set  []xmlEndpoint `xml:"vpcEndpointSet>item"`
		Next *string       `xml:"nextToken"`
	}{out, next}, nil
}

func modifyEndpoint(x *core.Exchange) (any, error) {
	id := x.P.Str("VpcEndpointId")
	e, ok := core.Find[*endpoint](x.Tx, x.Region, id)
	if !ok || !e.Until.IsZero() {
		return nil, wire.Failf("InvalidVpcEndpointId.NotFound", "The Vpc Endpoint Id '%s' does not exist", id)
	}
	n := *e
	exchanged := func(have []string, add, remove string) []string {
		gone := x.P.Strs(remove)
		out := slices.DeleteFunc(slices.Clone(have), func(s string) bool { return slices.Contains(gone, s) })
		for _, id := range x.P.Strs(add) {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
		return out
	}
	n.Tables = exchanged(e.Tables, "AddRouteTableId", "RemoveRouteTableId")
	n.Subnets = exchanged(e.Subnets, "AddSubnetId", "RemoveSubnetId")
	n.Groups = exchanged(e.Groups, "AddSecurityGroupId", "RemoveSecurityGroupId")
	n.Private = x.P.Flag("PrivateDnsEnabled", e.Private)
	if n.Policy = x.P.Or("PolicyDocument", e.Policy); !json.Valid([]byte(n.Policy)) {
		return nil, wire.Failf("InvalidPolicyDocument", "The policy is not valid JSON.")
	}
	if n.Type == "Interface" {
		n.Life = core.Through(x.Now, x.Settle, "available", "pending")
	}
	if err := partsOf(x, &n); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}

// deleteEndpoints reports what it could not delete, which is no error (EC2 API reference: DeleteVpcEndpoints).
func deleteEndpoints(x *core.Exchange) (any, error) {
	type failure struct {
		Code    string `xml:"error>code"`
		Message string `xml:"error>message"`
		ID      string `xml:"resourceId"`
	}
	var out struct {
		Failed []failure `xml:"unsuccessful>item"`
	}
	for _, id := range x.P.Strs("VpcEndpointId") {
		e, ok := core.Find[*endpoint](x.Tx, x.Region, id)
		if !ok {
			out.Failed = append(out.Failed,
				failure{"InvalidVpcEndpointId.NotFound", "The Vpc Endpoint Id '" + id + "' does not exist", id})
			continue
		}
		if e.Until.IsZero() {
			n := *e
			n.Life = core.Through(x.Now, x.Settle, "deleted", "deleting")
			n.Until = n.Life.End().Add(x.KeepDead)
			x.Tx.Put(&n)
		}
	}
	return out, nil
}
