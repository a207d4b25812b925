package aws_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

const (
	roleOne = "arn:aws:iam::111111222222:role/ovi"
	roleTwo = "arn:aws-us-gov:iam::111111333333:role/team/ovi"
)

// assuming gives a provider that assumes roles on the sandbox.
func (w *liveState) assuming(identities aws.Identities) *aws.Provider {
	return aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: w.cloud}, Delays: patience, Attempts: 1, Identities: identities})
}

// identified reads options for accounts.
func identified(t *testing.T, profile, roles, externalID string) aws.Identities {
	t.Helper()
	return must[aws.Identities](t)(aws.IdentitiesIn(profile, roles, externalID))
}

func in(location string, d resource.Desired) resource.Desired {
	d.Ref.Location = location
	return d
}

// Each account of a plan has its own resources, and those of the credentials' own are none of them.
func TestEachRoleActsInItsAccount(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	p := w.assuming(identified(t, "", roleOne+","+roleTwo, "abc"))
	ids := map[string]string{}
	for asked, want := range map[string]string{"us-east-1": "000000222222/us-east-1", "111111222222/us-east-1": "000000222222/us-east-1", "111111333333/eu-west-1": "000000333333/eu-west-1"} {
		at, err := p.Locate(t.Context(), asked)
		if err != nil || at != want {
			t.Fatalf("%s is %s: %v", asked, at, err)
		}
		o, err := p.Create(t.Context(), provider.Request{Key: "k", Owner: "ovi", Desired: in(at, desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")}))})
		if err != nil || o.Ref.Location != want {
			t.Fatalf("%s: %+v %v", asked, o.Ref, errorText(err))
		}
		if other := ids[at]; other != "" && other != o.ID {
			t.Errorf("%s has %s and %s", at, other, o.ID)
		}
		ids[at] = o.ID
	}
	if ids["000000222222/us-east-1"] == ids["000000333333/eu-west-1"] {
		t.Errorf("two accounts have one network: %v", ids)
	}
	if _, there := w.find(ref("vpc", "main")); there {
		t.Error("the credentials' own account has it too")
	}
	if !strings.Contains(p.Caller(), "assumed-role") {
		t.Errorf("the caller is %s", p.Caller())
	}
}

// A role that cannot be assumed costs its account: it is named, and the other account is read.
func TestADeniedRoleCostsItsAccountOnly(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	p := w.assuming(identified(t, "", roleOne+" "+roleTwo, ""))
	observe := func(at string) error {
		_, err := p.Observe(context.WithoutCancel(t.Context()), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: at}, Kinds: []string{"vpc"}})
		return err
	}
	if err := observe("000000333333/us-east-1"); err != nil {
		t.Fatal(err)
	}
	w.fault(sandbox.Fault{Kind: sandbox.Denied, Service: "sts", Action: "AssumeRole"})
	err := observe("000000222222/us-east-1")
	for _, want := range []string{roleOne, "account 111111222222", "trust policy", "sts.AssumeRole"} {
		if !isCause(err, provider.Denied) || !strings.Contains(errorText(err), want) {
			t.Errorf("%q is not in %v", want, errorText(err))
		}
	}
	if err := observe("000000333333/us-east-1"); err != nil {
		t.Errorf("the other account: %v", errorText(err))
	}
	w.cloud.ClearFaults()
	if err := observe("000000222222/us-east-1"); err != nil {
		t.Errorf("once it is allowed: %v", errorText(err))
	}
	if at, err := p.Locate(t.Context(), "111111444444/us-east-1"); at != "000000444444/us-east-1" || err != nil {
		t.Errorf("an account without a role is %q in the sandbox, %v", at, err)
	}
}

func TestRolesAreRead(t *testing.T) {
	t.Parallel()
	e := aws.Entry(nil, nil)
	if !e.Locations.Sandbox("000000222222/us-east-1") || e.Locations.Sandbox("111111222222/us-east-1") {
		t.Error("accounts of the sandbox are not told from real ones")
	}
	keys := []string{}
	for _, o := range e.Options {
		keys = append(keys, o.Key)
	}
	if !slices.Contains(keys, "role_arn") || !slices.Contains(keys, "external_id") {
		t.Errorf("%v", keys)
	}
	for text, want := range map[string]string{
		"": "", roleOne + "," + roleTwo: "", roleOne + " " + roleOne: "", "arn:aws:iam::111111222222:role/other,111111222222=" + roleOne: "",
		"111111222222=" + roleTwo + ",arn:aws:iam::111111333333:role/other": "are two roles of account 111111333333",
		"ovi": "is not the ARN of a role", roleOne + ",arn:aws:iam::111111222222:role/other": "are two roles of account 111111222222",
	} {
		_, err := e.Open(t.Context(), provider.Config{Options: func(key string) string { return map[string]string{"role_arn": text}[key] }})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
