package aws

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func groups(ctx context.Context, g *region, in *ec2.DescribeSecurityGroupsInput) ([]types.SecurityGroup, error) {
	return pages(ctx, "ec2.DescribeSecurityGroups", func(ctx context.Context, token *string) ([]types.SecurityGroup, *string, error) {
		in.NextToken, in.MaxResults = token, pageOf(in.GroupIds)
		out, err := g.ec2.DescribeSecurityGroups(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.SecurityGroups, out.NextToken, nil
	})
}

func observedGroup(g *region, s types.SecurityGroup) resource.Observed {
	o := resource.Observed{ID: aws.ToString(s.GroupId), Health: resource.Healthy}
	a := attrs{}
	a.text("vpc", s.VpcId)
	a.text("description", s.Description)
	a.text(groupName, s.GroupName)
	a["ingress"] = rulesOf(s.IpPermissions, o.ID, g.account)
	a["egress"] = rulesOf(s.IpPermissionsEgress, o.ID, g.account)
	o.Attrs = a.done()
	g.identify(&o, kindGroup, "", tagsOf(s.Tags))
	if aws.ToString(s.GroupName) == "default" && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o
}

func oneGroup(ctx context.Context, g *region, id string) (types.SecurityGroup, error) {
	all, err := groups(ctx, g, &ec2.DescribeSecurityGroupsInput{GroupIds: []string{id}})
	return only(all, err, "ec2.DescribeSecurityGroups", id)
}

func readGroup(ctx context.Context, g *region, id string) (resource.Observed, error) {
	s, err := oneGroup(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedGroup(g, s), nil
}

// createGroup relies on the key's tag, as the creates of other kinds without a token do.
func createGroup(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	in := orderGroup(g, r)
	made, err := noRetry(ctx, g, func() (types.SecurityGroup, error) {
		out, err := orderedGroup(ctx, g, in)
		if hasCode(err, "InvalidGroup.Duplicate") && freeName(ctx, g, in, r) {
			out, err = orderedGroup(ctx, g, in)
		}
		if err != nil {
			return types.SecurityGroup{}, err
		}
		return types.SecurityGroup{GroupId: out.GroupId}, nil
	}, func() ([]types.SecurityGroup, error) {
		return groups(ctx, g, &ec2.DescribeSecurityGroupsInput{Filters: bornWith(r.Key)})
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return applyRules(ctx, g, aws.ToString(made.GroupId), r.Desired.Attrs)
}

func orderGroup(g *region, r provider.Request) *ec2.CreateSecurityGroupInput {
	return &ec2.CreateSecurityGroupInput{
		GroupName:         aws.String(r.Desired.Ref.Name),
		Description:       desired(r.Desired.Attrs, "description"),
		VpcId:             desired(r.Desired.Attrs, "vpc"),
		TagSpecifications: []types.TagSpecification{born(types.ResourceTypeSecurityGroup, g.birthTags(r, false))},
	}
}

// orderedGroup orders a group. Its VPC may not be visible yet.
func orderedGroup(ctx context.Context, g *region, in *ec2.CreateSecurityGroupInput) (out *ec2.CreateSecurityGroupOutput, err error) {
	err = g.patiently(ctx, g.wait.Appear, func() (err error) {
		out, err = g.ec2.CreateSecurityGroup(ctx, in, onlyRefused)
		return classify("", err)
	}, "InvalidVpcID.NotFound")
	return out, err
}

// freeName gives a group that is created before the one it replaces is deleted a name of its own:
// the name with a part of the key. It does so only if the name is taken by a group with the tags of
// this resource; any other group of the name is a conflict.
func freeName(ctx context.Context, g *region, in *ec2.CreateSecurityGroupInput, r provider.Request) bool {
	filters := where("group-name", r.Desired.Ref.Name)
	if in.VpcId != nil {
		filters = append(filters, where("vpc-id", *in.VpcId)...)
	}
	all, err := groups(ctx, g, &ec2.DescribeSecurityGroupsInput{Filters: filters})
	if err != nil || len(all) != 1 {
		return false
	}
	old := observedGroup(g, all[0]).Marks
	if r.Desired.Replace != resource.CreateFirst || old.Ref.Stack != r.Desired.Ref.Stack || g.shortRef(old.Ref) != g.shortRef(r.Desired.Ref) {
		return false
	}
	sum := sha256.Sum256([]byte(r.Key))
	suffix := "-" + hex.EncodeToString(sum[:4])
	name := r.Desired.Ref.Name
	in.GroupName = aws.String(name[:min(len(name), 255-len(suffix))] + suffix)
	return true
}

// applyRules brings both sets of rules to the configuration, as far as it sets them.
func applyRules(ctx context.Context, g *region, id string, want resource.Attrs) (resource.Observed, error) {
	s, err := awaitGroup(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	before := observedGroup(g, s)
	apart, _ := flag(want, separateRules)
	for _, side := range []string{"ingress", "egress"} {
		desired, ok := want.Get(side)
		if !ok || apart {
			continue
		}
		have, _ := before.Attrs.Get(side)
		if err := setRules(ctx, g, id, side == "egress", ruleSet(have), ruleSet(desired)); err != nil {
			return resource.Observed{}, err
		}
	}
	if s, err = awaitGroup(ctx, g, id); err != nil {
		return resource.Observed{}, err
	}
	return observedGroup(g, s), nil
}

func awaitGroup(ctx context.Context, g *region, id string) (s types.SecurityGroup, err error) {
	err = g.awaitSeen(ctx, g.wait.Appear, "the security group "+id, func(ctx context.Context) error {
		s, err = oneGroup(ctx, g, id)
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
	return applyRules(ctx, g, r.Have.ID, want)
}

func deleteGroup(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	return g.deleteHeld(ctx, id, func() error {
		_, err := g.ec2.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: aws.String(id)})
		return err
	}, func() ([]string, error) {
		names, err := instancesWhere(ctx, g, "instance.group-id", id)
		if err != nil {
			return nil, err
		}
		others, err := groups(ctx, g, &ec2.DescribeSecurityGroupsInput{Filters: where("ip-permission.group-id", id)})
		for _, s := range others {
			if aws.ToString(s.GroupId) != id {
				names = append(names, "a rule of "+nameID(observedGroup(g, s)))
			}
		}
		if err != nil {
			return names, err
		}
		used, err := interfacesWhere(ctx, g, "group-id", id)
		return append(names, used...), err
	}, "DependencyViolation", "InvalidGroup.InUse")
}

func firewalls(ctx context.Context, s *sweep) ([]types.SecurityGroup, error) {
	return once(s, kindGroup, func() ([]types.SecurityGroup, error) {
		return allOrOwn(s, kindGroup, "group-id", func(x types.SecurityGroup) string { return aws.ToString(x.GroupId) },
			func(f []types.Filter) ([]types.SecurityGroup, error) {
				return groups(ctx, s.region, &ec2.DescribeSecurityGroupsInput{Filters: f})
			})
	})
}
