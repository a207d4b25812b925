package aws_test

import (
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func TestAllChangesOfAnInstance(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	vpc, subnet := w.network()
	one := w.make(desired(t, "security_group", "one", values{"vpc": text(vpc.ID)}))
	two := w.make(desired(t, "security_group", "two", values{"vpc": text(vpc.ID)}))
	before := desired(t, "ec2", "web", values{
		"size": text("t3.micro"), "subnet": text(subnet.ID), "security_groups": resource.List{text(one.ID)},
		"user_data": script("#!/bin/sh\necho one"), "public_ip": resource.Bool(true), "termination_protection": resource.Bool(true),
		"iam_profile": text("web"), "imdsv2": text("optional"), "root_volume": resource.NewAttrs(resource.Attr{Name: "size", Value: resource.Int(20)}),
	}, "team", "web")
	w.make(before)
	seen := w.settled(before, before.Attrs)
	if attr(seen, "public_address") == nil {
		t.Error("it has no public address")
	}
	after := desired(t, "ec2", "web", values{
		"size": text("t3.small"), "subnet": text(subnet.ID), "security_groups": resource.List{text(two.ID), text(one.ID)},
		"user_data": script("#!/bin/sh\necho two"), "public_ip": resource.Bool(true), "termination_protection": resource.Bool(false),
		"iam_profile": text("worker"), "imdsv2": text("required"), "root_volume": resource.NewAttrs(
			resource.Attr{Name: "size", Value: resource.Int(30)}, resource.Attr{Name: "type", Value: text("gp2")}),
	}, "team", "core")
	w.mustUpdate(after, seen, before.Attrs)
	seen = w.settled(after, after.Attrs)
	if seen.Health != resource.Healthy {
		t.Errorf("it is %s", seen.Health)
	}
	out := must[*ec2.DescribeInstanceAttributeOutput](t)(w.ec2().DescribeInstanceAttribute(t.Context(), &ec2.DescribeInstanceAttributeInput{InstanceId: &seen.ID, Attribute: "userData"}))
	if got := sdk.ToString(out.UserData.Value); got != "IyEvYmluL3NoCmVjaG8gdHdv" {
		t.Errorf("user data %q", got)
	}
	none := desired(t, "ec2", "web", values{"size": text("t3.small")})
	r := w.request(none)
	r.Have, r.Changes = seen, []resource.Change{{Path: "iam_profile", From: text("worker")}}
	if _, err := w.p.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if seen = w.settled(none, nil); attr(seen, "iam_profile") != nil {
		t.Error("it still has a profile")
	}
	r.Have, r.Changes, r.Desired = seen, []resource.Change{{Path: "iam_profile", To: text("web")}}, desired(t, "ec2", "web", values{"size": text("t3.small"), "iam_profile": text("web")})
	if _, err := w.p.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	w.settled(r.Desired, nil)
}

func TestAChangeOfTypeKeepsTheRunState(t *testing.T) {
	for _, state := range []string{"running", "stopped"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			d := desired(t, "ec2", "web", values{"size": text("t3.micro"), "state": text(state)})
			o := w.make(d)
			d = desired(t, "ec2", "web", values{"size": text("t3.small"), "state": text(state)})
			w.mustUpdate(d, o, nil)
			w.settled(d, nil)
			if state == "stopped" && w.count("ec2.StartInstances") > 0 {
				t.Error("a stopped instance was started on the way")
			}
		})
	}
}

func TestOtherChangesDoNotRestartAnInstance(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	o := w.make(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
	w.mustUpdate(desired(t, "ec2", "web", values{"size": text("t3.micro"), "imdsv2": text("optional")}, "a", "b"), o, nil)
	if n := w.count("ec2.StopInstances") + w.count("ec2.RebootInstances"); n > 0 {
		t.Errorf("interrupted %d times", n)
	}
}

func TestStartRightAfterAChangeOfType(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	o := w.make(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
	w.fault(sandbox.Fault{
		Kind: sandbox.Refused, Service: "ec2", Action: "StartInstances", Times: 2, Status: 400,
		Code: "InvalidParameterValue", Message: "LaunchPlan instance type does not match attribute value",
	})
	d := desired(t, "ec2", "web", values{"size": text("t3.small")})
	w.mustUpdate(d, o, nil)
	w.settled(d, nil)
}

func TestAnInstanceStoppedOutsideOviIsStarted(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "ec2", "web", values{"size": text("t3.micro")})
	o := w.make(d)
	must[*ec2.StopInstancesOutput](t)(w.ec2().StopInstances(t.Context(), &ec2.StopInstancesInput{InstanceIds: []string{o.ID}}))
	seen, _ := w.find(d.Ref) // perhaps still stopping
	w.mustUpdate(d, seen, nil)
	w.settled(d, nil)
}

func TestOtherTagsAreKept(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	o := w.make(desired(t, "ec2", "web", values{"size": text("t3.micro")}, "team", "web"))
	must[*ec2.CreateTagsOutput](t)(w.ec2().CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{o.ID}, Tags: []ec2types.Tag{tag("audited", "yes"), tag("old", "1")}}))
	d := desired(t, "ec2", "web", values{"size": text("t3.micro")}, "team", "core")
	r := w.request(d)
	seen, _ := w.find(d.Ref)
	r.Have, r.Changes = seen, append(changes(t, d, seen, nil), resource.Change{On: resource.OnTag, Path: "tags.old", From: text("1")})
	if _, err := w.p.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	seen = w.settled(d, nil)
	_, old := seen.Tags.Get("old")
	if v, _ := seen.Tags.Get("audited"); v != "yes" || old {
		t.Errorf("tags %v", seen.Tags)
	}
}

