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

// rulesOf reads permissions as the canonical set: EC2 gathers the other sides of one port
// range in one permission, ovi has a rule for each. self is the group, account its account.
func rulesOf(permissions []types.IpPermission, self, account string) resource.List {
	out := resource.List{}
	for _, p := range permissions {
		base := rulePortAttrs(protocolName(aws.ToString(p.IpProtocol)), portOf(p.FromPort), portOf(p.ToPort))
		add := func(side string, v resource.Value, description *string, more ...resource.Attr) {
			rule := append(slices.Clone(base), resource.Attr{Name: side, Value: v})
			rule = append(rule, more...)
			if d := aws.ToString(description); d != "" {
				rule = append(rule, resource.Attr{Name: "description", Value: resource.String(d)})
			}
			out = append(out, resource.NewAttrs(rule...))
		}
		for _, s := range p.IpRanges {
			add("cidr", resource.String(aws.ToString(s.CidrIp)), s.Description)
		}
		for _, s := range p.Ipv6Ranges {
			add("cidr", resource.String(canonicalPrefix(aws.ToString(s.CidrIpv6))), s.Description)
		}
		for _, s := range p.PrefixListIds {
			add("prefix_list", resource.String(aws.ToString(s.PrefixListId)), s.Description)
		}
		for _, s := range p.UserIdGroupPairs {
			if id := aws.ToString(s.GroupId); id == self {
				add("self", resource.Bool(true), s.Description)
			} else {
				add("security_group", resource.String(id), s.Description, otherAccount(s.UserId, account)...)
			}
		}
	}
	return sortedRules(out)
}

// ruleSet reads the rules of a configuration or of an observation, each once. References to groups are
// ids by now, so the order may have changed.
// The problems of the rules are ignored here, because validRule reports them.
func ruleSet(v resource.Value) resource.List {
	list, _ := v.(resource.List)
	out := make(resource.List, 0, len(list))
	for _, item := range list {
		if rule, ok := item.(resource.Attrs); ok {
			canon, _ := canonicalRule(rule)
			out = append(out, canon)
		}
	}
	return sortedRules(out)
}

// setRules adds missing rules before it removes others, so that traffic that both sets allow is
// never refused. The exception: to AWS a rule that differs only in its description is the same, so
// the old one is removed first. Where a group has no room for both sets, the old one is removed
// first too. A failure between the steps leaves more access than configured or, in the two
// exceptions, less; the next attempt compares again and completes it.
// Amazon EC2 API Reference, AuthorizeSecurityGroupIngress: a change of rules reaches the instances
// after "a small delay", which setRules does not wait for.
func setRules(ctx context.Context, g *api.Region, id string, egress bool, have, want resource.List) error {
	more, less := minus(want, have), minus(have, want)
	var first, last resource.List
	for _, l := range less {
		same := slices.ContainsFunc(more, func(m resource.Value) bool { return api.Equal(undescribed(m), undescribed(l)) })
		if same {
			first = append(first, l)
		} else {
			last = append(last, l)
		}
	}
	if err := revoke(ctx, g, id, egress, first); err != nil {
		return err
	}
	err := authorize(ctx, g, id, egress, more)
	crowded := api.HasCode(err, "RulesPerSecurityGroupLimitExceeded") && len(last) > 0
	if err != nil && !crowded {
		return err
	}
	if err := revoke(ctx, g, id, egress, last); err != nil || !crowded {
		return err
	}
	return authorize(ctx, g, id, egress, more)
}

// A group that was just created may not be known yet. A rule that exists already is success, see
// authorizeEach.
// The SDK may repeat the call after a lost answer, unlike the creation of a group: a group has each
// rule once.
func authorize(ctx context.Context, g *api.Region, id string, egress bool, rules resource.List) error {
	if len(rules) == 0 {
		return nil
	}
	return g.Patiently(ctx, g.Wait.Appear, func() error {
		var err error
		if egress {
			_, err = g.EC2.AuthorizeSecurityGroupEgress(ctx,
				&ec2.AuthorizeSecurityGroupEgressInput{GroupId: aws.String(id), IpPermissions: permissionsOf(rules, id)})
		} else {
			_, err = g.EC2.AuthorizeSecurityGroupIngress(ctx,
				&ec2.AuthorizeSecurityGroupIngressInput{GroupId: aws.String(id), IpPermissions: permissionsOf(rules, id)})
		}
		if api.HasCode(err, "InvalidPermission.Duplicate") {
			return authorizeEach(ctx, g, id, egress, rules)
		}
		return api.Classify("", err)
	}, "InvalidGroup.NotFound")
}

// authorizeEach is for a set of which a part exists already, after a lost answer: AWS refuses such a
// set as a whole.
func authorizeEach(ctx context.Context, g *api.Region, id string, egress bool, rules resource.List) error {
	// The only rule of the refused call is the duplicate, so it exists.
	if len(rules) == 1 {
		return nil
	}
	for _, r := range rules {
		if err := authorize(ctx, g, id, egress, resource.List{r}); err != nil {
			return err
		}
	}
	return nil
}
