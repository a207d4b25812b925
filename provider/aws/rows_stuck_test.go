package aws_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func TestA8ARoleIsAssumedInTheRegionOfTheOption(t *testing.T) {
	realProvider(t, nil)
	file := filepath.Join(t.TempDir(), "config")
	text := "[profile role]\nrole_arn = arn:aws:iam::123456789012:role/deploy\nsource_profile = base\n[profile base]\naws_access_key_id = EXAMPLE\naws_secret_access_key = not-a-secret\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONFIG_FILE", file)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		t.Setenv(name, "")
	}
	var assumed string
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		if assumed == "" {
			assumed = r.Header.Get("Authorization")
		}
		return nil, http.ErrHandlerTimeout
	})
	p := aws.New(aws.Options{Identities: identified(t, "role", "", ""), Region: "eu-west-1", HTTPClient: &http.Client{Transport: transport}, Attempts: 1})
	_, err := p.Locate(t.Context(), "eu-west-1")
	if err == nil || strings.Contains(err.Error(), "Missing Region") || !strings.Contains(assumed, "/eu-west-1/sts/") {
		t.Errorf("%v; the first call was signed %q", err, assumed)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestA9AMountedVolumeIsNamedSoonAndFreeOnceItsInstanceEnds(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	quick := patience
	quick.Appear = 50 * time.Millisecond
	w.p = aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: w.cloud}, Delays: quick, Attempts: 4})
	web := w.make(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
	data := w.make(desired(t, "ebs", "data", values{"size": resource.Int(8), "attach_to": text(web.ID)}))
	w.broken(sandbox.Breakage{Do: "mount", Kind: "ebs", Resource: data.ID})
	if err := w.remove(data); !isCause(err, provider.InUse) || !strings.Contains(err.Error(), "is mounted on "+web.ID) || !strings.Contains(err.Error(), "unmount") {
		t.Fatalf("%v", err)
	}
	if !slices.Contains(kindOf(t, "ebs").Outlives, "ec2") {
		t.Error("a plan that deletes both deletes the volume first")
	}
	for _, o := range []resource.Observed{web, data} {
		if err := w.remove(o); err != nil {
			t.Fatal(err)
		}
	}
}

func TestA10dAGroupWithoutRoomForBothSetsExchangesThem(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	rules := func(from int) (out resource.List) {
		for i := range 60 {
			out = append(out, rule("port", from+i, "cidr", "10.0.0.0/8"))
		}
		return out
	}
	have := w.make(desired(t, "security_group", "web", values{"ingress": rules(1000)}))
	next := desired(t, "security_group", "web", values{"ingress": rules(2000)})
	w.mustUpdate(next, have, nil)
	w.settled(next, nil)
	if n := w.count("ec2.AuthorizeSecurityGroupIngress"); n != 3 {
		t.Errorf("%d calls: once when it was created, once refused, once after the old rules were gone", n)
	}
}

func TestA10eARuleIsRemovedByItsID(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	have := w.make(desired(t, "security_group", "web", values{"ingress": resource.List{
		rule("port", 22, "cidr", "10.0.0.0/8"), rule("port", 443, "cidr", "::/0", "description", "the web"), rule("protocol", "icmp", "cidr", "0.0.0.0/0"),
	}}))
	w.hooked(func(h *hook, action string, r *http.Request) (*http.Response, error) {
		if action == "RevokeSecurityGroupIngress" {
			if form := formOf(t, r); form.Get("SecurityGroupRuleId.1") == "" || form.Get("IpPermissions.1.IpProtocol") != "" {
				t.Errorf("a default VPC ignores what is spelled out and does not match: %v", form)
			}
		}
		return h.cloud.RoundTrip(r)
	})
	next := desired(t, "security_group", "web", values{"ingress": resource.List{rule("port", 443, "cidr", "::/0")}})
	w.mustUpdate(next, have, nil)
	w.settled(next, nil)
}

