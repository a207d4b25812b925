package aws_test

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"golang.org/x/sync/errgroup"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// launch creates instances, many at a time, as an apply does, and gives the calls that took.
func launch(t testing.TB, cloud *sandbox.Cloud, d func(name string) resource.Desired, n, parallel int) map[string]int {
	t.Helper()
	p := aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: cloud}})
	var work errgroup.Group
	work.SetLimit(parallel)
	for i := range n {
		work.Go(func() error {
			name := fmt.Sprintf("web-%d", i)
			_, err := p.Create(t.Context(), provider.Request{Key: "key-" + name, Owner: "ovi", Desired: d(name)})
			return err
		})
	}
	if err := work.Wait(); err != nil {
		t.Fatal(err)
	}
	return cloud.Counts()
}

func micro(t testing.TB) func(string) resource.Desired {
	return func(name string) resource.Desired {
		attrs, _ := resource.Check(kindNamed(t, "ec2"), resource.AttrsOf(values{"size": text("t3.micro")}))
		return resource.Desired{Ref: ref("ec2", name), Attrs: attrs, State: resource.StateRunning}
	}
}

func kindNamed(t testing.TB, name string) resource.Kind {
	t.Helper()
	for _, k := range aws.Kinds() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no kind %s", name)
	return resource.Kind{}
}

func TestA22ManyThatWaitAreReadTogether(t *testing.T) {
	t.Parallel()
	cloud, err := sandbox.Open("", sandbox.WithSettle(500*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer cloud.Close()
	const n = 200
	calls := launch(t, cloud, micro(t), n, n)
	if polls := calls["ec2.DescribeInstances"] + calls["ec2.DescribeVolumes"]; calls["ec2.RunInstances"] != n || polls > n/2 { // fewer on an idle machine
		t.Errorf("%d instances took %d polls, each for itself at least %d", n, polls, 2*n)
	}
}

var regional = resource.Scope{Provider: "aws", Location: location}

// BenchmarkCalls reports the calls, seconds and memory of applies and plans on the sandbox.
func BenchmarkCalls(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("apply/%d", n), func(b *testing.B) {
			for b.Loop() {
				cloud := opened(b)
				calls := launch(b, cloud, micro(b), n, 100)
				b.ReportMetric(float64(total(calls)), "calls")
				b.ReportMetric(float64(calls["ec2.DescribeInstances"]+calls["ec2.DescribeVolumes"]), "polls")
			}
		})
	}
	for _, c := range []struct{ own, foreign int }{{10, 0}, {1000, 0}, {10, 50000}} {
		b.Run(fmt.Sprintf("plan/%d of %d", c.own, c.own+c.foreign), func(b *testing.B) {
			cloud := opened(b)
			byHandIn(b, cloud, wideSubnet(b, cloud), c.foreign)
			launch(b, cloud, micro(b), c.own, 100)
			p := aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: cloud}})
			own, err := p.Observe(b.Context(), provider.ObserveRequest{Scope: regional, Kinds: []string{"ec2"}})
			if err != nil {
				b.Fatal(err)
			}
			f := &provider.Filter{IDs: map[string][]string{}}
			for _, o := range own.Resources {
				if !o.Marks.IsZero() {
					f.IDs["ec2"] = append(f.IDs["ec2"], o.ID)
				}
			}
			for b.Loop() {
				before := total(cloud.Counts())
				var start, end runtime.MemStats
				runtime.ReadMemStats(&start)
				if _, err := p.Observe(b.Context(), provider.ObserveRequest{Scope: regional, Kinds: []string{"ec2"}, Filter: f}); err != nil {
					b.Fatal(err)
				}
				runtime.ReadMemStats(&end)
				b.ReportMetric(float64(total(cloud.Counts())-before), "calls")
				b.ReportMetric(float64(end.TotalAlloc-start.TotalAlloc)/1e6, "MB-allocated")
			}
		})
	}
}

func opened(b *testing.B) *sandbox.Cloud {
	b.Helper()
	cloud, err := sandbox.Open("", sandbox.WithSettle(time.Second))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cloud.Close() })
	return cloud
}

// wideSubnet has room for 65,531 instances.
func wideSubnet(b *testing.B, cloud *sandbox.Cloud) *string {
	b.Helper()
	client := ec2.NewFromConfig(hand(cloud))
	vpc, err := client.CreateVpc(b.Context(), &ec2.CreateVpcInput{CidrBlock: sdk.String("10.0.0.0/16")})
	if err != nil {
		b.Fatal(err)
	}
	subnet, err := client.CreateSubnet(b.Context(), &ec2.CreateSubnetInput{
		VpcId: vpc.Vpc.VpcId, CidrBlock: sdk.String("10.0.0.0/16"), AvailabilityZone: sdk.String("us-east-1a"),
	})
	if err != nil {
		b.Fatal(err)
	}
	return subnet.Subnet.SubnetId
}

func total(calls map[string]int) (n int) {
	for _, c := range calls {
		n += c
	}
	return n
}
