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

func (g *region) group(ctx context.Context, id string) (types.SecurityGroup, error) {
	all, err := g.groups(ctx, &ec2.DescribeSecurityGroupsInput{GroupIds: []string{id}})
	return only(all, err, "ec2.DescribeSecurityGroups", id)
}

func readGroup(ctx context.Context, g *region, id string) (resource.Observed, error) {
	s, err := g.group(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return g.observedGroup(s), nil
}

// createGroup relies on the key's tag, as the creates of other kinds without a token do.
func createGroup(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	in := g.orderGroup(r)
	made, err := noRetry(ctx, g, func() (types.SecurityGroup, error) {
		out, err := g.orderedGroup(ctx, in)
		if hasCode(err, "InvalidGroup.Duplicate") && g.freeName(ctx, in, r) {
			out, err = g.orderedGroup(ctx, in)
		}
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
	return g.applyRules(ctx, aws.ToString(made.GroupId), r.Desired.Attrs)
}

func (g *region) orderGroup(r provider.Request) *ec2.CreateSecurityGroupInput {
	return &ec2.CreateSecurityGroupInput{
		GroupName:         aws.String(r.Desired.Ref.Name),
		Description:       desired(r.Desired.Attrs, "description"),
		VpcId:             desired(r.Desired.Attrs, "vpc"),
		TagSpecifications: []types.TagSpecification{born(types.ResourceTypeSecurityGroup, g.birthTags(r, false))},
	}
}

// orderedGroup orders a group. Its VPC may not be visible yet.
func (g *region) orderedGroup(ctx context.Context, in *ec2.CreateSecurityGroupInput) (out *ec2.CreateSecurityGroupOutput, err error) {
	err = g.patiently(ctx, g.wait.Appear, func() (err error) {
		out, err = g.ec2.CreateSecurityGroup(ctx, in, onlyRefused)
		return classify("", err)
	}, "InvalidVpcID.NotFound")
	return out, err
}

// freeName gives a group that is created before the one it replaces is deleted a name of its own:
// the name with a part of the key. It does so only if the name is taken by a group with the tags of
// this resource; any other group of the name is a conflict.
func (g *region) freeName(ctx context.Context, in *ec2.CreateSecurityGroupInput, r provider.Request) bool {
	filters := where("group-name", r.Desired.Ref.Name)
	if in.VpcId != nil {
		filters = append(filters, where("vpc-id", *in.VpcId)...)
	}
	all, err := g.groups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: filters})
	if err != nil || len(all) != 1 {
		return false
	}
	old := g.observedGroup(all[0]).Marks
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
func (g *region) applyRules(ctx context.Context, id string, want resource.Attrs) (resource.Observed, error) {
	s, err := g.awaitGroup(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	before := g.observedGroup(s)
	apart, _ := flag(want, separateRules)
	for _, side := range []string{"ingress", "egress"} {
		desired, ok := want.Get(side)
		if !ok || apart {
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
		s, err = g.group(ctx, id)
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
	return g.applyRules(ctx, r.Have.ID, want)
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
		if err != nil {
			return names, err
		}
		used, err := g.interfacesWhere(ctx, "group-id", id)
		return append(names, used...), err
	}, "DependencyViolation", "InvalidGroup.InUse")
}
