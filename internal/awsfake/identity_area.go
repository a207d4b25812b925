package awsfake

import "maps"

func identityActions() map[string]map[string]handler {
	all := map[string]handler{
		"CreateRole": createRole, "GetRole": getRole, "UpdateRole": updateRole, "UpdateAssumeRolePolicy": updateTrust,
		"DeleteRole": deleteRole, "TagRole": tagRole, "UntagRole": untagRole, "GetAccountAuthorizationDetails": authorizationDetails,
	}
	maps.Copy(all, iamPolicyActions())
	maps.Copy(all, iamProfileActions())
	return map[string]map[string]handler{"iam": all}
}

func identityKinds() []kind {
	return []kind{{Name: "role", Word: "iam_role", Rank: 15, Type: (*role)(nil)}, {Name: "instance-profile", Type: (*instanceProfile)(nil)}}
}
