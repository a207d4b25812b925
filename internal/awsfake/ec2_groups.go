package awsfake

import (
	"slices"
	"strings"
)

func groupActions() map[string]handler {
	return map[string]handler{
		"CreateSecurityGroup":    createGroup,
		"DescribeSecurityGroups": describeGroups,
		"DeleteSecurityGroup":    deleteGroup,

		"DescribeSecurityGroupRules":    describeRules,
		"AuthorizeSecurityGroupIngress": func(x *exchange) (any, error) { return authorize(x, false) },
		"AuthorizeSecurityGroupEgress":  func(x *exchange) (any, error) { return authorize(x, true) },
		"RevokeSecurityGroupIngress":    func(x *exchange) (any, error) { return revoke(x, false) },
		"RevokeSecurityGroupEgress":     func(x *exchange) (any, error) { return revoke(x, true) },

		"UpdateSecurityGroupRuleDescriptionsIngress": func(x *exchange) (any, error) { return redescribe(x, false) },
		"UpdateSecurityGroupRuleDescriptionsEgress":  func(x *exchange) (any, error) { return redescribe(x, true) },
		"ModifySecurityGroupRules":                   modifyRules,
	}
}

// createGroup: names are unique within a network, and never start with sg-
// (EC2 API reference: CreateSecurityGroup). A new group allows all traffic out.
func createGroup(x *exchange) (any, error) {
	name, about := x.p.str("GroupName"), x.p.str("GroupDescription")
	switch {
	case name == "":
		return nil, missing("GroupName")
	case about == "":
		return nil, missing("GroupDescription")
	case strings.HasPrefix(strings.ToLower(name), "sg-"):
		return nil, badValue(name, "GroupName", "Group names may not be in the format sg-*.")
	case name == "default":
		return nil, failf("InvalidParameterValue", "Cannot use reserved security group name: default")
	case len(name) > 255 || len(about) > 255:
		return nil, failf("InvalidParameterValue", "Names and descriptions have at most 255 characters.")
	case badText(about):
		return nil, badValue(about, "GroupDescription", "Character sets beyond ASCII are not supported.")
	}
	vpcID, err := homeVPC(x)
	if err != nil {
		return nil, err
	}
	if groupNamed(x, name, vpcID) != nil {
		return nil, failf("InvalidGroup.Duplicate", "The security group '%s' already exists for VPC '%s'", name, vpcID)
	}
	tags, err := x.specTags("security-group")
	if err != nil {
		return nil, err
	}
	g := &securityGroup{base: x.tx.fresh("sg-", x.Region), Name: name, About: about, VPC: vpcID}
	g.Tags, g.Rules = tags, []rule{outward(g.ID)}
	x.tx.put(g)
	return struct {
		Return bool     `xml:"return"`
		ID     string   `xml:"groupId"`
		ARN    string   `xml:"securityGroupArn"`
		Tags   []xmlTag `xml:"tagSet>item"`
	}{true, g.ID, arn(x, "security-group", g.ID), tagSet(tags)}, nil
}

func badText(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r > 126 }) }

func arn(x *exchange, kind, id string) string {
	return "arn:aws:ec2:" + x.Region + ":" + Account + ":" + kind + "/" + id
}

// homeVPC is the named network or the default one.
func homeVPC(x *exchange) (string, error) {
	if x.p.str("VpcId") != "" {
		v, err := vpcOf(x)
		if err != nil {
			return "", err
		}
		return v.ID, nil
	}
	for _, v := range list[*vpc](x.tx, x.Region) {
		if v.Default {
			return v.ID, nil
		}
	}
	return "", failf("VPCIdNotSpecified", "No default VPC for this user")
}

