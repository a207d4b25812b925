package aws

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"

	"github.com/ovi-project/ovi/resource"
)

// role reads one role with all that is inside.
func role(ctx context.Context, g *region, name string) (types.RoleDetail, error) {
	out, err := g.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: aws.String(name)})
	if err != nil {
		return types.RoleDetail{}, classify("", err)
	}
	r := out.Role
	d := types.RoleDetail{
		RoleName: r.RoleName, RoleId: r.RoleId, Arn: r.Arn, Path: r.Path, CreateDate: r.CreateDate,
		AssumeRolePolicyDocument: r.AssumeRolePolicyDocument, Tags: r.Tags,
	}
	if d.RolePolicyList, err = inlinePolicies(ctx, g, name); err != nil {
		return d, err
	}
	if d.AttachedManagedPolicies, err = attachedPolicies(ctx, g, name); err != nil {
		return d, err
	}
	d.InstanceProfileList, err = profilesOf(ctx, g, name)
	return d, err
}

func inlinePolicies(ctx context.Context, g *region, role string) ([]types.PolicyDetail, error) {
	names, err := pages(ctx, "iam.ListRolePolicies", func(ctx context.Context, token *string) ([]string, *string, error) {
		out, err := g.iam.ListRolePolicies(ctx, &iam.ListRolePoliciesInput{RoleName: aws.String(role), Marker: token})
		if err != nil {
			return nil, nil, err
		}
		return out.PolicyNames, out.Marker, nil
	})
	var all []types.PolicyDetail
	for _, name := range names {
		out, err := g.iam.GetRolePolicy(ctx, &iam.GetRolePolicyInput{RoleName: aws.String(role), PolicyName: aws.String(name)})
		if err != nil {
			return nil, classify("", err)
		}
		all = append(all, types.PolicyDetail{PolicyName: out.PolicyName, PolicyDocument: out.PolicyDocument})
	}
	return all, err
}

func attachedPolicies(ctx context.Context, g *region, role string) ([]types.AttachedPolicy, error) {
	return pages(ctx, "iam.ListAttachedRolePolicies", func(ctx context.Context, token *string) ([]types.AttachedPolicy, *string, error) {
		out, err := g.iam.ListAttachedRolePolicies(ctx, &iam.ListAttachedRolePoliciesInput{RoleName: aws.String(role), Marker: token})
		if err != nil {
			return nil, nil, err
		}
		return out.AttachedPolicies, out.Marker, nil
	})
}

func profilesOf(ctx context.Context, g *region, role string) ([]types.InstanceProfile, error) {
	return pages(ctx, "iam.ListInstanceProfilesForRole", func(ctx context.Context, token *string) ([]types.InstanceProfile, *string, error) {
		out, err := g.iam.ListInstanceProfilesForRole(ctx, &iam.ListInstanceProfilesForRoleInput{RoleName: aws.String(role), Marker: token})
		if err != nil {
			return nil, nil, err
		}
		return out.InstanceProfiles, out.Marker, nil
	})
}

func readRole(ctx context.Context, g *region, id string) (resource.Observed, error) {
	r, err := role(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedRole(g, r), nil
}

func tagRole(ctx context.Context, g *region, id string, set map[string]string, drop []string) error {
	if len(set) > 0 {
		if _, err := g.iam.TagRole(ctx, &iam.TagRoleInput{RoleName: aws.String(id), Tags: iamTags(set)}); err != nil {
			return classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	_, err := g.iam.UntagRole(ctx, &iam.UntagRoleInput{RoleName: aws.String(id), TagKeys: drop})
	return classify("", err)
}

func iamTags(tags map[string]string) []types.Tag {
	var out []types.Tag
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return out
}
