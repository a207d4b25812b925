package awsfake

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

func endpointActions() map[string]handler {
	return map[string]handler{
		"CreateVpcEndpoint": createEndpoint, "DescribeVpcEndpoints": describeEndpoints, "ModifyVpcEndpoint": modifyEndpoint, "DeleteVpcEndpoints": deleteEndpoints,
	}
}

// endpointPolicy is the policy of an endpoint that is created without one ("Control access to VPC endpoints").
const endpointPolicy = `{"Version":"2008-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*"}]}`

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
	Tags    []xmlTag           `xml:"tagSet>item"`
}

func viewEndpoint(e *endpoint, state string) xmlEndpoint {
	out := xmlEndpoint{
		ID: e.ID, Type: e.Type, VPC: e.VPC, Service: e.Service, State: state, Policy: e.Policy, Tables: e.Tables, Subnets: e.Subnets,
		Private: e.Private, Made: e.Made, Tags: tagSet(e.Tags),
	}
	for _, id := range e.Groups {
		out.Groups = append(out.Groups, xmlEndpointGroup{ID: id})
	}
	if e.Type == "Interface" {
		parts := strings.Split(e.Service, ".")
		out.DNS = []string{e.ID + "-" + e.ID[len(e.ID)-8:] + "." + parts[len(parts)-1] + "." + e.Region + ".vpce.amazonaws.com"}
	}
	return out
}

// createEndpoint: the token is honored as that of RunInstances. A gateway is for S3 and DynamoDB alone, one of a
// service in a route table (EC2 API reference: CreateVpcEndpoint).
func createEndpoint(x *exchange) (any, error) {
	type made struct {
		Endpoint xmlEndpoint `xml:"vpcEndpoint"`
	}
	if err := x.checkToken(); err != nil {
		return nil, err
	}
	again, repeated, err := x.remembered()
	if err != nil {
		return nil, err
	}
	if repeated {
		if e, ok := find[*endpoint](x.tx, x.Region, again[0]); ok {
			return made{viewEndpoint(e, e.Life.at(x.now))}, nil
		}
	}
	v, err := vpcOf(x)
	if err != nil {
		return nil, err
	}
	tags, err := x.specTags("vpc-endpoint")
	if err != nil {
		return nil, err
	}
	e := &endpoint{
		VPC: v.ID, Service: x.p.str("ServiceName"), Type: x.p.or("VpcEndpointType", "Gateway"), Policy: x.p.or("PolicyDocument", endpointPolicy),
		Tables: x.p.strs("RouteTableId"), Subnets: x.p.strs("SubnetId"), Groups: x.p.strs("SecurityGroupId"), Private: x.p.flag("PrivateDnsEnabled", true),
	}
	if err := judgeEndpoint(x, e, v); err != nil {
		return nil, err
	}
	e.base = x.tx.fresh("vpce-", x.Region)
	e.Tags, e.Life = tags, steady("available")
	if e.Type == "Interface" {
		e.Life = through(x.now, x.settle, "available", "pending")
	}
	x.tx.put(e)
	x.remember([]string{e.ID})
	return made{viewEndpoint(e, e.Life.first())}, nil
}

func judgeEndpoint(x *exchange, e *endpoint, v *vpc) error {
	gateway := strings.HasSuffix(e.Service, "."+x.Region+".s3") || strings.HasSuffix(e.Service, "."+x.Region+".dynamodb")
	switch {
	case !strings.HasPrefix(e.Service, "com.amazonaws."+x.Region+"."), e.Type == "Gateway" && !gateway:
		return failf("InvalidServiceName", "The Vpc Endpoint Service '%s' does not exist", e.Service)
	case e.Type == "Gateway" && len(e.Subnets)+len(e.Groups) > 0:
		return failf("InvalidParameter", "Gateway endpoints have neither subnets nor security groups.")
	case e.Type == "Interface" && len(e.Tables) > 0:
		return failf("InvalidParameter", "Endpoint type (Interface) does not have route tables.")
	case e.Type == "Interface" && e.Private && !(v.DNSSupport && v.DNSHostnames):
		return failf("InvalidParameter", "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set to true for %s", v.ID)
	case !json.Valid([]byte(e.Policy)):
		return failf("InvalidPolicyDocument", "The policy is not valid JSON.")
	}
	e.Private = e.Private && e.Type == "Interface"
	if e.Type == "Interface" && len(e.Groups) == 0 {
		e.Groups = []string{v.Group}
	}
	return partsOf(x, e)
}