// group finds the group that the request is about, by id or by its name in the
// default network.
func group(x *exchange) (*securityGroup, error) {
	id, name := x.p.str("GroupId"), x.p.str("GroupName")
	if id == "" && name == "" {
		return nil, missing("GroupId")
	}
	if id == "" {
		home, err := homeVPC(x)
		if err != nil {
			return nil, err
		}
		if g := groupNamed(x, name, home); g != nil {
			return g, nil
		}
		return nil, notFound(name, "InvalidGroup.NotFound")
	}
	g, ok := find[*securityGroup](x.tx, x.Region, id)
	if !ok {
		return nil, notFound(id, "InvalidGroup.NotFound")
	}
	return g, nil
}

// deleteGroup: a group in use by an instance, an interface, a database or another group's
// rules stays, and so does a network's default one ("Delete a security group").
func deleteGroup(x *exchange) (any, error) {
	g, err := group(x)
	if err != nil {
		return nil, err
	}
	if g.Name == "default" {
		return nil, failf("CannotDelete", "the specified group: \"%s\" name: \"default\" cannot be deleted by a user", g.ID)
	}
	if groupInUse(x, g.ID) || inUse(x, g.ID) || endpointIn(x, g.ID) || interfaceIn(x, g.ID) {
		return nil, failf("DependencyViolation", "resource %s has a dependent object", g.ID)
	}
	x.tx.drop(g)
	return struct {
		Return bool   `xml:"return"`
		ID     string `xml:"groupId"`
	}{true, g.ID}, nil
}

func groupInUse(x *exchange, id string) bool {
	for _, in := range list[*instance](x.tx, x.Region) {
		if slices.Contains(in.Groups, id) && in.Life.at(x.now) != "terminated" {
			return true
		}
	}
	for _, other := range list[*securityGroup](x.tx, x.Region) {
		if other.ID != id && slices.ContainsFunc(other.Rules, func(r rule) bool { return r.Group == id }) {
			return true
		}
	}
	return false
}

type xmlGroup struct {
	Owner   string          `xml:"ownerId"`
	ID      string          `xml:"groupId"`
	ARN     string          `xml:"securityGroupArn"`
	Name    string          `xml:"groupName"`
	About   string          `xml:"groupDescription"`
	VPC     string          `xml:"vpcId"`
	Ingress []xmlPermission `xml:"ipPermissions>item"`
	Egress  []xmlPermission `xml:"ipPermissionsEgress>item"`
	Tags    []xmlTag        `xml:"tagSet>item"`
}

func describeGroups(x *exchange) (any, error) {
	all, err := named[*securityGroup](x, "GroupId", "InvalidGroup.NotFound")
	if err != nil {
		return nil, err
	}
	if names := x.p.strs("GroupName"); len(names) > 0 {
		home, err := homeVPC(x)
		if err != nil {
			return nil, err
		}
		all = nil
		for _, n := range names {
			g := groupNamed(x, n, home)
			if g == nil {
				return nil, notFound(n, "InvalidGroup.NotFound")
			}
			all = append(all, g)
		}
	}
	if all, err = filtered(x, all, groupValues); err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "GroupId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlGroup
	for _, g := range rows {
		out = append(out, xmlGroup{Account, g.ID, arn(x, "security-group", g.ID), g.Name, g.About, g.VPC, permissions(x, g.Rules, false), permissions(x, g.Rules, true), tagSet(g.Tags)})
	}
	return struct {
		Set  []xmlGroup `xml:"securityGroupInfo>item"`
		Next *string    `xml:"nextToken"`
	}{out, next}, nil
}

func groupValues(g *securityGroup, name string) ([]string, bool) {
	switch name {
	case "group-id":
		return one(g.ID)
	case "group-name":
		return one(g.Name)
	case "vpc-id":
		return one(g.VPC)
	case "description":
		return one(g.About)
	case "owner-id":
		return one(Account)
	}
	var out []string
	for _, r := range g.Rules {
		switch {
		case r.Egress:
		case name == "ip-permission.cidr":
			out = append(out, r.CIDR4)
		case name == "ip-permission.group-id":
			out = append(out, r.Group)
		case name == "ip-permission.protocol":
			out = append(out, r.Proto)
		}
	}
	return out, strings.HasPrefix(name, "ip-permission.")
}
