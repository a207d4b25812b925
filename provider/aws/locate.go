package aws

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
)

// sandboxAccount is the account number of the sandbox; no real account has it.
const sandboxAccount = "000000000000"

// Locate turns "us-east-1" into "123456789012/us-east-1", asking STS once per process. A location
// with an account that a role or profile is named for is resolved already: that it cannot be used is found by its
// observation, which costs that account alone. The sandbox has an account for each number. A location of the sandbox is
// ErrElsewhere to a real account; a location of another real account is Denied, and the error names both.
func (p *Provider) Locate(ctx context.Context, location string) (string, error) {
	if account, name, err := api.SplitLocation(location); err == nil && account != "" {
		switch {
		case p.opts.Sandbox:
			return inSandbox(account) + "/" + name, nil
		case p.named(account):
			return location, nil
		}
	}
	g, err := p.at(ctx, location)
	if err != nil {
		return "", err
	}
	return g.Location(), nil
}

// at returns the region of a location, resolved or not. It holds the gate during the calls to STS,
// so that parallel requests load and identify an account once. A caller whose context ends does not
// wait for them. Calls to the region itself are made outside the gate.
func (p *Provider) at(ctx context.Context, location string) (*api.Region, error) {
	account, name, err := api.SplitLocation(location)
	if err != nil {
		return nil, err
	}
	if err := p.gate.Enter(ctx); err != nil {
		return nil, api.Classify("", err)
	}
	defer p.gate.Leave()
	if account, err = p.known(location, account); err != nil {
		return nil, err
	}
	s := p.session(p.identityFor(account))
	cfg, err := p.load(ctx, s, name)
	if err != nil {
		return nil, err
	}
	if err := p.identify(ctx, s, cfg, name); err != nil {
		return nil, err
	}
	switch {
	case account == "" || account == s.account:
		return p.regionOf(s, cfg, name), nil
	case ofSandbox(account) != ofSandbox(s.account):
		return nil, elsewhere(location, s.account)
	}
	return nil, &provider.Error{
		Cause: provider.Denied, Op: "sts.GetCallerIdentity",
		Err: fmt.Errorf("location %s is in account %s, but the credentials%s are of account %s", location, account,
			ofProfile(s.profile), s.account),
		Hint: "use credentials of that account, for example with --profile " + account +
			"=NAME, or name a role of it with --role-arn",
	}
}

// elsewhere returns the error for a location of the sandbox in a real account, or of a real account
// in the sandbox. Its caller decides by ErrElsewhere.
func elsewhere(location, account string) error {
	return fmt.Errorf("aws: location %s is not in account %s: %w", location, account, provider.ErrElsewhere)
}
