// Package network has the networks of the sandbox: VPCs, subnets, security groups and their rules, gateways, routes,
// addresses, interfaces and endpoints, and the calls for the tags of everything in EC2.
//
// It promises that nothing is deleted while something of the sandbox uses it, and that a new region has what a new
// account has there.
package network

import (
	"maps"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// Actions are the handlers of this area, by service and action.
func Actions() map[string]map[string]core.Handler {
	all := map[string]core.Handler{"CreateTags": createTags, "DeleteTags": deleteTags, "DescribeTags": describeTags}
	for _, some := range []map[string]core.Handler{
		vpcActions(), groupActions(), gatewayActions(), addressActions(),
		natActions(), routeActions(), endpointActions(), interfaceActions(),
	} {
		maps.Copy(all, some)
	}
	return map[string]map[string]core.Handler{"ec2": all}
}

// Kinds describes the kinds of this area.
func Kinds() []core.Kind {
	return []core.Kind{
		{
			Name: "vpc", Rank: 1, Type: (*VPC)(nil), Prefix: "vpc", Missing: "InvalidVpcID.NotFound",
			Order: core.Ordered("ec2", "CreateVpc", map[string]string{"CidrBlock": "10.99.0.0/16"}),
		},
		{
			Name: "subnet", Rank: 2, Type: (*Subnet)(nil), Prefix: "subnet", Missing: "InvalidSubnetID.NotFound",
			Order: orderSubnet,
		},
		{
			Name: "security-group", Word: "security_group", Rank: 3, Type: (*SecurityGroup)(nil), Prefix: "sg",
			Missing: "InvalidGroup.NotFound",
			Order:   core.Ordered("ec2", "CreateSecurityGroup", map[string]string{"GroupDescription": "created outside ovi"}),
		},
		{
			Name: "internet-gateway", Word: "internet_gateway", Rank: 4, Type: (*InternetGateway)(nil), Prefix: "igw",
			Missing: "InvalidInternetGatewayID.NotFound",
		},
		{
			Name: "elastic-ip", Word: "eip", Rank: 5, Type: (*address)(nil), Prefix: "eipalloc",
			Missing: "InvalidAllocationID.NotFound",
		},
		{
			Name: "natgateway", Word: "nat_gateway", Rank: 6, Type: (*natGateway)(nil), Prefix: "nat",
			Missing: "NatGatewayNotFound",
		},
		{
			Name: "route-table", Word: "route_table", Rank: 7, Type: (*routeTable)(nil), Prefix: "rtb",
			Missing: "InvalidRouteTableID.NotFound",
		},
		{
			Name: "network-interface", Word: "network_interface", Rank: 8, Type: (*Interface)(nil), Prefix: "eni",
			Missing: noInterface,
			Order:   core.Ordered("ec2", "CreateNetworkInterface", nil),
		},
		{
			Name: "vpc-endpoint", Word: "vpc_endpoint", Rank: 23, Type: (*endpoint)(nil), Prefix: "vpce",
			Missing: "InvalidVpcEndpointId.NotFound",
		},
	}
}
