package network

import (
	"maps"
	"slices"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// revoke removes rules, named by their IDs or written out; one that does not
// exist rejects the call (EC2 API reference: RevokeSecurityGroupIngress, for
// groups in a VPC: InvalidPermission.NotFound).
func revoke(x *core.Exchange, egress bool) (any, error) {
	g, err := group(x)
	if err != nil {
		return nil, err
	}
	spelled, err := readRules(x, g, egress)
	if err != nil {
		return nil, err
	}
	byID := x.P.Strs("SecurityGroupRuleId")
	if len(spelled)+len(byID) == 0 {
		return nil, wire.Missing("ipPermissions")
	}
	n := *g
	n.Rules = slices.Clone(g.Rules)
	for _, id := range byID {
		i := slices.IndexFunc(n.Rules, func(r rule) bool { return r.ID == id && r.Egress == egress })
		if i < 0 {
			return nil, wire.Failf("InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist", id)
		}
		n.Rules = slices.Delete(n.Rules, i, i+1)
	}
	for _, r := range spelled {
		i := slices.IndexFunc(n.Rules, r.same)
		if i < 0 {
			return nil, wire.Failf("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")
		}
		n.Rules = slices.Delete(n.Rules, i, i+1)
	}
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}

// redescribe changes descriptions only (EC2 API reference:
// UpdateSecurityGroupRuleDescriptionsIngress).
func redescribe(x *core.Exchange, egress bool) (any, error) {
	g, err := group(x)
	if err != nil {
		return nil, err
	}
	spelled, err := readRules(x, g, egress)
	if err != nil {
		return nil, err
	}
	n := *g
	n.Rules = slices.Clone(g.Rules)
	for _, r := range spelled {
		i := slices.IndexFunc(n.Rules, r.same)
		if i < 0 {
			return nil, wire.Failf("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")
		}
		n.Rules[i].About = r.About
	}
	for _, d := range x.P.Items("SecurityGroupRuleDescription") {
		i, err := n.ruleAt(d.Str("SecurityGroupRuleId"))
		if err != nil {
			return nil, err
		}
		n.Rules[i].About = d.Str("Description")
	}
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}

func (g *SecurityGroup) ruleAt(id string) (int, error) {
	i := slices.IndexFunc(g.Rules, func(r rule) bool { return r.ID == id })
	if i < 0 {
		return 0, wire.Failf("InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist", id)
	}
	return i, nil
}

// modifyRules rewrites rules in place, each by its id (EC2 API reference:
// ModifySecurityGroupRules).
func modifyRules(x *core.Exchange) (any, error) {
	g, err := group(x)
	if err != nil {
		return nil, err
	}
	n := *g
	n.Rules = slices.Clone(g.Rules)
	for _, u := range x.P.Items("SecurityGroupRule") {
		i, err := n.ruleAt(u.Str("SecurityGroupRuleId"))
		if err != nil {
			return nil, err
		}
		if n.Rules[i], err = rewriteRule(x, n.Rules[i], u.At("SecurityGroupRule")); err != nil {
			return nil, err
		}
		for j, r := range n.Rules {
			if j != i && r.same(n.Rules[i]) {
				return nil, wire.Failf("InvalidPermission.Duplicate", "the specified rule \"%s\" already exists", r.spell())
			}
		}
	}
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}

func rewriteRule(x *core.Exchange, old rule, p *wire.Params) (rule, error) {
	r := rule{ID: old.ID, Egress: old.Egress, Tags: old.Tags, About: p.Str("Description")}
	var err error
	if r.Proto, r.From, r.To, err = readPorts(p); err != nil {
		return r, err
	}
	switch {
	case p.Str("CidrIpv4") != "":
		r.CIDR4, err = cleanCIDR(p.Str("CidrIpv4"), true)
	case p.Str("CidrIpv6") != "":
		r.CIDR6, err = cleanCIDR(p.Str("CidrIpv6"), false)
	case p.Str("PrefixListId") != "":
		r.List = p.Str("PrefixListId")
	default:
		r.Group = p.Str("ReferencedGroupId") // without its account, which is found by the ID
		if r.Group == old.Group && old.Account != "" {
			r.Account = old.Account
		} else if _, ok := core.Find[*SecurityGroup](x.Tx, x.Region, r.Group); !ok {
			err = ec2.NotFound(r.Group, "InvalidGroup.NotFound")
		}
	}
	return r, err
}

// retagRule changes the tags of a rule, which is a part of its group.
func retagRule(x *core.Exchange, id string, change func(map[string]string)) error {
	for _, g := range core.List[*SecurityGroup](x.Tx, x.Region) {
		i, err := g.ruleAt(id)
		if err != nil {
			continue
		}
		n := *g
		n.Rules = slices.Clone(g.Rules)
		tags := map[string]string{}
		maps.Copy(tags, g.Rules[i].Tags)
		change(tags)
		if err := core.CheckTags(tags); err != nil {
			return err
		}
		n.Rules[i].Tags = tags
		x.Tx.Put(&n)
		return nil
	}
	return wire.Failf("InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist", id)
}

// describeRules lists rules one by one (EC2 API reference:
// DescribeSecurityGroupRules).
func describeRules(x *core.Exchange) (any, error) {
	desired := x.P.Strs("SecurityGroupRuleId")
	var out []xmlRule
	for _, id := range desired {
		if !slices.ContainsFunc(core.List[*SecurityGroup](x.Tx, x.Region), func(g *SecurityGroup) bool {
			_, err := g.ruleAt(id)
			return err == nil
		}) {
			return nil, wire.Failf("InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist", id)
		}
	}
	for _, g := range core.List[*SecurityGroup](x.Tx, x.Region) {
		for _, r := range g.Rules {
			ok, err := wantsRule(x, g, r)
			if err != nil {
				return nil, err
			}
			if ok && (len(desired) == 0 || slices.Contains(desired, r.ID)) {
				out = append(out, viewRule(x, g.ID, r))
			}
		}
	}
	page, next, err := ec2.PageRows(x, out)
	return struct {
		Set  []xmlRule `xml:"securityGroupRuleSet>item"`
		Next *string   `xml:"nextToken"`
	}{page, next}, err
}

func wantsRule(x *core.Exchange, g *SecurityGroup, r rule) (bool, error) {
	matching := true
	for _, f := range x.P.Items("Filter") {
		name := f.Str("Name")
		got, known := core.TagValues(r.Tags, name)
		switch name {
		case "group-id":
			got, known = core.One(g.ID)
		case "security-group-rule-id":
			got, known = core.One(r.ID)
		}
		if !known {
			return false, wire.Failf("InvalidParameterValue", "The filter '%s' is invalid", name)
		}
		matching = core.AnyMatch(f.Strs("Value"), got) && matching
	}
	return matching, nil
}
