package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/smithy-go"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// checkRole: IAM has no dry runs, so what the role names is asked for. A name that another role has
// is an error unless this request created that role. A policy that does not exist would fail only
// after the role was created.
func checkRole(ctx context.Context, g *api.Region, r provider.Request) error {
	name := api.Named(&r.Desired)
	if name != r.Have.ID {
		o, err := readRole(ctx, g, name)
		switch {
		case err == nil && (r.Key == "" || o.Marks.Key != r.Key):
			return api.Taken(o, r)
		case err != nil && !api.Absent(err):
			return err
		}
	}
	for _, arn := range r.Desired.Attrs.Texts(managedPolicies) {
		_, err := g.IAM.GetPolicy(ctx, &iam.GetPolicyInput{PolicyArn: aws.String(arn)})
		if api.Absent(err) {
			return api.Mistake("iam.GetPolicy", fmt.Errorf("the policy %s does not exist", arn),
				"correct it in managed_policies")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// createRole relies on the name: CreateRole has no token. The trust policy may name a principal
// that was created a moment ago, which IAM refuses until it is known everywhere. A failure after
// the call leaves a tagged role, which the next attempt finds and completes.
func createRole(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	name, a := api.Named(&r.Desired), r.Desired.Attrs
	in := &iam.CreateRoleInput{
		RoleName: aws.String(name), AssumeRolePolicyDocument: api.DesiredText(a, "trust"), Path: api.DesiredText(a, "path"),
		Description: api.DesiredText(a, "description"), MaxSessionDuration: session(a), Tags: iamTags(g.BirthTags(r, false)),
	}
	err := g.UntilKnown(ctx, func() error {
		_, err := g.IAM.CreateRole(ctx, in)
		return api.Classify("", err)
	})
	if api.HasCode(err, "EntityAlreadyExists") {
		err = api.UnlessOwn(ctx, g, r, api.Named(&r.Desired), err, readRole)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return applyRole(ctx, g, r, name)
}

// session returns the maximum duration of a session, in seconds, or nil if it is not configured.
// Without a value, CreateRole and UpdateRole both apply one hour (IAM API Reference), so an update
// of the description alone resets a duration that another client has set.
func session(a resource.Attrs) *int32 {
	n, ok := api.Number(a, "max_session")
	if !ok {
		return nil
	}
	return aws.Int32(int32(n))
}

// updateRole sets the settings of the role and then its contents; both compare with the live role
// or set absolute values, so an interrupted update can be repeated.
func updateRole(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	if api.Changed(r, "description", "max_session") {
		_, err := g.IAM.UpdateRole(ctx, &iam.UpdateRoleInput{
			RoleName: aws.String(r.Have.ID), Description: api.DesiredText(r.Desired.Attrs, "description"),
			MaxSessionDuration: session(r.Desired.Attrs),
		})
		if err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return applyRole(ctx, g, r, r.Have.ID)
}

// applyRole brings what is inside a role to the configuration, as far as that sets it. A role that
// was created a moment ago may not be visible yet. The permissions come before the instance
// profile: an instance that gets the profile has all of its permissions. One change of a role at a
// time is accepted, so a refusal because of another change is repeated.
func applyRole(ctx context.Context, g *api.Region, r provider.Request, name string) (resource.Observed, error) {
	var have types.RoleDetail
	err := g.AwaitSeen(ctx, g.Wait.Appear, "the role "+name, func(ctx context.Context) (err error) {
		have, err = role(ctx, g, name)
		return err
	})
	if err != nil {
		return resource.Observed{}, err
	}
	for _, apply := range []func(context.Context, *api.Region, provider.Request, types.RoleDetail) error{
		applyTrust,
		applyPolicies, applyAttached, applyProfile,
	} {
		err := g.Patiently(ctx, g.Wait.Appear, func() error { return api.Classify("", apply(ctx, g, r, have)) },
			"ConcurrentModification", "EntityTemporarilyUnmodifiable")
		if err != nil {
			return resource.Observed{}, err
		}
	}
	return readRole(ctx, g, name)
}

// applyTrust replaces the trust policy if it differs in meaning. The new policy may name a
// principal that IAM does not know yet, which is waited for.
func applyTrust(ctx context.Context, g *api.Region, r provider.Request, have types.RoleDetail) error {
	want, ok := api.Text(r.Desired.Attrs, "trust")
	if !ok || api.SamePolicy(resource.String(want),
		resource.String(unescaped(have.AssumeRolePolicyDocument))) == resource.Equivalent {
		return nil
	}
	return g.UntilKnown(ctx, func() error {
		_, err := g.IAM.UpdateAssumeRolePolicy(ctx,
			&iam.UpdateAssumeRolePolicyInput{RoleName: have.RoleName, PolicyDocument: aws.String(want)})
		return api.Classify("", err)
	})
}

// applyPolicies writes missing and changed inline policies before it deletes others, so that a
// permission which moves from one policy to another is never missing.
func applyPolicies(ctx context.Context, g *api.Region, r provider.Request, have types.RoleDetail) error {
	want, ok := policiesOf(r.Desired.Attrs)
	if !ok {
		return nil
	}
	before := map[string]string{}
	for _, p := range have.RolePolicyList {
		before[aws.ToString(p.PolicyName)] = unescaped(p.PolicyDocument)
	}
	for _, p := range want {
		doc, _ := p.Value.(resource.String)
		was, there := before[p.Name]
		delete(before, p.Name)
		if there && api.SamePolicy(doc, resource.String(was)) == resource.Equivalent {
			continue
		}
		_, err := g.IAM.PutRolePolicy(ctx, &iam.PutRolePolicyInput{
			RoleName: have.RoleName, PolicyName: aws.String(p.Name),
			PolicyDocument: aws.String(string(doc)),
		})
		if err != nil {
			return err
		}
	}
	for name := range before {
		if err := dropPolicy(ctx, g, have.RoleName, name); err != nil {
			return err
		}
	}
	return nil
}

// dropPolicy deletes an inline policy. An absent policy is success, so that an interrupted change
// can be repeated.
func dropPolicy(ctx context.Context, g *api.Region, role *string, name string) error {
	_, err := g.IAM.DeleteRolePolicy(ctx, &iam.DeleteRolePolicyInput{RoleName: role, PolicyName: aws.String(name)})
	return api.UnlessAbsent(err)
}

// applyAttached attaches policies before it detaches others, for the same reason as applyPolicies.
// Both calls may be repeated.
func applyAttached(ctx context.Context, g *api.Region, r provider.Request, have types.RoleDetail) error {
	if _, ok := r.Desired.Attrs.Get(managedPolicies); !ok {
		return nil
	}
	want := r.Desired.Attrs.Texts(managedPolicies)
	var before []string
	for _, p := range have.AttachedManagedPolicies {
		before = append(before, aws.ToString(p.PolicyArn))
	}
	for _, arn := range want {
		if slices.Contains(before, arn) {
			continue
		}
		if _, err := g.IAM.AttachRolePolicy(ctx,
			&iam.AttachRolePolicyInput{RoleName: have.RoleName, PolicyArn: aws.String(arn)}); err != nil {
			return err
		}
	}
	for _, arn := range before {
		if slices.Contains(want, arn) {
			continue
		}
		if err := detachPolicy(ctx, g, have.RoleName, arn); err != nil {
			return err
		}
	}
	return nil
}

// detachPolicy detaches a managed policy, which is not deleted. A policy that is not attached is
// success.
func detachPolicy(ctx context.Context, g *api.Region, role *string, arn string) error {
	_, err := g.IAM.DetachRolePolicy(ctx, &iam.DetachRolePolicyInput{RoleName: role, PolicyArn: aws.String(arn)})
	return api.UnlessAbsent(err)
}

// applyProfile creates or deletes the instance profile of the role's name. One of the name that has
// another role, or is neither empty nor ours, belongs to another hand. The tags of the profile have
// no ref: it is not a resource of its own. IAM API Reference, AddRoleToInstanceProfile: "An
// instance profile can contain only one role".
func applyProfile(ctx context.Context, g *api.Region, r provider.Request, have types.RoleDetail) error {
	want, ok := api.Flag(r.Desired.Attrs, instanceProfile)
	switch {
	case !ok || want == hasProfile(have):
		return nil
	case !want:
		return dropProfile(ctx, g, have.RoleName)
	}
	_, err := g.IAM.CreateInstanceProfile(ctx, &iam.CreateInstanceProfileInput{
		InstanceProfileName: have.RoleName, Path: have.Path, Tags: iamTags(api.RootTags(g.BirthTags(r, false))),
	})
	if api.HasCode(err, "EntityAlreadyExists") {
		err = ownProfile(ctx, g, r, have.RoleName)
	}
	if err != nil {
		return err
	}
	// The profile may be so new that this call does not know it yet.
	return g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.IAM.AddRoleToInstanceProfile(ctx,
			&iam.AddRoleToInstanceProfileInput{InstanceProfileName: have.RoleName, RoleName: have.RoleName})
		return api.Classify("", err)
	}, "NoSuchEntity")
}

// ownProfile is nil if an empty instance profile has the tags of this stack: the answer to its
// creation was lost. A profile with a role is in use, whatever its tags.
func ownProfile(ctx context.Context, g *api.Region, r provider.Request, name *string) error {
	out, err := g.IAM.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: name})
	if err != nil {
		return err
	}
	if tags := iamTagMap(out.InstanceProfile.Tags); len(out.InstanceProfile.Roles) == 0 &&
		tags[api.TagStack] == r.Desired.Ref.Stack {
		return nil
	}
	return api.InUse("iam.CreateInstanceProfile", fmt.Errorf("an instance profile %s exists and is unmanaged", *name),
		"delete it, or use another name for the role")
}

// dropProfile deletes the instance profile of a role. IAM deletes only an empty profile, so the
// role is removed from it first; an absent profile is success at each step.
func dropProfile(ctx context.Context, g *api.Region, name *string) error {
	_, err := g.IAM.RemoveRoleFromInstanceProfile(ctx,
		&iam.RemoveRoleFromInstanceProfileInput{InstanceProfileName: name, RoleName: name})
	if err = api.UnlessAbsent(err); err != nil {
		return err
	}
	_, err = g.IAM.DeleteInstanceProfile(ctx, &iam.DeleteInstanceProfileInput{InstanceProfileName: name})
	return api.UnlessAbsent(err)
}

// deleteRole empties it first, as IAM requires. A role in an instance profile of another name stays:
// that profile is not part of it.
func deleteRole(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	foreign := func() ([]string, error) {
		all, err := profilesOf(ctx, g, id)
		var names []string
		for _, p := range all {
			if name := aws.ToString(p.InstanceProfileName); name != id {
				names = append(names, "the instance profile "+name)
			}
		}
		return names, err
	}
	return g.DeleteHeld(ctx, id, func() error {
		have, err := role(ctx, g, id)
		if err == nil && r.Have.UID != "" && aws.ToString(have.RoleId) != r.Have.UID {
			return nil // another role got the name: the one that is meant does not exist
		}
		// IAM would refuse the deletion because of a profile of another name. The error has the same
		// code as IAM's refusal, so DeleteHeld waits for the profile and names it.
		if others, listed := foreign(); err != nil || listed != nil || len(others) > 0 {
			if err = errors.Join(err, listed); err == nil {
				err = &smithy.GenericAPIError{
					Code:    "DeleteConflict",
					Message: "the role must be removed from instance profiles first",
				}
			}
			return err
		}
		return emptyRole(ctx, g, have)
	}, func() ([]api.Holder, error) { return api.Held(foreign()) }, "DeleteConflict")
}

// emptyRole removes the parts of a role and deletes it. IAM API Reference, DeleteRole: inline
// policies, attached policies and instance profiles must be removed first. An interruption leaves a
// role with fewer permissions, and the next attempt continues.
func emptyRole(ctx context.Context, g *api.Region, have types.RoleDetail) error {
	for _, p := range have.AttachedManagedPolicies {
		if err := detachPolicy(ctx, g, have.RoleName, aws.ToString(p.PolicyArn)); err != nil {
			return err
		}
	}
	for _, p := range have.RolePolicyList {
		if err := dropPolicy(ctx, g, have.RoleName, aws.ToString(p.PolicyName)); err != nil {
			return err
		}
	}
	if hasProfile(have) {
		if err := dropProfile(ctx, g, have.RoleName); err != nil {
			return err
		}
	}
	_, err := g.IAM.DeleteRole(ctx, &iam.DeleteRoleInput{RoleName: have.RoleName})
	return err
}
