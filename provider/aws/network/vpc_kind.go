package network

import (
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

func kindOfVPC() api.Kind {
	return api.Kind{
		Schema: vpcSchema(),
		List:   listVPCs, Read: vpcs().ReadByID, Tag: api.TagEC2, Check: checkVPC,
		Create: createVPC, Update: updateVPC, Remove: deleteVPC,
		Calls: api.Calls{
			Service: "ec2",
			Observes: "DescribeVpcs DescribeSubnets DescribeSecurityGroups DescribeInternetGateways " +
				"DescribeNatGateways DescribeRouteTables DescribeInstances",
			Creates: "CreateVpc",
			Changes: "AssociateVpcCidrBlock DisassociateVpcCidrBlock ModifyVpcAttribute",
			Deletes: "DeleteVpc",
		},
	}
}

func vpcSchema() resource.Kind {
	return resource.Kind{
		Provider: api.ProviderName, Name: api.KindVPC,
		Doc: "A virtual private network.\n\nIt contains subnets and security groups. It is created with its name " +
			"as its Name tag. An existing one is adopted by its Name tag or its ID.",
		NameTag:     api.TagHuman,
		NamePattern: api.TagName, NameDoc: api.TagNameDoc,
		Canonical: canonicalCIDR, CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}),
		Replace: ReplaceVPC,
		Holds:   resource.HoldsNothing,
		Attrs: append([]resource.Attribute{
			{
				Name: "cidr", Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: api.CIDRPattern,
				Valid:   networkBlock,
				Example: "10.0.0.0/16", Doc: "The IPv4 address block, between /16 and /28.",
			},
			{
				Name: "dns_support", Type: resource.TBool, WriteOnly: true, AfterCreate: true, Example: "true",
				Doc: "Whether the network resolves names. AWS's default is true.",
			},
			{
				Name: "dns_hostnames", Type: resource.TBool, WriteOnly: true, AfterCreate: true, Example: "true",
				Doc: "Whether instances with a public address get a public host name. AWS's default is false.",
			},
		}, vpcIPv6Attrs()...),
	}
}
