package awsfake

import (
	"maps"
	"slices"
)

// revoke removes rules, named by their IDs or written out; one that does not
// exist rejects the call (EC2 API reference: RevokeSecurityGroupIngress, for
// groups in a VPC: InvalidPermission.NotFound).
func revoke(x *exchange, egress bool) (any, error) {
	g, err := group(x)
	if err != nil {
		return nil, err
	}
	spelled, err := readRules(x, g, egress)
	if err != nil {
		return nil, err
	}
	byID := x.p.strs("SecurityGroupRuleId")
	if len(spelled)+len(byID) == 0 {
		return nil, missing("ipPermissions")
	}
	n := *g
	n.Rules = slices.Clone(g.Rules)
	for _, id := range byID {
		i := slices.IndexFunc(n.Rules, func(r rule) bool { return r.ID == id && r.Egress == egress })
		if i < 0 {
			return nil, failf("InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist", id)
		}
		n.Rules = slices.Delete(n.Rules, i, i+1)
	}
	for _, r := range spelled {
		i := slices.IndexFunc(n.Rules, r.same)
		if i < 0 {
			return nil, failf("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")
		}
		n.Rules = slices.Delete(n.Rules, i, i+1)
	}
	x.tx.put(&n)
	return success{Return: true}, nil
}

// redescribe changes descriptions only (EC2 API reference:
// UpdateSecurityGroupRuleDescriptionsIngress).
func redescribe(x *exchange, egress bool) (any, error) {
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
			return nil, failf("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")
		}
		n.Rules[i].About = r.About
	}
	for _, d := range x.p.items("SecurityGroupRuleDescription") {
		i, err := n.ruleAt(d.str("SecurityGroupRuleId"))
		if err != nil {
			return nil, err
		}
		n.Rules[i].About = d.str("Description")
	}
	x.tx.put(&n)
	return success{Return: true}, nil
}

func (g *securityGroup) ruleAt(id string) (int, error) {
	i := slices.IndexFunc(g.Rules, func(r rule) bool { return r.ID == id })
	if i < 0 {
		return 0, failf("InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist", id)
	}
	return i, nil
}

// modifyRules rewrites rules in place, each by its id (EC2 API reference:
// ModifySecurityGroupRules).
func modifyRules(x *exchange) (any, error) {
	g, err := group(x)
	if err != nil {
		return nil, err
	}
	n := *g
	n.Rules = slices.Clone(g.Rules)
	for _, u := range x.p.items("SecurityGroupRule") {
		i, err := n.ruleAt(u.str("SecurityGroupRuleId"))
		if err != nil {
			return nil, err
		}
		if n.Rules[i], err = rewriteRule(x, n.Rules[i], u.at("SecurityGroupRule")); err != nil {
			return nil, err
		}
		for j, r := range n.Rules {
			if j != i && r.same(n.Rules[i]) {
				return nil, failf("InvalidPermission.Duplicate", "the specified rule \"%s\" already exists", r.spell())
			}
		}
	}
	x.tx.put(&n)
	return success{Return: true}, nil
}

func rewriteRule(x *exchange, old rule, p *params) (rule, error) {
	r := rule{ID: old.ID, Egress: old.Egress, Tags: old.Tags, About: p.str("Description")}
	var err error
	if r.Proto, r.From, r.To, err = readPorts(p); err != nil {
		return r, err
	}
	switch {
	case p.str("CidrIpv4") != "":
		r.CIDR4, err = cleanCIDR(p.str("CidrIpv4"), true)
	case p.str("CidrIpv6") != "":
		r.CIDR6, err = cleanCIDR(p.str("CidrIpv6"), false)
	case p.str("PrefixListId") != "":
		r.List = p.str("PrefixListId")
	default:
		r.Group = p.str("ReferencedGroupId") // without its account, which is found by the ID
		if r.Group == old.Group && old.Account != "" {
			r.Account = old.Account
		} else if _, ok := find[*securityGroup](x.tx, x.Region, r.Group); !ok {
			err = notFound(r.Group, "InvalidGroup.NotFound")
		}
	}
	return r, err
}

// retagRule changes the tags of a rule, which is a part of its group.
func retagRule(x *exchange, id string, change func(map[string]string)) error {
	for _, g := range list[*securityGroup](x.tx, x.Region) {
		i, err := g.ruleAt(id)
		if err != nil {
			continue
		}
		n := *g
		n.Rules = slices.Clone(g.Rules)
		tags := map[string]string{}
		maps.Copy(tags, g.Rules[i].Tags)
		change(tags)
		if err := checkTags(tags); err != nil {
			return err
		}
		n.Rules[i].Tags = tags
		x.tx.put(&n)
		return nil
	}
	return failf("InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist", id)
}

// describeRules lists rules one by one (EC2 API reference:
// DescribeSecurityGroupRules).
func describeRules(x *exchange) (any, error) {
	desired := x.p.strs("SecurityGroupRuleId")
	var out []xmlRule
	for _, id := range desired {
		if !slices.ContainsFunc(list[*securityGroup](x.tx, x.Region), func(g *securityGroup) bool { _, err := g.ruleAt(id); return err == nil }) {
			return nil, failf("InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist", id)
		}
	}
	for _, g := range list[*securityGroup](x.tx, x.Region) {
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
	page, next, err := ec2Rows(x, out)
	return struct {
		Set  []xmlRule `xml:"securityGroupRuleSet>item"`
		Next *string   `xml:"nextToken"`
	}{page, next}, err
}

func wantsRule(x *exchange, g *securityGroup, r rule) (bool, error) {
	matching := true
	for _, f := range x.p.items("Filter") {
		name := f.str("Name")
		got, known := tagValues(r.Tags, name)
		switch name {
		case "group-id":
			got, known = one(g.ID)
		case "security-group-rule-id":
			got, known = one(r.ID)
		}
		if !known {
			return false, failf("InvalidParameterValue", "The filter '%s' is invalid", name)
		}
		matching = anyMatch(f.strs("Value"), got) && matching
	}
	return matching, nil
}
