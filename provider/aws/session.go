package aws

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
)

// accountSession holds the credentials and clients of one account. config is nil until it could be
// loaded, and account is empty until STS has named it. The fields are used only in the gate; the
// clients of a region are used outside it.
type accountSession struct {
	identity
	config  *aws.Config
	account string
	regions map[string]*api.Region
}

// session returns the session of an identity. The caller is in the gate.
func (p *Provider) session(of identity) *accountSession {
	if p.sessions[of] == nil {
		p.sessions[of] = &accountSession{identity: of, regions: map[string]*api.Region{}}
	}
	return p.sessions[of]
}

// sandboxPrefix begins the numbers of all accounts of the sandbox; no real account has it. If a role is
// assumed, the account has the last digits of the role's account.
const sandboxPrefix = "000000"

// ofSandbox reports whether an account is one of the sandbox.
func ofSandbox(account string) bool { return strings.HasPrefix(account, sandboxPrefix) }

// inSandbox returns the account of the sandbox for a real account. Two real accounts that differ in
// their first digits alone get the same one.
func inSandbox(account string) string {
	if len(account) <= len(sandboxPrefix) || ofSandbox(account) {
		return account
	}
	return sandboxPrefix + account[len(sandboxPrefix):]
}

// known is the account of a location as this provider has it: in the sandbox, one that a role or profile is named for
// is an account of the sandbox. A real one is ErrElsewhere to the sandbox otherwise.
func (p *Provider) known(location, account string) (string, error) {
	switch {
	case !p.opts.Sandbox || account == "" || ofSandbox(account):
		return account, nil
	case p.named(account):
		return inSandbox(account), nil
	}
	return "", elsewhere(location, sandboxAccount)
}

// assume replaces the credentials of a configuration by the role's, and gets them once, so that a
// refusal is found here and names the role. The SDK gets new credentials when these have expired,
// so that a loop may run for longer than a session of the role lasts.
func (p *Provider) assume(ctx context.Context, of identity, cfg *aws.Config, name string) error {
	own := cfg.Copy()
	own.Region = name
	client := sts.NewFromConfig(own, func(o *sts.Options) { p.calls(o.BaseEndpoint) })
	cfg.Credentials = aws.NewCredentialsCache(
		stscreds.NewAssumeRoleProvider(client, of.role, func(o *stscreds.AssumeRoleOptions) {
			// AWS STS API Reference, AssumeRole: "The role session name is also used in the ARN of
			// the assumed role principal", so the logs of the account show the calls of ovi.
			o.RoleSessionName = "ovi"
			if of.externalID != "" {
				o.ExternalID = aws.String(of.externalID)
			}
		}))
	_, err := cfg.Credentials.Retrieve(ctx)
	if err = api.Classify("sts.AssumeRole", err); err == nil {
		return nil
	}
	return &provider.Error{
		Cause: provider.CauseOf(err), Op: "sts.AssumeRole", Code: api.CodeOf(err),
		Err: fmt.Errorf("cannot assume the role %s of account %s: %w", of.role, accountOfRole(of.role), err),
		Hint: "allow sts:AssumeRole to these credentials in the role's trust policy and their own, and compare " +
			"--external-id with it",
	}
}
