package aws_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	logs "github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ovi-project/ovi/internal/canary"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// created creates a resource twice with one key, and returns it.
func (w *liveState) created(d resource.Desired) resource.Observed {
	w.t.Helper()
	r := w.request(d)
	o, err := w.p.Create(w.t.Context(), r)
	if err != nil {
		w.t.Fatalf("create %s: %v", d.Ref, errorText(err))
	}
	if again, err := w.p.Create(w.t.Context(), r); err != nil || again.ID != o.ID {
		w.t.Fatalf("again with its key: %s after %s: %v", again.ID, o.ID, errorText(err))
	}
	w.settled(d, nil)
	return o
}

func TestAKeyThatIsToBeDeleted(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "kms_key", "main", values{"alias": text("main"), "deletion_window": resource.Int(7)}, "team", "web")
	o := w.created(d)
	hand := kms.NewFromConfig(hand(w.cloud))
	must[*kms.ScheduleKeyDeletionOutput](t)(hand.ScheduleKeyDeletion(t.Context(), &kms.ScheduleKeyDeletionInput{KeyId: &o.ID}))

	// Another hand has scheduled it: it is not gone, and an apply cancels that.
	o, there := w.find(d.Ref)
	if !there || o.Health != resource.Stopped || !strings.Contains(o.Message, "scheduled for deletion on 20") {
		t.Fatalf("%v %s %q", there, o.Health, o.Message)
	}
	d.Tags = desired(t, "kms_key", "main", nil, "team", "api").Tags // AWS refuses tags until the deletion is canceled
	o = w.mustUpdate(d, o, nil)
	if o.Health != resource.Healthy {
		t.Errorf("it is %s after its deletion was canceled: %s", o.Health, o.Message)
	}
	w.settled(d, nil)
	off := d
	off.State = resource.StateStopped
	if o = w.mustUpdate(off, o, nil); o.Health != resource.Stopped {
		t.Errorf("a disabled key is %s", o.Health)
	}
	o = w.mustUpdate(d, o, nil)

	// ovi deletes it: it is gone to ovi, and the next one of the name is another key with its alias.
	for range 2 {
		if err := w.p.Delete(t.Context(), provider.Request{Key: w.key(), Have: o, Desired: d}); err != nil {
			t.Fatalf("delete: %v", errorText(err))
		}
	}
	if o, there := w.find(d.Ref); there {
		t.Errorf("a deleted key is still observed: %+v", o)
	}
	out := must[*kms.DescribeKeyOutput](t)(hand.DescribeKey(t.Context(), &kms.DescribeKeyInput{KeyId: &o.ID}))
	if left := out.KeyMetadata.DeletionDate.Sub(*out.KeyMetadata.CreationDate).Hours() / 24; left < 6.9 || left > 7.1 {
		t.Errorf("it is deleted in %v days", left)
	}
	if err := w.p.Check(t.Context(), w.request(d)); err != nil {
		t.Errorf("the alias of a deleted key: %v", errorText(err))
	}
	if next := w.created(d); next.ID == o.ID {
		t.Error("the deleted key was taken for the new one")
	}
}

func TestAnAliasOfAnotherKeyIsNotTaken(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	hand := kms.NewFromConfig(hand(w.cloud))
	key := must[*kms.CreateKeyOutput](t)(hand.CreateKey(t.Context(), &kms.CreateKeyInput{})).KeyMetadata.KeyId
	must[*kms.CreateAliasOutput](t)(hand.CreateAlias(t.Context(), &kms.CreateAliasInput{AliasName: sdk.String("alias/main"), TargetKeyId: key}))
	d := desired(t, "kms_key", "main", values{"alias": text("alias/main")})
	for _, err := range []error{w.p.Check(t.Context(), w.request(d)), must2err(w.p.Create(t.Context(), w.request(d)))} {
		if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), *key) {
			t.Errorf("%v", errorText(err))
		}
	}
	if n := w.count("kms.CreateKey"); n != 1 {
		t.Errorf("%d keys were created", n)
	}
}

