package aws_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// asked gathers the operations that the tests of this package really called.
var asked struct {
	sync.Mutex
	operations map[string]bool
}

func noteOperations(t *testing.T, requests []sandbox.Request) {
	t.Helper()
	asked.Lock()
	defer asked.Unlock()
	if asked.operations == nil {
		asked.operations = map[string]bool{}
	}
	for _, r := range requests {
		asked.operations[r.Service+"."+strings.Replace(r.Action, "tBucketPublicAccessBlock", "tPublicAccessBlock", 1)] = true
	}
}

// byHand are calls that tests make outside ovi.
var byHand = []string{
	"s3.PutBucketAbac", "s3.DeleteBucketTagging", "s3.DeleteBucketOwnershipControls", "s3.PutObject", "s3.DeleteObject", "rds.DescribeDBSnapshots", "ec2.DescribeInstanceAttribute", "rds.CreateDBSubnetGroup",
	"ec2.EnableEbsEncryptionByDefault", "s3.DeletePublicAccessBlock", "s3.DeleteBucketPublicAccessBlock", "s3.ListObjectVersions",
}

// TestMain compares the table of permissions with what all tests together have called.
func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		_ = checks.Value.Set("20") // each is a short life in a sandbox; -rapid.checks asks for more
	}
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set("16") // most of their time they wait
	}
	code := m.Run()
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		for _, problem := range comparePermissions() {
			fmt.Println("the IAM policy:", problem)
			code = 1
		}
	}
	os.Exit(code)
}

func comparePermissions() []string {
	var out []string
	known := aws.Operations()
	for call := range asked.operations {
		if !slices.Contains(known, call) && !slices.Contains(byHand, call) {
			out = append(out, "lacks "+call+", which is called")
		}
	}
	for _, call := range known {
		if !asked.operations[call] {
			out = append(out, "has "+call+", which no test calls")
		}
	}
	slices.Sort(out)
	return out
}

func TestTheIAMPolicyIsValid(t *testing.T) {
	var p struct {
		Version   string
		Statement []struct {
			Sid, Effect, Resource string
			Action                []string
			Condition             map[string]map[string]any
		}
	}
	if err := json.Unmarshal(aws.IAMPolicy(), &p); err != nil {
		t.Fatal(err)
	}
	if p.Version != "2012-10-17" || len(p.Statement) != 8 {
		t.Fatalf("%+v", p)
	}
	seen := map[string]bool{}
	conditions := map[string]string{
		"ec2:TerminateInstances": "aws:ResourceTag/ovi:managed=true", "rds:DeleteDBInstance": "aws:ResourceTag/ovi:managed=true",
		"iam:PassRole": "iam:PassedToService=[ec2.amazonaws.com ec2.amazonaws.com.cn]", "iam:CreateServiceLinkedRole": "iam:AWSServiceName=[rds.amazonaws.com elasticloadbalancing.amazonaws.com autoscaling.amazonaws.com spot.amazonaws.com]",
	}
	for _, s := range p.Statement {
		for _, a := range s.Action {
			service, name, ok := strings.Cut(a, ":")
			if !ok || service == "" || name == "" || strings.Contains(a, "*") {
				t.Errorf("%s: action %q", s.Sid, a)
			}
			if s.Sid == "OviObserve" && !slices.ContainsFunc([]string{"Describe", "Get", "List"}, func(p string) bool { return strings.HasPrefix(name, p) }) {
				t.Errorf("observing needs %s?", a)
			}
			if want, limited := conditions[a]; limited {
				key, value, _ := strings.Cut(want, "=")
				if fmt.Sprint(s.Condition["StringEquals"][key]) != value {
					t.Errorf("%s is allowed without the condition %s", a, want)
				}
			}
			if seen[a] {
				t.Errorf("%s is allowed twice", a)
			}
			seen[a] = true
		}
	}
	for _, a := range []string{"iam:PassRole", "s3:ListAllMyBuckets", "rds:CreateDBInstance", "sts:GetCallerIdentity"} {
		if !seen[a] {
			t.Errorf("%s is missing", a)
		}
	}
}

