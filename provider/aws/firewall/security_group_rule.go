package firewall

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindRule is the kind security_group_rule.
	KindRule      = "security_group_rule"
	directionAttr = "direction"
	peerGroup     = "peer_group"
)

// kindOfRule returns the kind security_group_rule. Its attributes are the fields of a rule in a
// group. The peer is peer_group here, because security_group names the group that has the rule. The
// kind is Exact: an attribute that is observed and not configured is a difference, except on an
// adopted rule.
func kindOfRule() api.Kind {
	attrs := []resource.Attribute{
		{
			Name: api.KindGroup, Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: api.KindGroup,
			IDPrefix: "sg-",
			Example:  "sg-0abc1234def567890", Doc: "The group that has the rule: one that others own, or one with " +
				"separate_rules.",
		},
		{
			Name: directionAttr, Type: resource.TString, Effect: resource.Replace, Default: resource.String(ingressSide),
			Enum:    []string{ingressSide, egressSide},
			Example: egressSide, Doc: "Whether it lets traffic in (ingress) or out (egress).",
		},
	}
	for _, a := range ruleElem().Fields {
		if a.Name == api.KindGroup {
			a.Name, a.Example = peerGroup, "web"
		}
		if a.Example == "" {
			a.Example = map[string]string{
				"port": "443", "from_port": "8000", "to_port": "8010", "protocol": "udp",
				"cidr": "10.0.0.0/8", "self": "true", network.PeerAccount: `"222222222222"`, "prefix_list": "pl-0abc1234",
				"description": "from the office",
			}[a.Name]
		}
		attrs = append(attrs, a)
	}
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindRule,
			Doc: "A single rule in a security group that other teams also manage.\n\n" +
				"The configuration of a security_group holds all of its rules, so a group has either those or\n" +
				"resources of this kind: set separate_rules on a group of your own. An existing rule is\n" +
				"adopted by its ID (sgr-…); its description, if it has one, belongs to it.",
			NamePattern: api.TagName, NameDoc: api.TagNameDoc, NameTag: api.TagHuman, Exact: true,
			Canonical: canonicalOwnRule, CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, rulesApart, oneRule),
			Holds: holdsRule, HoldsDoc: "its rule, whatever the description, in its security group",
			Attrs: attrs,
		},
		List: listRules, ByTag: true, Read: ownRules().ReadByID, Tag: tagRule, Check: checkRule,
		Create: createRule, Update: updateRule, Remove: deleteRule,
		Calls: api.Calls{
			Service:  "ec2",
			Own:      "security-group-rule/*",
			Observes: "DescribeSecurityGroupRules DescribeSecurityGroups",
			Creates:  "AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress",
			Changes:  "ModifySecurityGroupRules RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
			Touches: "AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress ModifySecurityGroupRules " +
				"RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
		},
	}
}

const (
	ingressSide = "ingress"
	egressSide  = "egress"
)

// asRule is the rule of a resource in the form that a group has among its own.
func asRule(a resource.Attrs) resource.Attrs {
	out := resource.Attrs{}
	for _, x := range a {
		switch x.Name {
		case api.KindGroup, directionAttr:
			continue
		case peerGroup:
			x.Name = api.KindGroup
		}
		out = append(out, x)
	}
	return resource.NewAttrs(out...)
}

// ownRule is the opposite of asRule.
func ownRule(rule resource.Attrs, group resource.Value, direction string) resource.Attrs {
	out := []resource.Attr{{Name: api.KindGroup, Value: group}, {Name: directionAttr, Value: resource.String(direction)}}
	for _, x := range rule {
		if x.Name == api.KindGroup {
			x.Name = peerGroup
		}
		out = append(out, x)
	}
	return resource.NewAttrs(out...)
}

// The problems are reported with the names of this kind's attributes, not with the names inside a
// group.
func canonicalOwnRule(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	rule, problems := canonicalRule(asRule(a))
	for i := range problems {
		// canonicalRule reports a wrong number of peers without a path.
		if problems[i].Path == "" {
			problems[i].Path, problems[i].Suggestion = "cidr", "set one of cidr, peer_group, self and prefix_list"
		}
		if problems[i].Path == network.PeerAccount {
			problems[i].Summary, problems[i].Suggestion = "account is set, but peer_group does not name a group "+
				"in that account", "set peer_group to its ID, or omit account"
		}
	}
	if len(problems) > 0 {
		return a, problems
	}
	group, _ := a.Get(api.KindGroup)
	direction, ok := api.Text(a, directionAttr)
	if !ok {
		direction = ingressSide
	}
	return ownRule(rule, group, direction), nil
}

