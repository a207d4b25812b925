package aws_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/iam"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

const (
	readLogs  = `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": ["logs:PutLogEvents"], "Resource": "*"}}`
	writeLogs = `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": ["logs:PutLogEvents", "logs:CreateLogStream"], "Resource": "*"}}`
	sessions  = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
)

func (w *liveState) iam() *iam.Client {
	return iam.New(iam.Options{
		Region: "us-east-1", HTTPClient: &http.Client{Transport: w.cloud}, Credentials: credentials.NewStaticCredentialsProvider("HAND", "x", ""),
	})
}

func roleOf(t *testing.T, more values) resource.Desired {
	t.Helper()
	a := values{"services": resource.List{text("ec2.amazonaws.com")}}
	for k, v := range more {
		a[k] = v
	}
	return desired(t, "iam_role", "web", a, "team", "web")
}

func policies(nameDocument ...string) resource.Value {
	var out []resource.Attr
	for i := 0; i+1 < len(nameDocument); i += 2 {
		out = append(out, resource.Attr{Name: nameDocument[i], Value: text(nameDocument[i+1])})
	}
	return resource.NewAttrs(out...)
}

func TestARoleHasWhatIsConfiguredAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := roleOf(t, values{
		"policies": policies("logs", readLogs, "old", readLogs), "managed_policies": resource.List{text(sessions)},
		"instance_profile": resource.Bool(true), "description": text("of the web servers"),
	})
	r := w.request(d)
	have, err := w.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	w.settled(d, nil)
	if have.ID != "web" || !strings.HasPrefix(have.UID, "AROA") {
		t.Errorf("id %q, uid %q", have.ID, have.UID)
	}
	if again, err := w.p.Create(t.Context(), r); err != nil || again.UID != have.UID {
		t.Errorf("again with its key: %v %v", again.UID, err)
	}
	for _, err := range []error{w.p.Check(t.Context(), w.request(d)), must2err(w.p.Create(t.Context(), w.request(d)))} {
		if provider.CauseOf(err) != provider.InUse {
			t.Errorf("with another key: %v", err)
		}
	}

	before := d
	d = roleOf(t, values{
		"policies": policies("logs", writeLogs), "managed_policies": resource.List{text("arn:aws:iam::aws:policy/ReadOnlyAccess")},
		"instance_profile": resource.Bool(false), "description": text("of the shop"), "max_session": resource.Int(7200),
		"services": resource.List{text("ec2.amazonaws.com"), text("lambda.amazonaws.com")},
	})
	have = w.mustUpdate(d, have, before.Attrs)
	w.settled(d, nil)

	by := w.iam()
	must[*iam.PutRolePolicyOutput](t)(by.PutRolePolicy(t.Context(), &iam.PutRolePolicyInput{RoleName: &have.ID, PolicyName: sdk.String("more"), PolicyDocument: sdk.String(readLogs)}))
	must[*iam.AttachRolePolicyOutput](t)(by.AttachRolePolicy(t.Context(), &iam.AttachRolePolicyInput{RoleName: &have.ID, PolicyArn: sdk.String(sessions)}))
	have, _ = w.find(d.Ref)
	var paths []string
	for _, c := range changes(t, d, have, nil) {
		paths = append(paths, c.Path)
	}
	if got := strings.Join(paths, " "); got != "managed_policies policies.more" {
		t.Errorf("drift: %s", got)
	}
	w.mustUpdate(d, have, nil)
	w.settled(d, nil)
	if err := w.remove(have); err != nil {
		t.Fatal(err)
	}
	if err := w.remove(have); err != nil {
		t.Errorf("deleting it again: %v", err)
	}
}

func must2err[T any](_ T, err error) error { return err }

// AWS stores what it was given, the console reorders it, and neither is drift.
func TestPoliciesAreComparedByWhatTheyMean(t *testing.T) {
	t.Parallel()
	same := [][2]string{
		{readLogs, `{"Statement":[{"Resource":["*"],"Action":"logs:PutLogEvents","Effect":"Allow","Sid":""}],"Version":"2012-10-17"}`},
		{writeLogs, strings.Replace(writeLogs, `"logs:PutLogEvents", "logs:CreateLogStream"`, `"logs:CreateLogStream","logs:PutLogEvents","logs:PutLogEvents"`, 1)},
		{
			`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"123456789012"},"Action":"sts:AssumeRole","Condition":{"Bool":{"aws:MultiFactorAuthPresent":true}}}]}`,
			`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":["arn:aws:iam::123456789012:root"]},"Action":"sts:AssumeRole","Condition":{"Bool":{"aws:MultiFactorAuthPresent":["true"]}}}]}`,
		},
		{
			`{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"a:b","Resource":"*"},{"Effect":"Allow","Action":"a:*","Resource":"*"}]}`,
			`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"a:*","Resource":"*"},{"Effect":"Deny","Action":"a:b","Resource":"*"}]}`,
		},
	}
	fits := attribute(t, "iam_role", "trust").Fits
	for i, c := range same {
		if fits(text(c[0]), text(c[1])) != resource.Equivalent {
			t.Errorf("%d: they count as different", i)
		}
	}
	for name, c := range map[string][2]string{
		"another action":  {readLogs, writeLogs},
		"another effect":  {readLogs, strings.Replace(readLogs, "Allow", "Deny", 1)},
		"another version": {readLogs, strings.Replace(readLogs, "2012-10-17", "2008-10-17", 1)},
		"no policy":       {readLogs, "{"},
	} {
		if fits(text(c[0]), text(c[1])) != resource.Differs {
			t.Errorf("%s: they count as the same", name)
		}
	}
}

