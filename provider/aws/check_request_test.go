package aws_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// refused holds Check to its promise: it returns why a request would fail, and changes nothing.
func (w *liveState) refused(r provider.Request, want string) {
	w.t.Helper()
	before := len(w.cloud.Requests())
	state := w.observed().Resources
	err := w.p.Check(w.t.Context(), r)
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		w.t.Errorf("%s: %v, want %q", r.Desired.Ref, err, want)
	}
	after := w.observed().Resources
	if len(state) != len(after) {
		w.t.Errorf("%s: %d resources became %d", r.Desired.Ref, len(state), len(after))
	}
	for i := range min(len(state), len(after)) {
		if !state[i].Equal(after[i]) {
			w.t.Errorf("%s changed from %+v to %+v", state[i].Ref, state[i], after[i])
		}
	}
	for _, c := range w.cloud.Requests()[before:] {
		if c.Change && c.Code == "" {
			w.t.Errorf("%s: %s.%s was carried out", r.Desired.Ref, c.Service, c.Action)
		}
	}
}

func TestCheckPassesWhatCanBeCreated(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			r := w.request(c.desired(t, w))
			w.refused(r, "")
			w.make(r.Desired) // and it can be
		})
	}
}

func TestCheckFindsWhatAWSWouldRefuse(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	vpc, _ := w.network()
	w.make(desired(t, "security_group", "web", values{"vpc": text(vpc.ID)}))
	w.make(desired(t, "rds", "taken", values{"size": text("db.t3.micro")}))
	w.makeBucketByHand("acme-taken")
	for _, c := range []struct {
		kind, name string
		attrs      values
		want       string
	}{
		{"ec2", "no-image", values{"size": text("t3.micro"), "image": text("ami-00000000000000000")}, "ami-00000000000000000"},
		{"ec2", "wrong-machine", values{"size": text("t4g.micro"), "image": text("ami-0a1b2c3d4e5f60718")}, "arm64"},
		{"ec2", "no-subnet", values{"size": text("t3.micro"), "subnet": text("subnet-0123456789abcdef0")}, "subnet-0123456789abcdef0"},
		{"ec2", "no-group", values{"size": text("t3.micro"), "security_groups": resource.List{text("sg-0123456789abcdef0")}}, "sg-0123456789abcdef0"},
		{"ec2", "no-key", values{"size": text("t3.micro"), "key_name": text("lost")}, "lost"},
		{"ebs", "no-instance", values{"size": resource.Int(8), "attach_to": text("i-0123456789abcdef0")}, "i-0123456789abcdef0"},
		{"subnet", "over", values{"vpc": text(vpc.ID), "cidr": text("10.0.1.0/25")}, "InvalidSubnet.Conflict"},
		{"subnet", "no-vpc", values{"vpc": text("vpc-0123456789abcdef0"), "cidr": text("10.0.1.0/25")}, "vpc-0123456789abcdef0"},
		{"security_group", "web", values{"vpc": text(vpc.ID)}, "InvalidGroup.Duplicate"},
		{"rds", "taken", values{"size": text("db.t3.micro")}, "exists and carries the tags of"},
		{"rds", "no-group", values{"size": text("db.t3.micro"), "subnet_group": text("lost")}, `"lost" does not exist`},
		{"rds", "no-version", values{"size": text("db.t3.micro"), "engine_version": text("4")}, "has no version 4"},
		{"rds", "no-firewall", values{"size": text("db.t3.micro"), "security_groups": resource.List{text("sg-0123456789abcdef0")}}, "sg-0123456789abcdef0"},
		{"s3", "acme-taken", values{}, "exists and is unmanaged"},
	} {
		w.refused(w.request(desired(t, c.kind, c.name, c.attrs)), c.want)
	}
}

func TestCheckOfAReplacementIgnoresWhatItReplaces(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	vpc, subnet := w.network()
	group := w.make(desired(t, "security_group", "web", values{"vpc": text(vpc.ID)}))
	db := w.make(desired(t, "rds", "db", values{"size": text("db.t3.micro")}))
	for _, c := range []struct {
		have resource.Observed
		next resource.Desired
		path string
	}{
		{subnet, desired(t, "subnet", "app", values{"vpc": text(vpc.ID), "cidr": text("10.0.1.0/25")}), "cidr"},
		{group, desired(t, "security_group", "web", values{"vpc": text(vpc.ID), "description": text("another")}), "description"},
		{db, desired(t, "rds", "db", values{"size": text("db.t3.micro"), "engine": text("mysql")}), "engine"},
	} {
		r := w.request(c.next)
		r.Have, r.Changes = c.have, []resource.Change{{Path: c.path, Effect: resource.Replace}}
		w.refused(r, "")
	}
}

func TestCheckLeavesOpenWhatDoesNotExistYet(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	of := func(kind, name string) resource.Value { return resource.Reference{Ref: ref(kind, name)} }
	for _, d := range []resource.Desired{
		desired(t, "subnet", "app", values{"vpc": of("vpc", "main"), "cidr": text("10.0.1.0/24")}),
		desired(t, "ec2", "web", values{"size": text("t3.micro"), "subnet": of("subnet", "app"), "security_groups": resource.List{of("security_group", "web")}}),
		desired(t, "ebs", "data", values{"size": resource.Int(8), "attach_to": of("ec2", "web")}),
	} {
		w.refused(w.request(d), "")
	}
	bad := desired(t, "ec2", "web", values{"size": text("t3.micro"), "image": text("ami-00000000000000000"), "subnet": of("subnet", "app")})
	w.refused(w.request(bad), "ami-00000000000000000")
}