// rulesApart: the configuration of a group removes every rule that it does not have.
func rulesApart(c *api.Checking) {
	for _, d := range c.Configured {
		own, _ := d.Attrs.Get(api.KindGroup)
		if peer, set := d.Attrs.Get(peerGroup); set && api.Equal(peer, own) {
			c.Wrong(d, peerGroup, "use self: true", "the peer is the group itself")
		}
		g := c.Other(d, api.KindGroup)
		// The group is not configured here. checkRule reads the tags of the live group instead.
		if g == nil {
			continue
		}
		if apart, _ := api.Flag(g.Attrs, network.SeparateRules); !apart {
			c.Wrong(d, api.KindGroup, "write the rule there, or set separate_rules: true on the group and write all of its "+
				"rules as security_group_rule",
				"security_group/%s holds all of its rules itself, and would remove this one", api.WhereConfigured(g))
		}
	}
}

// holdsRule: a group has each rule once, whatever its description, so two resources cannot hold the
// same rule.
func holdsRule(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	group, _ := api.Inside(a, api.KindGroup)
	rule := undescribed(a.Without(api.KindGroup))
	return []resource.Hold{{What: "rule", Of: group, Name: string(resource.AppendJSON(nil, rule)), Identity: true}}
}

// oneRule: to AWS two rules that differ in their description alone are one (InvalidPermission.Duplicate).
func oneRule(c *api.Checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		key := d.Ref.Location + " " + string(resource.AppendJSON(nil, undescribed(d.Attrs)))
		if other := first[key]; other != nil {
			c.Wrong(d, "name", "remove one of them", "duplicate rule: it is security_group_rule/%s too",
				api.WhereConfigured(other))
			continue
		}
		first[key] = d
	}
}

