package aws

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/provider"
)

// sandboxAccount is the account number of the practice cloud; no real account has it.
const sandboxAccount = "000000000000"

// Locate turns "us-east-1" into "123456789012/us-east-1", asking STS once a process. A place
// of the practice cloud and one of a real account are ErrElsewhere to each other; a place of
// another real account is Denied, and the error names both.
func (p *Provider) Locate(ctx context.Context, location string) (string, error) {
	g, err := p.at(ctx, location)
	if err != nil {
		return "", err
	}
	return g.location(), nil
}

func (g *region) location() string { return g.account + "/" + g.name }

// at gives the region of a place, located or not.
func (p *Provider) at(ctx context.Context, location string) (*region, error) {
	account, name, err := splitLocation(location)
	if err != nil {
		return nil, err
	}
	if err := p.gate.enter(ctx); err != nil {
		return nil, classify("", err)
	}
	defer p.gate.leave()
	if p.opts.Sandbox && account != "" && account != sandboxAccount {
		return nil, elsewhere(location, sandboxAccount)
	}
	cfg, err := p.load(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.identify(ctx, cfg, name); err != nil {
		return nil, err
	}
	switch {
	case account == "" || account == p.account:
		return p.regionOf(cfg, name), nil
	case account == sandboxAccount || p.account == sandboxAccount:
		return nil, elsewhere(location, p.account)
	}
	return nil, &provider.Error{
		Class: provider.Denied, Op: "sts.GetCallerIdentity",
		Err:  fmt.Errorf("%s is a place of account %s, but these are credentials of account %s", location, account, p.account),
		Hint: "use that account's credentials, for example with --profile",
	}
}

func elsewhere(location, account string) error {
	return fmt.Errorf("aws: %s is no place of account %s: %w", location, account, provider.ErrElsewhere)
}