// fitting fails for policies that IAM refuses: of more than 6,144 characters, or with one Sid twice.
func fitting(t *testing.T, policies [][]byte) {
	t.Helper()
	for i, text := range policies {
		var b bytes.Buffer
		var p struct{ Statement []struct{ Sid string } }
		if err := cmp.Or(json.Compact(&b, text), json.Unmarshal(text, &p)); err != nil {
			t.Fatal(err)
		}
		if n := utf8.RuneCount(b.Bytes()); n > 6144 {
			t.Errorf("policy %d has %d characters", i+1, n)
		}
		seen := map[string]bool{}
		for _, s := range p.Statement {
			if seen[s.Sid] {
				t.Errorf("policy %d has %s twice", i+1, s.Sid)
			}
			seen[s.Sid] = true
		}
	}
}

// TestAPolicyOfManyBucketsFits: one statement alone exceeds what a policy takes, and loses nothing when it is divided.
func TestAPolicyOfManyBucketsFits(t *testing.T) {
	var all []resource.Desired
	for i := range 500 {
		all = append(all, resource.Desired{Ref: resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: "s3", Name: fmt.Sprintf("a-bucket-with-a-long-name-%d", i)}})
	}
	policies := aws.IAMPolicyFor([]resource.Intent{{Stack: "web", Resources: all}})
	fitting(t, policies)
	allowed := map[string]bool{}
	for _, text := range policies {
		var p struct {
			Statement []struct{ Action, Resource []string }
		}
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Statement {
			for _, a := range s.Action {
				for _, r := range s.Resource {
					allowed[a+" "+r] = true
				}
			}
		}
	}
	for i := range all {
		for _, a := range []string{"s3:CreateBucket", "s3:DeleteBucket", "s3:TagResource"} {
			if !allowed[a+" arn:aws:s3:::"+all[i].Ref.Name] {
				t.Fatalf("%s of %s is not allowed by %d policies", a, all[i].Ref.Name, len(policies))
			}
		}
	}
}

// TestEveryOperationIsOfAKind: what ovi calls is in the policy of some configuration.
func TestEveryOperationIsOfAKind(t *testing.T) {
	var all []resource.Desired
	for _, k := range aws.Kinds() {
		all = append(all, resource.Desired{Ref: resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: k.Name, Name: "a"}})
	}
	policiesFor := func(all ...resource.Desired) [][]byte {
		return aws.IAMPolicyFor([]resource.Intent{{Stack: "web", Resources: all}})
	}
	const granted = `"kms:CreateGrant"`
	if text := string(bytes.Join(policiesFor(all...), nil)); strings.Contains(text, granted) {
		t.Error("a key may be granted, and nothing has one")
	}
	for _, kind := range []string{"ec2", "ebs", "rds"} {
		a := resource.AttrsOf(values{"kms_key": text("arn")})
		if kind == "ec2" {
			a = resource.AttrsOf(values{"root_volume": a})
		}
		d := resource.Desired{Ref: resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: kind, Name: "b"}, Attrs: a}
		if text := string(bytes.Join(policiesFor(d), nil)); !strings.Contains(text, granted) || !strings.Contains(text, "kms:GrantIsForAWSResource") {
			t.Errorf("%s: its key is not granted", kind)
		}
		all = append(all, d)
	}
	policies := policiesFor(all...)
	text := string(bytes.Join(policies, nil))
	if len(policies) < 2 {
		t.Errorf("%d policies of all kinds", len(policies))
	}
	fitting(t, policies)
	var general struct{ Statement []struct{ Action []string } }
	if err := json.Unmarshal(aws.IAMPolicy(), &general); err != nil {
		t.Fatal(err)
	}
	for _, s := range general.Statement {
		for _, action := range s.Action {
			if !strings.Contains(text, `"`+action+`"`) {
				t.Errorf("%s is in the policy of no kind: add it to the Calls of a kind", action)
			}
		}
	}
}