// ownRules returns the reads of single rules. DescribeSecurityGroupRules filters only by group, by
// rule ID and by a tag with its value.
func ownRules() api.StandardKind[types.SecurityGroupRule] {
	return api.StandardKind[types.SecurityGroupRule]{
		Kind: KindRule, Call: "ec2.DescribeSecurityGroupRules", Filter: "security-group-rule-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.SecurityGroupRule, *string, error) {
			out, err := g.EC2.DescribeSecurityGroupRules(ctx, &ec2.DescribeSecurityGroupRulesInput{
				SecurityGroupRuleIds: q.IDs, Filters: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.SecurityGroupRules, out.NextToken, nil
		},
		ID:      func(x types.SecurityGroupRule) *string { return x.SecurityGroupRuleId },
		Observe: observedRule,
	}
}

// listRules reads all rules or, with a filter, those with ovi's tags and those on record: AWS has
// no filter tag-key here. Without a filter the groups are read too, since they decide which rules
// are reported.
func listRules(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	if s.Filter != nil {
		all, err := ownRules().Where(ctx, s.Region, api.Where("tag:"+api.TagManaged, "true"))
		if err == nil {
			all, err = ownRules().WithMore(ctx, s, all, s.Filter.IDs[KindRule])
		}
		return api.ObservedAs(s, all, err, observedRule)
	}
	all, err := ownRules().Where(ctx, s.Region, nil)
	if err != nil {
		return nil, err
	}
	groups, err := firewalls(ctx, s)
	out, err := api.ObservedAs(s, all, err, observedRule)
	partsOfGroups(s.Region, out, groups)
	return out, err
}

// partsOfGroups tells the rules that are parts of their groups, which have them in ingress and egress, from those that
// are resources of their own: all of a group of ovi's that has one of ovi's, or that another system manages.
func partsOfGroups(g *api.Region, rules []resource.Observed, groups []types.SecurityGroup) {
	apart, own := map[string]bool{}, map[string]bool{}
	for _, s := range groups {
		o := observedGroup(g, s)
		apart[o.ID], own[o.ID] = o.OwnedBy != "", !o.Marks.IsZero()
	}
	for i := range rules {
		if id, _ := api.Text(rules[i].Attrs, api.KindGroup); own[id] && !rules[i].Marks.IsZero() {
			apart[id] = true
		}
	}
	for i := range rules {
		if id, _ := api.Text(rules[i].Attrs, api.KindGroup); rules[i].Marks.IsZero() && !apart[id] {
			rules[i].Message = resource.PartOfAnother
		}
	}
}

// tagRule refuses to adopt a rule of a group that another stack holds the rules of.
func tagRule(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	// Only a call that writes ovi's tags adopts the rule. A change of user tags does not.
	if stack := set[api.TagStack]; set[api.TagManaged] == "true" {
		o, err := ownRules().ReadByID(ctx, g, id)
		if err != nil {
			return err
		}
		group, _ := api.Text(o.Attrs, api.KindGroup)
		s, err := groups().One(ctx, g, group)
		if err == nil && o.Marks.IsZero() {
			err = ownedElsewhere(g, stack, s)
		}
		if err != nil {
			return err
		}
	}
	return api.TagEC2(ctx, g, id, set, drop)
}

// observedRule converts an answer of EC2 to a resource. A rule has no state of its own, so it is
// always healthy.
func observedRule(g *api.Region, x types.SecurityGroupRule) resource.Observed {
	o := resource.Observed{ID: aws.ToString(x.SecurityGroupRuleId), Health: resource.Healthy}
	group, direction := aws.ToString(x.GroupId), ingressSide
	if aws.ToBool(x.IsEgress) {
		direction = egressSide
	}
	o.Attrs = ownRule(ruleOf(x, group, g.Account), resource.String(group), direction)
	g.Identify(&o, KindRule, "", api.TagsOf(x.Tags))
	return o
}

// checkRule refuses a group that another stack holds the rules of, and a rule that exists.
func checkRule(ctx context.Context, g *api.Region, r provider.Request) error {
	// A reference without a value cannot be compared with a live rule.
	if api.Unresolved(r.Desired.Attrs) {
		return nil
	}
	id, _ := api.Text(r.Desired.Attrs, api.KindGroup)
	s, err := groups().One(ctx, g, id)
	if err != nil {
		return err
	}
	if err := ownedElsewhere(g, r.Desired.Ref.Stack, s); err != nil || r.Have.ID != "" {
		return err
	}
	return ruleTaken(ctx, g, r)
}

// A group without marks may have rules from several hands, and so may a group of the same stack.
func ownedElsewhere(g *api.Region, stack string, s types.SecurityGroup) error {
	m := observedGroup(g, s).Marks
	if m.IsZero() || m.Unmanaged || m.Ref.Stack == stack {
		return nil
	}
	return api.InUse("ec2.DescribeSecurityGroups",
		fmt.Errorf("%s is %s of stack %s, whose configuration holds all of its rules", aws.ToString(s.GroupId), m.Ref.Short(),
			m.Ref.Stack),
		"write the rule in the configuration of that stack")
}

// ruleTaken is a conflict if another hand made a rule that lets the same through. The comparison
// ignores the description, as EC2 does.
func ruleTaken(ctx context.Context, g *api.Region, r provider.Request) error {
	id, _ := api.Text(r.Desired.Attrs, api.KindGroup)
	all, err := ownRules().Where(ctx, g, api.Where("group-id", id))
	if err != nil {
		return err
	}
	for _, x := range all {
		o := observedRule(g, x)
		// Another resource gives the rule up for this request, or an earlier attempt created it.
		if r.Gives(o.ID) || r.Key != "" && o.Marks.Key == r.Key {
			continue
		}
		if api.Equal(undescribed(o.Attrs), undescribed(r.Desired.Attrs)) {
			return api.InUse("ec2.DescribeSecurityGroupRules",
				fmt.Errorf("%s of %s is the same rule, and not of this resource", o.ID, id),
				"run `ovi adopt "+r.Desired.Ref.Short()+" --id "+o.ID+"`, or remove one of the two")
		}
	}
	return nil
}

// createRule relies on the key's tag. AWS refuses a rule that exists, so that none is ever created
// twice. AuthorizeSecurityGroupIngress takes the tags of the rule in the same call, so that no rule
// of ovi is without marks at any moment.
func createRule(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	a := r.Desired.Attrs
	id, _ := api.Text(a, api.KindGroup)
	s, err := awaitGroup(ctx, g, id)
	if err == nil {
		err = ownedElsewhere(g, r.Desired.Ref.Stack, s)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	filters := append(api.BornWith(r.Key), api.Where("group-id", id)...)
	find := func() ([]types.SecurityGroupRule, error) {
		return ownRules().Where(ctx, g, filters)
	}
	made, err := api.NoRetry(ctx, g, func() (types.SecurityGroupRule, error) {
		x, err := addRule(ctx, g, r, id)
		if api.HasCode(err, "InvalidPermission.Duplicate") {
			// If no other rule is the same, an earlier attempt created it, and NoRetry finds it by
			// its key.
			if taken := ruleTaken(ctx, g, r); taken != nil {
				err = taken
			}
		}
		return x, err
	}, find)
	if err != nil {
		return resource.Observed{}, err
	}
	return awaitRule(ctx, g, aws.ToString(made.SecurityGroupRuleId), a)
}

// addRule adds the rule with its tags and returns it. It waits for a group that is not visible yet.
// The SDK repeats only throttled calls: after a lost answer the caller searches for the rule by its
// key.
func addRule(ctx context.Context, g *api.Region, r provider.Request, id string) (x types.SecurityGroupRule, err error) {
	permissions := permissionsOf(resource.List{asRule(r.Desired.Attrs)}, id)
	tags := []types.TagSpecification{api.Born(types.ResourceTypeSecurityGroupRule, g.BirthTags(r, true))}
	err = g.Patiently(ctx, g.Wait.Appear, func() error {
		if api.DesiredIs(r.Desired.Attrs, directionAttr, egressSide) {
			out, err := g.EC2.AuthorizeSecurityGroupEgress(ctx,
				&ec2.AuthorizeSecurityGroupEgressInput{
					GroupId: aws.String(id), IpPermissions: permissions,
					TagSpecifications: tags,
				}, api.OnlyRefused)
			if err == nil {
				x = api.First(out.SecurityGroupRules)
			}
			return api.Classify("", err)
		}
		out, err := g.EC2.AuthorizeSecurityGroupIngress(ctx,
			&ec2.AuthorizeSecurityGroupIngressInput{
				GroupId: aws.String(id), IpPermissions: permissions,
				TagSpecifications: tags,
			}, api.OnlyRefused)
		if err == nil {
			x = api.First(out.SecurityGroupRules)
		}
		return api.Classify("", err)
	}, "InvalidGroup.NotFound")
	return x, err
}

// awaitRule waits until a rule is visible as it is configured.
func awaitRule(ctx context.Context, g *api.Region, id string, want resource.Attrs) (o resource.Observed, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Appear, "the rule "+id, func(ctx context.Context) error {
		if o, err = ownRules().ReadByID(ctx, g, id); err == nil && !sameRule(o.Attrs, want) {
			return api.ErrWait
		}
		return err
	})
	return o, err
}

// updateRule sends every part of the rule in one call. The ID of the rule does not change.
func updateRule(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	group, _ := api.Text(r.Desired.Attrs, api.KindGroup)
	p := permissionsOf(resource.List{asRule(r.Desired.Attrs)}, group)[0]
	want := &types.SecurityGroupRuleRequest{
		IpProtocol: p.IpProtocol, FromPort: p.FromPort, ToPort: p.ToPort,
		Description: api.DesiredText(r.Desired.Attrs, "description"),
	}
	if want.FromPort == nil {
		want.FromPort, want.ToPort = aws.Int32(-1), aws.Int32(-1)
	}
	switch {
	case len(p.IpRanges) > 0:
		want.CidrIpv4 = p.IpRanges[0].CidrIp
	case len(p.Ipv6Ranges) > 0:
		want.CidrIpv6 = p.Ipv6Ranges[0].CidrIpv6
	case len(p.PrefixListIds) > 0:
		want.PrefixListId = p.PrefixListIds[0].PrefixListId
	case len(p.UserIdGroupPairs) > 0:
		want.ReferencedGroupId = p.UserIdGroupPairs[0].GroupId
	}
	have := ownRule(asRule(r.Have.Attrs), resource.String(group), directionOf(r.Have.Attrs))
	if !sameRule(have, r.Desired.Attrs) { // the call knows groups by their ID alone
		_, err := g.EC2.ModifySecurityGroupRules(ctx, &ec2.ModifySecurityGroupRulesInput{
			GroupId: aws.String(group), SecurityGroupRules: []types.SecurityGroupRuleUpdate{
				{SecurityGroupRuleId: aws.String(id), SecurityGroupRule: want},
			},
		})
		if err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return awaitRule(ctx, g, id, r.Desired.Attrs)
}

func directionOf(a resource.Attrs) string {
	s, _ := api.Text(a, directionAttr)
	return s
}

// deleteRule: a rule of a group that was deleted is gone with it.
// The rule is revoked by its ID: in a default VPC, EC2 ignores properties that match no rule, see
// revoke.
func deleteRule(ctx context.Context, g *api.Region, r provider.Request) error {
	group, _ := api.Text(r.Have.Attrs, api.KindGroup)
	var err error
	if directionOf(r.Have.Attrs) == egressSide {
		_, err = g.EC2.RevokeSecurityGroupEgress(ctx,
			&ec2.RevokeSecurityGroupEgressInput{GroupId: aws.String(group), SecurityGroupRuleIds: []string{r.Have.ID}})
	} else {
		_, err = g.EC2.RevokeSecurityGroupIngress(ctx,
			&ec2.RevokeSecurityGroupIngressInput{GroupId: aws.String(group), SecurityGroupRuleIds: []string{r.Have.ID}})
	}
	return api.UnlessAbsent(err)
}
