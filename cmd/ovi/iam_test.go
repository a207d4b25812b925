package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// iamPolicy is a policy as IAM evaluates it, as far as ovi's use that.
type iamPolicy struct {
	Statement []struct {
		Sid                           string
		Action, Resource, NotResource []string
		Condition                     map[string]map[string]any
	}
}

// iamRequest is what IAM decides about, for one resource of a call.
type iamRequest struct {
	action, resource string
	keys             map[string]string // of conditions; absent: the request has none
}

func (p *iamPolicy) allows(r iamRequest) bool {
	matches := func(patterns []string, s string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			ok, err := path.Match(strings.ReplaceAll(pattern, "/", "|"), strings.ReplaceAll(s, "/", "|"))
			return ok && err == nil
		})
	}
	for _, s := range p.Statement {
		ok := slices.Contains(s.Action, r.action)
		ok = ok && (len(s.NotResource) == 0 || !matches(s.NotResource, r.resource))
		ok = ok && (len(s.Resource) == 0 || matches(s.Resource, r.resource))
		for key, want := range s.Condition["StringEquals"] {
			var values []string
			switch want := want.(type) {
			case string:
				values = []string{want}
			case []any:
				for _, v := range want {
					values = append(values, v.(string))
				}
			}
			has, present := r.keys[key]
			ok = ok && present && slices.Contains(values, has)
		}
		if ok && len(s.Condition) <= 1 {
			return true
		}
	}
	return false
}

// iamWatch passes requests on to a sandbox and keeps what IAM would decide about.
type iamWatch struct {
	cloud *sandbox.Cloud
	mu    sync.Mutex
	made  map[string]string // IDs and names of what was created with ovi:stack, and its value
	asked []iamRequest
}

var (
	scoped  = regexp.MustCompile(`Credential=[^/]+/\d+/([^/]+)/([^/]+)/`)
	created = regexp.MustCompile(`<(?:\w+Id|\w+Arn|\w+Name|\w+Identifier|[aA]llocationId|associationId)>([^<]+)</`)
)

func (w *iamWatch) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	w.cloud.ServeHTTP(answer, r)
	form, _ := url.ParseQuery(string(body))
	if scope := scoped.FindStringSubmatch(r.Header.Get("Authorization")); scope != nil && form.Get("Action") != "" {
		w.note(scope[1], scope[2], form, answer.Body.String())
	}
	for k, v := range answer.Header() {
		out.Header()[k] = v
	}
	out.WriteHeader(answer.Code)
	_, _ = out.Write(answer.Body.Bytes())
}

// note keeps a call of a query API, and the permission to tag that it takes too.
func (w *iamWatch) note(region, service string, form url.Values, answer string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	keys := map[string]string{"aws:RequestedRegion": region}
	var ids []string
	for name, v := range form {
		if strings.HasSuffix(name, "Key") && v[0] == "ovi:stack" {
			keys["aws:RequestTag/ovi:stack"] = form.Get(strings.TrimSuffix(name, "Key") + "Value")
		}
		ids = append(ids, v[0])
	}
	for _, id := range ids {
		if s, ours := w.made[id]; ours {
			keys["aws:ResourceTag/ovi:stack"] = s
		}
	}
	stack, tagged := keys["aws:RequestTag/ovi:stack"]
	for _, m := range created.FindAllStringSubmatch(answer, -1) {
		if tagged {
			w.made[m[1]] = stack
		} else if form.Get("Action") == "AssociateRouteTable" { // its ID is of no resource: IAM decides by the table
			w.made[m[1]] = keys["aws:ResourceTag/ovi:stack"]
		}
	}
	w.asked = append(w.asked, iamRequest{service + ":" + form.Get("Action"), "", keys})
	tag := map[string]string{"ec2": "ec2:CreateTags", "rds": "rds:AddTagsToResource", "elasticloadbalancing": "elasticloadbalancing:AddTags", "autoscaling": "autoscaling:CreateOrUpdateTags"}[service]
	if tagged && tag != "" {
		w.asked = append(w.asked, iamRequest{tag, "", keys})
	}
}

