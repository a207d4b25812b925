package network

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func groupActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateSecurityGroup":    createGroup,
		"DescribeSecurityGroups": describeGroups,
		"DeleteSecurityGroup":    deleteGroup,

		"DescribeSecurityGroupRules":    describeRules,
		"AuthorizeSecurityGroupIngress": func(x *core.Exchange) (any, error) { return authorize(x, false) },
		"AuthorizeSecurityGroupEgress":  func(x *core.Exchange) (any, error) { return authorize(x, true) },
		"RevokeSecurityGroupIngress":    func(x *core.Exchange) (any, error) { return revoke(x, false) },
		"RevokeSecurityGroupEgress":     func(x *core.Exchange) (any, error) { return revoke(x, true) },

		"UpdateSecurityGroupRuleDescriptionsIngress": func(x *core.Exchange) (any, error) { return redescribe(x, false) },
		"UpdateSecurityGroupRuleDescriptionsEgress":  func(x *core.Exchange) (any, error) { return redescribe(x, true) },
		"ModifySecurityGroupRules":                   modifyRules,
	}
}

// createGroup: names are unique within a network, and never start with sg-
// (EC2 API reference: CreateSecurityGroup). A new group allows all traffic out.
func createGroup(x *core.Exchange) (any, error) {
	name, about := x.P.Str("GroupName"), x.P.Str("GroupDescription")
	switch {
	case name == "":
		return nil, wire.Missing("GroupName")
	case about == "":
		return nil, wire.Missing("GroupDescription")
	case strings.HasPrefix(strings.ToLower(name), "sg-"):
		return nil, wire.BadValue(name, "GroupName", "Group names may not be in the format sg-*.")
	case name == "default":
		return nil, wire.Failf("InvalidParameterValue", "Cannot use reserved security group name: default")
	case len(name) > 255 || len(about) > 255:
		return nil, wire.Failf("InvalidParameterValue", "Names and descriptions have at most 255 characters.")
	case badText(about):
		return nil, wire.BadValue(about, "GroupDescription", "Character sets beyond ASCII are not supported.")
	}
	vpcID, err := homeVPC(x)
	if err != nil {
		return nil, err
	}
	if groupNamed(x, name, vpcID) != nil {
		return nil, wire.Failf("InvalidGroup.Duplicate", "The security group '%s' already exists for VPC '%s'", name, vpcID)
	}
	tags, err := x.SpecTags("security-group")
	if err != nil {
		return nil, err
	}
	g := &SecurityGroup{Base: x.Tx.Fresh("sg-", x.Region), Name: name, About: about, VPC: vpcID}
	g.Tags, g.Rules = tags, []rule{outward(g.ID)}
	x.Tx.Put(g)
	return struct {
		Return bool          `xml:"return"`
		ID     string        `xml:"groupId"`
		ARN    string        `xml:"securityGroupArn"`
		Tags   []core.XMLTag `xml:"tagSet>item"`
	}{true, g.ID, arn(x, "security-group", g.ID), core.TagSet(tags)}, nil
}

func arn(x *core.Exchange, kind, id string) string {
	return "arn:aws:ec2:" + x.Region + ":" + wire.Account + ":" + kind + "/" + id
}

// deleteGroup: a group in use by an instance, an interface, a database or another group's
// rules stays, and so does a network's default one ("Delete a security group").
func deleteGroup(x *core.Exchange) (any, error) {
	g, err := group(x)
	if err != nil {
		return nil, err
	}
	if g.Name == "default" {
		return nil, wire.Failf("CannotDelete", "the specified group: \"%s\" name: \"default\" cannot be deleted by a user",
			g.ID)
	}
	if groupInUse(x, g.ID) || core.InUse(x, g.ID) || endpointIn(x, g.ID) || interfaceIn(x, g.ID) {
		return nil, wire.Failf("DependencyViolation", "resource %s has a dependent object", g.ID)
	}
	x.Tx.Drop(g)
	return struct {
		Return bool   `xml:"return"`
		ID     string `xml:"groupId"`
	}{true, g.ID}, nil
}

func groupInUse(x *core.Exchange, id string) bool {
	for _, in := range core.List[*ec2.Instance](x.Tx, x.Region) {
		if slices.Contains(in.Groups, id) && in.Life.At(x.Now) != "terminated" {
			return true
		}
	}
	for _, other := range core.List[*SecurityGroup](x.Tx, x.Region) {
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
	Tags    []core.XMLTag   `xml:"tagSet>item"`
}

func describeGroups(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*SecurityGroup](x, "GroupId", "InvalidGroup.NotFound")
	if err != nil {
		return nil, err
	}
	if names := x.P.Strs("GroupName"); len(names) > 0 {
		home, err := homeVPC(x)
		if err != nil {
			return nil, err
		}
		all = nil
		for _, n := range names {
			g := groupNamed(x, n, home)
			if g == nil {
				return nil, ec2.NotFound(n, "InvalidGroup.NotFound")
			}
			all = append(all, g)
		}
	}
	if all, err = core.Filtered(x, all, groupValues); err != nil {
		return nil, err
	}
	rows, next, err := ec2.Page(x, all, "GroupId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlGroup
	for _, g := range rows {
		out = append(out, xmlGroup{
			wire.Account, g.ID, arn(x, "security-group", g.ID), g.Name, g.About, g.VPC,
			permissions(x, g.Rules, false), permissions(x, g.Rules, true), core.TagSet(g.Tags),
		})
	}
	return struct {
		Set  []xmlGroup `xml:"securityGroupInfo>item"`
		Next *string    `xml:"nextToken"`
	}{out, next}, nil
}

func groupValues(g *SecurityGroup, name string) ([]string, bool) {
	switch name {
	case "group-id":
		return core.One(g.ID)
	case "group-name":
		return core.One(g.Name)
	case "vpc-id":
		return core.One(g.VPC)
	case "description":
		return core.One(g.About)
	case "owner-id":
		return core.One(wire.Account)
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
