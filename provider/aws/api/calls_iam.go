package api

import "github.com/aws/aws-sdk-go-v2/service/iam"

// iamCalls are the API calls of roles and instance profiles.
type iamCalls struct {
	AddRoleToInstanceProfile       call[iam.AddRoleToInstanceProfileInput, iam.AddRoleToInstanceProfileOutput, iam.Options]
	AttachRolePolicy               call[iam.AttachRolePolicyInput, iam.AttachRolePolicyOutput, iam.Options]
	CreateInstanceProfile          call[iam.CreateInstanceProfileInput, iam.CreateInstanceProfileOutput, iam.Options]
	CreateRole                     call[iam.CreateRoleInput, iam.CreateRoleOutput, iam.Options]
	DeleteInstanceProfile          call[iam.DeleteInstanceProfileInput, iam.DeleteInstanceProfileOutput, iam.Options]
	DeleteRole                     call[iam.DeleteRoleInput, iam.DeleteRoleOutput, iam.Options]
	DeleteRolePolicy               call[iam.DeleteRolePolicyInput, iam.DeleteRolePolicyOutput, iam.Options]
	DetachRolePolicy               call[iam.DetachRolePolicyInput, iam.DetachRolePolicyOutput, iam.Options]
	GetAccountAuthorizationDetails call[iam.GetAccountAuthorizationDetailsInput, iam.GetAccountAuthorizationDetailsOutput,
		iam.Options]
	GetInstanceProfile          call[iam.GetInstanceProfileInput, iam.GetInstanceProfileOutput, iam.Options]
	GetPolicy                   call[iam.GetPolicyInput, iam.GetPolicyOutput, iam.Options]
	GetRole                     call[iam.GetRoleInput, iam.GetRoleOutput, iam.Options]
	GetRolePolicy               call[iam.GetRolePolicyInput, iam.GetRolePolicyOutput, iam.Options]
	ListAttachedRolePolicies    call[iam.ListAttachedRolePoliciesInput, iam.ListAttachedRolePoliciesOutput, iam.Options]
	ListInstanceProfilesForRole call[iam.ListInstanceProfilesForRoleInput, iam.ListInstanceProfilesForRoleOutput,
		iam.Options]
	ListRolePolicies              call[iam.ListRolePoliciesInput, iam.ListRolePoliciesOutput, iam.Options]
	PutRolePolicy                 call[iam.PutRolePolicyInput, iam.PutRolePolicyOutput, iam.Options]
	RemoveRoleFromInstanceProfile call[iam.RemoveRoleFromInstanceProfileInput, iam.RemoveRoleFromInstanceProfileOutput,
		iam.Options]
	TagRole                call[iam.TagRoleInput, iam.TagRoleOutput, iam.Options]
	UntagRole              call[iam.UntagRoleInput, iam.UntagRoleOutput, iam.Options]
	UpdateAssumeRolePolicy call[iam.UpdateAssumeRolePolicyInput, iam.UpdateAssumeRolePolicyOutput, iam.Options]
	UpdateRole             call[iam.UpdateRoleInput, iam.UpdateRoleOutput, iam.Options]
}

func iamCallsOf(c *iam.Client) iamCalls {
	return iamCalls{
		AddRoleToInstanceProfile:       c.AddRoleToInstanceProfile,
		AttachRolePolicy:               c.AttachRolePolicy,
		CreateInstanceProfile:          c.CreateInstanceProfile,
		CreateRole:                     c.CreateRole,
		DeleteInstanceProfile:          c.DeleteInstanceProfile,
		DeleteRole:                     c.DeleteRole,
		DeleteRolePolicy:               c.DeleteRolePolicy,
		DetachRolePolicy:               c.DetachRolePolicy,
		GetAccountAuthorizationDetails: c.GetAccountAuthorizationDetails,
		GetInstanceProfile:             c.GetInstanceProfile,
		GetPolicy:                      c.GetPolicy,
		GetRole:                        c.GetRole,
		GetRolePolicy:                  c.GetRolePolicy,
		ListAttachedRolePolicies:       c.ListAttachedRolePolicies,
		ListInstanceProfilesForRole:    c.ListInstanceProfilesForRole,
		ListRolePolicies:               c.ListRolePolicies,
		PutRolePolicy:                  c.PutRolePolicy,
		RemoveRoleFromInstanceProfile:  c.RemoveRoleFromInstanceProfile,
		TagRole:                        c.TagRole,
		UntagRole:                      c.UntagRole,
		UpdateAssumeRolePolicy:         c.UpdateAssumeRolePolicy,
		UpdateRole:                     c.UpdateRole,
	}
}