// TestTheIAMPolicyOfAFileAllowsWhatItTakes: every call that an apply and a destroy of examples/web-public
// make is allowed, for each resource; without the tag of the stack, in another region or on another
// bucket it is not.
func TestTheIAMPolicyOfAFileAllowsWhatItTakes(t *testing.T) {
	t.Parallel()
	cloud, err := sandbox.Open("", sandbox.WithSettle(0))
	if err != nil {
		t.Fatal(err)
	}
	defer cloud.Close()
	w := &iamWatch{cloud: cloud, made: map[string]string{}}
	server := httptest.NewServer(w)
	defer server.Close()
	dir := t.TempDir()
	file, err := filepath.Abs("../../examples/web-public/ovi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) []byte {
		t.Helper()
		c := ovi(t, dir, args...)
		c.Env = append(c.Env, "AWS_ENDPOINT_URL="+server.URL, "AWS_ACCESS_KEY_ID=TEST", "AWS_SECRET_ACCESS_KEY=not-a-secret", "AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull)
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		if err := c.Run(); err != nil {
			t.Fatalf("ovi %s: %v\n%s%s", args[0], err, stdout.String(), stderr.String())
		}
		return stdout.Bytes()
	}
	var p iamPolicy
	policies := 0
	for d := json.NewDecoder(bytes.NewReader(run("kinds", "--iam", file))); d.More(); policies++ {
		var one json.RawMessage
		var part iamPolicy
		var short bytes.Buffer
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		if err := cmp.Or(json.Unmarshal(one, &part), json.Compact(&short, one)); err != nil {
			t.Fatal(err)
		}
		if n := short.Len(); n > 6144 {
			t.Errorf("policy %d has %d characters: IAM takes 6,144", policies+1, n)
		}
		p.Statement = append(p.Statement, part.Statement...)
	}
	if policies != 2 {
		t.Errorf("%d policies; docs/aws.md has 2", policies)
	}
	run("apply", "--auto-approve", file)
	run("destroy", "--auto-approve", file)
	p.allowsAll(t, w.asked)
	p.allowsRest(t, cloud.Counts())
}

// allowsAll checks the calls of query APIs, and the same ones where they are not about the stack.
func (p *iamPolicy) allowsAll(t *testing.T, all []iamRequest) {
	t.Helper()
	own := map[string]string{} // of calls that act on several types: the one that carries the tags
	for _, s := range p.Statement {
		for _, a := range s.Action {
			if len(s.NotResource) > 0 {
				own[a] = strings.ReplaceAll(s.NotResource[0], "*", "x")
			}
		}
	}
	seen := map[string]bool{}
	for _, r := range all {
		seen[r.action] = true
		if r.resource = own[r.action]; r.resource == "" {
			r.resource = "arn:aws:any:x:x:x"
		} else if beside := (iamRequest{r.action, "arn:aws:any:x:x:x", map[string]string{"aws:RequestedRegion": "us-east-1"}}); !p.allows(beside) {
			t.Errorf("%s is not allowed on another resource that it takes", r.action)
		}
		if !p.allows(r) {
			t.Errorf("%s is denied: %v", r.action, r.keys)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d operations were called", len(seen))
	}
	for _, a := range []string{"ec2:DeleteVpc", "ec2:CreateSubnet", "ec2:AuthorizeSecurityGroupIngress", "rds:DeleteDBInstance", "iam:DeleteRole", "elasticloadbalancing:DeleteLoadBalancer", "autoscaling:DeleteAutoScalingGroup"} {
		r := iamRequest{a, own[a], map[string]string{"aws:RequestedRegion": "us-east-1", "aws:ResourceTag/ovi:stack": "other", "aws:RequestTag/ovi:stack": "other"}}
		if !seen[a] || p.allows(r) {
			t.Errorf("%s, called: %v, is allowed on a resource of another stack", a, seen[a])
		}
	}
	if p.allows(iamRequest{"ec2:DescribeInstances", "*", map[string]string{"aws:RequestedRegion": "eu-west-1"}}) {
		t.Error("another region may be read")
	}
	passed := iamRequest{"iam:PassRole", "arn:aws:iam::1:role/x", map[string]string{"iam:PassedToService": "lambda.amazonaws.com"}}
	if p.allows(passed) {
		t.Error("a role may be passed to any service")
	}
	if passed.keys["iam:PassedToService"] = "ec2.amazonaws.com"; !p.allows(passed) {
		t.Error("a role may not be passed to instances")
	}
}

// allowsRest checks the calls of S3 and Route 53, which know no tags.
func (p *iamPolicy) allowsRest(t *testing.T, calls map[string]int) {
	t.Helper()
	named := strings.NewReplacer("BucketEncryption", "EncryptionConfiguration", "ListBuckets", "ListAllMyBuckets", "HeadBucket", "ListBucket",
		"BucketLifecycleConfiguration", "LifecycleConfiguration", "BucketCors", "BucketCORS")
	n := 0
	for call := range calls {
		service, name, _ := strings.Cut(call, ".")
		if service != "s3" && service != "route53" {
			continue
		}
		n++
		r := iamRequest{service + ":" + name, "*", nil}
		if service == "s3" {
			r = iamRequest{"s3:" + named.Replace(name), "arn:aws:s3:::web-public-assets", nil}
		}
		if !p.allows(r) {
			t.Errorf("%s is denied on %s", r.action, r.resource)
		}
	}
	if n < 10 || p.allows(iamRequest{"s3:DeleteBucket", "arn:aws:s3:::other", nil}) {
		t.Errorf("%d calls; another bucket may be deleted", n)
	}
}
