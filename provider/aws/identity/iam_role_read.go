package identity

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// role reads one role with all that is inside. The parts take calls of their own, and another
// client may change the role between them. A later call that fails makes the read fail: a role
// without its policies would be drift.
func role(ctx context.Context, g *api.Region, name string) (types.RoleDetail, error) {
	out, err := g.IAM.GetRole(ctx, &iam.GetRoleInput{RoleName: aws.String(name)})
	if err != nil {
		return types.RoleDetail{}, api.Classify("", err)
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

// inlinePolicies returns the inline policies of a role. ListRolePolicies returns only names, so
// each document takes a call of its own.
func inlinePolicies(ctx context.Context, g *api.Region, role string) ([]types.PolicyDetail, error) {
	names, err := api.Pages(ctx, "iam.ListRolePolicies",
		func(ctx context.Context, token *string) ([]string, *string, error) {
			out, err := g.IAM.ListRolePolicies(ctx, &iam.ListRolePoliciesInput{RoleName: aws.String(role), Marker: token})
			if err != nil {
				return nil, nil, err
			}
			return out.PolicyNames, out.Marker, nil
		})
	var all []types.PolicyDetail
	for _, name := range names {
		out, err := g.IAM.GetRolePolicy(ctx, &iam.GetRolePolicyInput{
			RoleName:   aws.String(role),
			PolicyName: aws.String(name),
		})
		if api.Absent(err) {
			continue // another client deleted it after the list, or the role: then the next read finds that
		}
		if err != nil {
			return nil, api.Classify("", err)
		}
		all = append(all, types.PolicyDetail{PolicyName: out.PolicyName, PolicyDocument: out.PolicyDocument})
	}
	return all, err
}

// attachedPolicies returns the managed policies of a role by name and ARN. Their documents are not
// part of the role.
func attachedPolicies(ctx context.Context, g *api.Region, role string) ([]types.AttachedPolicy, error) {
	return api.Pages(ctx, "iam.ListAttachedRolePolicies",
		func(ctx context.Context, token *string) ([]types.AttachedPolicy, *string, error) {
			out, err := g.IAM.ListAttachedRolePolicies(ctx,
				&iam.ListAttachedRolePoliciesInput{RoleName: aws.String(role), Marker: token})
			if err != nil {
				return nil, nil, err
			}
			return out.AttachedPolicies, out.Marker, nil
		})
}

// profilesOf returns all instance profiles that contain a role. A profile of another name is among
// them, because it prevents the deletion of the role.
func profilesOf(ctx context.Context, g *api.Region, role string) ([]types.InstanceProfile, error) {
	return api.Pages(ctx, "iam.ListInstanceProfilesForRole",
		func(ctx context.Context, token *string) ([]types.InstanceProfile, *string, error) {
			out, err := g.IAM.ListInstanceProfilesForRole(ctx,
				&iam.ListInstanceProfilesForRoleInput{RoleName: aws.String(role), Marker: token})
			if err != nil {
				return nil, nil, err
			}
			return out.InstanceProfiles, out.Marker, nil
		})
}

// readRole returns one role with its parts. If the role does not exist, the error is absent.
func readRole(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	r, err := role(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedRole(g, r), nil
}

// tagRole sets and removes tags of a role and keeps others. Both calls may be repeated: TagRole
// overwrites a tag of the same key (IAM API Reference, TagRole).
func tagRole(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	if len(set) > 0 {
		if _, err := g.IAM.TagRole(ctx, &iam.TagRoleInput{RoleName: aws.String(id), Tags: iamTags(set)}); err != nil {
			return api.Classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	_, err := g.IAM.UntagRole(ctx, &iam.UntagRoleInput{RoleName: aws.String(id), TagKeys: drop})
	return api.Classify("", err)
}

// iamTags returns tags sorted by their keys, so that equal tags make equal requests.
func iamTags(tags map[string]string) []types.Tag {
	var out []types.Tag
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return out
}
