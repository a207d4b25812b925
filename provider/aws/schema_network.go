package aws

import "github.com/ovi-project/ovi/resource"

func vpcKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindVPC,
		Doc:         "A virtual private network.\n\nSubnets and security groups stand in it. Its name is its Name tag.",
		NamePattern: tagName, NameDoc: tagNameDoc,
		Canonical: canonicalCIDR, CrossCheck: together(),
		Attrs: []resource.Attribute{
			{
				Name: "cidr", Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: cidrPattern, Valid: networkBlock,
				Example: "10.0.0.0/16", Doc: "The block of addresses, between /16 and /28.",
			},
			{
				Name: "dns_support", Type: resource.TBool, WriteOnly: true, Example: "true",
				Doc: "Whether the network resolves names. AWS says yes where nothing is said.",
			},
			{
				Name: "dns_hostnames", Type: resource.TBool, WriteOnly: true, Example: "true",
				Doc: "Whether things with a public address get a public host name. AWS says no where nothing is said.",
			},
		},
	}
}

func subnetKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindSubnet,
		Doc:         "A range of a vpc's addresses in one availability zone.\n\nIts name is its Name tag.",
		NamePattern: tagName, NameDoc: tagNameDoc,
		Canonical: canonicalCIDR, CrossCheck: together(zones, subnetsFit),
		Attrs: []resource.Attribute{
			{
				Name: "vpc", Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: kindVPC, IDPrefix: "vpc-",
				Example: "main", Doc: "The network it is part of.",
			},
			{
				Name: "cidr", Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: cidrPattern, Valid: networkBlock,
				Example: "10.0.1.0/24", Doc: "Its part of the network's addresses, between /16 and /28; no two subnets of a network overlap.",
			},
			{
				Name: "zone", Type: resource.TString, Effect: resource.Replace, Pattern: zonePattern,
				Example: "us-east-1a", Doc: "The availability zone. AWS chooses where nothing is said.",
			},
			{
				Name: "public_ip", Type: resource.TBool, Default: resource.Bool(false), Example: "true",
				Doc: "Whether instances started in it get a public address unless they say otherwise.",
			},
		},
	}
}

// groupText is what EC2 takes in descriptions; the apostrophe is not among it.
const groupText = `[A-Za-z0-9 ._:/()#,@\[\]+=&;{}!$*-]*`

func groupKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindGroup,
		Doc: "A firewall around instances and databases.\n\n" +
			"All of its rules stand in the wish: a rule added by hand is drift, and is taken away again. " +
			"Its name is its group name in AWS.",
		NamePattern: `[A-Za-z0-9_. -]{1,255}`, NameDoc: "letters, digits, '.', '_', '-' and spaces; not beginning with sg-",
		Canonical: canonicalGroup, CrossCheck: together(groupNames),
		Attrs: []resource.Attribute{
			{
				Name: "vpc", Type: resource.TString, Effect: resource.Replace, RefKind: kindVPC, IDPrefix: "vpc-",
				Example: "main", Doc: "The network it stands in; the region's default network where nothing is said.",
			},
			{
				Name: "description", Type: resource.TString, Effect: resource.Replace, CreateDefault: resource.String("Managed by ovi"),
				Max: bound(255), Pattern: groupText, Example: "web servers", Doc: "What it is for. AWS cannot change it later.",
			},
			{
				Name: "ingress", Type: resource.TSet, Default: resource.List{}, Elem: ruleElem(),
				Example: "[{port: 443, cidr: 0.0.0.0/0}]", Doc: "What may come in. Nothing, where nothing is said.",
			},
			{
				Name: "egress", Type: resource.TSet, Default: resource.List{everywhere()}, Elem: ruleElem(),
				Example: "[{protocol: all, cidr: 0.0.0.0/0}]", Doc: "What may go out. Everything, where nothing is said.",
			},
		},
	}
}

// everywhere is the rule that AWS gives every new group: all traffic may go out.
func everywhere() resource.Attrs {
	return resource.NewAttrs(
		resource.Attr{Name: "protocol", Value: resource.String("all")},
		resource.Attr{Name: "cidr", Value: resource.String("0.0.0.0/0")})
}

func ruleElem() *resource.Attribute {
	port := func(name, doc string) resource.Attribute {
		return resource.Attribute{Name: name, Type: resource.TInt, Min: bound(-1), Max: bound(65535), Doc: doc}
	}
	return &resource.Attribute{Type: resource.TObject, Valid: validRule, Fields: []resource.Attribute{
		port("port", "One port. For a range: from_port and to_port."),
		port("from_port", "The first port of a range; for icmp the type, -1 for all."),
		port("to_port", "The last port of a range; for icmp the code, -1 for all."),
		{
			Name: "protocol", Type: resource.TString, Pattern: `tcp|udp|icmp|icmpv6|all|-1|[0-9]{1,3}`,
			Doc: "tcp where nothing is said, udp, icmp, icmpv6, all, or a protocol number.",
		},
		{Name: "cidr", Type: resource.TString, Pattern: cidrPattern, Doc: "The other side: a block of addresses, IPv4 or IPv6."},
		{Name: "security_group", Type: resource.TString, RefKind: kindGroup, IDPrefix: "sg-", Doc: "The other side: members of a group."},
		{Name: "self", Type: resource.TBool, Doc: "The other side: members of this very group."},
		{Name: "prefix_list", Type: resource.TString, Pattern: `pl-[0-9a-z]+`, Doc: "The other side: a prefix list."},
		{Name: "description", Type: resource.TString, Max: bound(255), Pattern: groupText, Doc: "What the rule is for."},
	}}
}
