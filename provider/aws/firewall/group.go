package firewall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// observedGroup converts an answer of EC2 to a resource. The default group of a VPC was made by
// AWS, so it is reported as a default until it has marks.
func observedGroup(g *api.Region, s types.SecurityGroup) resource.Observed {
	o := resource.Observed{ID: aws.ToString(s.GroupId), Health: resource.Healthy}
	a := api.Attrs{}
	a.Text("vpc", s.VpcId)
	a.Text("description", s.Description)
	a.Text(network.GroupName, s.GroupName)
	a["ingress"] = rulesOf(s.IpPermissions, o.ID, g.Account)
	a["egress"] = rulesOf(s.IpPermissionsEgress, o.ID, g.Account)
	o.Attrs = a.Build()
	g.Identify(&o, api.KindGroup, "", api.TagsOf(s.Tags))
	if aws.ToString(s.GroupName) == "default" && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o
}

// groups returns the reads of security groups. network.Groups sets no Observe, because package
// network cannot import this package, which imports it.
func groups() api.StandardKind[types.SecurityGroup] {
	s := network.Groups()
	s.Observe = observedGroup
	return s
}

// createGroup relies on the key's tag, as the creates of other kinds without a token do.
// CreateSecurityGroup has no client token, and a name may be used again in another VPC. The rules
// are set after it; a failure leaves a tagged group, which the next attempt finds and completes.
func createGroup(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	in := orderGroup(g, r)
	made, err := api.NoRetry(ctx, g, func() (types.SecurityGroup, error) {
		out, err := orderedGroup(ctx, g, in)
		if api.HasCode(err, "InvalidGroup.Duplicate") && freeName(ctx, g, in, r) {
			out, err = orderedGroup(ctx, g, in)
		}
		if err != nil {
			return types.SecurityGroup{}, err
		}
		return types.SecurityGroup{GroupId: out.GroupId}, nil
	}, func() ([]types.SecurityGroup, error) {
		return groups().Where(ctx, g, api.BornWith(r.Key))
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return applyRules(ctx, g, aws.ToString(made.GroupId), r.Desired.Attrs)
}

// orderGroup returns the request for a new group. Without a vpc, EC2 creates the group in the
// default VPC. The request has the tags, so that no group of ovi exists without its key, not even
// if the process ends before the next call.
func orderGroup(g *api.Region, r provider.Request) *ec2.CreateSecurityGroupInput {
	return &ec2.CreateSecurityGroupInput{
		GroupName:         aws.String(r.Desired.Ref.Name),
		Description:       api.DesiredText(r.Desired.Attrs, "description"),
		VpcId:             api.DesiredText(r.Desired.Attrs, "vpc"),
		TagSpecifications: []types.TagSpecification{api.Born(types.ResourceTypeSecurityGroup, g.BirthTags(r, false))},
	}
}

// orderedGroup orders a group. Its VPC may not be visible yet.
// The SDK repeats the call only if AWS throttled it. After a lost answer NoRetry searches for the
// group by its key. A repeated call would fail with InvalidGroup.Duplicate, and freeName could then
// take the new group for the old one.
func orderedGroup(ctx context.Context, g *api.Region,
	in *ec2.CreateSecurityGroupInput,
) (out *ec2.CreateSecurityGroupOutput, err error) {
	err = g.Patiently(ctx, g.Wait.Appear, func() (err error) {
		out, err = g.EC2.CreateSecurityGroup(ctx, in, api.OnlyRefused)
		return api.Classify("", err)
	}, "InvalidVpcID.NotFound")
	return out, err
}

// freeName gives a group that is created before the one it replaces is deleted a name of its own:
// the name with a part of the key. It does so only if the name is taken by a group with the tags of
// this resource; any other group of the name is a conflict. The suffix depends on the key alone, so
// that a retry uses the same name.
func freeName(ctx context.Context, g *api.Region, in *ec2.CreateSecurityGroupInput, r provider.Request) bool {
	filters := api.Where("group-name", r.Desired.Ref.Name)
	if in.VpcId != nil {
		filters = append(filters, api.Where("vpc-id", *in.VpcId)...)
	}
	all, err := groups().Where(ctx, g, filters)
	// Without a configured VPC, the filter also matches groups of other VPCs. If there are several,
	// the old group is not certain and the conflict is reported.
	if err != nil || len(all) != 1 {
		return false
	}
	old := observedGroup(g, all[0]).Marks
	if r.Desired.Replace != resource.CreateFirst || old.Ref.Stack != r.Desired.Ref.Stack ||
		g.ShortRef(old.Ref) != g.ShortRef(r.Desired.Ref) {
		return false
	}
	sum := sha256.Sum256([]byte(r.Key))
	suffix := "-" + hex.EncodeToString(sum[:4])
	name := r.Desired.Ref.Name
	// CreateSecurityGroup: a name has "Up to 255 characters".
	in.GroupName = aws.String(name[:min(len(name), 255-len(suffix))] + suffix)
	return true
}

// applyRules brings both sets of rules to the configuration, as far as it sets them. A side that is
// not configured is not changed. It compares with the live rules, so that it may be repeated at any
// point.
func applyRules(ctx context.Context, g *api.Region, id string, want resource.Attrs) (resource.Observed, error) {
	s, err := awaitGroup(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	before := observedGroup(g, s)
	// Provider.Create adds the defaults of ingress and egress. With separate_rules they must not
	// change the rules.
	apart, _ := api.Flag(want, network.SeparateRules)
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

// awaitGroup returns a group as soon as EC2 shows it, because a group that was created a moment ago
// may not be visible yet. A group that stays missing is an error.
func awaitGroup(ctx context.Context, g *api.Region, id string) (s types.SecurityGroup, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Appear, "the security group "+id, func(ctx context.Context) error {
		s, err = groups().One(ctx, g, id)
		return err
	})
	return s, err
}

// updateGroup sets only the sides that the plan shows as changed, so that a side which the plan
// does not name is not changed.
func updateGroup(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	var want resource.Attrs
	for _, side := range []string{"ingress", "egress"} {
		if v, ok := r.Desired.Attrs.Get(side); ok && api.Changed(r, side) {
			want = want.With(side, v)
		}
	}
	return applyRules(ctx, g, r.Have.ID, want)
}

// Amazon EC2 API Reference, DeleteSecurityGroup: a group that an instance or a rule of another
// group uses is refused with DependencyViolation. The error names instances, groups and interfaces.
func deleteGroup(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	return g.DeleteHeld(ctx, id, func() error {
		_, err := g.EC2.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) {
		held, err := api.Held(api.InstancesWhere(ctx, g, "instance.group-id", id))
		if err != nil {
			return nil, err
		}
		others, err := groups().Where(ctx, g, api.Where("ip-permission.group-id", id))
		for _, s := range others {
			// A rule that names its own group does not prevent the deletion.
			if aws.ToString(s.GroupId) != id {
				held = append(held, api.Holder{Name: "a rule of " + api.NameID(observedGroup(g, s))})
			}
		}
		if err != nil {
			return held, err
		}
		used, err := network.InterfacesWhere(ctx, g, "group-id", id)
		return append(held, used...), err
	}, "DependencyViolation", "InvalidGroup.InUse")
}

// firewalls returns the security groups of a sweep, read once: the rules of groups need them too.
func firewalls(ctx context.Context, s *api.Sweep) ([]types.SecurityGroup, error) {
	return api.Once(s, api.KindGroup, func() ([]types.SecurityGroup, error) {
		return groups().Swept(ctx, s)
	})
}

// checkGroup: the group to be replaced may have the name of the new one; see freeName. A dry run
// reports a missing permission, a wrong VPC and a name that is taken.
func checkGroup(ctx context.Context, g *api.Region, r provider.Request) error {
	// EC2 cannot check a reference to a resource that does not exist yet.
	if api.Unresolved(r.Desired.Attrs, "vpc", "description") {
		return nil
	}
	in := orderGroup(g, r)
	in.TagSpecifications, in.DryRun = nil, aws.Bool(true)
	_, err := g.EC2.CreateSecurityGroup(ctx, in)
	if api.HasCode(err, "InvalidGroup.Duplicate") && r.Have.ID != "" {
		return nil
	}
	return api.DryRun(err)
}

// listGroups returns the groups of a sweep: all groups of the region or, with a filter, the groups
// with a tag of ovi and the recorded ones.
func listGroups(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := firewalls(ctx, s)
	return api.ObservedAs(s, all, err, observedGroup)
}

// replaceGroup: a group that is used cannot be deleted, so what uses it moves to the new one first.
// Names of groups are unique in a VPC; see freeName.
func replaceGroup(resource.Desired, resource.Observed) []resource.Strategy { return api.CreateFirst() }