func TestCheckOfADeniedDryRunIsDenied(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.fault(sandbox.Fault{Kind: sandbox.Denied, Service: "ec2", Action: "RunInstances"})
	err := w.p.Check(t.Context(), w.request(desired(t, "ec2", "web", values{"size": text("t3.micro")})))
	if !isCause(err, provider.Denied) {
		t.Errorf("%v", err)
	}
}

func TestStrategies(t *testing.T) {
	t.Parallel()
	observed := func(kind, id string, a values) resource.Observed {
		return resource.Observed{Ref: ref(kind, "x"), ID: id, Attrs: resource.AttrsOf(a)}
	}
	other := resource.Reference{Ref: ref("vpc", "other")}
	for _, c := range []struct {
		name string
		next resource.Desired
		have resource.Observed
		want resource.Strategy
	}{
		{"vpc", desired(t, "vpc", "x", values{"cidr": text("10.1.0.0/16")}), observed("vpc", "vpc-1", values{"cidr": text("10.0.0.0/16")}), resource.CreateFirst},
		{
			"subnet elsewhere in its VPC", desired(t, "subnet", "x", values{"vpc": text("vpc-1"), "cidr": text("10.0.2.0/24")}),
			observed("subnet", "subnet-1", values{"vpc": text("vpc-1"), "cidr": text("10.0.1.0/24")}), resource.CreateFirst,
		},
		{
			"subnet over itself", desired(t, "subnet", "x", values{"vpc": text("vpc-1"), "cidr": text("10.0.1.0/25")}),
			observed("subnet", "subnet-1", values{"vpc": text("vpc-1"), "cidr": text("10.0.1.0/24")}), resource.DestroyFirst,
		},
		{
			"subnet in another zone", desired(t, "subnet", "x", values{"vpc": text("vpc-1"), "cidr": text("10.0.1.0/24"), "zone": text("us-east-1b")}),
			observed("subnet", "subnet-1", values{"vpc": text("vpc-1"), "cidr": text("10.0.1.0/24"), "zone": text("us-east-1a")}), resource.DestroyFirst,
		},
		{
			"subnet that follows its VPC", desired(t, "subnet", "x", values{"vpc": other, "cidr": text("10.0.1.0/24")}),
			observed("subnet", "subnet-1", values{"vpc": text("vpc-1"), "cidr": text("10.0.1.0/24"), "zone": text("us-east-1a")}), resource.CreateFirst,
		},
		{
			"group with another description", desired(t, "security_group", "x", values{"description": text("b")}),
			observed("security_group", "sg-1", values{"vpc": text("vpc-1"), "description": text("a")}), resource.CreateFirst,
		},
		{
			"group in another VPC", desired(t, "security_group", "x", values{"vpc": other}),
			observed("security_group", "sg-1", values{"vpc": text("vpc-1"), "description": text("a")}), resource.CreateFirst,
		},
		{"instance", desired(t, "ec2", "x", values{"size": text("t3.micro")}), observed("ec2", "i-1", nil), resource.CreateFirst},
		{
			"instance with a volume", desired(t, "ec2", "x", values{"size": text("t3.micro")}),
			observed("ec2", "i-1", values{"volumes": resource.List{text("vol-1")}}), resource.DestroyFirst,
		},
		{"volume", desired(t, "ebs", "x", values{"size": resource.Int(8), "zone": text("us-east-1a")}), observed("ebs", "vol-1", nil), resource.CreateFirst},
		{
			"attached volume", desired(t, "ebs", "x", values{"size": resource.Int(8), "zone": text("us-east-1a")}),
			observed("ebs", "vol-1", values{"attach_to": text("i-1")}), resource.DestroyFirst,
		},
		{"database", desired(t, "rds", "x", values{"size": text("db.t3.micro")}), observed("rds", "x", nil), resource.DestroyFirst},
		{"bucket with another name", desired(t, "s3", "xxx", values{"bucket": text("acme-2")}), observed("s3", "acme-1", nil), resource.CreateFirst},
	} {
		if got := kindOf(t, c.next.Ref.Kind).Strategies(c.next, c.have)[0]; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAnInstanceReportsItsVolumes(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	i := w.make(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
	v := w.make(desired(t, "ebs", "data", values{"size": resource.Int(8), "attach_to": text(i.ID)}))
	seen, _ := w.find(ref("ec2", "web"))
	if list, _ := attr(seen, "volumes").(resource.List); len(list) != 1 || list[0] != text(v.ID) {
		t.Errorf("volumes %v, want %s", list, v.ID)
	}
}

func TestWhatIsLostIsNamed(t *testing.T) {
	for kind, want := range map[string]string{"rds": "database, 40 GiB. A final snapshot is taken.", "ebs": "volume, 40 GiB", "s3": "bucket", "vpc": "", "ec2": ""} {
		k, got := kindOf(t, kind), ""
		if k.DataLoss != nil {
			got = k.DataLoss(resource.Observed{Attrs: resource.AttrsOf(values{"storage": resource.Int(40), "size": resource.Int(40)})}, nil)
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	without := kindOf(t, "rds").DataLoss(resource.Observed{}, resource.AttrsOf(values{"final_snapshot": resource.Bool(false)}))
	if without != "database. No final snapshot is taken." {
		t.Errorf("without a final snapshot: %q", without)
	}
}
