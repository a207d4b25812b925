package identity

import (
	"context"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindRole is the kind iam_role.
	KindRole        = "iam_role"
	instanceProfile = "instance_profile"
	managedPolicies = "managed_policies"
	rolePolicies    = "policies"
	// ProfilesAttr is the attribute with the names of the instance profiles of a role.
	ProfilesAttr = "profiles"
)

// roleName is the form of names in AWS.
const roleName = `[A-Za-z0-9_+=,.@-]{1,64}`

func kindOfRole() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindRole,
			Doc: "An IAM role: permissions for programs on instances and for AWS services.\n\n" +
				"Its name is its name in AWS, unless identifier sets another. " +
				"Roles belong to the account and not to a region: ovi reports a\n" +
				"role in the region of its ovi:ref tag, and an unmanaged role in each region. An instance\n" +
				"refers to it with `iam_profile: web`.",
			NamePattern: roleName, NameDoc: "letters, digits and _ + = , . @ -, at most 64 characters",
			Canonical: canonicalRole, CrossCheck: api.CrossChecks(api.TagTraits{IAM: true}, oncePerAccount),
			Identifier: api.Identifier,
			Holds:      holdsRole, HoldsDoc: "its name in AWS, in an account, whatever the region",
			Spans: true,
			Attrs: append(roleAttrs(), api.IdentifierAttr(roleName)),
		},
		List: listRoles, Read: readRole, Tag: tagRole, Check: checkRole,
		Create: createRole, Update: updateRole, Remove: deleteRole,
		Calls: api.Calls{
			Service: "iam",
			Observes: "GetAccountAuthorizationDetails GetInstanceProfile GetPolicy GetRole GetRolePolicy " +
				"ListAttachedRolePolicies ListInstanceProfilesForRole ListRolePolicies",
			Creates: "CreateInstanceProfile CreateRole :TagInstanceProfile TagRole",
			Changes: "AddRoleToInstanceProfile AttachRolePolicy DeleteInstanceProfile DeleteRolePolicy " +
				"DetachRolePolicy PutRolePolicy RemoveRoleFromInstanceProfile TagRole UntagRole " +
				"UpdateAssumeRolePolicy UpdateRole",
			Deletes: "DeleteRole",
			Others:  []string{"iam:PassRole"},
		},
	}
}

// roleAttrs are the attributes of a role. description and max_session are write-only, because
// GetAccountAuthorizationDetails does not return them (IAM API Reference, RoleDetail).
func roleAttrs() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "services", Type: resource.TSet, Min: api.Bound(1),
			Elem:    &resource.Attribute{Type: resource.TString, Pattern: `[a-z0-9.-]+\.amazonaws\.com(\.cn)?`},
			Example: "[ec2.amazonaws.com]", Doc: "The services that may use it. Short for trust with a statement for them; " +
				"set one of the two.",
		},
		{
			Name: "trust", Type: resource.TString, Valid: api.ValidTrust, Fits: api.SamePolicy, Example: "|",
			Doc: "The trust policy, in JSON, which defines who may use the role. Policies are compared by " +
				"meaning, not by text.",
		},
		{
			Name: rolePolicies, Type: resource.TMap,
			Elem:    &resource.Attribute{Type: resource.TString, Valid: api.ValidPolicy, Fits: api.SamePolicy},
			Example: "{logs: '{\"Version\": \"2012-10-17\", \"Statement\": []}'}",
			Doc: "Its inline policies by name, in JSON. A policy that was added outside ovi is drift and is " +
				"removed.",
		},
		{
			Name: managedPolicies, Type: resource.TSet,
			Elem:    &resource.Attribute{Type: resource.TString, Pattern: `arn:aws[a-z-]*:iam::(aws|[0-9]{12}):policy/.+`},
			Example: "[arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore]",
			Doc: "The ARNs of its attached policies. A policy that was attached outside ovi is drift and is " +
				"detached.",
		},
		{
			Name: instanceProfile, Type: resource.TBool, Example: "true",
			Doc: "Whether to create an instance profile with the same name, so that instances can use the role. " +
				"It is created and deleted with the role.",
		},
		{
			Name: "path", Type: resource.TString, Effect: resource.Replace, Pattern: `/([!-~]+/)?`, Max: api.Bound(512),
			Example: "/web/", Doc: "Its path, by which policies can name several roles. If omitted, /.",
		},
		{
			Name: "description", Type: resource.TString, WriteOnly: true, Max: api.Bound(1000), Example: "of the web servers",
			Doc: "A description.",
		},
		{
			Name: "max_session", Type: resource.TInt, WriteOnly: true, Min: api.Bound(3600), Max: api.Bound(43200), Unit: "s",
			Example: "7200", Doc: "For how long credentials of it may be valid, in seconds. If omitted, one hour.",
		},
		{Name: "arn", Type: resource.TString, Computed: true, Doc: "Its ARN."},
		{
			Name: ProfilesAttr, Type: resource.TSet, Computed: true, ChangesWith: []string{instanceProfile},
			Elem: &resource.Attribute{Type: resource.TString}, Doc: "The names of its instance profiles.",
		},
	}
}

