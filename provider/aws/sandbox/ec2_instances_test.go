package sandbox_test

import (
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

func TestCallerIdentityNamesTheSandboxAccount(t *testing.T) {
	c, _ := open(t)
	out := ok(sts.NewFromConfig(config(c, "us-east-1")).GetCallerIdentity(ctx, nil))(t)
	if *out.Account != sandbox.Account {
		t.Errorf("account %s", *out.Account)
	}
}

func TestStatesPassWithTime(t *testing.T) {
	c, clk := open(t)
	cl := ec2Of(c)
	in := run(t, cl, "")
	id := *in.InstanceId
	if in.State.Name != "pending" || state(t, cl, id) != "pending" {
		t.Errorf("a new instance is %s", in.State.Name)
	}
	step := func(do func() error, passing, final string) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if got := state(t, cl, id); got != passing {
			t.Errorf("state %s, want %s", got, passing)
		}
		clk.pass(10 * time.Second)
		if got := state(t, cl, id); got != final {
			t.Errorf("state %s, want %s", got, final)
		}
	}
	ids := []string{id}
	step(func() error { return nil }, "pending", "running")
	step(func() error { _, err := cl.StopInstances(ctx, &ec2.StopInstancesInput{InstanceIds: ids}); return err }, "stopping", "stopped")
	step(func() error { _, err := cl.StartInstances(ctx, &ec2.StartInstancesInput{InstanceIds: ids}); return err }, "pending", "running")
	step(func() error {
		_, err := cl.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: ids})
		return err
	}, "shutting-down", "terminated")
	_, err := cl.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: ids})
	wantCode(t, err, "")
	clk.pass(2 * time.Hour)
	_, err = cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: ids})
	wantCode(t, err, "InvalidInstanceID.NotFound")
}

func TestTokenMakesOneInstance(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	tagged := func(in *ec2.RunInstancesInput) {
		in.TagSpecifications = []types.TagSpecification{tagSpec("instance", "ovi:ref=a"), tagSpec("volume", "ovi:ref=a")}
	}
	a, b := run(t, cl, "tok", tagged), run(t, cl, "tok", tagged)
	if *a.InstanceId != *b.InstanceId {
		t.Errorf("one token made %s and %s", *a.InstanceId, *b.InstanceId)
	}
	_, err := cl.RunInstances(ctx, runInput("tok"))
	wantCode(t, err, "IdempotentParameterMismatch")
	for _, r := range c.Requests() {
		if len(r.Ignored) > 0 {
			t.Errorf("%s took no notice of %v", r.Action, r.Ignored)
		}
	}
	out := ok(cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("client-token", "tok"), filter("tag:ovi:ref", "a")}}))(t)
	if len(out.Reservations) != 1 {
		t.Errorf("%d reservations under the token", len(out.Reservations))
	}
	ok(cl.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{*a.InstanceId}}))(t)
	_, err = cl.RunInstances(ctx, runInput("tok", tagged))
	wantCode(t, err, "IdempotentInstanceTerminated")
}

func TestPagesCountInstances(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	ok(cl.RunInstances(ctx, runInput("", func(in *ec2.RunInstancesInput) { in.MinCount, in.MaxCount = aws.Int32(12), aws.Int32(12) })))(t)
	pages := ec2.NewDescribeInstancesPaginator(cl, &ec2.DescribeInstancesInput{MaxResults: aws.Int32(5)})
	var sizes []int
	for pages.HasMorePages() {
		out := ok(pages.NextPage(ctx))(t)
		sizes = append(sizes, len(out.Reservations[0].Instances))
	}
	if len(sizes) != 3 || sizes[0] != 5 || sizes[2] != 2 {
		t.Errorf("pages of %v", sizes)
	}
	_, err := cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{MaxResults: aws.Int32(4)})
	wantCode(t, err, "InvalidParameterValue")
	_, err = cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("no-such-filter", "x")}})
	wantCode(t, err, "InvalidParameterValue")
}
