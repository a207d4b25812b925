package firewall

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// revoke removes rules by their IDs. A rule that is spelled out and does not match is ignored in a
// default VPC, and an error elsewhere; and a group of another account cannot be spelled by its ID
// alone. Rules that no longer exist are as requested. Amazon EC2 API Reference,
// RevokeSecurityGroupIngress: for a default VPC, "if the values you specify do not match the
// existing rule's values, no error is returned".
func revoke(ctx context.Context, g *api.Region, id string, egress bool, rules resource.List) error {
	if len(rules) == 0 {
		return nil
	}
	return g.Patiently(ctx, g.Wait.Appear, func() error {
		ids, err := ruleIDs(ctx, g, id, egress, rules)
		// If no ID is found, an earlier call or another client has removed the rules.
		if err != nil || len(ids) == 0 {
			return err
		}
		if egress {
			_, err = g.EC2.RevokeSecurityGroupEgress(ctx,
				&ec2.RevokeSecurityGroupEgressInput{GroupId: aws.String(id), SecurityGroupRuleIds: ids})
		} else {
			_, err = g.EC2.RevokeSecurityGroupIngress(ctx,
				&ec2.RevokeSecurityGroupIngressInput{GroupId: aws.String(id), SecurityGroupRuleIds: ids})
		}
		return api.Classify("", err)
	}, "InvalidSecurityGroupRuleId.NotFound") // removed meanwhile: those that are left are read again
}

// ruleIDs finds the IDs of rules of a group. They are read immediately before the call, and again
// if EC2 reports that one of them no longer exists.
func ruleIDs(ctx context.Context, g *api.Region, id string, egress bool, rules resource.List) ([]string, error) {
	all, err := api.Pages(ctx, "ec2.DescribeSecurityGroupRules",
		func(ctx context.Context, token *string) ([]types.SecurityGroupRule, *string, error) {
			out, err := g.EC2.DescribeSecurityGroupRules(ctx, &ec2.DescribeSecurityGroupRulesInput{
				Filters: api.Where("group-id", id), MaxResults: aws.Int32(api.EC2Page), NextToken: token,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.SecurityGroupRules, out.NextToken, nil
		})
	var ids []string
	for _, x := range all {
		r := ruleOf(x, id, g.Account)
		if aws.ToBool(x.IsEgress) == egress &&
			slices.ContainsFunc(rules, func(v resource.Value) bool { return sameRule(v, r) }) {
			ids = append(ids, aws.ToString(x.SecurityGroupRuleId))
		}
	}
	return ids, err
}

// ruleOf is a rule in its canonical form; self is its group, account the group's.
// The form is the same as in rulesOf, so that rules of DescribeSecurityGroupRules and rules of
// DescribeSecurityGroups can be compared.
func ruleOf(x types.SecurityGroupRule, self, account string) resource.Attrs {
	out := rulePortAttrs(protocolName(aws.ToString(x.IpProtocol)), portOf(x.FromPort), portOf(x.ToPort))
	set := func(name, value string) { out = append(out, resource.Attr{Name: name, Value: resource.String(value)}) }
	switch {
	case x.CidrIpv4 != nil:
		set("cidr", *x.CidrIpv4)
	case x.CidrIpv6 != nil:
		set("cidr", canonicalPrefix(*x.CidrIpv6))
	case x.PrefixListId != nil:
		set("prefix_list", *x.PrefixListId)
	case x.ReferencedGroupInfo != nil && aws.ToString(x.ReferencedGroupInfo.GroupId) == self:
		out = append(out, resource.Attr{Name: "self", Value: resource.Bool(true)})
	case x.ReferencedGroupInfo != nil:
		set("security_group", aws.ToString(x.ReferencedGroupInfo.GroupId))
		out = append(out, otherAccount(x.ReferencedGroupInfo.UserId, account)...)
	}
	if d := aws.ToString(x.Description); d != "" {
		set("description", d)
	}
	return resource.NewAttrs(out...)
}