// canonicalRole writes services as the trust that they stand for, and policies in one form. The
// result does not depend on the way in which the same permission is written, so that two forms of
// one policy are not drift.
func canonicalRole(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	_, trusted := a.Get("trust")
	_, short := a.Get("services")
	switch {
	case trusted && short:
		return a, []resource.Problem{{
			Path: "services", Summary: "services and trust both say who may use it",
			Suggestion: "omit one of the two",
		}}
	case short && len(a.Texts("services")) < len(a.List("services")):
		return a, []resource.Problem{{
			Path: "services", Summary: "services must be known before apply", Suggestion: "write the names of the services",
		}}
	case short:
		a = a.Without("services").With("trust", resource.String(api.Trusting(a.Texts("services"))))
	case !trusted:
		return a, []resource.Problem{{
			Path: "services", Summary: "a role needs who may use it, in services or trust",
			Suggestion: "services: [ec2.amazonaws.com]",
		}}
	}
	if s, ok := api.Text(a, "trust"); ok {
		a = a.With("trust", resource.String(api.CanonicalDocument(s)))
	}
	if m, ok := policiesOf(a); ok {
		var out []resource.Attr
		for _, p := range m {
			if s, plain := p.Value.(resource.String); plain {
				p.Value = resource.String(api.CanonicalDocument(string(s)))
			}
			out = append(out, p)
		}
		a = a.With(rolePolicies, resource.NewAttrs(out...))
	}
	return a, nil
}

// policiesOf returns the inline policies by their names. It returns false if they are not
// configured: an empty map removes all policies, and a missing one keeps them.
func policiesOf(a resource.Attrs) (resource.Attrs, bool) {
	v, ok := a.Get(rolePolicies)
	m, is := v.(resource.Attrs)
	return m, ok && is
}

// holdsRole: names of roles are unique in an account, in upper and lower case alike (CreateRole).
func holdsRole(ref resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	name := strings.ToLower(api.NameOr(a, api.Identifier, ref))
	return []resource.Hold{{What: "role", Of: api.Account(ref), Name: name, Identity: true}}
}

// oncePerAccount: the names of roles are unique in an account, whatever the region. IAM API
// Reference, CreateRole: "Names are not distinguished by case".
func oncePerAccount(c *api.Checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		account, _ := api.AccountAndRegion(d.Ref.Location)
		name, at := api.NamedAt(d)
		key := account + "/" + strings.ToLower(name)
		if other := first[key]; other != nil {
			c.Wrong(d, at, "use another name, or configure it in one region",
				"duplicate role %s: %s has it too, and roles belong to the account, not to a region", name,
				api.WhereConfigured(other))
			continue
		}
		first[key] = d
	}
}

