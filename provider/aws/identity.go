package aws

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Identities are the identities of ovi by account. The zero value means the credentials that the SDK finds.
type Identities struct {
	Profiles    resource.Grouped  // of ~/.aws/config, by account
	Role        string            // the ARN of the one for locations without an account
	Roles       map[string]string // ARNs of roles that the credentials assume, by account
	ExternalIDs resource.Grouped  // of the roles, by account
}

// identity is as whom ovi acts in an account. It is the key of a session, so accounts with the same
// identity share credentials and clients.
type identity struct {
	profile, role, externalID string // "" means the SDK's own choice, none, none
}

const accountPattern = `[0-9]{12}`

// roleARN has the account of a role, in any partition (aws, aws-cn, aws-us-gov).
var roleARN = regexp.MustCompile(`^arn:aws(?:-[a-z]+)*:iam::([0-9]{12}):role/[\w+=,.@/-]+$`)

// identitiesIn reads the options of the names, with a value for all accounts and values for some.
func identitiesIn(profile, roles, externalID string) (out Identities, err error) {
	out.Profiles, out.ExternalIDs = resource.ParseGrouped(profile, accountPattern),
		resource.ParseGrouped(externalID, accountPattern)
	out.Role, out.Roles, err = rolesIn(resource.ParseGrouped(roles, accountPattern))
	return out, err
}

// rolesIn reads lists of ARNs, separated by commas or spaces: one for all accounts, whose first
// role is also used for locations without an account, and one for each of some accounts. The role
// of an account comes from its own list, or else from the other lists. Two different roles of one
// account are a mistake, except that its own list has precedence.
func rolesIn(lists resource.Grouped) (standard string, roles map[string]string, err error) {
	named, own := map[string]string{}, map[string]string{}
	for _, group := range slices.Sorted(maps.Keys(lists)) {
		for _, r := range strings.FieldsFunc(lists[group], func(r rune) bool { return r == ',' || r == ' ' }) {
			account, in := accountOfRole(r), named
			if account == "" {
				return "", nil, resource.Advise(fmt.Errorf("%q is not the ARN of a role", r),
					"use for example --role-arn arn:aws:iam::123456789012:role/ovi")
			}
			if account == group {
				in = own
			}
			if other := in[account]; other != "" && other != r {
				return "", nil, resource.Advise(fmt.Errorf("%s and %s are two roles of account %s", other, r, account),
					"name one role for each account")
			}
			in[account] = r
			if group == "" {
				standard = cmp.Or(standard, r)
			}
		}
	}
	maps.Copy(named, own)
	return standard, named, nil
}

// accountOfRole returns the account in the ARN of a role; "" for any other text.
func accountOfRole(role string) string {
	if m := roleARN.FindStringSubmatch(role); m != nil {
		return m[1]
	}
	return ""
}

// identityFor returns the identity of ovi in an account; "" means locations without an account. A
// role has precedence over a profile: the profile of the role's account then names the credentials
// that assume it.
func (p *Provider) identityFor(account string) identity {
	of := p.opts.Identities
	out := identity{role: p.roleFor(account)}
	if out.role != "" {
		account = accountOfRole(out.role)
		out.externalID = of.ExternalIDs.For(account)
	} else {
		account = p.inProfiles(account)
	}
	out.profile = of.Profiles.For(account)
	if p.opts.Sandbox && out.role == "" && account != "" && account != sandboxAccount {
		out.role = "arn:aws:iam::" + account + ":role/profile" // the sandbox has no profiles
	}
	return out
}

// roleFor returns the role that is named for an account, or for locations without one; "" means the
// credentials themselves.
func (p *Provider) roleFor(account string) string {
	if account == "" {
		return p.opts.Identities.Role
	}
	// The account as the index would miss an account of the sandbox, which differs in its first
	// digits.
	for named, role := range p.opts.Identities.Roles {
		if p.same(named, account) {
			return role
		}
	}
	return ""
}

// inProfiles is an account as the profiles have it.
func (p *Provider) inProfiles(account string) string {
	for named := range p.opts.Identities.Profiles {
		if named != "" && account != "" && p.same(named, account) {
			return named
		}
	}
	return account
}

// same reports whether the account of an option is the one of a location, which may be the sandbox's.
func (p *Provider) same(named, account string) bool {
	return named == account || p.opts.Sandbox && inSandbox(named) == account
}

// named reports whether the options name as whom ovi acts in an account.
func (p *Provider) named(account string) bool {
	return p.roleFor(account) != "" || p.opts.Identities.Profiles[p.inProfiles(account)] != ""
}

// ofProfile returns the words that name a profile in an error; "" for the choice of the SDK.
func ofProfile(name string) string {
	if name == "" {
		return ""
	}
	return " of profile " + name
}
