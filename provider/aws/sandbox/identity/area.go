// Package identity has the roles, policies and instance profiles of the sandbox. It promises IAM's checks of names and
// documents. What a policy allows it does not evaluate.
package identity

import "github.com/ovi-project/ovi/provider/aws/sandbox/core"

// Actions are the handlers of this area, by service and action.
func Actions() map[string]map[string]core.Handler {
	return map[string]map[string]core.Handler{"iam": {
		"CreateRole": createRole, "GetRole": getRole, "UpdateRole": updateRole, "UpdateAssumeRolePolicy": updateTrust,
		"DeleteRole": deleteRole, "TagRole": tagRole, "UntagRole": untagRole,
		"GetAccountAuthorizationDetails": authorizationDetails, "GetPolicy": getManagedPolicy,
		"PutRolePolicy": putRolePolicy, "GetRolePolicy": getRolePolicy, "DeleteRolePolicy": deleteRolePolicy,
		"ListRolePolicies": listRolePolicies,
		"AttachRolePolicy": attachRolePolicy, "DetachRolePolicy": detachRolePolicy, "ListAttachedRolePolicies": listAttached,
		"CreateInstanceProfile": createProfile, "GetInstanceProfile": getProfile, "DeleteInstanceProfile": deleteProfile,
		"AddRoleToInstanceProfile": addRole, "RemoveRoleFromInstanceProfile": removeRole,
		"ListInstanceProfilesForRole": listProfiles,
	}}
}

// Kinds describes the kinds of this area.
func Kinds() []core.Kind {
	return []core.Kind{
		{Name: "role", Word: "iam_role", Rank: 15, Type: (*role)(nil)},
		{Name: "instance-profile", Type: (*instanceProfile)(nil)},
	}
}