// A secret is in no answer, no error and no file; a service may quote it in an error.
func TestASecretIsNowhere(t *testing.T) {
	t.Parallel()
	const plain = "fake-canary-0123456789-of-a-secret"
	file := filepath.Join(t.TempDir(), "aws.json")
	cloud, err := sandbox.Open(file, sandbox.WithSettle(0))
	if err != nil {
		t.Fatal(err)
	}
	w := &liveState{t: t, cloud: cloud, p: provideOn(cloud, 1)}
	d := desired(t, "secret", "token", values{"value": secretOf(plain)})
	w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "secretsmanager", Action: "CreateSecret", Code: "InvalidParameterException", Message: "the value " + plain + " is not good", Status: 400, Times: 1})
	_, err = w.p.Create(t.Context(), w.request(d))
	if err == nil || len(canary.In(errorText(err), plain)) > 0 {
		t.Errorf("%v", err)
	}
	o := w.created(d)
	next := desired(t, "secret", "token", values{"value": secretOf(plain + "-two")})
	o = w.mustUpdate(next, o, d.Attrs)
	seen, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := cloud.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, text...)
	}
	if found := canary.In(string(seen), plain); len(found) > 0 {
		t.Errorf("the value was found: %v", found)
	}
}

func TestTheNameOfADeletedSecretIsTaken(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "secret", "token", values{"secret_name": text("prod/token"), "generate": resource.AttrsOf(values{"length": resource.Int(20), "punctuation": resource.Bool(false)})})
	o := w.created(d)
	if n := w.count("secretsmanager.GetRandomPassword"); n != 1 {
		t.Errorf("a value was generated %d times", n)
	}
	hand := secretsmanager.NewFromConfig(hand(w.cloud))
	must[*secretsmanager.DeleteSecretOutput](t)(hand.DeleteSecret(t.Context(), &secretsmanager.DeleteSecretInput{SecretId: &o.ID}))
	o, there := w.find(d.Ref)
	if !there || o.Health != resource.Failing {
		t.Fatalf("deleted by hand: %v %+v", there, o)
	}
	d.Tags = desired(t, "secret", "token", nil, "team", "api").Tags // AWS refuses tags until it is restored
	if o = w.mustUpdate(d, o, nil); o.Health != resource.Healthy {
		t.Errorf("restored, it is %s", o.Health)
	}
	w.settled(d, nil)
	if err := w.p.Delete(t.Context(), provider.Request{Key: w.key(), Have: o, Desired: d}); err != nil {
		t.Fatal(errorText(err))
	}
	if _, there := w.find(d.Ref); there {
		t.Error("it is still observed")
	}
	for _, err := range []error{w.p.Check(t.Context(), w.request(d)), must2err(w.p.Create(t.Context(), w.request(d)))} {
		if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "belongs to a deleted secret until 20") || !strings.Contains(errorText(err), "restore-secret") {
			t.Errorf("%v", errorText(err))
		}
	}
	// A replacement under the same name would find the name taken, unless the old secret is deleted at once.
	kept := w.created(desired(t, "secret", "kept", values{"generate": resource.Attrs{}}))
	for days, refused := range map[int64]bool{7: true, 0: false} {
		r := w.request(desired(t, "secret", "kept", values{"generate": resource.Attrs{}, "recovery_window": resource.Int(days)}))
		r.Have, r.Replaces = kept, &kept
		if err := w.p.Check(t.Context(), r); refused != (err != nil) || refused && !strings.Contains(errorText(err), "the name kept stays taken") {
			t.Errorf("%d days: %v", days, errorText(err))
		}
	}
	at := desired(t, "secret", "other", values{"generate": resource.Attrs{}, "recovery_window": resource.Int(0)})
	o = w.created(at)
	if err := w.p.Delete(t.Context(), provider.Request{Key: w.key(), Have: o, Desired: at}); err != nil {
		t.Fatal(errorText(err))
	}
	w.created(at)
}

