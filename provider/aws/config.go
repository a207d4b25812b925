package aws

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"
	"github.com/hashicorp/go-hclog"
)

// region is what it takes to act in one region of the one account.
type region struct {
	name, account string

	ec2     ec2Calls
	elb     elbCalls
	scaling scalingCalls
	iam     iamCalls
	dns     dnsCalls
	rds     rdsCalls
	s3      s3Calls
	control controlCalls
	keptCalls
	ssm    call[ssm.GetParameterInput, ssm.GetParameterOutput, ssm.Options]
	images *images
	// sent are the keys of creations of records, by which this process knows its own
	sent sync.Map
	// what many wait for at once
	startingInstances *gather[ec2types.Instance]
	changingVolumes   *gather[ec2types.Volume]

	owner string
	clock func() time.Time
	wait  Delays
	log   hclog.Logger
}

var regionPattern = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$`)

// splitLocation splits "123456789012/us-east-1" and "us-east-1" into account and region.
func splitLocation(location string) (account, name string, err error) {
	account, name = accountAndRegion(location)
	if !regionPattern.MatchString(name) || account == "" && name != location {
		return "", "", permanent("", fmt.Errorf("invalid AWS region %q", location), "use for example us-east-1")
	}
	return account, name, nil
}

func accountAndRegion(location string) (account, name string) {
	if account, name, located := strings.Cut(location, "/"); located {
		return account, name
	}
	return "", location
}

// load reads the configuration once for each session. A failure is not kept: the next call tries again.
func (p *Provider) load(ctx context.Context, s *accountSession, name string) (aws.Config, error) {
	if s.config != nil {
		return *s.config, nil
	}
	cfg, err := p.read(ctx, s.profile, cmp.Or(p.opts.Region, name))
	if err != nil {
		return cfg, fmt.Errorf("aws: read the configuration%s: %w", ofProfile(s.profile), classify("", err))
	}
	attempts, slowest := p.opts.Attempts, 20*time.Second
	if p.opts.Sandbox {
		slowest = 100 * time.Millisecond
	}
	cfg.Retryer = func() aws.Retryer { return newRetryer(attempts, slowest) }
	cfg.HTTPClient = logCalls(cfg.HTTPClient, p.opts.Log)
	if s.role != "" {
		if err := p.assume(ctx, s.identity, &cfg, name); err != nil {
			return cfg, err
		}
	}
	s.config = &cfg
	return cfg, nil
}

// read reads the configuration of the AWS tools. Where that has no region, a role is assumed in the one
// given.
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

// regionOf gives the clients of a region, which are created once. The caller is in the gate.
func (p *Provider) regionOf(s *accountSession, cfg aws.Config, name string) *region {
	if g, ok := s.regions[name]; ok {
		return g
	}
	service := func(of string) aws.Config {
		c := cfg.Copy()
		c.Region = name
		if !p.opts.PlainPace && !p.opts.Sandbox {
			c.HTTPClient = newPace(of, c.HTTPClient)
		}
		return c
	}
	g := newRegion(&region{
		name: name, account: s.account, owner: p.opts.Owner, clock: p.opts.Clock, wait: p.opts.Delays, log: p.opts.Log, images: newImages(),
	}, service, p.calls, p.opts.Sandbox)
	gatherers(g)
	s.regions[name] = g
	return g
}

// identify asks once for the account. The caller is in the gate.
func (p *Provider) identify(ctx context.Context, s *accountSession, cfg aws.Config, name string) error {
	if s.account != "" {
		return nil
	}
	if p.opts.Region != "" {
		name = p.opts.Region
	}
	c := cfg.Copy()
	c.Region = name
	out, err := sts.NewFromConfig(c, func(o *sts.Options) { p.calls(o.BaseEndpoint) }).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return classify("", err)
	}
	if aws.ToString(out.Account) == "" {
		return permanent("sts.GetCallerIdentity", fmt.Errorf("the response has no account"), "")
	}
	s.account = *out.Account
	p.called.mu.Lock()
	defer p.called.mu.Unlock()
	if p.called.arn == "" || s.identity == p.identityFor("") {
		p.called.arn = aws.ToString(out.Arn)
	}
	return nil
}

// newRegion makes the clients of a region. The function calls is told each endpoint that is not AWS's own.
func newRegion(g *region, service func(string) aws.Config, calls func(*string), pathStyle bool) *region {
	g.ec2 = ec2CallsOf(ec2.NewFromConfig(service("ec2"), func(o *ec2.Options) { calls(o.BaseEndpoint) }))
	g.scaling = scalingCallsOf(autoscaling.NewFromConfig(service("autoscaling"), func(o *autoscaling.Options) { calls(o.BaseEndpoint) }))
	g.elb = elbCallsOf(elb.NewFromConfig(service("elasticloadbalancing"), func(o *elb.Options) { calls(o.BaseEndpoint) }))
	g.iam = iamCallsOf(iam.NewFromConfig(service("iam"), func(o *iam.Options) { calls(o.BaseEndpoint) }))
	g.dns = dnsCallsOf(route53.NewFromConfig(service("route53"), func(o *route53.Options) { calls(o.BaseEndpoint) }))
	g.rds = rdsCallsOf(rds.NewFromConfig(service("rds"), func(o *rds.Options) { calls(o.BaseEndpoint) }))
	g.s3 = s3CallsOf(s3.NewFromConfig(service("s3"), func(o *s3.Options) {
		calls(o.BaseEndpoint)
		o.UsePathStyle = pathStyle || o.BaseEndpoint != nil
	}))
	g.control = controlCallsOf(service, calls)
	g.keptCalls = keptCallsOf(service, calls)
	g.ssm = ssm.NewFromConfig(service("ssm"), func(o *ssm.Options) { calls(o.BaseEndpoint) }).GetParameter
	return g
}
