package sandbox_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// open opens a cloud in memory whose states take ten seconds.
func open(t *testing.T, opts ...sandbox.Option) (*sandbox.Cloud, *clock) {
	t.Helper()
	clk := newClock()
	all := append([]sandbox.Option{sandbox.WithClock(clk.Now), sandbox.WithSettle(10 * time.Second)}, opts...)
	c, err := sandbox.Open("", all...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, clk
}

// config is an SDK configuration whose transport is the cloud. One attempt a
// call: a test sees what the cloud says, not what the SDK makes of it.
func config(c http.RoundTripper, region string) aws.Config {
	return aws.Config{
		Region:      region,
		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "example-not-a-secret", ""),
		HTTPClient:  &http.Client{Transport: c},
		Retryer:     func() aws.Retryer { return aws.NopRetryer{} },
	}
}

func ec2Of(c http.RoundTripper) *ec2.Client { return ec2.NewFromConfig(config(c, "us-east-1")) }

// code is the error code of an answer, empty for none.
func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	if err != nil {
		return "no answer: " + err.Error()
	}
	return ""
}

func wantCode(t *testing.T, err error, want string) {
	t.Helper()
	if got := code(err); got != want {
		t.Errorf("error code %q (%v), want %q", got, err, want)
	}
}

func ok[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

var ctx = context.Background()

const ami = "ami-0a1b2c3d4e5f60718"

func runInput(token string, change ...func(*ec2.RunInstancesInput)) *ec2.RunInstancesInput {
	in := &ec2.RunInstancesInput{ImageId: aws.String(ami), InstanceType: types.InstanceTypeT3Micro, MinCount: aws.Int32(1), MaxCount: aws.Int32(1)}
	if token != "" {
		in.ClientToken = aws.String(token)
	}
	for _, f := range change {
		f(in)
	}
	return in
}

func run(t *testing.T, cl *ec2.Client, token string, change ...func(*ec2.RunInstancesInput)) types.Instance {
	t.Helper()
	return ok(cl.RunInstances(ctx, runInput(token, change...)))(t).Instances[0]
}

func tagSpec(kind types.ResourceType, kv ...string) types.TagSpecification {
	s := types.TagSpecification{ResourceType: kind}
	for _, p := range kv {
		k, v, _ := strings.Cut(p, "=")
		s.Tags = append(s.Tags, types.Tag{Key: aws.String(k), Value: aws.String(v)})
	}
	return s
}

func filter(name string, values ...string) types.Filter {
	return types.Filter{Name: aws.String(name), Values: values}
}

func state(t *testing.T, cl *ec2.Client, id string) string {
	t.Helper()
	out := ok(cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{id}}))(t)
	return string(out.Reservations[0].Instances[0].State.Name)
}
