package network

import (
	"net/netip"
	"strconv"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

func kindOfSubnet() api.Kind {
	return api.Kind{
		Schema: subnetSchema(),
		List:   subnets().ListAll, ByTag: true, Read: subnets().ReadByID, Tag: api.TagEC2, Check: checkSubnet,
		Create: createSubnet, Update: updateSubnet, Remove: deleteSubnet,
		Calls: api.Calls{
			Service: "ec2",
			Own:     "subnet/*",
			Observes: "DescribeSubnets DescribeVpcs DescribeInstances DescribeInstanceTypeOfferings " +
				"DescribeNatGateways DescribeNetworkInterfaces",
			Creates: "CreateSubnet",
			Changes: "AssociateSubnetCidrBlock DisassociateSubnetCidrBlock ModifySubnetAttribute",
			Deletes: "DeleteSubnet",
			Touches: "CreateSubnet",
		},
	}
}

func subnetSchema() resource.Kind {
	return resource.Kind{
		Provider: api.ProviderName, Name: api.KindSubnet,
		Doc: "A range of the addresses of a vpc in one availability zone.\n\nIt is created with its name as its " +
			"Name tag. An existing one is adopted by its ID.",
		NameTag:     api.TagHuman,
		NamePattern: api.TagName, NameDoc: api.TagNameDoc,
		Canonical: canonicalSubnet, CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, api.Zones, subnetsFit,
			numbersFit),
		Replace: replaceSubnet,
		Holds:   holdsSubnet, HoldsDoc: "its addresses and its ipv6_block, in its VPC",
		Attrs: append([]resource.Attribute{
			{
				Name: "vpc", Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: api.KindVPC,
				IDPrefix: "vpc-",
				Example:  "main", Doc: "The VPC it is part of.",
			},
			{
				Name: "cidr", Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: api.CIDRPattern,
				Valid:   networkBlock,
				Example: "10.0.1.0/24", Doc: "Its part of the VPC's addresses, between /16 and /28. The subnets of a VPC must " +
					"not overlap.",
			},
			{
				Name: "zone", Type: resource.TString, Effect: resource.Replace, Pattern: api.ZonePattern,
				Example: "us-east-1a", Doc: "The availability zone. If omitted, one that has the current instance types and the " +
					"fewest subnets of the VPC.",
			},
			{
				Name: "public_ip", Type: resource.TBool,
				HarmlessDefault: true, Default: resource.Bool(false), Example: "true",
				Doc: "Whether instances launched in it get a public address unless they set public_ip themselves.",
			},
		}, subnetIPv6Attrs()...),
	}
}

// holdsSubnet: ranges of subnets of a VPC must not overlap ("Subnet CIDR blocks"). Two subnets with
// overlapping ranges cannot exist at the same time, so a plan deletes one before it creates the
// other. The number of the IPv6 block is not the identity: an update can give a subnet another one.
func holdsSubnet(_ resource.Ref, a resource.Attrs, _ resource.State) (out []resource.Hold) {
	vpc, _ := api.Inside(a, api.KindVPC)
	cidr, _ := api.Text(a, "cidr")
	if addresses, err := netip.ParsePrefix(cidr); err == nil {
		out = append(out, resource.Hold{What: "range", Of: vpc, Range: addresses, Identity: true})
	}
	if n, set := api.Number(a, blockAttr); set {
		out = append(out, resource.Hold{What: blockAttr, Of: vpc, Name: strconv.FormatInt(n, 10)})
	}
	return out
}
