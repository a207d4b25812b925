package firewall

import (
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// kindOfGroup returns the kind security_group. A sweep may read it by tag, because the natural name
// of a group is its ID: no configured name can equal it, since network.GroupNames rejects sg-.
func kindOfGroup() api.Kind {
	return api.Kind{
		Schema: groupSchema(),
		List:   listGroups, ByTag: true, Read: groups().ReadByID, Tag: api.TagEC2, Check: checkGroup,
		Create: createGroup, Update: updateGroup, Remove: deleteGroup,
		Calls: api.Calls{
			Service:  "ec2",
			Own:      "security-group/*",
			Observes: "DescribeSecurityGroups DescribeSecurityGroupRules DescribeInstances DescribeNetworkInterfaces",
			Creates:  "CreateSecurityGroup",
			Changes: "AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress RevokeSecurityGroupIngress " +
				"RevokeSecurityGroupEgress",
			Deletes: "DeleteSecurityGroup",
			Touches: "CreateSecurityGroup AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress " +
				"RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
		},
	}
}

// groupText is what EC2 accepts in descriptions. The apostrophe is not part of it.
// Amazon EC2 API Reference, CreateSecurityGroup: "Valid characters: a-z, A-Z, 0-9, spaces, and
// ._-:/()#,@[]+=&;{}!$*".
const groupText = `[A-Za-z0-9 ._:/()#,@\[\]+=&;{}!$*-]*`

// groupSchema returns the schema of security_group. The default of egress is the rule that AWS adds
// to every new group: with an empty default, ovi would remove that rule. AWS has no equivalent of
// separate_rules, so only the recorded configuration shows a change of it.
func groupSchema() resource.Kind {
	return resource.Kind{
		Provider: api.ProviderName, Name: api.KindGroup,
		Doc: "A firewall for instances and databases.\n\n" +
			"The configuration holds all of its rules, unless separate_rules is set: a rule that is added outside ovi is " +
			"drift and is removed again. " +
			"Its name is its group name in AWS.",
		NameAttr:    network.GroupName,
		NamePattern: `[A-Za-z0-9_. -]{1,255}`, NameDoc: "letters, digits, '.', '_', '-' and spaces, not starting with sg-",
		Canonical: canonicalGroup, CrossCheck: api.CrossChecks(api.TagTraits{}, network.GroupNames),
		Replace: replaceGroup,
		Holds:   holdsGroup, HoldsDoc: "its group name in its VPC",
		Attrs: []resource.Attribute{
			{
				Name: "vpc", Type: resource.TString, Effect: resource.Replace, RefKind: api.KindVPC, IDPrefix: "vpc-",
				Example: "main", Doc: "The VPC it belongs to. If omitted, the region's default VPC.",
			},
			{
				Name: "description", Type: resource.TString, Effect: resource.Replace,
				HarmlessDefault: true, CreateDefault: resource.String("Managed by ovi"),
				Max: api.Bound(255), Pattern: groupText, Example: "web servers",
				Doc: "A description. AWS cannot change it later.",
			},
			{
				Name: "ingress", Type: resource.TSet,
				HarmlessDefault: true, Default: resource.List{}, Elem: ruleElem(),
				Example: "[{port: 443, cidr: 0.0.0.0/0}]", Doc: "The inbound rules. If omitted, no traffic is allowed in.",
			},
			{
				Name: "egress", Type: resource.TSet, Default: resource.List{network.Everywhere()}, Elem: ruleElem(),
				Example: "[{protocol: all, cidr: 0.0.0.0/0}]", Doc: "The outbound rules. If omitted, all traffic is allowed out.",
			},
			{
				Name: network.SeparateRules, Type: resource.TBool, Recorded: true,
				Example: "true", Doc: "Whether its rules are security_group_rule resources. Then ingress and egress are not " +
					"compared, and two groups may name each other in their rules.",
			},
			{Name: network.GroupName, Type: resource.TString, Computed: true, Doc: "Its name in AWS."},
		},
	}
}

// ruleElem returns the schema of one rule in ingress or egress. kindOfRule takes its fields over,
// so a change here changes security_group_rule as well. A port of -1 means all types or all codes
// of ICMP.
func ruleElem() *resource.Attribute {
	port := func(name, doc string) resource.Attribute {
		return resource.Attribute{Name: name, Type: resource.TInt, Min: api.Bound(-1), Max: api.Bound(65535), Doc: doc}
	}
	return &resource.Attribute{Type: resource.TObject, Valid: validRule, Fields: []resource.Attribute{
		port("port", "A single port. For a range, use from_port and to_port."),
		port("from_port", "The first port of a range. For icmp: the type, or -1 for all types."),
		port("to_port", "The last port of a range. For icmp: the code, or -1 for all codes."),
		{
			Name: "protocol", Type: resource.TString, Pattern: `tcp|udp|icmp|icmpv6|all|-1|[0-9]{1,3}`,
			Omit: api.Omitting(resource.String("tcp")),
			Doc:  "tcp (the default), udp, icmp, icmpv6, all, or a protocol number.",
		},
		{Name: "cidr", Type: resource.TString, Pattern: api.CIDRPattern, Doc: "Peer: an IPv4 or IPv6 address block."},
		{
			Name: "security_group", Type: resource.TString, RefKind: api.KindGroup, IDPrefix: "sg-",
			Doc: "Peer: the members of another security group.",
		},
		{
			Name: network.PeerAccount, Type: resource.TString, Pattern: `[0-9]{12}`, WriteOnly: true,
			Doc: "The account of the security_group, if it is another's, in a VPC that is peered. It is not compared: no two " +
				"groups have one ID.",
		},
		{Name: "self", Type: resource.TBool, Doc: "Peer: the members of this security group."},
		{Name: "prefix_list", Type: resource.TString, Pattern: `pl-[0-9a-z]+`, Doc: "Peer: a prefix list."},
		{Name: "description", Type: resource.TString, Max: api.Bound(255), Pattern: groupText, Doc: "A " +
			"description of the rule."},
	}}
}

// holdsGroup: the default VPC, which a group without vpc is in, is not known here.
// Amazon EC2 API Reference, CreateSecurityGroup: "You can't have two security groups for the same
// VPC with the same name".
func holdsGroup(ref resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	vpc, _ := api.Inside(a, api.KindVPC)
	return []resource.Hold{{What: "group name", Of: vpc, Name: api.NameOr(a, network.GroupName, ref), Identity: true}}
}