// listRoles reads all roles with their policies in pages: ListRoles has no tags. Of a role that
// another region's stack manages nothing is reported here. GetAccountAuthorizationDetails returns
// roles, policies and tags together: reading each role separately would take at least four calls.
func listRoles(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := api.Pages(ctx, "iam.GetAccountAuthorizationDetails",
		func(ctx context.Context, token *string) ([]types.RoleDetail, *string, error) {
			out, err := s.IAM.GetAccountAuthorizationDetails(ctx, &iam.GetAccountAuthorizationDetailsInput{
				Filter: []types.EntityType{types.EntityTypeRole}, Marker: token, MaxItems: aws.Int32(iamPage),
			})
			if err != nil {
				return nil, nil, err
			}
			return out.RoleDetailList, out.Marker, nil
		})
	if err != nil {
		return nil, err
	}
	var out []resource.Observed
	for _, r := range all {
		if !OfOtherRegion(s.Region, iamTagMap(r.Tags)) {
			out = append(out, observedRole(s.Region, r))
		}
	}
	return out, nil
}

// iamPage is the size of pages; more is not allowed.
const iamPage = 1000

// OfOtherRegion reports that a resource which belongs to no region is marked as one of another
// region. A resource without ovi:managed, or with a ref that cannot be parsed, is reported rather
// than hidden.
func OfOtherRegion(g *api.Region, tags map[string]string) bool {
	ref, err := resource.ParseRef(tags[api.TagRef])
	return tags[api.TagManaged] == "true" && err == nil && ref.Provider == api.ProviderName && ref.Location != g.Name
}

// observedRole converts a role with its policies. The role's ID is the UID, because it differs if a
// role is deleted and created again under its name. Policies are brought to one form, and IAM
// returns them URL-encoded.
func observedRole(g *api.Region, r types.RoleDetail) resource.Observed {
	o := resource.Observed{ID: aws.ToString(r.RoleName), UID: aws.ToString(r.RoleId), Health: resource.Healthy}
	if r.CreateDate != nil {
		o.Since = *r.CreateDate
	}
	a := api.Attrs{}
	a.Text("path", r.Path)
	a.Text("arn", r.Arn)
	a["trust"] = resource.String(api.CanonicalDocument(unescaped(r.AssumeRolePolicyDocument)))
	var policies []resource.Attr
	for _, p := range r.RolePolicyList {
		policies = append(policies, resource.Attr{
			Name:  aws.ToString(p.PolicyName),
			Value: resource.String(api.CanonicalDocument(unescaped(p.PolicyDocument))),
		})
	}
	a[rolePolicies] = resource.NewAttrs(policies...)
	attached := resource.List{}
	for _, p := range r.AttachedManagedPolicies {
		attached = append(attached, resource.String(aws.ToString(p.PolicyArn)))
	}
	a[managedPolicies] = resource.SortSet(attached)
	a[instanceProfile] = resource.Bool(hasProfile(r))
	profiles := resource.List{}
	for _, p := range r.InstanceProfileList {
		profiles = append(profiles, resource.String(aws.ToString(p.InstanceProfileName)))
	}
	a[ProfilesAttr] = resource.SortSet(profiles)
	o.Attrs = a.Build()
	g.IdentifyNamed(&o, KindRole, o.ID, iamTagMap(r.Tags))
	// Those that AWS creates for its services and for single sign-on.
	if p := aws.ToString(r.Path); o.Marks.IsZero() &&
		(strings.HasPrefix(p, "/aws-service-role/") || strings.HasPrefix(p, "/aws-reserved/")) {
		o.Message = resource.ProviderDefault
	}
	return o
}

// hasProfile reports whether the role is in the instance profile of its own name. A profile of
// another name is not part of the role.
func hasProfile(r types.RoleDetail) bool {
	for _, p := range r.InstanceProfileList {
		if aws.ToString(p.InstanceProfileName) == aws.ToString(r.RoleName) {
			return true
		}
	}
	return false
}

// unescaped is a document that IAM reports in the form of URLs (RFC 3986: a plus is a plus). A
// document that cannot be decoded is returned unchanged.
func unescaped(s *string) string {
	out, err := url.PathUnescape(aws.ToString(s))
	if err != nil {
		return aws.ToString(s)
	}
	return out
}

func iamTagMap(tags []types.Tag) map[string]string {
	out := make(map[string]string, len(tags))
	for _, t := range tags {
		out[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return out
}
