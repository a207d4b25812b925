package aws

import "github.com/ovi-project/ovi/resource"

func kindOfVPC() kind {
	return kind{
		schema: vpcSchema(),
		list:   listVPCs, read: readVPC, tag: tagEC2, check: checkVPC,
		create: createVPC, update: updateVPC, remove: deleteVPC,
	}
}

func vpcSchema() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindVPC,
		Doc:         "A virtual private network.\n\nIt contains subnets and security groups. It is created with its name as its Name tag. An existing one is adopted by its Name tag or its ID.",
		NameTag:     tagHuman,
		NamePattern: tagName, NameDoc: tagNameDoc,
		Canonical: canonicalCIDR, CrossCheck: crossChecks(tagTraits{nameTag: true}),
		Replace: replaceVPC,
		Attrs: append([]resource.Attribute{
			{
				Name: "cidr", Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: cidrPattern, Valid: networkBlock,
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
