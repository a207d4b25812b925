package aws_test

import (
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// lists are the calls that an observation of a region consists of, each with the kinds that
// cannot be read in full without it. A bucket that may not be read costs only itself.
var lists = map[string][]string{
	"ec2.DescribeVpcs": {"vpc"}, "ec2.DescribeSubnets": {"subnet"}, "ec2.DescribeSecurityGroups": {"security_group"},
	"ec2.DescribeInstances": {"ebs", "ec2"}, "ec2.DescribeVolumes": {"ebs", "ec2"}, "rds.DescribeDBInstances": {"rds"},
	"s3.ListBuckets": {"s3"}, "s3.GetBucketTagging": {"s3"}, "s3.GetBucketVersioning": {"s3"}, "s3.GetPublicAccessBlock": {"s3"},
	"s3.GetBucketEncryption": {"s3"},
}

func (w *liveState) observe(kinds ...string) (resource.Snapshot, error) {
	return provideOn(w.cloud, 2).Observe(w.t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: location}, Kinds: kinds})
}

func TestLaw1_AbsenceNeedsACompleteRead_AFailedListCostsItsKind(t *testing.T) {
	for list, kinds := range lists {
		for fault, cause := range map[sandbox.FaultKind]provider.Cause{sandbox.Denied: provider.Denied, sandbox.Unavailable: provider.Unreachable, sandbox.Throttle: provider.Throttled} {
			t.Run(list+" "+string(fault), func(t *testing.T) {
				t.Parallel()
				w := newLiveState(t)
				w.make(desired(t, "s3", "acme-assets", values{}))
				service, action, _ := strings.Cut(list, ".")
				w.fault(sandbox.Fault{Kind: fault, Service: service, Action: sandboxName(action)})
				s, err := w.observe()
				if err != nil {
					t.Fatal(err)
				}
				if fault == sandbox.Denied && strings.HasPrefix(action, "Get") {
					onlyTheBucketIsUnread(t, s, list)
					return
				}
				for _, k := range aws7() {
					missing := slices.Contains(kinds, k)
					if err := s.Covers(k); missing != (err != nil) || missing && (!isCause(err, cause) || !strings.Contains(err.Error(), list)) {
						t.Errorf("%s: %v", k, err)
					}
				}
				for _, o := range s.Resources {
					if slices.Contains(kinds, o.Ref.Kind) {
						t.Errorf("%s is listed, though its kind was not read in full", o.Ref)
					}
				}
			})
		}
	}
}

func aws7() []string { return []string{"ebs", "ec2", "rds", "s3", "security_group", "subnet", "vpc"} }

func onlyTheBucketIsUnread(t *testing.T, s resource.Snapshot, list string) {
	t.Helper()
	if err := s.Covers("s3"); err != nil || len(s.Unreachable) > 0 {
		t.Errorf("one bucket that may not be read makes others unreachable: %v, %v", err, s.Unreachable)
	}
	i := slices.IndexFunc(s.Resources, func(o resource.Observed) bool { return o.ID == "acme-assets" })
	if i < 0 || !strings.Contains(s.Resources[i].Message, list) || len(s.Resources[i].Attrs) > 0 || !s.Resources[i].Marks.IsZero() {
		t.Errorf("want an entry that exists and is unread because of %s, got %+v", list, s.Resources)
	}
}

func TestADeniedBucketAffectsNoOther(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.make(desired(t, "s3", "acme-a", values{}))
	w.make(desired(t, "s3", "acme-b", values{}))
	w.fault(sandbox.Fault{Kind: sandbox.Denied, Service: "s3", Action: "GetBucketTagging", Times: 1})
	s, err := w.observe("s3")
	if err != nil {
		t.Fatal(err)
	}
	unread, marked := 0, 0
	for _, o := range s.Resources {
		if o.Condition == resource.Unreadable {
			unread++
		}
		if !o.Marks.IsZero() {
			marked++
		}
	}
	if unread != 1 || marked != 1 {
		t.Errorf("%d unread and %d with marks, want 1 and 1: %+v", unread, marked, s.Resources)
	}
}

func TestARegionOfWhichNothingCanBeReadIsAnError(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	for _, service := range []string{"autoscaling", "ec2", "elasticloadbalancing", "iam", "rds", "route53", "s3", "acm", "kms", "logs", "secretsmanager"} {
		w.fault(sandbox.Fault{Kind: sandbox.Denied, Service: service})
	}
	if s, err := w.observe(); !isCause(err, provider.Denied) || len(s.Resources) > 0 {
		t.Errorf("%d resources, %v", len(s.Resources), err)
	}
}

