package sandbox_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

func plan(t *testing.T, c *sandbox.Cloud, f ...sandbox.Fault) {
	t.Helper()
	if err := c.Fault(f...); err != nil {
		t.Fatal(err)
	}
}

func describeAll(c http.RoundTripper) error {
	_, err := ec2Of(c).DescribeInstances(ctx, &ec2.DescribeInstancesInput{})
	return err
}

func TestFaultsMatchTheirCalls(t *testing.T) {
	c, _ := open(t)
	plan(t, c, sandbox.Fault{Kind: sandbox.Throttle, Service: "ec2", Action: "DescribeInstances", After: 1, Times: 2})
	for i, want := range []string{"", "RequestLimitExceeded", "RequestLimitExceeded", ""} {
		if got := code(describeAll(c)); got != want {
			t.Errorf("call %d: %q, want %q", i+1, got, want)
		}
	}
}

func TestEachServiceHasItsErrorCodes(t *testing.T) {
	c, _ := open(t)
	cfg := config(c, "us-east-1")
	calls := map[string]func() error{
		"ec2": func() error { return describeAll(c) },
		"rds": func() error {
			_, err := rds.NewFromConfig(cfg).DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{})
			return err
		},
		"s3":  func() error { _, err := s3.NewFromConfig(cfg).ListBuckets(ctx, nil); return err },
		"sts": func() error { _, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, nil); return err },
	}
	for kind, wants := range map[sandbox.FaultKind]map[string]string{
		sandbox.Throttle:    {"ec2": "RequestLimitExceeded", "rds": "Throttling", "s3": "SlowDown", "sts": "Throttling"},
		sandbox.Denied:      {"ec2": "UnauthorizedOperation", "rds": "AccessDenied", "s3": "AccessDenied", "sts": "AccessDenied"},
		sandbox.Unavailable: {"ec2": "ServiceUnavailable", "rds": "ServiceUnavailable", "s3": "ServiceUnavailable", "sts": "ServiceUnavailable"},
	} {
		plan(t, c, sandbox.Fault{Kind: kind})
		for service, want := range wants {
			if got := code(calls[service]()); got != want {
				t.Errorf("%s of %s: %q, want %q", kind, service, got, want)
			}
		}
		c.ClearFaults()
	}
}

func TestALostAnswerAfterTheChange(t *testing.T) {
	c, _ := open(t)
	plan(t, c, sandbox.Fault{Kind: sandbox.Lost, Action: "RunInstances", Times: 1})
	_, err := ec2Of(c).RunInstances(ctx, runInput("tok"))
	if err == nil {
		t.Fatal("the answer arrived")
	}
	again := run(t, ec2Of(c), "tok") // the same token finds what was made
	out := ok(ec2Of(c).DescribeInstances(ctx, &ec2.DescribeInstancesInput{}))(t)
	if len(out.Reservations) != 1 || *out.Reservations[0].Instances[0].InstanceId != *again.InstanceId {
		t.Errorf("%d reservations", len(out.Reservations))
	}
}

func TestTheSDKRetriesALostAnswer(t *testing.T) {
	c, _ := open(t)
	plan(t, c, sandbox.Fault{Kind: sandbox.Lost, Action: "RunInstances", Times: 1})
	cfg := config(c, "us-east-1")
	cfg.Retryer = func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	}
	ok(ec2.NewFromConfig(cfg).RunInstances(ctx, runInput("")))(t)
	resources, err := c.Resources()
	if err != nil || count(resources, "ec2") != 1 || c.Counts()["ec2.RunInstances"] != 2 {
		t.Errorf("%d instances after %d calls (%v)", count(resources, "ec2"), c.Counts()["ec2.RunInstances"], err)
	}
}

func count(resources []sandbox.Resource, kind string) (n int) {
	for _, th := range resources {
		if th.Kind == kind && !th.Default {
			n++
		}
	}
	return n
}

func TestAPageThatFails(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	ok(cl.RunInstances(ctx, runInput("", func(in *ec2.RunInstancesInput) { in.MinCount, in.MaxCount = aws.Int32(12), aws.Int32(12) })))(t)
	plan(t, c, sandbox.Fault{Kind: sandbox.BadPage, Action: "DescribeInstances", Page: 2})
	pages := ec2.NewDescribeInstancesPaginator(cl, &ec2.DescribeInstancesInput{MaxResults: aws.Int32(5)})
	ok(pages.NextPage(ctx))(t)
	_, err := pages.NextPage(ctx)
	wantCode(t, err, "InternalFailure")
}

func TestWhatWasCreatedIsNotYetVisible(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	plan(t, c, sandbox.Fault{Kind: sandbox.Stale, Action: "RunInstances", Reads: 2, Times: 1})
	id := *run(t, cl, "").InstanceId
	byID := &ec2.DescribeInstancesInput{InstanceIds: []string{id}}
	_, err := cl.DescribeInstances(ctx, byID)
	wantCode(t, err, "InvalidInstanceID.NotFound")
	if out := ok(cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("instance-id", id)}}))(t); len(out.Reservations) != 0 {
		t.Error("seen by the second read")
	}
	ok(cl.DescribeInstances(ctx, byID))(t)
}

func TestADelayEndsWithItsContext(t *testing.T) {
	c, _ := open(t)
	plan(t, c, sandbox.Fault{Kind: sandbox.Slow, Delay: time.Hour})
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err := ec2Of(c).DescribeInstances(short, &ec2.DescribeInstancesInput{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestFaultsFromFileAndEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud")
	if err := sandbox.SaveFaults(path, []sandbox.Fault{{Kind: sandbox.Denied, Action: "DescribeVpcs", Delay: time.Millisecond}}); err != nil {
		t.Fatal(err)
	}
	t.Setenv(sandbox.FaultsEnv, `[{"kind":"refused","action":"DescribeInstances","code":"Teapot","status":418}]`)
	c, err := sandbox.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = ec2Of(c).DescribeVpcs(ctx, &ec2.DescribeVpcsInput{})
	wantCode(t, err, "UnauthorizedOperation")
	wantCode(t, describeAll(c), "Teapot")
	t.Setenv(sandbox.FaultsEnv, `[{"kind":"meteor"}]`)
	if _, err := sandbox.Open(path); err == nil || !strings.Contains(err.Error(), "meteor") {
		t.Errorf("an unknown fault was taken: %v", err)
	}
}

func TestTokenBucketsThrottle(t *testing.T) {
	c, clk := open(t, sandbox.WithPace(sandbox.Pace{Read: 3, ReadPerSecond: 1, Run: 10, RunPerSecond: 2}))
	for i, want := range []string{"", "", "", "RequestLimitExceeded"} {
		if got := code(describeAll(c)); got != want {
			t.Errorf("read %d: %q", i+1, got)
		}
	}
	clk.pass(time.Second)
	wantCode(t, describeAll(c), "")
	ten := func(in *ec2.RunInstancesInput) { in.MinCount, in.MaxCount = aws.Int32(10), aws.Int32(10) }
	run(t, ec2Of(c), "", ten)
	_, err := ec2Of(c).RunInstances(ctx, runInput(""))
	wantCode(t, err, "RequestLimitExceeded")
}
