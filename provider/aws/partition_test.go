package aws_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/resource"
)

// Names of AWS have the partition of the region that they are for.
func TestPoliciesHaveThePartitionOfTheirRegions(t *testing.T) {
	t.Parallel()
	policy := func(regions ...string) string {
		var all []resource.Desired
		for _, r := range regions {
			all = append(all, in("123456789012/"+r, desired(t, "s3", "web", values{})), in("123456789012/"+r, desired(t, "ec2", "web", values{"size": text("t3.micro")})))
		}
		return string(bytes.Join(aws.IAMPolicyFor([]resource.Intent{{Stack: "web", Resources: all}}), nil))
	}
	for regions, want := range map[string]string{
		"us-east-1": "arn:aws:s3:::web", "cn-north-1": "arn:aws-cn:s3:::web", "us-gov-west-1": "arn:aws-us-gov:s3:::web", "us-iso-east-1": "arn:aws-iso:s3:::web",
		"us-isob-east-1": "arn:aws-iso-b:s3:::web", "us-east-1 cn-north-1": "arn:*:s3:::web",
	} {
		got := policy(strings.Fields(regions)...)
		if china := strings.Contains(regions, "cn-"); !strings.Contains(got, want) || strings.Contains(got, "ec2.amazonaws.com.cn") != china {
			t.Errorf("%s: no %s in %s", regions, want, got)
		}
	}
}

func TestEndpointsOfServicesInChina(t *testing.T) {
	t.Parallel()
	k := kindOf(t, "vpc_endpoint")
	for service, want := range map[string]string{
		"cn.com.amazonaws.cn-north-1.ec2": "", "com.amazonaws.cn-north-1.s3": "",
		"cn.com.amazonaws.cn-northwest-1.ec2": "use cn.com.amazonaws.cn-north-1.ec2", "com.amazonaws.us-east-1.s3": "use com.amazonaws.cn-north-1.s3",
	} {
		d := desired(t, "vpc_endpoint", "s3", values{"service": text(service), "vpc": text("vpc-0abc1234")})
		d.Ref.Location = "123456789012/cn-north-1"
		var got []string
		for _, p := range k.CrossCheck([]*resource.Desired{&d}, func(resource.Ref) *resource.Desired { return nil }) {
			got = append(got, p.Suggestion)
		}
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%s: %q", service, got)
		}
	}
}