func TestOnlyTheKindsAskedForAreRead(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.fault(sandbox.Fault{Kind: sandbox.Denied, Service: "rds"}, sandbox.Fault{Kind: sandbox.Denied, Service: "s3"})
	s, err := w.observe("vpc", "subnet")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"subnet", "vpc"}, s.Complete); diff != "" || len(s.Unreachable) > 0 {
		t.Errorf("complete (-want +got):\n%s unreachable: %v", diff, s.Unreachable)
	}
	if s.Covers("rds") == nil {
		t.Error("a kind that was not asked for counts as read")
	}
	for call, n := range w.cloud.Counts() {
		if call != "ec2.DescribeVpcs" && call != "ec2.DescribeSubnets" && call != "sts.GetCallerIdentity" && n > 0 {
			t.Errorf("%d calls of %s", n, call)
		}
	}
}

func TestObservingThousandsTakesPages(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.run(2500)
	before := len(w.cloud.Requests())
	s := w.observed()
	calls := len(w.cloud.Requests()) - before
	n := 0
	for _, o := range s.Resources {
		if o.Ref.Kind == "ec2" {
			n++
		}
	}
	if n != 2500 {
		t.Errorf("observed %d instances of 2500", n)
	}
	if most := 12 + len(aws.Kinds()); calls > most { // the pages of instances and volumes, and a list of each other kind
		t.Errorf("%d calls, want at most %d", calls, most)
	}
	if !slices.IsSortedFunc(s.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) }) {
		t.Error("not sorted by ref")
	}

	w.fault(sandbox.Fault{Kind: sandbox.BadPage, Service: "ec2", Action: "DescribeInstances", Page: 3})
	s, err := w.observe()
	if err != nil || s.Covers("ec2") == nil || !strings.Contains(s.Covers("ec2").Error(), "page 3") {
		t.Errorf("the third page failed, and the snapshot covers instances: %v, %v", err, s.Unreachable)
	}
}

func TestATerminatedInstanceIsAbsent(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	o := w.make(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
	must[*ec2.TerminateInstancesOutput](t)(w.ec2().TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{o.ID}}))
	known := []provider.Known{{Kind: "ec2", ID: o.ID}}
	s, err := w.p.Observe(t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: location}, Known: known})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range s.Resources {
		if o.Ref.Kind == "ec2" || o.Ref.Kind == "ebs" {
			t.Errorf("still observed: %+v", o)
		}
	}
}

func TestUnmanagedResourcesAreObservedAndDefaultsAreMarkedAsSuch(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	id := w.run(1, tag("owner", "bob"), tag("Name", "web"))[0]
	o, ok := w.find(ref("ec2", id))
	if !ok || !o.Marks.IsZero() || o.Since.IsZero() || o.OwnedBy != "" {
		t.Fatalf("%v %+v", ok, o)
	}
	if v, _ := o.Tags.Get("owner"); v != "bob" {
		t.Errorf("tags %v", o.Tags)
	}
	for _, o := range w.observed().Resources {
		if (o.Ref.Kind == "vpc" || o.Ref.Kind == "subnet" || o.Ref.Kind == "security_group") && o.Message != "default" {
			t.Errorf("%s is not reported as default: %+v", o.Ref, o)
		}
	}
}

func TestAVPCHasTheNameInItsNameTag(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	vpc := func(name string) string {
		return *must[*ec2.CreateVpcOutput](t)(w.ec2().CreateVpc(t.Context(), &ec2.CreateVpcInput{
			CidrBlock:         sdk.String("10.9.0.0/16"),
			TagSpecifications: []ec2types.TagSpecification{{ResourceType: "vpc", Tags: []ec2types.Tag{tag("Name", name)}}},
		})).Vpc.VpcId
	}
	first, second := vpc("main"), vpc("main")
	spaced, likeAnID := vpc("spoken name"), vpc("vpc-0123")
	got := map[string]string{}
	for _, o := range w.observed().Resources {
		if o.Ref.Kind == "vpc" && o.Message != "default" {
			got[o.ID] = o.Ref.Name
		}
	}
	if first > second { // VPCs have no time of creation: the first by ID keeps the name
		first, second = second, first
	}
	want := map[string]string{first: "main", second: second, spaced: spaced, likeAnID: likeAnID}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names by ID (-want +got):\n%s", diff)
	}
}

func TestTheSystemThatManagesAResourceIsReported(t *testing.T) {
	for key, want := range map[string]string{
		"aws:autoscaling:groupName": "autoscaling group web", "aws:cloudformation:stack-name": "CloudFormation stack web",
		"elasticbeanstalk:environment-name": "Elastic Beanstalk environment web", "Owner": "",
	} {
		if got := aws.OwnedBy(map[string]string{key: "web"}); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func tag(k, v string) ec2types.Tag { return ec2types.Tag{Key: sdk.String(k), Value: sdk.String(v)} }

// sandboxName is the sandbox's name of an operation: that of its permission, in one case.
func sandboxName(action string) string {
	return strings.Replace(action, "tPublicAccessBlock", "tBucketPublicAccessBlock", 1)
}
