package identity

import (
	"maps"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

func Actions() map[string]map[string]core.Handler {
	all := map[string]core.Handler{
		"CreateRole": createRole, "GetRole": getRole, "UpdateRole": updateRole, "UpdateAssumeRolePolicy": updateTrust,
		"DeleteRole": deleteRole, "TagRole": tagRole, "UntagRole": untagRole,
		"GetAccountAuthorizationDetails": authorizationDetails,
	}
	maps.Copy(all, iamPolicyActions())
	maps.Copy(all, iamProfileActions())
	return map[string]map[string]core.Handler{"iam": all}
}

func Kinds() []core.Kind {
	return []core.Kind{{Name: "role", Word: "iam_role", Rank: 15, Type: (*role)(nil)},
		{Name: "instance-profile", Type: (*instanceProfile)(nil)}}
}
