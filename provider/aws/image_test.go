package aws_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func TestTheImageFollowsTheSize(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	x := w.make(desired(t, "ec2", "x", values{"size": text("t3.micro")}))
	a := w.make(desired(t, "ec2", "a", values{"size": text("t4g.micro")}))
	w.make(desired(t, "ec2", "b", values{"size": text("t4g.small"), "image": text("al2023")}))
	if attr(x, "image") == attr(a, "image") || attr(x, "image") == nil {
		t.Errorf("images %v and %v", attr(x, "image"), attr(a, "image"))
	}
	if n := w.count("ssm.GetParameter"); n != 2 {
		t.Errorf("%d look-ups for two architectures", n)
	}
	if n := w.count("ec2.DescribeImages"); n != 2 {
		t.Errorf("%d questions about two images", n)
	}
}

func TestTheCurrentImageIsNotCompared(t *testing.T) {
	d := desired(t, "ec2", "x", values{"size": text("t3.micro"), "image": text("al2023")})
	if _, ok := d.Attrs.Get("image"); ok {
		t.Error("the configuration holds an image that no instance has")
	}
}

func TestNoCurrentImage(t *testing.T) {
	for fault, cause := range map[sandbox.Fault]provider.Cause{
		{Kind: sandbox.Refused, Service: "ssm", Code: "ParameterNotFound", Status: 400}: provider.Configuration,
		{Kind: sandbox.Denied, Service: "ssm"}:                                          provider.Denied,
	} {
		w := newLiveState(t)
		w.fault(fault)
		_, err := w.p.Create(t.Context(), w.request(desired(t, "ec2", "x", values{"size": text("t3.micro")})))
		if !isCause(err, cause) || !strings.Contains(err.Error(), "image: ami-") || w.count("ec2.RunInstances") > 0 {
			t.Errorf("%v", err)
		}
	}
}

func TestAnImageThatDoesNotExist(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	_, err := w.p.Create(t.Context(), w.request(desired(t, "ec2", "x", values{"size": text("t3.micro"), "image": text("ami-00000000000000000")})))
	if err == nil || w.count("ec2.RunInstances") > 0 || !strings.Contains(err.Error(), "ami-00000000000000000") {
		t.Errorf("%v", err)
	}
}

func TestInvalidConfigurations(t *testing.T) {
	for _, c := range []struct {
		kind, path string
		attrs      values
	}{
		{"vpc", "cidr", values{"cidr": text("10.0.0.1/16")}},
		{"vpc", "cidr", values{"cidr": text("10.0.0.0/99")}},
		{"ec2", "zone", values{"size": text("t3.micro"), "subnet": text("subnet-1"), "zone": text("us-east-1a")}},
		{"ebs", "size", values{"zone": text("us-east-1a")}},
		{"ebs", "zone", values{"size": resource.Int(10)}},
		{"ebs", "device", values{"size": resource.Int(10), "zone": text("us-east-1a"), "device": text("/dev/sdg")}},
		{"ebs", "volume_type", values{"size": resource.Int(10), "zone": text("us-east-1a"), "volume_type": text("io2")}},
		{"rds", "storage", values{"size": text("db.t3.micro"), "storage": resource.Int(10)}},
		{"rds", "username", values{"size": text("db.t3.micro"), "username": text("admin")}},
		{"rds", "username", values{"size": text("db.t3.micro"), "engine": text("mysql"), "username": text("rdsadmin")}},
	} {
		_, problems := resource.Check(kindOf(t, c.kind), resource.AttrsOf(c.attrs))
		if len(problems) != 1 || problems[0].Path != c.path {
			t.Errorf("%s %v: %+v", c.kind, c.attrs, problems)
		}
	}
	if _, problems := resource.Check(kindOf(t, "rds"), resource.AttrsOf(values{"size": text("db.t3.micro"), "engine": text("mysql"), "username": text("admin")})); len(problems) > 0 {
		t.Errorf("admin is fine for mysql: %+v", problems)
	}
}
