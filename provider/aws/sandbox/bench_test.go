package sandbox_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// BenchmarkCreate makes instances one by one in a file that holds n already.
func BenchmarkCreate(b *testing.B) {
	for _, n := range []int{0, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := filled(b, n)
			cl := ec2Of(c)
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				if _, err := cl.RunInstances(ctx, runInput(fmt.Sprintf("t-%d", i))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func filled(b *testing.B, n int) *sandbox.Cloud {
	b.Helper()
	path := filepath.Join(b.TempDir(), "cloud")
	c, err := sandbox.Open(path, sandbox.WithSettle(0))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	for left := n; left > 0; left -= 1000 {
		size := int32(min(left, 1000))
		_, err := ec2Of(c).RunInstances(ctx, runInput("", func(in *ec2.RunInstancesInput) {
			in.MinCount, in.MaxCount = &size, &size
			in.TagSpecifications = []types.TagSpecification{tagSpec("instance", "ovi:managed=true", "ovi:stack=bench", "ovi:ref=aws/us-east-1/ec2/web", "team=platform")}
		}))
		if err != nil {
			b.Fatal(err)
		}
	}
	return c
}

// BenchmarkDescribe lists every instance in pages of a thousand.
func BenchmarkDescribe(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			cl := ec2Of(filled(b, n))
			for b.Loop() {
				rows := 0
				pages := ec2.NewDescribeInstancesPaginator(cl, &ec2.DescribeInstancesInput{MaxResults: aws.Int32(1000)})
				for pages.HasMorePages() {
					out, err := pages.NextPage(ctx)
					if err != nil {
						b.Fatal(err)
					}
					for _, r := range out.Reservations {
						rows += len(r.Instances)
					}
				}
				if rows != n {
					b.Fatalf("%d rows", rows)
				}
			}
		})
	}
}

// BenchmarkOpen reads the file of an account with n instances.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			filled(b, n).Close()
			path := filepath.Join(b.TempDir(), "..", "001", "cloud")
			for b.Loop() {
				c, err := sandbox.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if resources, err := c.Resources(); err != nil || len(resources) < n {
					b.Fatalf("%d things (%v)", len(resources), err)
				}
				c.Close()
			}
		})
	}
}
