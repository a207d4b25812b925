package aws

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// accountSession is what it takes to act in one account.
type accountSession struct {
	role    string // its ARN; "": the credentials' own
	config  *aws.Config
	account string
	regions map[string]*region
}

// session gives the one of a role. The caller is in the gate.
func (p *Provider) session(role string) *accountSession {
	if p.sessions[role] == nil {
		p.sessions[role] = &accountSession{role: role, regions: map[string]*region{}}
	}
	return p.sessions[role]
}

// roleARN has the account of a role, in any partition (aws, aws-cn, aws-us-gov).
var roleARN = regexp.MustCompile(`^arn:aws(?:-[a-z]+)*:iam::([0-9]{12}):role/[\w+=,.@/-]+$`)

// rolesIn reads a list of ARNs, separated by commas or spaces. Each account has one role.
func rolesIn(text string) ([]string, error) {
	roles := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	first := map[string]string{}
	for _, r := range roles {
		m := roleARN.FindStringSubmatch(r)
		if m == nil {
			return nil, resource.Advise(fmt.Errorf("%q is not the ARN of a role", r), "use for example --role-arn arn:aws:iam::123456789012:role/ovi")
		}
		if other := first[m[1]]; other != "" && other != r {
			return nil, resource.Advise(fmt.Errorf("%s and %s are two roles of account %s", other, r, m[1]), "name one role for each account")
		}
		first[m[1]] = r
	}
	return roles, nil
}

func accountOfRole(role string) string {
	if m := roleARN.FindStringSubmatch(role); m != nil {
		return m[1]
	}
	return ""
}

// roleFor is the role for an account: the one named for it, or else the one of locations without an account; "" are the
// credentials themselves.
func (p *Provider) roleFor(account string) string {
	if role := p.roleOf(account); account != "" {
		return role
	}
	if len(p.opts.Roles) > 0 {
		return p.opts.Roles[0]
	}
	return ""
}

// roleOf is the role that is named for an account; "" if none is.
func (p *Provider) roleOf(account string) string {
	i := slices.IndexFunc(p.opts.Roles, func(r string) bool {
		of := accountOfRole(r)
		return of == account || p.opts.Sandbox && inSandbox(of) == account
	})
	if i < 0 {
		return ""
	}
	return p.opts.Roles[i]
}

// sandboxPrefix begins the numbers of all accounts of the sandbox; no real account has it. One that a role is assumed
// in has the last digits of the role's account.
const sandboxPrefix = "000000"

func ofSandbox(account string) bool { return strings.HasPrefix(account, sandboxPrefix) }

func inSandbox(account string) string {
	if len(account) <= len(sandboxPrefix) || ofSandbox(account) {
		return account
	}
	return sandboxPrefix + account[len(sandboxPrefix):]
}

// known is the account of a location as this provider has it: in the sandbox, one that a role is named for is an
// account of the sandbox. A real one is ErrElsewhere to the sandbox otherwise.
func (p *Provider) known(location, account string) (string, error) {
	switch {
	case !p.opts.Sandbox || account == "" || ofSandbox(account):
		return account, nil
	case p.roleOf(account) != "":
		return inSandbox(account), nil
	}
	return "", elsewhere(location, sandboxAccount)
}

// assume replaces the credentials of a configuration by those of a role, and gets them once, so that a refusal is found
// here and names the role.
func (p *Provider) assume(ctx context.Context, role string, cfg *aws.Config, name string) error {
	own := cfg.Copy()
	own.Region = name
	client := sts.NewFromConfig(own, func(o *sts.Options) { p.calls(o.BaseEndpoint) })
	cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(client, role, func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName = "ovi"
		if p.opts.ExternalID != "" {
			o.ExternalID = aws.String(p.opts.ExternalID)
		}
	}))
	_, err := cfg.Credentials.Retrieve(ctx)
	if err = classify("sts.AssumeRole", err); err == nil {
		return nil
	}
	return &provider.Error{
		Class: provider.ClassOf(err), Op: "sts.AssumeRole", Code: codeOf(err),
		Err:  fmt.Errorf("cannot assume the role %s of account %s: %w", role, accountOfRole(role), err),
		Hint: "allow sts:AssumeRole to these credentials in the role's trust policy and their own, and compare --external-id with it",
	}
}
