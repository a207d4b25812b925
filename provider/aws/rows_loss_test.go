package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// kept lists the attributes that exceed their configuration.
func kept(t *testing.T, d resource.Desired, o resource.Observed) (paths []string) {
	t.Helper()
	for _, s := range resource.Surpluses(d.Attrs, o.Attrs, kindOf(t, d.Ref.Kind).Attrs) {
		paths = append(paths, s.Path)
	}
	return paths
}

func TestA3AnAccountThatEncryptsEverythingIsNoEndlessReplacement(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	must[*ec2.EnableEbsEncryptionByDefaultOutput](t)(w.ec2().EnableEbsEncryptionByDefault(t.Context(), &ec2.EnableEbsEncryptionByDefaultInput{}))
	plain := values{"size": resource.Int(8), "zone": text("us-east-1a"), "encrypted": resource.Bool(false)}
	web := values{"size": text("t3.micro"), "root_volume": resource.AttrsOf(values{"encrypted": resource.Bool(false)})}
	for path, d := range map[string]resource.Desired{
		"encrypted": desired(t, "ebs", "data", plain), "root_volume.encrypted": desired(t, "ec2", "web", web),
	} {
		w.make(d)
		o := w.settled(d, nil) // which is what a second plan compares
		if got := strings.Join(kept(t, d, o), ","); got != path {
			t.Errorf("%s: the plan names %q", d.Ref, got)
		}
	}
}

func TestA4AFailedStartIsNotASuccess(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.make(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
	d := desired(t, "ec2", "web", values{"size": text("t3.large")})
	have, _ := w.find(d.Ref)
	r := w.request(d)
	r.Have, r.Changes = have, changes(t, d, have, nil)
	w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "ec2", Action: "StartInstances", Code: "InsufficientInstanceCapacity", Times: 10})
	for try := range 2 { // the engine repeats a call with the same request
		if _, err := w.p.Update(t.Context(), r); !isCause(err, provider.Capacity) || !strings.Contains(err.Error(), "InsufficientInstanceCapacity") {
			t.Fatalf("try %d: %v", try, err)
		}
	}
	w.cloud.ClearFaults()
	o, _ := w.find(d.Ref)
	left := changes(t, d, o, nil)
	if o.Health != resource.Stopped || len(left) != 1 || left[0].On != resource.OnState {
		t.Fatalf("it is %s, and the next plan has %+v", o.Health, left)
	}
	w.mustUpdate(d, o, nil)
	if o := w.settled(d, nil); o.Health != resource.Healthy {
		t.Errorf("it is %s", o.Health)
	}
}

func TestA6AChangeOfUserDataSaysThatItDoesNotRun(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "ec2", "web", values{"size": text("t3.micro"), "user_data": script("one")})
	w.make(d)
	next := desired(t, "ec2", "web", values{"size": text("t3.micro"), "user_data": script("two")})
	all := changes(t, next, w.settled(d, d.Attrs), d.Attrs)
	if len(all) != 1 || all[0].Effect != resource.Restart || !strings.Contains(all[0].Note, "cloud-init does not run it again") {
		t.Errorf("%+v", all)
	}
}
