package aws_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
)

// accounts answers as STS does: the account of an access key is its last 12 digits, and that of a role the one of its
// ARN. It notes the keys and external IDs that roles were assumed with.
type accounts struct {
	mu      sync.Mutex
	assumed []string
}

var keyOf = regexp.MustCompile(`Credential=[A-Z]*([0-9]{12})/[0-9]+/([a-z0-9-]+)/`)

func (a *accounts) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	in, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(in))
	m := keyOf.FindStringSubmatch(r.Header.Get("Authorization"))
	account := m[1]
	body := `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>` + account + `</Account><Arn>arn:aws:iam::` + account + `:user/x</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`
	if role := form.Get("RoleArn"); role != "" {
		a.assumed = append(a.assumed, fmt.Sprintf("%s by %s with %s at %s", role, account, cmp.Or(form.Get("ExternalId"), "none"), r.URL.Host))
		body = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA` + strings.Split(role, ":")[4] + `</AccessKeyId><SecretAccessKey>x</SecretAccessKey><SessionToken>x</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/xml"}}, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r}, nil
}

// Each account has its own profile, role and external ID, in every partition; what is set for none of them is that of
// all others.
func TestEachAccountHasItsOwnIdentity(t *testing.T) {
	all := &accounts{}
	realProvider(t, all) // its environment
	file := filepath.Join(t.TempDir(), "config")
	const profiles = "[profile main]\naws_access_key_id = AKIA111111111111\naws_secret_access_key = x\n[profile china]\naws_access_key_id = AKIA222222222222\naws_secret_access_key = x\n"
	if err := os.WriteFile(file, []byte(profiles), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONFIG_FILE", file)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIA999999999999")
	p := aws.New(aws.Options{HTTPClient: &http.Client{Transport: all}, Attempts: 1, Identities: identified(t, "main,222222222222=china,444444444444=main",
		"333333333333=arn:aws:iam::333333333333:role/ovi,222222222222=arn:aws-cn:iam::222222222222:role/ovi,555555555555=arn:aws-us-gov:iam::555555555555:role/ovi", "shared,222222222222=own")})
	for location, want := range map[string]string{
		"us-east-1": "111111111111/us-east-1", "333333333333/eu-west-1": "333333333333/eu-west-1", "222222222222/cn-north-1": "222222222222/cn-north-1",
		"111111111111/us-east-1": "111111111111/us-east-1", "555555555555/us-gov-west-1": "555555555555/us-gov-west-1",
	} {
		at, err := p.Locate(t.Context(), location)
		if err != nil || at != want {
			t.Errorf("%s is %s: %v", location, at, errorText(err))
		}
		if err := p.Reach(t.Context(), at); err != nil {
			t.Errorf("%s: %v", at, errorText(err))
		}
	}
	slices.Sort(all.assumed)
	want := []string{
		"arn:aws-cn:iam::222222222222:role/ovi by 222222222222 with own at sts.cn-north-1.amazonaws.com.cn",
		"arn:aws-us-gov:iam::555555555555:role/ovi by 111111111111 with shared at sts.us-gov-west-1.amazonaws.com",
		"arn:aws:iam::333333333333:role/ovi by 111111111111 with shared at sts.eu-west-1.amazonaws.com",
	}
	if !slices.Equal(all.assumed, want) {
		t.Errorf("assumed:\n%s", strings.Join(all.assumed, "\n"))
	}
	if !strings.Contains(p.Caller(), "111111111111") {
		t.Errorf("the caller is %s", p.Caller())
	}
	if at, err := p.Locate(t.Context(), "444444444444/us-east-1"); err != nil || at != "444444444444/us-east-1" {
		t.Errorf("a named profile costs the plan of all accounts: %s %v", at, err)
	}
	if err := p.Reach(t.Context(), "444444444444/us-east-1"); !isCause(err, provider.Denied) || !strings.Contains(errorText(err), "profile main are of account 111111111111") {
		t.Errorf("a profile of another account: %v", errorText(err))
	}
}

// In the sandbox the profile of an account is an account of its own, as a role is.
func TestAProfileOfAnAccountInTheSandbox(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	p := w.assuming(identified(t, "me,111111222222=prod", "", ""))
	for asked, want := range map[string]string{"us-east-1": "000000000000/us-east-1", "111111222222/us-east-1": "000000222222/us-east-1"} {
		at, err := p.Locate(t.Context(), asked)
		if err != nil || at != want {
			t.Errorf("%s is %s: %v", asked, at, errorText(err))
		}
		if err := p.Reach(t.Context(), at); err != nil {
			t.Errorf("%s: %v", at, errorText(err))
		}
	}
}
