package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func (s *site) group(name, template string, more values) resource.Desired {
	a := values{"min": resource.Int(2), "max": resource.Int(4), "subnets": resource.List{text(s.a), text(s.b)}, "launch_template": text(template)}
	for k, v := range more {
		a[k] = v
	}
	return desired(s.t, "autoscaling_group", name, a, "team", "web")
}

// members are the instances of a group, as they are observed.
func (s *site) members(group string) []resource.Observed {
	var out []resource.Observed
	for _, o := range s.observed().Resources {
		if o.OwnedBy == "autoscaling group "+group {
			out = append(out, o)
		}
	}
	return out
}

func TestAGroupKeepsItsInstances(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	template := s.make(templateOf(t, values{"instance_tags": policies("team", "web")}))
	one, two := s.make(s.targets("one", nil)).ID, s.make(s.targets("two", nil)).ID
	d := s.group("web", template.ID, values{"target_groups": resource.List{text(one)}, "health_check_type": text("ELB"), "health_check_grace": resource.Int(60)})
	r := s.request(d)
	have, err := s.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s.settled(d, nil)
	if again, err := s.p.Create(t.Context(), r); err != nil || again.UID != have.UID {
		t.Errorf("again with its key: %v %v", again.UID, err)
	}
	for _, err := range []error{s.p.Check(t.Context(), s.request(d)), must2err(s.p.Create(t.Context(), s.request(d)))} {
		if provider.CauseOf(err) != provider.InUse {
			t.Errorf("with another key: %v", err)
		}
	}
	members := s.members("web")
	if len(members) != 2 || have.Health != resource.Healthy {
		t.Fatalf("%d instances, %s", len(members), have.Health)
	}
	for _, m := range members { // AWS's, not ovi's: they have none of its tags
		if team, _ := m.Tags.Get("team"); !m.Marks.IsZero() || team != "web" {
			t.Errorf("%s: %+v %v", m.ID, m.Marks, m.Tags)
		}
	}

	next := s.mustUpdate(templateOf(t, values{"size": text("t3.small")}), template, nil)
	version, _ := next.Attrs.Get("version")
	d = s.group("web", template.ID, values{"desired": resource.Int(3), "template_version": version, "target_groups": resource.List{text(two)}, "subnets": resource.List{text(s.a)}})
	have = s.mustUpdate(d, have, nil)
	s.settled(d, nil)
	sizes := map[resource.Value]int{}
	for _, m := range s.members("web") {
		v, _ := m.Attrs.Get("size")
		sizes[v]++
	}
	if sizes[text("t3.micro")] != 2 || sizes[text("t3.small")] != 1 {
		t.Errorf("the third instance is not of the new version: %v", sizes)
	}
	d.Tags = resource.TagsOf(map[string]string{"owner": "ops"})
	r = s.request(d)
	r.Have, r.Changes = have, []resource.Change{{On: resource.OnTag, Path: "tags.owner", To: text("ops")}, {On: resource.OnTag, Path: "tags.team", From: text("web")}}
	if _, err := s.p.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	have = s.settled(d, nil)
	if _, there := have.Tags.Get("team"); there {
		t.Error("a tag was not removed")
	}
	other := have
	other.UID = "arn:of:another"
	for _, o := range []resource.Observed{other, have, have} {
		if err := s.remove(o); err != nil {
			t.Fatal(err)
		}
		if n := len(s.members("web")); (n > 0) != (o.UID == other.UID) {
			t.Errorf("%d instances after deleting %s", n, o.UID)
		}
	}
	if err := s.remove(must2(s.find(ref("subnet", "a")))); err != nil { // what its instances used is free
		t.Error(err)
	}
	s.subnet("c", "10.0.3.0/24", "us-east-1c")
}

// A group that is being deleted has its name for a while.
func TestAGroupIsCreatedAgainAfterItsDeletion(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	template := s.make(templateOf(t, nil)).ID
	s.fault(sandbox.Fault{
		Kind: sandbox.Refused, Service: "autoscaling", Action: "CreateAutoScalingGroup", Code: "AlreadyExists", Status: 400, Times: 2,
		Message: "AutoScalingGroup by this name already exists - A group with the name web is pending delete",
	})
	d := s.group("web", template, nil)
	s.make(d)
	s.settled(d, nil)
}

func TestLostAnswersOfGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	template := s.make(templateOf(t, nil)).ID
	s.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "autoscaling", Action: "CreateAutoScalingGroup", Times: 4})
	s.create(s.group("web", template, nil))
	if n := len(s.members("web")); n != 2 {
		t.Errorf("%d instances", n)
	}
}

// It takes a while until a new instance profile or template is visible everywhere.
func TestAGroupWaitsForItsTemplate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	template := s.make(templateOf(t, nil)).ID
	s.fault(sandbox.Fault{
		Kind: sandbox.Refused, Service: "autoscaling", Action: "CreateAutoScalingGroup", Code: "ValidationError", Status: 400, Times: 2,
		Message: "You must use a valid fully-formed launch template. Value (web) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name",
	})
	d := s.group("web", template, nil)
	s.make(d)
	s.settled(d, nil)
}

// AWS accepts a group that it cannot fill, and goes on trying: the reason is an error.
func TestAGroupThatCannotBeFilledIsAnError(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	template := s.make(templateOf(t, nil)).ID
	small := s.subnet("small", "10.0.9.0/28", "us-east-1a") // 11 addresses
	d := s.group("web", template, values{"max": resource.Int(20), "desired": resource.Int(12), "subnets": resource.List{text(small)}})
	r := s.request(d)
	_, err := s.p.Create(t.Context(), r)
	if provider.CauseOf(err) != provider.Unclassified || !strings.Contains(errorText(err), "not enough free addresses") {
		t.Fatalf("%v", errorText(err))
	}
	have, there := s.find(d.Ref)
	if !there || have.Health != resource.Pending || !strings.Contains(have.Message, "of 12 instances in service") {
		t.Fatalf("%v %s %s", there, have.Health, have.Message)
	}
	d = s.group("web", template, values{"max": resource.Int(20), "desired": resource.Int(5), "subnets": resource.List{text(small)}})
	s.mustUpdate(d, have, nil)
	s.settled(d, nil)
}

func TestAGroupOutsideOviIsObserved(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	template := s.make(templateOf(t, nil)).ID
	d := s.group("web", template, nil)
	s.make(d)
	id := s.members("web")[0].ID
	must[*ec2.TerminateInstancesOutput](t)(s.ec2().TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{id}}))
	o, _ := s.find(d.Ref)
	if c := changes(t, d, o, nil); len(c) > 0 { // AWS replaces it, not ovi
		t.Errorf("%+v", c)
	}
	_, err := s.p.Create(t.Context(), s.request(s.group("other", "lt-0123456789abcdef0", nil)))
	if err == nil {
		t.Error("a template that does not exist was accepted")
	}
	for name, a := range map[string]values{
		"max below min": {"min": resource.Int(3), "max": resource.Int(2)},
		"desired above": {"min": resource.Int(1), "max": resource.Int(2), "desired": resource.Int(3)},
		"desired below": {"min": resource.Int(1), "max": resource.Int(2), "desired": resource.Int(0)},
	} {
		a["subnets"], a["launch_template"] = resource.List{text("subnet-1")}, text("lt-1")
		if _, problems := resource.Check(kindOf(t, "autoscaling_group"), resource.AttrsOf(a)); len(problems) != 1 || problems[0].Suggestion == "" {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}
