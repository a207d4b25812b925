package awsfake

import "maps"

func networkActions() map[string]map[string]handler {
	all := map[string]handler{"CreateTags": createTags, "DeleteTags": deleteTags, "DescribeTags": describeTags}
	for _, some := range []map[string]handler{vpcActions(), groupActions(), gatewayActions(), addressActions(), natActions(), routeActions(), endpointActions(), interfaceActions()} {
		maps.Copy(all, some)
	}
	return map[string]map[string]handler{"ec2": all}
}

func networkKinds() []kind {
	return []kind{
		{Name: "vpc", Rank: 1, Type: (*vpc)(nil), Prefix: "vpc", Missing: "InvalidVpcID.NotFound", Order: ordered("ec2", "CreateVpc", map[string]string{"CidrBlock": "10.99.0.0/16"})},
		{Name: "subnet", Rank: 2, Type: (*subnet)(nil), Prefix: "subnet", Missing: "InvalidSubnetID.NotFound", Order: orderSubnet},
		{Name: "security-group", Word: "security_group", Rank: 3, Type: (*securityGroup)(nil), Prefix: "sg", Missing: "InvalidGroup.NotFound",
			Order: ordered("ec2", "CreateSecurityGroup", map[string]string{"GroupDescription": "created outside ovi"})},
		{Name: "internet-gateway", Word: "internet_gateway", Rank: 4, Type: (*internetGateway)(nil), Prefix: "igw", Missing: "InvalidInternetGatewayID.NotFound"},
		{Name: "elastic-ip", Word: "eip", Rank: 5, Type: (*address)(nil), Prefix: "eipalloc", Missing: "InvalidAllocationID.NotFound"},
		{Name: "natgateway", Word: "nat_gateway", Rank: 6, Type: (*natGateway)(nil), Prefix: "nat", Missing: "NatGatewayNotFound"},
		{Name: "route-table", Word: "route_table", Rank: 7, Type: (*routeTable)(nil), Prefix: "rtb", Missing: "InvalidRouteTableID.NotFound"},
		{Name: "network-interface", Word: "network_interface", Rank: 8, Type: (*networkInterface)(nil), Prefix: "eni", Missing: noInterface,
			Order: ordered("ec2", "CreateNetworkInterface", nil)},
		{Name: "vpc-endpoint", Word: "vpc_endpoint", Rank: 23, Type: (*endpoint)(nil), Prefix: "vpce", Missing: "InvalidVpcEndpointId.NotFound"},
	}
}
