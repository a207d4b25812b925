package aws_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestRowsBehindAProxy plays what was found with a proxy in front of moto (marked M in the findings), there and in
// front of the sandbox, so that no error about AWS which provider and sandbox share hides it. What needs no fault is
// played by TestScriptsOnMoto (A2, A5, A10a, A14) and TestScenarioOnMoto (A10c). 50,000 instances (A22) are too many for moto.
func TestRowsBehindAProxy(t *testing.T) {
	onBothClouds(t, map[string]func(*proxied){
		"A1 a replacement that cannot be created is refused before it begins": rowA1,
		"A3 an account that encrypts everything":                              rowA3,
		"A7 a denied bucket costs itself only":                                rowA7,
		"A9 a mounted volume is named soon":                                   rowA9,
		"A10d a group without room for both sets of rules":                    rowA10d,
		"A11d a full database is grown":                                       rowA11d,
		"A11e a failed database is deleted":                                   rowA11e,
		"A15 the owner is named":                                              rowA15,
		"A16 two stacks with the same names":                                  rowA16,
	})
}

func rowA1(x *proxied) {
	x.fault(proxyFault{call: "DescribeImages", code: "InvalidAMIID.NotFound"})
	if err := x.p.Check(x.t.Context(), x.request(x.desired("ec2", "a1", values{"size": text("t3.micro"), "image": text("ami-0123456789abcdef0")}))); err == nil || !strings.Contains(err.Error(), "InvalidAMIID.NotFound") {
		x.t.Errorf("the image is found: %v", err)
	}
	taken := x.fault(proxyFault{call: "HEAD /acme-a1", code: "Forbidden"})
	if err := x.p.Check(x.t.Context(), x.request(x.desired("s3", "acme-a1", values{}))); err == nil || taken.hits == 0 {
		x.t.Errorf("a name that others have is free: %v", err)
	}
}

func rowA3(x *proxied) {
	x.fault(proxyFault{call: "DescribeVolumes", says: [2]string{"<encrypted>false</encrypted>", "<encrypted>true</encrypted>"}})
	d := x.desired("ebs", "a3", values{"size": resource.Int(8), "zone": text("us-east-1a"), "encrypted": resource.Bool(false)})
	o := x.find("ebs", x.make(d).ID)
	if left := changes(x.t, d, o, nil); len(left) > 0 || strings.Join(kept(x.t, d, o), ",") != "encrypted" {
		x.t.Errorf("the next plan has %+v and notes %v", left, kept(x.t, d, o))
	}
}

func rowA7(x *proxied) {
	for _, name := range []string{"acme-a7-closed", "acme-a7-open"} {
		x.make(x.desired("s3", name, values{}))
	}
	x.fault(proxyFault{call: "GET /acme-a7-closed?tagging", code: "AccessDenied"})
	if o := x.find("s3", "acme-a7-open"); o.Condition == resource.Unreadable || o.Marks.IsZero() {
		x.t.Errorf("the other bucket: %+v", o)
	}
	if o := x.find("s3", "acme-a7-closed"); !strings.Contains(o.Message, "AccessDenied") {
		x.t.Errorf("the denied bucket: %+v", o)
	}
}

func rowA9(x *proxied) {
	web := x.make(x.desired("ec2", "a9", values{"size": text("t3.micro")}))
	d := x.desired("ebs", "a9", values{"size": resource.Int(8), "attach_to": text(web.ID)})
	data := x.make(d)
	x.fault(proxyFault{call: "DetachVolume", answer: "<DetachVolumeResponse><volumeId>" + data.ID + "</volumeId><status>busy</status></DetachVolumeResponse>"})
	x.fault(proxyFault{call: "DescribeVolumes", says: [2]string{"<status>attached</status>", "<status>busy</status>"}})
	if err := x.remove(d, data); !isCause(err, provider.InUse) || !strings.Contains(err.Error(), "is mounted on "+web.ID) || !strings.Contains(err.Error(), "unmount") {
		x.t.Errorf("%v", err)
	}
}

func rowA10d(x *proxied) {
	rules := func(from int) (out resource.List) {
		for i := range 60 {
			out = append(out, rule("port", from+i, "cidr", "10.0.0.0/8"))
		}
		return out
	}
	have := x.make(x.desired("security_group", "a10d", values{"ingress": rules(1000)}))
	next := x.desired("security_group", "a10d", values{"ingress": rules(2000)})
	if err := x.change(next, have); err != nil {
		x.t.Fatal(err)
	}
	if left := changes(x.t, next, x.find("security_group", have.ID), nil); len(left) > 0 {
		x.t.Errorf("the next plan has %+v", left)
	}
}

func rowA11d(x *proxied) {
	x.make(x.desired("rds", "a11d", values{"size": text("db.t3.micro")}))
	have := x.failing("a11d", "storage-full", "ModifyDBInstance")
	if err := x.change(x.desired("rds", "a11d", values{"size": text("db.t3.small")}), have); !isCause(err, provider.Configuration) || !strings.Contains(err.Error(), "storage-full") {
		x.t.Errorf("another change: %v", err)
	}
	d := x.desired("rds", "a11d", values{"size": text("db.t3.micro"), "storage": resource.Int(40)})
	if err := x.change(d, have); err != nil {
		x.t.Fatal(err)
	}
	if o := x.find("rds", "a11d"); o.Health != resource.Healthy || len(changes(x.t, d, o, nil)) > 0 {
		x.t.Errorf("it is %s, and the next plan has %+v", o.Health, changes(x.t, d, o, nil))
	}
}

func rowA11e(x *proxied) {
	d := x.desired("rds", "a11e", values{"size": text("db.t3.micro"), "final_snapshot": resource.Bool(false)})
	x.make(d)
	if err := x.remove(d, x.failing("a11e", "failed", "DeleteDBInstance")); err != nil {
		x.t.Error(err)
	}
}

func rowA15(x *proxied) {
	d := x.desired("ec2", "a15", values{"size": text("t3.micro")})
	d.Tags = resource.TagsOf(map[string]string{"stand-in": "web"}) // AWS refuses its own prefix
	id := x.make(d).ID
	x.fault(proxyFault{call: "DescribeInstances", says: [2]string{"<key>stand-in</key>", "<key>aws:cloudformation:stack-name</key>"}})
	if o := x.find("ec2", id); o.OwnedBy != "CloudFormation stack web" {
		x.t.Errorf("it is managed by %q", o.OwnedBy)
	}
}

func rowA16(x *proxied) {
	one := x.desired("ebs", "a16", values{"size": resource.Int(8), "zone": text("us-east-1a")})
	two := one
	two.Ref.Stack = "other"
	first, second := x.make(one), x.make(two)
	for _, o := range []resource.Observed{first, second} {
		now := x.find("ebs", o.ID)
		if now.Marks.Ref.Name != "a16" || now.Marks.Ref.Stack != o.Marks.Ref.Stack || first.Marks.Ref.Stack == second.Marks.Ref.Stack {
			x.t.Errorf("%s is %s", o.ID, now.Marks.Ref)
		}
	}
}

// failing gives a database a status until a call, once it no longer has one that passes.
func (x *proxied) failing(id, status, until string) (have resource.Observed) {
	x.t.Helper()
	f := x.fault(proxyFault{
		call: "DescribeDBInstances", says: [2]string{"<DBInstanceStatus>available<", "<DBInstanceStatus>" + status + "<"}, until: until,
	})
	for range 400 {
		if have = x.find("rds", id); f.hits > 0 {
			return have
		}
		sleepBriefly()
	}
	x.t.Fatal("the database does not become available")
	return have
}
