package resource_test

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestResourcesAreCalledByTheirLastSegments(t *testing.T) {
	t.Parallel()
	r := resource.Ref{Stack: "shop", Provider: "aws", Location: "123/us-east-1", Kind: "ec2", Name: "web-0"}
	for spelling, want := range map[string]bool{
		"web-0": true, "ec2/web-0": true, "us-east-1/ec2/web-0": true, "123/us-east-1/ec2/web-0": true, "aws/123/us-east-1/ec2/web-0": true,
		"aws/ec2/web-0": true, "aws/us-east-1/ec2/web-0": true, "shop:web-0": true, "shop:ec2/web-0": true, "shop:aws/us-east-1/ec2/web-0": true,
		"shop:aws/123/us-east-1/ec2/web-0": true,
		"":                                 false, "0": false, "eb-0": false, "-0": false, "c2/web-0": false, "1/ec2/web-0": false, "rds/web-0": false, "aws/web-0": false,
		"web:ec2/web-0": false, "op:ec2/web-0": false, ":ec2/web-0": false, "gcp/ec2/web-0": false,
	} {
		if got := r.Fits(spelling); got != want {
			t.Errorf("%q fits %s: %v", spelling, r, got)
		}
	}
	named := resource.Ref{Provider: "aws", Location: "here", Kind: "rds", Name: "arn:aws:rds"}
	if !named.Fits("arn:aws:rds") || !named.Fits("rds/arn:aws:rds") {
		t.Error("a name with a colon does not fit itself")
	}
}

func TestShortNamesAreAsLongAsNeeded(t *testing.T) {
	t.Parallel()
	parse := func(s string) resource.Ref {
		r, err := resource.ParseRef(s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := map[string]string{
		"web:aws/1/us/ec2/only": "ec2/only",
		"web:aws/1/us/ec2/a":    "web:ec2/a", "shop:aws/1/us/ec2/a": "shop:ec2/a",
		"aws/1/us/ec2/a":       "aws/1/us/ec2/a", // of no stack
		"web:aws/1/us/vpc/net": "aws/1/us/vpc/net", "web:aws/1/eu/vpc/net": "web:aws/1/eu/vpc/net", "shop:aws/1/eu/vpc/net": "shop:vpc/net",
	}
	var all []resource.Ref
	for s := range want {
		all = append(all, parse(s), parse(s))
	}
	short := resource.Shorten(all, nil)
	for s, w := range want {
		if got := short(parse(s)); got != w || !parse(s).Fits(got) {
			t.Errorf("%s is shortened to %s, want %s", s, got, w)
		}
	}
}
