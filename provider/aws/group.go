package aws

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func (g *region) groups(ctx context.Context, in *ec2.DescribeSecurityGroupsInput) ([]types.SecurityGroup, error) {
	return pages(ctx, "ec2.DescribeSecurityGroups", func(ctx context.Context, token *string) ([]types.SecurityGroup, *string, error) {
		in.NextToken, in.MaxResults = token, pageOf(in.GroupIds)
		out, err := g.ec2.DescribeSecurityGroups(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.SecurityGroups, out.NextToken, nil
	})
}

func (g *region) observedGroup(s types.SecurityGroup) resource.Observed {
	o := resource.Observed{ID: aws.ToString(s.GroupId), Health: resource.Healthy}
	a := attrs{}
	a.text("vpc", s.VpcId)
	a.text("description", s.Description)
	a["ingress"] = rulesOf(s.IpPermissions, o.ID)
	a["egress"] = rulesOf(s.IpPermissionsEgress, o.ID)
	o.Attrs = a.done()
	g.identify(&o, kindGroup, "", tagsOf(s.Tags))
	if aws.ToString(s.GroupName) == "default" && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o
}

// createGroup relies on the key's tag as the other creates do; EC2 also refuses a second group
// of one name in one network, which is where a lost answer is found again.
func createGroup(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	in := &ec2.CreateSecurityGroupInput{
		GroupName:         aws.String(r.Desired.Ref.Name),
		Description:       desired(r.Desired.Attrs, "description"),
		VpcId:             desired(r.Desired.Attrs, "vpc"),
		TagSpecifications: []types.TagSpecification{born(types.ResourceTypeSecurityGroup, g.birthTags(r, false))},
	}
	made, err := noRetry(ctx, g, func() (types.SecurityGroup, error) {
		var out *ec2.CreateSecurityGroupOutput
		err := g.patiently(ctx, g.wait.Appear, func() (err error) {
			out, err = g.ec2.CreateSecurityGroup(ctx, in, onlyRefused)
			return classify("", err)
		}, "InvalidVpcID.NotFound")
		if err != nil {
			return types.SecurityGroup{}, err
		}
		return types.SecurityGroup{GroupId: out.GroupId}, nil
	}, func() ([]types.SecurityGroup, error) {
		return g.groups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: bornWith(r.Key)})
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return g.settleRules(ctx, aws.ToString(made.GroupId), r.Desired.Attrs)
}

// settleRules brings both sets of rules to the wish, as far as it speaks of them.
func (g *region) settleRules(ctx context.Context, id string, want resource.Attrs) (resource.Observed, error) {
	s, err := g.awaitGroup(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	before := g.observedGroup(s)
	for _, side := range []string{"ingress", "egress"} {
		desired, ok := want.Get(side)
		if !ok {
			continue
		}
		have, _ := before.Attrs.Get(side)
		if err := g.setRules(ctx, id, side == "egress", ruleSet(have), ruleSet(desired)); err != nil {
			return resource.Observed{}, err
		}
	}
	if s, err = g.awaitGroup(ctx, id); err != nil {
		return resource.Observed{}, err
	}
	return g.observedGroup(s), nil
}

func (g *region) awaitGroup(ctx context.Context, id string) (s types.SecurityGroup, err error) {
	err = g.awaitSeen(ctx, g.wait.Appear, "the security group "+id, func(ctx context.Context) error {
		all, err := g.groups(ctx, &ec2.DescribeSecurityGroupsInput{GroupIds: []string{id}})
		s, err = only(all, err, "ec2.DescribeSecurityGroups", id)
		return err
	})
	return s, err
}

func updateGroup(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	var want resource.Attrs
	for _, side := range []string{"ingress", "egress"} {
		if v, ok := r.Desired.Attrs.Get(side); ok && changed(r, side) {
			want = want.With(side, v)
		}
	}
	if err := g.tagEC2(ctx, r, r.Have.ID); err != nil {
		return resource.Observed{}, err
	}
	return g.settleRules(ctx, r.Have.ID, want)
}

func deleteGroup(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	return g.deleteHeld(ctx, id, func() error {
		_, err := g.ec2.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: aws.String(id)})
		return err
	}, func() ([]string, error) {
		names, err := g.instancesWhere(ctx, "instance.group-id", id)
		if err != nil {
			return nil, err
		}
		others, err := g.groups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: where("ip-permission.group-id", id)})
		for _, s := range others {
			if aws.ToString(s.GroupId) != id {
				names = append(names, "a rule of "+nameID(g.observedGroup(s)))
			}
		}
		return names, err
	}, "DependencyViolation", "InvalidGroup.InUse")
}