// TestTheKeyOfLogsAndThePolicyOfAKeyChange in place.
func TestTheKeyOfLogsAndThePolicyOfAKeyChange(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	key := desired(t, "kms_key", "main", values{"deletion_window": resource.Int(7)})
	o := w.created(key)
	const policy = `{"Version":"2012-10-17","Statement":[{"Sid":"all","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::000000000000:root"},"Action":"kms:*","Resource":"*"},{"Sid":"logs","Effect":"Allow","Principal":{"Service":"logs.us-east-1.amazonaws.com"},"Action":"kms:Encrypt*","Resource":"*"}]}`
	key = desired(t, "kms_key", "main", values{"deletion_window": resource.Int(7), "policy": text(policy)})
	o = w.mustUpdate(key, o, nil)
	if got, _ := o.Attrs.Text("policy"); !strings.Contains(got, "logs.us-east-1.amazonaws.com") {
		t.Errorf("the policy is %s", got)
	}
	w.settled(key, nil)
	arn, _ := o.Attrs.Text("arn")

	group := desired(t, "log_group", "web", values{"retention_days": resource.Int(30)})
	of := w.created(group)
	group = desired(t, "log_group", "web", values{"retention_days": resource.Int(30), "kms_key": text(arn)})
	of = w.mustUpdate(group, of, nil)
	if got, _ := of.Attrs.Text("kms_key"); got != arn {
		t.Errorf("its key is %s, want %s", got, arn)
	}
	w.settled(group, nil)

	silent := desired(t, "log_group", "web", values{"retention_days": resource.Int(60)})
	of = w.mustUpdate(silent, of, nil)
	if got, _ := of.Attrs.Text("kms_key"); got != arn {
		t.Errorf("a key that is not mentioned any more is %q, want %s", got, arn)
	}
	w.settled(silent, nil)
	none := desired(t, "log_group", "web", values{"retention_days": resource.Int(60), "kms_key": text("")})
	of = w.mustUpdate(none, of, nil)
	if got, _ := of.Attrs.Text("kms_key"); got != "" {
		t.Errorf("a key that was removed is %s", got)
	}
	w.settled(none, nil)
	if n := w.cloud.Counts()["logs.DisassociateKmsKey"]; n != 1 {
		t.Errorf("DisassociateKmsKey was called %d times: %v", n, w.cloud.Counts())
	}
}

// TestALogGroupIsCreatedWithoutAKey that is configured as none.
func TestALogGroupIsCreatedWithoutAKey(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "log_group", "web", values{"kms_key": text("")})
	w.created(d)
	w.settled(d, nil)
}

func TestALogGroupOfItsNameIsAnother(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "log_group", "web", values{"log_name": text("/web/access"), "retention_days": resource.Int(30)}, "team", "web")
	o := w.created(d)
	hand := logs.NewFromConfig(hand(w.cloud))
	must[*logs.DeleteLogGroupOutput](t)(hand.DeleteLogGroup(t.Context(), &logs.DeleteLogGroupInput{LogGroupName: &o.ID}))
	sleepBriefly()
	must[*logs.CreateLogGroupOutput](t)(hand.CreateLogGroup(t.Context(), &logs.CreateLogGroupInput{LogGroupName: &o.ID}))
	if err := w.remove(o); provider.CauseOf(err) != provider.InUse {
		t.Errorf("another group of the name: %v", errorText(err))
	}
	if err := w.p.Check(t.Context(), w.request(d)); provider.CauseOf(err) != provider.InUse {
		t.Errorf("the name: %v", errorText(err))
	}
	i := slices.IndexFunc(w.observed().Resources, func(o resource.Observed) bool { return o.ID == "/web/access" })
	if o := w.observed().Resources[i]; o.Ref.Name != "web.access" {
		t.Errorf("it is called %s", o.Ref.Name)
	}
	for days, good := range map[int64]bool{0: true, 7: true, 8: false, 365: true} {
		_, problems := resource.Check(kindOf(t, "log_group"), resource.AttrsOf(values{"retention_days": resource.Int(days)}))
		if good != (len(problems) == 0) {
			t.Errorf("%d days: %+v", days, problems)
		}
	}
}

