package api

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	logs "github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3control"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/hashicorp/go-hclog"
)

// Region holds the clients of one region of one account.
type Region struct {
	Name, Account string

	ACM     acmCalls
	Control controlCalls
	DNS     dnsCalls
	EC2     ec2Calls
	ELB     elbCalls
	IAM     iamCalls
	KMS     kmsCalls
	Logs    logGroupCalls
	RDS     rdsCalls
	S3      s3Calls
	SSM     parameterCalls
	Scaling scalingCalls
	Secrets secretCalls

	Images *images
	// Sent are the keys of creations of records, by which this process knows its own
	Sent  sync.Map
	Polls Polls

	Owner string
	Clock func() time.Time
	Wait  Delays
	Log   hclog.Logger
}

// RegionPattern matches the name of a region.
var RegionPattern = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$`)

// SplitLocation splits "123456789012/us-east-1" and "us-east-1" into account and region.
func SplitLocation(location string) (account, name string, err error) {
	account, name = AccountAndRegion(location)
	if !RegionPattern.MatchString(name) || account == "" && name != location {
		return "", "", Mistake("", fmt.Errorf("invalid AWS region %q", location), "use for example us-east-1")
	}
	return account, name, nil
}

// AccountAndRegion splits a location into account and region. The account can be empty.
func AccountAndRegion(location string) (account, name string) {
	if account, name, located := strings.Cut(location, "/"); located {
		return account, name
	}
	return "", location
}

// NewRegion makes the clients of a region. The function calls receives each endpoint that is not of AWS own.
func NewRegion(g *Region, service func(string) aws.Config, calls func(*string), pathStyle bool) *Region {
	g.EC2 = ec2CallsOf(ec2.NewFromConfig(service("ec2"), func(o *ec2.Options) { calls(o.BaseEndpoint) }))
	g.Scaling = scalingCallsOf(autoscaling.NewFromConfig(service("autoscaling"),
		func(o *autoscaling.Options) { calls(o.BaseEndpoint) }))
	g.ELB = elbCallsOf(elb.NewFromConfig(service("elasticloadbalancing"), func(o *elb.Options) { calls(o.BaseEndpoint) }))
	g.IAM = iamCallsOf(iam.NewFromConfig(service("iam"), func(o *iam.Options) { calls(o.BaseEndpoint) }))
	g.DNS = dnsCallsOf(route53.NewFromConfig(service("route53"), func(o *route53.Options) { calls(o.BaseEndpoint) }))
	g.RDS = rdsCallsOf(rds.NewFromConfig(service("rds"), func(o *rds.Options) { calls(o.BaseEndpoint) }))
	g.S3 = s3CallsOf(s3.NewFromConfig(service("s3"), func(o *s3.Options) {
		calls(o.BaseEndpoint)
		// A custom endpoint may have no host name for each bucket.
		o.UsePathStyle = pathStyle || o.BaseEndpoint != nil
	}))
	g.Control = controlCallsOf(s3control.NewFromConfig(service("s3"),
		func(o *s3control.Options) { calls(o.BaseEndpoint) }))
	g.ACM = acmCallsOf(acm.NewFromConfig(service("acm"), func(o *acm.Options) { calls(o.BaseEndpoint) }))
	g.KMS = kmsCallsOf(kms.NewFromConfig(service("kms"), func(o *kms.Options) { calls(o.BaseEndpoint) }))
	g.Logs = logGroupCallsOf(logs.NewFromConfig(service("logs"), func(o *logs.Options) { calls(o.BaseEndpoint) }))
	g.Secrets = secretCallsOf(secretsmanager.NewFromConfig(service("secretsmanager"),
		func(o *secretsmanager.Options) { calls(o.BaseEndpoint) }))
	g.SSM = parameterCallsOf(ssm.NewFromConfig(service("ssm"), func(o *ssm.Options) { calls(o.BaseEndpoint) }))
	return g
}

// Location returns ACCOUNT/REGION.
func (g *Region) Location() string { return g.Account + "/" + g.Name }