func TestReservedTagsAreRefused(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	for _, key := range []string{"ovi:stack", "OVI:x", "aws:cost"} {
		_, err := w.p.Create(t.Context(), w.request(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")}, key, "x")))
		if !isCause(err, provider.Configuration) || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestProtectionIsNeverTurnedOff(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	o := w.make(desired(t, "ec2", "web", values{"size": text("t3.micro"), "termination_protection": resource.Bool(true)}))
	err := w.remove(o)
	if !isCause(err, provider.Configuration) || !strings.Contains(err.Error(), "termination_protection: false") {
		t.Errorf("%v", err)
	}
	if n := w.count("ec2.ModifyInstanceAttribute"); n > 0 {
		t.Error("an attribute was changed")
	}
	if _, ok := w.find(o.Marks.Ref); !ok {
		t.Error("it was deleted")
	}
}

func TestWhatPreventsADeletionIsNamed(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	vpc, subnet := w.network()
	group := w.make(desired(t, "security_group", "web", values{"vpc": text(vpc.ID)}))
	other := w.make(desired(t, "security_group", "db", values{"vpc": text(vpc.ID), "ingress": resource.List{rule("port", 5432, "security_group", group.ID)}}))
	i := w.make(desired(t, "ec2", "web", values{"size": text("t3.micro"), "subnet": text(subnet.ID), "security_groups": resource.List{text(group.ID)}}))
	for _, c := range []struct {
		res   resource.Observed
		names []string
	}{{vpc, []string{subnet.ID, group.ID}}, {subnet, []string{i.ID, "ec2/web"}}, {group, []string{i.ID, other.ID}}} {
		err := w.remove(c.res)
		if !isCause(err, provider.InUse) {
			t.Errorf("%s: %v", c.res.Ref, err)
			continue
		}
		for _, name := range c.names {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v does not name %s", c.res.Ref, err, name)
			}
		}
	}
}

func TestADeletionUnderWayIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	_, subnet := w.network()
	w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "ec2", Action: "DeleteSubnet", Times: 3, Status: 400, Code: "DependencyViolation", Message: "has dependencies"})
	if err := w.remove(subnet); err != nil {
		t.Error(err)
	}
}

func TestMarkAdoptsWithoutChangingAnythingElse(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	id := w.run(1, tag("Name", "old name"), tag("team", "web"))[0]
	have, _ := w.find(ref("ec2", id))
	d := desired(t, "ec2", "web", values{"size": text("t3.micro")})
	r := w.request(d)
	r.Have, r.MarkKey = have, "adopted-1"
	o, err := w.p.Mark(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	seen := w.settled(d, nil)
	if seen.ID != id || !seen.Tags.Equal(have.Tags) || !o.Equal(seen) || seen.Marks.Key != "adopted-1" || seen.Attested {
		t.Errorf("%+v", seen)
	}
}

func TestUpdateOfADeletedResource(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			d := c.desired(t, w)
			o := w.make(d)
			if err := w.remove(o); err != nil {
				t.Fatal(err)
			}
			d.Tags = resource.TagsOf(map[string]string{"a": "b"})
			if _, err := w.update(d, o, nil); !isAbsent(err) {
				t.Errorf("%v", err)
			}
			if err := w.remove(o); err != nil {
				t.Errorf("deleting it again: %v", err)
			}
		})
	}
}

func TestLostAnswersOfDeletes(t *testing.T) {
	calls := map[string]string{
		"vpc": "DeleteVpc", "subnet": "DeleteSubnet", "security_group": "DeleteSecurityGroup", "ec2": "TerminateInstances",
		"ebs": "DeleteVolume", "rds": "DeleteDBInstance", "s3": "DeleteBucket",
	}
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			o := w.make(c.desired(t, w))
			w.fault(sandbox.Fault{Kind: sandbox.Lost, Action: calls[kind], Times: 1})
			if err := w.remove(o); err != nil {
				t.Fatal(err)
			}
			if n := len(w.ofKind(kind)); n != 0 {
				t.Errorf("there are %d", n)
			}
		})
	}
}

func TestUnknownKind(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	_, err := w.p.Create(t.Context(), provider.Request{Key: "k", Desired: resource.Desired{Ref: ref("lambda", "f")}})
	if !isCause(err, provider.Configuration) || len(w.cloud.Requests()) > 0 {
		t.Errorf("%v after %d calls", err, len(w.cloud.Requests()))
	}
}

// TestARootVolumeThatNobodyChanged: a list may show an instance before its root volume, and then all of that differs.
// The volume is as configured, and AWS has no modification of it to wait for.
func TestARootVolumeThatNobodyChanged(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "ec2", "web", values{
		"size": text("t3.micro"), "root_volume": resource.NewAttrs(resource.Attr{Name: "size", Value: resource.Int(20)}),
	})
	w.make(d)
	seen := w.settled(d, nil)
	seen.Attrs = seen.Attrs.Without("root_volume")
	if all := changes(t, d, seen, nil); len(all) == 0 {
		t.Fatal("nothing differs")
	}
	w.mustUpdate(d, seen, nil)
	w.settled(d, nil)
	if n := w.count("ec2.ModifyVolume"); n != 0 {
		t.Errorf("%d modifications", n)
	}
}