func TestACertificateIsIssuedByItsRecord(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	zone := s.make(zoneOf(t, "main", "example.com", nil)).ID
	d := desired(t, "certificate", "web", values{"domain": text("www.Example.com"), "alternatives": list("*.www.example.com"), "key_algorithm": text("EC_prime256v1")}, "team", "web")
	o := s.created(d)
	if got, _ := o.Attrs.Get("status"); got != text("PENDING_VALIDATION") || o.Health != resource.Unclear || !strings.Contains(o.Message, "not issued") {
		t.Fatalf("%v %s %q", got, o.Health, o.Message)
	}
	name, _ := o.Attrs.Get("validation_name")
	value, _ := o.Attrs.Get("validation_value")
	targets := s.make(s.targets("web", nil))
	lb := s.make(s.balancer("web", nil))
	https := desired(t, "listener", "https", values{"load_balancer": text(lb.ID), "port": resource.Int(443), "protocol": text("HTTPS"), "certificate": text(o.ID), "target_group": text(targets.ID)})
	waited := make(chan error, 1)
	go func() { _, err := s.p.Create(t.Context(), s.request(https)); waited <- err }()
	for s.count("acm.DescribeCertificate") < 6 { // the listener waits
		sleepBriefly()
	}
	s.make(desired(t, "dns_record", "validation", values{"zone": text(zone), "domain": name, "record_type": text("CNAME"), "values": resource.List{value}}))
	if err := <-waited; err != nil {
		t.Fatalf("the listener: %v", errorText(err))
	}
	if o = s.settled(d, nil); o.Health != resource.Healthy {
		t.Errorf("it is %s: %s", o.Health, o.Message)
	}
	if err := s.remove(o); provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), lb.ID) {
		t.Errorf("in use: %v", errorText(err))
	}
}

func TestLostAnswersOfWhatIsKept(t *testing.T) {
	t.Parallel()
	for call, d := range map[string]resource.Desired{
		"kms.CreateKey":               desired(t, "kms_key", "main", values{"alias": text("main")}),
		"kms.CreateAlias":             desired(t, "kms_key", "main", values{"alias": text("main")}),
		"secretsmanager.CreateSecret": desired(t, "secret", "token", values{"generate": resource.Attrs{}}),
		"logs.CreateLogGroup":         desired(t, "log_group", "web", values{"retention_days": resource.Int(7)}),
		"logs.PutRetentionPolicy":     desired(t, "log_group", "web", values{"retention_days": resource.Int(7)}),
		"acm.RequestCertificate":      desired(t, "certificate", "web", values{"domain": text("example.com")}),
		"rds.CreateDBParameterGroup":  desired(t, "db_parameter_group", "data", values{"family": text("postgres17"), "parameters": object("work_mem", "4096")}),
		"rds.ModifyDBParameterGroup":  desired(t, "db_parameter_group", "data", values{"family": text("postgres17"), "parameters": object("work_mem", "4096")}),
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			service, action, _ := strings.Cut(call, ".")
			w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: service, Action: action, Times: 4}) // also those of the SDK
			r := w.request(d)
			var err error
			for range 5 {
				if _, err = w.p.Create(t.Context(), r); err == nil {
					break
				}
			}
			if err != nil {
				t.Fatal(errorText(err))
			}
			o := w.settled(d, nil)
			n := 0
			for _, o := range w.observed().Resources {
				if o.Ref.Kind == d.Ref.Kind {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%d exist", n)
			}
			if err := w.remove(o); err != nil {
				t.Errorf("delete: %v", errorText(err))
			}
		})
	}
}