func attribute(t *testing.T, kind, name string) resource.Attribute {
	t.Helper()
	for _, a := range kindOf(t, kind).Attrs {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("%s has no %s", kind, name)
	return resource.Attribute{}
}

// A policy names a bucket by reference: its text becomes known with the bucket, and is compared like any.
func TestAPolicyWithAReferenceIsCompared(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	doc := func(b string) string { return strings.Replace(readLogs, `"*"`, `"arn:aws:s3:::`+b+`/*"`, 1) }
	w.make(roleOf(t, values{"policies": policies("data", doc("acme"))}))
	o, _ := w.find(ref("iam_role", "web"))
	parts := strings.SplitN(doc("@"), "@", 2)
	in := resource.Text{resource.String(parts[0]), resource.Reference{Ref: ref("s3", "data")}, resource.String(parts[1])}
	attrs, problems := resource.Check(kindOf(t, "iam_role"), resource.AttrsOf(values{
		"services": resource.List{text("ec2.amazonaws.com")}, "policies": resource.NewAttrs(resource.Attr{Name: "data", Value: in}),
	}))
	if len(problems) > 0 {
		t.Fatalf("%+v", problems)
	}
	for name, want := range map[string]int{"acme": 0, "other": 1} {
		c := resource.Diff(attrs, o.Attrs, kindOf(t, "iam_role"), resource.DiffOptions{Resolve: func(resource.Reference) (resource.Value, bool) { return text(name), true }})
		if len(c) != want {
			t.Errorf("a policy for the bucket %s: %+v", name, c)
		}
	}
}

func TestARoleInAnotherInstanceProfileStays(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := roleOf(t, values{"policies": policies("logs", readLogs)})
	have := w.make(d)
	w.p = hasty(w)
	by := w.iam()
	must[*iam.CreateInstanceProfileOutput](t)(by.CreateInstanceProfile(t.Context(), &iam.CreateInstanceProfileInput{InstanceProfileName: sdk.String("legacy")}))
	must[*iam.AddRoleToInstanceProfileOutput](t)(by.AddRoleToInstanceProfile(t.Context(), &iam.AddRoleToInstanceProfileInput{InstanceProfileName: sdk.String("legacy"), RoleName: &have.ID}))
	err := w.remove(have)
	if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "the instance profile legacy") {
		t.Errorf("%v", errorText(err))
	}
	w.settled(d, nil) // its policies are still there
}

// An instance profile of the name made by another hand is not used, and a role that was created
// again under the name is not deleted.
func TestWhatHasTheNameOfARole(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	by := w.iam()
	must[*iam.CreateInstanceProfileOutput](t)(by.CreateInstanceProfile(t.Context(), &iam.CreateInstanceProfileInput{InstanceProfileName: sdk.String("web")}))
	d := roleOf(t, values{"instance_profile": resource.Bool(true)})
	r := w.request(d)
	if _, err := w.p.Create(t.Context(), r); provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "instance profile web exists") {
		t.Errorf("%v", errorText(err))
	}
	must[*iam.DeleteInstanceProfileOutput](t)(by.DeleteInstanceProfile(t.Context(), &iam.DeleteInstanceProfileInput{InstanceProfileName: sdk.String("web")}))
	have, err := w.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	w.settled(d, nil)
	old := have
	old.UID = "AROAOLD"
	if err := w.remove(old); err != nil {
		t.Fatal(err)
	}
	w.settled(d, nil)
}

func TestLostAnswersOfRoles(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"CreateRole", "PutRolePolicy", "AttachRolePolicy", "CreateInstanceProfile", "AddRoleToInstanceProfile"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "iam", Action: call, Times: 4}) // also those of the SDK
			s := &site{liveState: w}
			s.create(roleOf(t, values{
				"policies": policies("logs", readLogs), "managed_policies": resource.List{text(sessions)}, "instance_profile": resource.Bool(true),
			}))
		})
	}
}