// partsOf checks what an endpoint is made of: all of it is in its network, and a route table has one endpoint of a
// service.
func partsOf(x *exchange, e *endpoint) error {
	for _, id := range e.Tables {
		t, ok := find[*routeTable](x.tx, x.Region, id)
		if !ok || t.VPC != e.VPC {
			return failf("InvalidRouteTableId.NotFound", "The routeTable ID '%s' does not exist", id)
		}
		for _, o := range list[*endpoint](x.tx, x.Region) {
			if o.ID != e.ID && o.Until.IsZero() && o.Service == e.Service && slices.Contains(o.Tables, id) {
				return failf("RouteAlreadyExists", "route table %s already has a route with destination-prefix-list-id", id)
			}
		}
	}
	for _, id := range e.Subnets {
		if s, ok := find[*subnet](x.tx, x.Region, id); !ok || s.VPC != e.VPC {
			return failf("InvalidSubnetId.NotFound", "The subnet ID '%s' does not exist", id)
		}
	}
	for _, id := range e.Groups {
		if g, ok := find[*securityGroup](x.tx, x.Region, id); !ok || g.VPC != e.VPC {
			return failf("InvalidSecurityGroupID.NotFound", "The security group '%s' does not exist", id)
		}
	}
	return nil
}

func describeEndpoints(x *exchange) (any, error) {
	all, err := named[*endpoint](x, "VpcEndpointId", "InvalidVpcEndpointId.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = filtered(x, all, func(e *endpoint, name string) ([]string, bool) {
		switch name {
		case "vpc-endpoint-id":
			return one(e.ID)
		case "vpc-id":
			return one(e.VPC)
		case "service-name":
			return one(e.Service)
		case "vpc-endpoint-state":
			return one(e.Life.at(x.now))
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "VpcEndpointId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlEndpoint
	for _, e := range rows {
		out = append(out, viewEndpoint(e, e.Life.at(x.now)))
	}
	return struct {
		Set  []xmlEndpoint `xml:"vpcEndpointSet>item"`
		Next *string       `xml:"nextToken"`
	}{out, next}, nil
}

func modifyEndpoint(x *exchange) (any, error) {
	id := x.p.str("VpcEndpointId")
	e, ok := find[*endpoint](x.tx, x.Region, id)
	if !ok || !e.Until.IsZero() {
		return nil, failf("InvalidVpcEndpointId.NotFound", "The Vpc Endpoint Id '%s' does not exist", id)
	}
	n := *e
	exchanged := func(have []string, add, remove string) []string {
		gone := x.p.strs(remove)
		out := slices.DeleteFunc(slices.Clone(have), func(s string) bool { return slices.Contains(gone, s) })
		for _, id := range x.p.strs(add) {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
		return out
	}
	n.Tables = exchanged(e.Tables, "AddRouteTableId", "RemoveRouteTableId")
	n.Subnets = exchanged(e.Subnets, "AddSubnetId", "RemoveSubnetId")
	n.Groups = exchanged(e.Groups, "AddSecurityGroupId", "RemoveSecurityGroupId")
	n.Private = x.p.flag("PrivateDnsEnabled", e.Private)
	if n.Policy = x.p.or("PolicyDocument", e.Policy); !json.Valid([]byte(n.Policy)) {
		return nil, failf("InvalidPolicyDocument", "The policy is not valid JSON.")
	}
	if n.Type == "Interface" {
		n.Life = through(x.now, x.settle, "available", "pending")
	}
	if err := partsOf(x, &n); err != nil {
		return nil, err
	}
	x.tx.put(&n)
	return success{Return: true}, nil
}

// deleteEndpoints reports what it could not delete, which is no error (EC2 API reference: DeleteVpcEndpoints).
func deleteEndpoints(x *exchange) (any, error) {
	type failure struct {
		Code    string `xml:"error>code"`
		Message string `xml:"error>message"`
		ID      string `xml:"resourceId"`
	}
	var out struct {
		Failed []failure `xml:"unsuccessful>item"`
	}
	for _, id := range x.p.strs("VpcEndpointId") {
		e, ok := find[*endpoint](x.tx, x.Region, id)
		if !ok {
			out.Failed = append(out.Failed, failure{"InvalidVpcEndpointId.NotFound", "The Vpc Endpoint Id '" + id + "' does not exist", id})
			continue
		}
		if e.Until.IsZero() {
			n := *e
			n.Life = through(x.now, x.settle, "deleted", "deleting")
			n.Until = n.Life.end().Add(x.keepDead)
			x.tx.put(&n)
		}
	}
	return out, nil
}

// endpointIn reports an endpoint in a network, a subnet or a group.
func endpointIn(x *exchange, id string) bool {
	return slices.ContainsFunc(list[*endpoint](x.tx, x.Region), func(e *endpoint) bool {
		return e.Life.at(x.now) != "deleted" && (e.VPC == id || slices.Contains(e.Subnets, id) || slices.Contains(e.Groups, id))
	})
}
