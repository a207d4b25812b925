package sandbox_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

func openFile(t *testing.T, path string, opts ...sandbox.Option) *sandbox.Cloud {
	t.Helper()
	c, err := sandbox.Open(path, append([]sandbox.Option{sandbox.WithSettle(0)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func resources(t *testing.T, c *sandbox.Cloud) []sandbox.Resource {
	t.Helper()
	out, err := c.Resources()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTwoProcessesOnOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "cloud")
	a, b := openFile(t, path), openFile(t, path)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { run(t, ec2Of(a), fmt.Sprintf("tok-%d", i)) })
		wg.Go(func() { run(t, ec2Of(b), fmt.Sprintf("tok-%d", i)) })
	}
	wg.Wait()
	for _, c := range []*sandbox.Cloud{a, b, openFile(t, path)} {
		if n := count(resources(t, c), "ec2"); n != 20 {
			t.Errorf("%d instances for 20 tokens", n)
		}
	}
}

func TestDefaultsAreTheSameInEveryProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud")
	a, b := openFile(t, path), openFile(t, path)
	vpc := func(c *sandbox.Cloud) []types.Vpc {
		return ok(ec2Of(c).DescribeVpcs(ctx, &ec2.DescribeVpcsInput{}))(t).Vpcs
	}
	first := vpc(a)
	if second := vpc(b); *first[0].VpcId != *second[0].VpcId {
		t.Fatalf("default VPCs %s and %s", *first[0].VpcId, *second[0].VpcId)
	}
	for _, s := range ok(ec2Of(a).DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{}))(t).Subnets {
		ok(ec2Of(a).DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: s.SubnetId}))(t)
	}
	for _, g := range ok(ec2Of(a).DescribeInternetGateways(ctx, &ec2.DescribeInternetGatewaysInput{}))(t).InternetGateways {
		ok(ec2Of(a).DetachInternetGateway(ctx, &ec2.DetachInternetGatewayInput{InternetGatewayId: g.InternetGatewayId, VpcId: first[0].VpcId}))(t)
	}
	ok(ec2Of(a).DeleteVpc(ctx, &ec2.DeleteVpcInput{VpcId: first[0].VpcId}))(t)
	ok(ec2Of(b).CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")}))(t)
	for _, c := range []*sandbox.Cloud{a, b, openFile(t, path)} {
		if got := vpc(c); len(got) != 1 || *got[0].IsDefault {
			t.Errorf("a deleted default VPC came back: %v", got)
		}
	}
}

func TestReadsWriteNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud")
	c := openFile(t, path, sandbox.WithSettle(time.Nanosecond))
	run(t, ec2Of(c), "")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := describeAll(c); err != nil {
			t.Fatal(err)
		}
		resources(t, c)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a read changed the file (%v)", err)
	}
}

// TestEveryTornTailIsCut cuts the last line at many places: what was whole stays,
// what was torn never happened, and the cloud goes on.
func TestEveryIncompleteTailIsTruncated(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cloud")
	c := openFile(t, path)
	first := *run(t, ec2Of(c), "one").InstanceId
	run(t, ec2Of(c), "two")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for cut := last; cut < len(whole); cut += 37 {
		torn := filepath.Join(dir, fmt.Sprintf("torn-%d", cut))
		if err := os.WriteFile(torn, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		again := openFile(t, torn)
		if n := count(resources(t, again), "ec2"); n != 1 {
			t.Fatalf("cut at %d: %d instances", cut, n)
		}
		// A shorter line than the torn one: nothing of that may stay behind it.
		if _, err := again.Break(sandbox.Breakage{Do: "tag", Resource: first, Key: "k"}); err != nil {
			t.Fatal(err)
		}
		run(t, ec2Of(again), "two")
		if n := count(resources(t, openFile(t, torn)), "ec2"); n != 2 {
			t.Fatalf("cut at %d, then one more: %d instances", cut, n)
		}
		again.Close()
	}
}

func TestDamageBeforeTheTailIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud")
	c := openFile(t, path)
	run(t, ec2Of(c), "")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[bytes.IndexByte(text, '\n')+2] = 0
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.Open(path); err == nil {
		t.Error("a damaged file was opened")
	}
}

func TestResetEmptiesTheAccountUnderOpenClouds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud")
	c := openFile(t, path)
	old := *run(t, ec2Of(c), "tok").InstanceId
	if err := sandbox.Reset(path); err != nil {
		t.Fatal(err)
	}
	if n := count(resources(t, c), "ec2"); n != 0 {
		t.Errorf("%d instances after the reset", n)
	}
	if again := *run(t, ec2Of(c), "tok").InstanceId; again == old {
		t.Error("an id was given twice")
	}
	if log, err := sandbox.ReadRequests(path); err != nil || len(log) != 1 {
		t.Errorf("%d requests in the log since the reset (%v)", len(log), err)
	}
}

func TestTheFileIsCompacted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud")
	c := openFile(t, path)
	other := openFile(t, path)
	id := *run(t, ec2Of(c), "").InstanceId
	var biggest int64
	for i := range 4200 {
		if _, err := c.Break(sandbox.Breakage{Do: "tag", Resource: id, Key: "n", Value: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil {
			t.Fatal(err)
		} else {
			biggest = max(biggest, info.Size())
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > biggest/4 {
		t.Errorf("the file has %d bytes and had at most %d (%v)", info.Size(), biggest, err)
	}
	for _, c := range []*sandbox.Cloud{c, other, openFile(t, path)} {
		for _, th := range resources(t, c) {
			if th.ID == id && th.Tags["n"] != "4199" {
				t.Errorf("tag %q after compaction", th.Tags["n"])
			}
		}
	}
}

func TestTheRequestLogRecordsEveryCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud")
	c := openFile(t, path)
	run(t, ec2Of(c), "")
	if err := describeAll(c); err != nil {
		t.Fatal(err)
	}
	_, err := ec2Of(c).DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{"i-0"}})
	wantCode(t, err, "InvalidInstanceID.NotFound")
	log, err := sandbox.ReadRequests(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := sandbox.Count(log); len(n) != 2 || n["ec2.DescribeInstances"] != 2 || log[2].Code != "InvalidInstanceID.NotFound" {
		t.Errorf("log %v", log)
	}
	if ch := sandbox.Changes(log); len(ch) != 1 || ch["ec2.RunInstances"] != 1 {
		t.Errorf("changes %v", ch)
	}
}
