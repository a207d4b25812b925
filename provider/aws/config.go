package aws

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"
	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// load reads the configuration once for each session. A failure is not kept: the next call tries again. The caller is
// in the gate.
func (p *Provider) load(ctx context.Context, s *accountSession, name string) (aws.Config, error) {
	if s.config != nil {
		return *s.config, nil
	}
	cfg, err := p.read(ctx, s.profile, cmp.Or(p.opts.Region, name))
	if err != nil {
		return cfg, fmt.Errorf("aws: read the configuration%s: %w", ofProfile(s.profile), api.Classify("", err))
	}
	// slowest is the longest pause between two attempts of a call.
	attempts, slowest := p.opts.Attempts, 20*time.Second
	if p.opts.Sandbox {
		slowest = 100 * time.Millisecond
	}
	cfg.Retryer = func() aws.Retryer { return api.NewRetryer(attempts, slowest) }
	// The log is outside the limit, so that it has an attempt whose answer is too large.
	cfg.HTTPClient = logCalls(bounded{cfg.HTTPClient}, p.opts.Log)
	// The role comes last: its calls to STS copy cfg, with the retryer and the client that are set
	// above.
	if s.role != "" {
		if err := p.assume(ctx, s.identity, &cfg, name); err != nil {
			return cfg, err
		}
	}
	s.config = &cfg
	return cfg, nil
}

// read reads the configuration of the AWS tools. Where that has no region, a role is assumed in the one
// given. The sandbox has fixed credentials, so that a trial never uses real ones.
func (p *Provider) read(ctx context.Context, profile, name string) (aws.Config, error) {
	if p.opts.Sandbox {
		return aws.Config{
			Region:      "us-east-1",
			HTTPClient:  p.client(),
			Credentials: credentials.NewStaticCredentialsProvider("SANDBOX", "not-a-secret", ""),
		}, nil
	}
	with := []func(*config.LoadOptions) error{config.WithLogger(sdkLog{p.opts.Log}), config.WithDefaultRegion(name)}
	if profile != "" {
		with = append(with, config.WithSharedConfigProfile(profile))
	}
	if p.opts.HTTPClient != nil {
		with = append(with, config.WithHTTPClient(p.opts.HTTPClient))
	}
	if p.opts.Endpoint != "" {
		with = append(with, config.WithBaseEndpoint(p.opts.Endpoint))
	}
	return config.LoadDefaultConfig(ctx, with...)
}

// client returns the transport of the sandbox. Without one it returns a client that refuses all
// calls, because the default client of the SDK would reach AWS.
func (p *Provider) client() aws.HTTPClient {
	if p.opts.HTTPClient != nil {
		return p.opts.HTTPClient
	}
	return noNetwork{}
}

// sdkLog takes what the SDK would write to standard error.
type sdkLog struct{ log hclog.Logger }

// Logf notes a line of the SDK's.
func (l sdkLog) Logf(level logging.Classification, format string, v ...any) {
	l.log.Debug(fmt.Sprintf(format, v...), "from", "the AWS SDK", "level", level)
}

// noNetwork is the transport of a sandbox that was given none: calls must never reach AWS.
type noNetwork struct{}

func (noNetwork) Do(*http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("the sandbox has no transport")
}

// regionOf returns the clients of a region, which are created once. The caller is in the gate. Each
// service of a region has its own pace; the sandbox and PlainPace have none.
func (p *Provider) regionOf(s *accountSession, cfg aws.Config, name string) *api.Region {
	if g, ok := s.regions[name]; ok {
		return g
	}
	service := func(of string) aws.Config {
		c := cfg.Copy()
		c.Region = name
		if !p.opts.PlainPace && !p.opts.Sandbox {
			c.HTTPClient = api.NewPace(of, c.HTTPClient)
		}
		return c
	}
	g := api.NewRegion(&api.Region{
		Name: name, Account: s.account, Owner: p.opts.Owner, Clock: p.opts.Clock, Wait: p.opts.Delays, Log: p.opts.Log,
		Images: api.NewImages(),
	}, service, p.calls, p.opts.Sandbox)
	s.regions[name] = g
	return g
}

// identify asks once for the account. The caller is in the gate. AWS STS API Reference,
// GetCallerIdentity: "No permissions are required to perform this operation", so it succeeds before
// any right is granted. An answer without an account is an error, because the location would stay
// unresolved.
func (p *Provider) identify(ctx context.Context, s *accountSession, cfg aws.Config, name string) error {
	if s.account != "" {
		return nil
	}
	if p.opts.Region != "" {
		name = p.opts.Region
	}
	c := cfg.Copy()
	c.Region = name
	out, err := sts.NewFromConfig(c, func(o *sts.Options) { p.calls(o.BaseEndpoint) }).GetCallerIdentity(ctx,
		&sts.GetCallerIdentityInput{})
	if err != nil {
		return api.Classify("", err)
	}
	if aws.ToString(out.Account) == "" {
		return api.Mistake("sts.GetCallerIdentity", fmt.Errorf("the response has no account"), "")
	}
	s.account = *out.Account
	p.called.mu.Lock()
	defer p.called.mu.Unlock()
	// Until the default identity is identified, Caller names the identity that STS returned first.
	if p.called.arn == "" || s.identity == p.identityFor("") {
		p.called.arn = aws.ToString(out.Arn)
	}
	return nil
}
