package aws_test

import (
	"net/http"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// hand is another client of the same account.
func hand(cloud *sandbox.Cloud) sdk.Config {
	return sdk.Config{
		Region: "us-east-1", HTTPClient: &http.Client{Transport: cloud},
		Credentials: credentials.NewStaticCredentialsProvider("HAND", "not-a-secret", ""),
	}
}

func (w *liveState) ec2() *ec2.Client { return ec2.NewFromConfig(hand(w.cloud)) }
func (w *liveState) rds() *rds.Client { return rds.NewFromConfig(hand(w.cloud)) }
func (w *liveState) s3() *s3.Client {
	return s3.NewFromConfig(hand(w.cloud), func(o *s3.Options) { o.UsePathStyle = true })
}

func (w *liveState) fault(f ...sandbox.Fault) {
	w.t.Helper()
	if err := w.cloud.Fault(f...); err != nil {
		w.t.Fatal(err)
	}
}

// run starts instances outside ovi.
// A single one runs when it returns.
func (w *liveState) run(n int, tags ...ec2types.Tag) []string {
	w.t.Helper()
	ids := byHandIn(w.t, w.cloud, nil, n, tags...)
	for n == 1 {
		o, _ := w.find(ref("ec2", ids[0]))
		if o.Health != resource.Pending {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return ids
}

// byHandIn starts instances in calls of a thousand, in a subnet or where AWS chooses.
func byHandIn(t testing.TB, cloud *sandbox.Cloud, subnet *string, n int, tags ...ec2types.Tag) []string {
	t.Helper()
	client := ec2.NewFromConfig(hand(cloud))
	var ids []string
	for n > 0 {
		batch := min(n, 1000)
		n -= batch
		in := &ec2.RunInstancesInput{
			ImageId: sdk.String("ami-0a1b2c3d4e5f60718"), InstanceType: "t3.micro", SubnetId: subnet,
			MinCount: sdk.Int32(int32(batch)), MaxCount: sdk.Int32(int32(batch)),
		}
		if len(tags) > 0 {
			in.TagSpecifications = []ec2types.TagSpecification{{ResourceType: "instance", Tags: tags}}
		}
		out, err := client.RunInstances(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range out.Instances {
			ids = append(ids, *i.InstanceId)
		}
	}
	return ids
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
