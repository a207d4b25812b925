package aws_test

import (
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func templateOf(t *testing.T, more values) resource.Desired {
	t.Helper()
	a := values{"size": text("t3.micro")}
	for k, v := range more {
		a[k] = v
	}
	return desired(t, "launch_template", "web", a, "team", "web")
}

func TestAChangeOfATemplateIsANewDefaultVersion(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	group := s.make(desired(t, "security_group", "web", values{"vpc": text(s.vpc)})).ID
	s.make(keyPair(t, "ops", keyOne))
	d := templateOf(t, values{
		"key_name": text("ops"), "iam_profile": text("web"), "security_groups": resource.List{text(group)}, "user_data": script("echo 1"),
		"root_volume": resource.NewAttrs(resource.Attr{Name: "size", Value: resource.Int(30)}), "instance_tags": policies("team", "web", "env", "prod"),
	})
	r := s.request(d)
	have, err := s.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s.settled(d, nil)
	if again, err := s.p.Create(t.Context(), r); err != nil || again.ID != have.ID {
		t.Errorf("again with its key: %v %v", again.ID, err)
	}
	for _, err := range []error{s.p.Check(t.Context(), s.request(d)), must2err(s.p.Create(t.Context(), s.request(d)))} {
		if provider.CauseOf(err) != provider.InUse {
			t.Errorf("with another key: %v", err)
		}
	}
	image, _ := have.Attrs.Get("image")

	before := d
	d = templateOf(t, values{"size": text("t3.small"), "public_ip": resource.Bool(true), "security_groups": resource.List{text(group)}, "imdsv2": text("optional"), "user_data": script("echo 2")})
	have = s.mustUpdate(d, have, before.Attrs)
	s.settled(d, nil)
	if v, _ := have.Attrs.Get("version"); v != text("2") {
		t.Errorf("version %v", v)
	}
	if now, _ := have.Attrs.Get("image"); now != image {
		t.Errorf("the image changed from %v to %v", image, now)
	}
	secret, err := s.p.Reveal(t.Context(), have, "user_data")
	if err != nil || secret.Reveal() != "echo 2" {
		t.Errorf("user data %q, %v", secret.Reveal(), err)
	}

	d.Tags = resource.TagsOf(map[string]string{"team": "core"})
	have = s.mustUpdate(d, have, d.Attrs)
	if v, _ := have.Attrs.Get("version"); v != text("2") {
		t.Errorf("another tag made version %v", v)
	}
	d = templateOf(t, values{"size": text("t4g.micro"), "image": text("al2023")})
	have = s.mustUpdate(d, have, nil)
	if now, _ := have.Attrs.Get("image"); now == image {
		t.Error("a size of another architecture kept the image")
	}
	for range 2 {
		if err := s.remove(have); err != nil {
			t.Fatal(err)
		}
	}
}

// What another hand sets as the default version is drift, and the next apply adds one that is right.
func TestAnotherDefaultVersionIsDrift(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	first := templateOf(t, nil)
	have := w.make(first)
	d := templateOf(t, values{"size": text("t3.small")})
	w.mustUpdate(d, have, nil)
	must[*ec2.ModifyLaunchTemplateOutput](t)(w.ec2().ModifyLaunchTemplate(t.Context(), &ec2.ModifyLaunchTemplateInput{LaunchTemplateId: &have.ID, DefaultVersion: sdk.String("1")}))
	have, _ = w.find(d.Ref)
	if c := changes(t, d, have, nil); len(c) != 1 || c[0].Path != "size" || c[0].Effect != resource.InPlace {
		t.Errorf("%+v", c)
	}
	w.mustUpdate(d, have, nil)
	w.settled(d, nil)
}

func TestLostAnswersOfTemplates(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"CreateLaunchTemplate", "CreateLaunchTemplateVersion", "ModifyLaunchTemplate"} {
		w := newLiveState(t)
		w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "ec2", Action: call, Times: 1})
		(&site{liveState: w}).create(templateOf(t, nil))
		have, _ := w.find(ref("launch_template", "web"))
		d := templateOf(t, values{"size": text("t3.small")})
		w.mustUpdate(d, have, nil)
		w.settled(d, nil)
	}
}

// The secret of a template is in no error.
func TestTheUserDataOfATemplateIsNotShown(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	const message = "UserData ZmFrZS1zZWNyZXQ= is refused"
	w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "ec2", Code: "InvalidUserData.Malformed", Message: message, Status: 400, Action: "CreateLaunchTemplate"})
	w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "ec2", Code: "InvalidUserData.Malformed", Message: message, Status: 400, Action: "CreateLaunchTemplateVersion"})
	d := templateOf(t, values{"user_data": script("fake-secret")})
	_, created := w.p.Create(t.Context(), w.request(d))
	w.cloud.ClearFaults()
	have := w.make(templateOf(t, nil))
	w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "ec2", Code: "InvalidUserData.Malformed", Message: message, Status: 400, Action: "CreateLaunchTemplateVersion"})
	_, updated := w.update(d, have, templateOf(t, nil).Attrs)
	for _, err := range []error{created, updated} {
		if err == nil || strings.Contains(err.Error(), "ZmFrZ") {
			t.Errorf("%v", err)
		}
	}
}