func TestA11aGrownStorageIsNoted(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	of := func(gib int64) resource.Desired {
		return desired(t, "rds", "db", values{"size": text("db.t3.micro"), "storage": resource.Int(gib)})
	}
	have := w.make(of(100))
	d := of(105)
	w.mustUpdate(d, have, nil)
	o := w.settled(d, nil)
	if attr(o, "storage") != resource.Int(110) || strings.Join(kept(t, d, o), ",") != "storage" {
		t.Errorf("%v, and the plan names %v", attr(o, "storage"), kept(t, d, o))
	}
}

func TestA11bAMajorUpgradeOfEachEngine(t *testing.T) {
	for engine, versions := range map[string][2]string{"mysql": {"8.0", "8.4"}, "mariadb": {"10.6", "10.11"}, "postgres": {"15", "17"}} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			of := func(version string) resource.Desired {
				return desired(t, "rds", "db", values{"size": text("db.t3.micro"), "engine": text(engine), "username": text("owner"), "engine_version": text(version)})
			}
			w.make(of(versions[0]))
			have := w.settled(of(versions[0]), nil)
			w.mustUpdate(of(versions[1]), have, nil)
			o := w.settled(of(versions[1]), nil)
			if older := of(versions[0]); strings.Join(kept(t, older, o), ",") != "engine_version" || len(changes(t, older, o, nil)) > 0 {
				t.Errorf("an older version is no change, and noted: %v", kept(t, older, o))
			}
		})
	}
}

func TestA11cLargeGP3StorageGrowsWithItsPerformance(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	of := func(gib int64) resource.Desired {
		return desired(t, "rds", "db", values{"size": text("db.t3.micro"), "storage": resource.Int(gib)})
	}
	have := w.make(of(300))
	for _, gib := range []int64{400, 500} {
		w.mustUpdate(of(gib), have, nil)
		have = w.settled(of(gib), nil)
		w.idleDB("db")
	}
}

func TestA11dAFullDatabaseCanBeGrown(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.make(desired(t, "rds", "db", values{"size": text("db.t3.micro")}))
	w.idleDB("db")
	w.broken(sandbox.Breakage{Do: "fail", Kind: "rds", Resource: "db", Value: "storage-full"})
	have, _ := w.find(ref("rds", "db"))
	if _, err := w.update(desired(t, "rds", "db", values{"size": text("db.t3.small")}), have, nil); !isCause(err, provider.Configuration) || !strings.Contains(err.Error(), "storage-full") {
		t.Errorf("another change: %v", err)
	}
	d := desired(t, "rds", "db", values{"size": text("db.t3.micro"), "storage": resource.Int(40)})
	w.mustUpdate(d, have, nil)
	if o := w.settled(d, nil); o.Health != resource.Healthy {
		t.Errorf("it is %s", o.Health)
	}
}

func TestA11eAFailedDatabaseCanBeDeleted(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.make(desired(t, "rds", "db", values{"size": text("db.t3.micro")}))
	w.idleDB("db")
	w.broken(sandbox.Breakage{Do: "fail", Kind: "rds", Resource: "db"})
	have, _ := w.find(ref("rds", "db"))
	if err := w.remove(have); !isCause(err, provider.Configuration) || !strings.Contains(err.Error(), "set final_snapshot: false and apply") {
		t.Fatalf("%v", err)
	}
	d := desired(t, "rds", "db", values{"size": text("db.t3.micro"), "final_snapshot": resource.Bool(false)})
	r := w.request(d)
	r.Have, r.Changes = have, []resource.Change{{Path: "final_snapshot", To: resource.Bool(false)}}
	if _, err := w.p.Update(t.Context(), r); err != nil {
		t.Fatalf("what AWS knows nothing of does not wait for a failed database: %v", err)
	}
	if err := w.p.Delete(t.Context(), provider.Request{Key: "k", Owner: "ovi", Desired: d, Have: have}); err != nil {
		t.Fatal(err)
	}
}

func TestA11fADeletedDatabaseKeepsItsAutomatedBackups(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	have := w.make(desired(t, "rds", "db", values{"size": text("db.t3.micro")}))
	said := ""
	w.hooked(func(h *hook, action string, r *http.Request) (*http.Response, error) {
		if action == "DeleteDBInstance" {
			said = formOf(t, r).Get("DeleteAutomatedBackups")
		}
		return h.cloud.RoundTrip(r)
	})
	if err := w.remove(have); err != nil || said != "false" {
		t.Errorf("%v; DeleteAutomatedBackups=%q, and AWS's default is true", err, said)
	}
}

