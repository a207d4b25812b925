package aws

import "github.com/ovi-project/ovi/resource"

func kindOfSubnet() kind {
	return kind{
		schema: subnetSchema(),
		list:   listSubnets, byTag: true, read: readSubnet, tag: tagEC2, check: checkSubnet,
		create: createSubnet, update: updateSubnet, remove: deleteSubnet,
	}
}

func subnetSchema() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindSubnet,
		Doc:         "A range of the addresses of a vpc in one availability zone.\n\nIt is created with its name as its Name tag. An existing one is adopted by its ID.",
		NameTag:     tagHuman,
		NamePattern: tagName, NameDoc: tagNameDoc,
		Canonical: canonicalSubnet, CrossCheck: crossChecks(tagTraits{nameTag: true}, zones, subnetsFit, numbersFit),
		Replace: replaceSubnet,
		Attrs: append([]resource.Attribute{
			{
				Name: "vpc", Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: kindVPC, IDPrefix: "vpc-",
				Example: "main", Doc: "The VPC it is part of.",
			},
			{
				Name: "cidr", Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: cidrPattern, Valid: networkBlock,
				Example: "10.0.1.0/24", Doc: "Its part of the VPC's addresses, between /16 and /28. The subnets of a VPC must not overlap.",
			},
			{
				Name: "zone", Type: resource.TString, Effect: resource.Replace, Pattern: zonePattern,
				Example: "us-east-1a", Doc: "The availability zone. If omitted, one that has the current instance types and the fewest subnets of the VPC.",
			},
			{
				Name: "public_ip", Type: resource.TBool, Default: resource.Bool(false), Example: "true",
				Doc: "Whether instances launched in it get a public address unless they set public_ip themselves.",
			},
		}, subnetIPv6Attrs()...),
	}
}