// What IAM has created a moment ago, EC2 and IAM itself do not see for some seconds.
func TestANewRoleIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "iam", Action: "CreateRole", Code: "MalformedPolicyDocument", Message: "Invalid principal in policy", Status: 400, Times: 2})
	w.fault(sandbox.Fault{Kind: sandbox.Stale, Service: "iam", Action: "CreateRole", Reads: 2})
	const unknown = "Value (web) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name"
	for _, call := range []string{"RunInstances", "AssociateIamInstanceProfile"} {
		w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "ec2", Action: call, Code: "InvalidParameterValue", Message: unknown, Status: 400, Times: 2})
	}
	w.make(roleOf(t, values{"instance_profile": resource.Bool(true)}))
	d := desired(t, "ec2", "web-0", values{"size": text("t3.micro"), "iam_profile": text("web")})
	w.make(d)
	w.settled(d, nil)
	plain := desired(t, "ec2", "web-1", values{"size": text("t3.micro")})
	have := w.make(plain)
	d = desired(t, "ec2", "web-1", values{"size": text("t3.micro"), "iam_profile": text("web")})
	w.mustUpdate(d, have, nil)
	w.settled(d, nil)

	_, err := w.p.Create(t.Context(), w.request(desired(t, "iam_role", "other", values{"trust": text(strings.Replace(readLogs, `"Resource"`, `"Principal"`, 1))})))
	if err != nil {
		t.Errorf("%v", err)
	}
}

// Roles have no region: each is reported once.
func TestARoleIsReportedInItsRegion(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.make(roleOf(t, nil))
	must[*iam.CreateRoleOutput](t)(w.iam().CreateRole(t.Context(), &iam.CreateRoleInput{RoleName: sdk.String("by-hand"), AssumeRolePolicyDocument: sdk.String(`{"Statement":{"Principal":"*"}}`)}))
	for region, want := range map[string]string{"us-east-1": "by-hand web", "eu-west-1": "by-hand"} {
		s, err := w.p.Observe(t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: sandbox.Account + "/" + region}, Kinds: []string{"iam_role"}})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, o := range s.Resources {
			names = append(names, o.ID)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s", region, got)
		}
	}
	here, there := roleOf(t, nil), roleOf(t, nil)
	there.Ref.Location = sandbox.Account + "/eu-west-1"
	if found := kindOf(t, "iam_role").CrossCheck([]*resource.Desired{&there, &here}, func(resource.Ref) *resource.Desired { return nil }); len(found) != 1 || found[0].Suggestion == "" {
		t.Errorf("one name in two regions: %+v", found)
	}
}

func TestRolesWithMistakes(t *testing.T) {
	w := newLiveState(t)
	err := w.p.Check(t.Context(), w.request(roleOf(t, values{"managed_policies": resource.List{text("arn:aws:iam::123456789012:policy/none")}})))
	if provider.CauseOf(err) != provider.Configuration || !strings.Contains(errorText(err), "managed_policies") {
		t.Errorf("a policy that does not exist: %v", errorText(err))
	}
	services := resource.List{text("ec2.amazonaws.com")}
	for name, a := range map[string]values{
		"no one may use it":  {},
		"both":               {"services": services, "trust": text(strings.Replace(readLogs, `"Resource"`, `"Principal"`, 1))},
		"trust of resources": {"trust": text(readLogs)},
		"a principal":        {"services": services, "policies": policies("p", strings.Replace(readLogs, `"Resource"`, `"Principal"`, 1))},
		"no effect":          {"services": services, "policies": policies("p", strings.Replace(readLogs, "Allow", "allow", 1))},
		"no version":         {"services": services, "policies": policies("p", `{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`)},
		"no JSON":            {"services": services, "policies": policies("p", "Version: 2012-10-17")},
		"two documents":      {"services": services, "policies": policies("p", readLogs+readLogs)},
		"no statement":       {"services": services, "policies": policies("p", `{"Version":"2012-10-17","Statement":[]}`)},
	} {
		if _, problems := resource.Check(kindOf(t, "iam_role"), resource.AttrsOf(a)); len(problems) == 0 || problems[0].Suggestion == "" {
			t.Errorf("%s: %+v", name, problems)
		}
	}
	d := roleOf(t, nil)
	d.Tags = resource.TagsOf(map[string]string{"note": "a*b"})
	if found := kindOf(t, "iam_role").CrossCheck([]*resource.Desired{&d}, func(resource.Ref) *resource.Desired { return nil }); len(found) != 1 {
		t.Errorf("a tag that IAM refuses: %+v", found)
	}
}

// TestARoleWhoseInlinePolicyIsDeletedWhileItIsRead: the answer that the policy does not exist says nothing of the role. A
// delete would report success, and leave the role.
func TestARoleWhoseInlinePolicyIsDeletedWhileItIsRead(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := roleOf(t, values{"policies": policies("logs", writeLogs), "services": resource.List{text("ec2.amazonaws.com")}})
	w.make(d)
	have, _ := w.find(d.Ref)
	by := w.iam()
	meddled := 0
	w.hooked(func(h *hook, action string, r *http.Request) (*http.Response, error) {
		if action == "GetRolePolicy" {
			if meddled++; meddled == 1 {
				must[*iam.DeleteRolePolicyOutput](t)(by.DeleteRolePolicy(t.Context(), &iam.DeleteRolePolicyInput{RoleName: &have.ID, PolicyName: sdk.String("logs")}))
			}
		}
		return h.cloud.RoundTrip(r)
	})
	if err := w.remove(have); err != nil || meddled == 0 {
		t.Fatalf("%v, %d reads", err, meddled)
	}
	if _, err := by.GetRole(t.Context(), &iam.GetRoleInput{RoleName: &have.ID}); err == nil {
		t.Error("the role is left")
	}
}