// RDS accepts a change, and for a while reports the database as available with its old values.
func TestA11gAChangeIsWaitedForUntilItsValuesHold(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	have := w.make(desired(t, "rds", "db", values{"size": text("db.t3.micro")}))
	w.idleDB("db")
	var before func() *http.Response
	lag := 0
	w.hooked(func(h *hook, action string, r *http.Request) (*http.Response, error) {
		if action == "DescribeDBInstances" && lag > 0 {
			lag--
			return before(), nil
		}
		out, err := h.cloud.RoundTrip(r)
		switch {
		case err != nil:
			return nil, err
		case action == "DescribeDBInstances":
			before = copyOf(t, out)
			return before(), nil
		case action == "ModifyDBInstance":
			lag = 5
		}
		return out, nil
	})
	d := desired(t, "rds", "db", values{"size": text("db.t3.large"), "backup_days": resource.Int(3)})
	o := w.mustUpdate(d, have, nil)
	if attr(o, "size") != text("db.t3.large") || lag > 0 {
		t.Errorf("it ended with size %v, %d stale answers before the end", attr(o, "size"), lag)
	}
}

func TestA12aTagsThatS3RefusesAreFoundBefore(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "s3", "acme-assets", values{}, "note", "assets (old, new)")
	find := kindOf(t, "s3").CrossCheck([]*resource.Desired{&d}, func(resource.Ref) *resource.Desired { return nil })
	if len(find) != 1 || find[0].Path != "tags.note" {
		t.Errorf("%+v", find)
	}
	if _, err := w.p.Create(t.Context(), w.request(d)); err == nil || !strings.Contains(err.Error(), "InvalidTag") {
		t.Errorf("the sandbox accepts them: %v", err)
	}
}

func TestA12cABucketThatWasJustCreatedIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	for action, code := range map[string]string{"PutBucketVersioning": "OperationAborted", "PutBucketEncryption": "NoSuchBucket", "GetBucketVersioning": "NoSuchBucket"} {
		w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "s3", Action: action, Code: code, Status: 409, Times: 2})
	}
	d := desired(t, "s3", "acme-assets", values{"versioning": resource.Bool(true), "encryption": text("AES256")})
	w.make(d)
	w.settled(d, nil)
}

func TestA13ASubnetWithoutAZoneIsInOneWithCurrentTypes(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	vpc := w.make(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")}))
	used := map[resource.Value]int{}
	for _, n := range []string{"0", "1", "2", "3", "4", "5"} {
		o := w.make(desired(t, "subnet", "app-"+n, values{"vpc": text(vpc.ID), "cidr": text("10.0." + n + ".0/24")}))
		used[attr(o, "zone")]++
	}
	if len(used) != 5 || used[text("us-east-1e")] > 0 {
		t.Errorf("the zones of six subnets: %v", used)
	}
}

func TestA19WhatPreventsADeletionIsNamedSoon(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	slow := patience
	slow.Appear, slow.Held, slow.Free = 20*time.Millisecond, 20*time.Millisecond, time.Hour
	w.p = aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: w.cloud}, Delays: slow, Attempts: 4})
	vpc, subnet := w.network()
	if err := w.remove(vpc); !isCause(err, provider.InUse) || !strings.Contains(err.Error(), subnet.ID) {
		t.Errorf("%v", err)
	}
}

func TestA20RefusalsOfTheAccountSayWhatToDo(t *testing.T) {
	for code, hint := range map[string]string{
		"RequestExpired": "clock", "AuthFailure": "enable the region", "OptInRequired": "enable the region",
		"InvalidClientTokenId": "enable the region", "ExpiredToken": "aws sso login",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "ec2", Code: code, Status: 401})
			_, err := w.p.Create(t.Context(), w.request(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")})))
			if (!isCause(err, provider.Denied) && !isCause(err, provider.Expired)) || !strings.Contains(err.Error(), hint) {
				t.Errorf("%v", err)
			}
		})
	}
}
