package aws_test

import (
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/internal/awsfake"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// lists are the calls that a look at a region consists of.
var lists = []string{
	"ec2.DescribeVpcs", "ec2.DescribeSubnets", "ec2.DescribeSecurityGroups", "ec2.DescribeInstances", "ec2.DescribeVolumes",
	"rds.DescribeDBInstances", "s3.ListBuckets", "s3.GetBucketTagging", "s3.GetBucketVersioning", "s3.GetPublicAccessBlock", "s3.GetBucketEncryption",
}

func TestLaw1_SilenceIsNotAbsence_ADeniedOrFailedListFailsTheLook(t *testing.T) {
	for _, list := range lists {
		for kind, class := range map[awsfake.FaultKind]string{awsfake.Denied: "denied", awsfake.Unavailable: "transient", awsfake.Throttle: "throttled"} {
			t.Run(list+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				w := newLiveState(t)
				w.make(desired(t, "s3", "acme-assets", values{}))
				service, action, _ := strings.Cut(list, ".")
				w.fault(awsfake.Fault{Kind: kind, Service: service, Action: sandboxName(action)})
				p := provideOn(w.cloud, 2)
				s, err := p.Observe(t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: location}})
				if !isClass(err, class) {
					t.Fatalf("%v is not %s", err, class)
				}
				if !strings.Contains(err.Error(), list) {
					t.Errorf("%v does not name the call", err)
				}
				if len(s.Resources) > 0 {
					t.Error("a part was given")
				}
			})
		}
	}
}

func TestLookAtThousandsTakesPages(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.run(2500)
	before := len(w.cloud.Requests())
	s := w.look()
	calls := len(w.cloud.Requests()) - before
	n := 0
	for _, o := range s.Resources {
		if o.Ref.Kind == "ec2" {
			n++
		}
	}
	if n != 2500 {
		t.Errorf("saw %d instances of 2500", n)
	}
	if calls > 2500/50 || calls > 20 {
		t.Errorf("%d calls", calls)
	}
	t.Logf("2500 instances in %d calls", calls)
	if !slices.IsSortedFunc(s.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) }) {
		t.Error("not sorted by ref")
	}

	w.fault(awsfake.Fault{Kind: awsfake.BadPage, Service: "ec2", Action: "DescribeInstances", Page: 3})
	if s, err := w.p.Observe(t.Context(), provider.ObserveRequest{Scope: s.Scope}); err == nil || !strings.Contains(err.Error(), "page 3") {
		t.Errorf("the third page failed, and the look gave %d things and %v", len(s.Resources), err)
	}
}

func TestAnInstanceThatEndedIsAbsent(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "ec2", "web", values{"size": text("t3.micro")})
	o := w.make(d)
	must[*ec2.TerminateInstancesOutput](t)(w.ec2().TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{o.ID}}))
	for _, seen := range w.look().Resources {
		if seen.Ref.Kind == "ec2" || seen.Ref.Kind == "ebs" {
			t.Errorf("still seen: %+v", seen)
		}
	}
}

func TestUnmanagedThingsAreSeenAndTheDefaultsAreQuiet(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	id := w.run(1, ec2types.Tag{Key: sdk.String("owner"), Value: sdk.String("bob")})[0]
	o, ok := w.find(ref("ec2", id))
	if !ok || !o.Marks.IsZero() || o.Since.IsZero() {
		t.Fatalf("%v %+v", ok, o)
	}
	if v, _ := o.Tags.Get("owner"); v != "bob" {
		t.Errorf("tags %v", o.Tags)
	}
	for _, o := range w.look().Resources {
		if (o.Ref.Kind == "vpc" || o.Ref.Kind == "subnet" || o.Ref.Kind == "security_group") && o.Message != "default" {
			t.Errorf("%s is not told as default: %+v", o.Ref, o)
		}
	}
}

func TestTagsThatNameNothingHereMakeNothingOurs(t *testing.T) {
	for name, r := range map[string]string{
		"no ref": "", "not a ref": "web", "another region": "aws/eu-west-1/ec2/web", "another kind": "aws/us-east-1/rds/web", "another provider": "podman/us-east-1/ec2/web",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			id := w.run(1, tag("ovi:managed", "true"), tag("ovi:ref", r), tag("ovi:stack", "shop"))[0]
			o, ok := w.find(ref("ec2", id))
			if !ok || !o.Marks.IsZero() || o.Stack != "" || !strings.Contains(o.Message, "ovi:ref") {
				t.Errorf("%v %+v", ok, o)
			}
		})
	}
}

func tag(k, v string) ec2types.Tag { return ec2types.Tag{Key: sdk.String(k), Value: sdk.String(v)} }

func TestACopyWithAllOurTagsIsNotOurs(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "ec2", "web", values{"size": text("t3.micro")})
	o := w.make(d)
	ours := []ec2types.Tag{tag("ovi:managed", "true"), tag("ovi:ref", "aws/us-east-1/ec2/web"), tag("ovi:stack", "shop"), tag("ovi:owner", "ovi")}
	id := w.run(1, append(ours, tag("ovi:key", o.Marks.Key))...)[0]
	if seen := w.settled(d, nil); seen.ID != o.ID {
		t.Errorf("%s is ours now, it was %s", seen.ID, o.ID)
	}
	c, ok := w.find(ref("ec2", id))
	if !ok || !c.Marks.IsZero() || c.Stack != "" || !strings.Contains(c.Message, "a copy?") {
		t.Errorf("the copy: %v %+v", ok, c)
	}
	if _, err := w.p.Create(t.Context(), w.request(d)); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, o := range w.look().Resources {
		if o.Ref == d.Ref && !o.Marks.IsZero() {
			n++
		}
	}
	if n != 2 {
		t.Errorf("of two with one ref that may both be ours %d are told", n)
	}
}

func TestANameThatAnUnmanagedThingHasToo(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "s3", "assets", values{"bucket": text("acme-assets")})
	w.make(d)
	w.makeBucketByHand("assets")
	if o := w.settled(d, nil); o.ID != "acme-assets" {
		t.Errorf("%+v", o)
	}
	if o, ok := w.find(ref("s3", "assets~")); !ok || !o.Marks.IsZero() || o.ID != "assets" {
		t.Errorf("%v %+v", ok, o)
	}
}

// sandboxName is what the practice cloud calls an operation: by its permission, in one case.
func sandboxName(action string) string {
	return strings.Replace(action, "tPublicAccessBlock", "tBucketPublicAccessBlock", 1)
}

func TestAllBucketsThatMayNotBeReadAreNamed(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	for _, name := range []string{"acme-a", "acme-b", "acme-c"} {
		w.make(desired(t, "s3", name, values{}))
	}
	w.fault(awsfake.Fault{Kind: awsfake.Denied, Service: "s3", Action: sandboxName("GetBucketTagging")})
	s, err := w.p.Observe(t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: location}})
	if !isClass(err, "denied") || len(s.Resources) > 0 {
		t.Fatalf("%v, %d things", err, len(s.Resources))
	}
	for _, name := range []string{"acme-a", "acme-b", "acme-c"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}
