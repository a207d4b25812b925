package aws_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/resource"
)

// realAccount answers as STS of a real account does, and refuses all else.
type realAccount struct {
	mu    sync.Mutex
	calls int
}

func (a *realAccount) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls++
	body := `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account><Arn>arn:aws-cn:iam::123456789012:user/x</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/xml"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// realProvider reads its configuration from the environment, as outside of the sandbox.
func realProvider(t *testing.T, account http.RoundTripper) *aws.Provider {
	t.Helper()
	for k, v := range map[string]string{
		"AWS_ACCESS_KEY_ID": "EXAMPLE", "AWS_SECRET_ACCESS_KEY": "not-a-secret", "AWS_CONFIG_FILE": "/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_PROFILE": "", "AWS_ENDPOINT_URL": "", "AWS_EC2_METADATA_DISABLED": "true", "AWS_REGION": "", "AWS_CA_BUNDLE": "",
	} {
		t.Setenv(k, v)
	}
	return aws.New(aws.Options{HTTPClient: &http.Client{Transport: account}, Attempts: 1})
}

func TestLocateAsksOnce(t *testing.T) {
	account := &realAccount{}
	p := realProvider(t, account)
	for range 3 {
		for location, want := range map[string]string{"us-east-1": "123456789012/us-east-1", "eu-west-1": "123456789012/eu-west-1", "123456789012/us-west-2": "123456789012/us-west-2"} {
			if got, err := p.Locate(t.Context(), location); got != want || err != nil {
				t.Errorf("%s is at %q, %v", location, got, err)
			}
		}
	}
	if account.calls != 1 {
		t.Errorf("%d calls", account.calls)
	}
}

func TestLocationsOfAnotherAccount(t *testing.T) {
	w := newLiveState(t)
	p := realProvider(t, &realAccount{})
	if at, err := w.p.Locate(t.Context(), "123456789012/us-east-1"); at != "000000789012/us-east-1" || err != nil {
		t.Errorf("the account of a configuration is %q in the sandbox, %v", at, err)
	}
	in := resource.Scope{Provider: "aws", Location: "123456789012/us-east-1"}
	_, err := w.p.Observe(t.Context(), provider.ObserveRequest{Scope: in, Kinds: []string{"vpc"}})
	if !errors.Is(err, provider.ErrElsewhere) {
		t.Errorf("a real place from the sandbox: %v", err)
	}
	if _, err := p.Locate(t.Context(), location); !errors.Is(err, provider.ErrElsewhere) {
		t.Errorf("the sandbox from a real account: %v", err)
	}
	_, err = p.Locate(t.Context(), "210987654321/us-east-1")
	if !isCause(err, provider.Denied) || errors.Is(err, provider.ErrElsewhere) || !strings.Contains(err.Error(), "123456789012") || !strings.Contains(err.Error(), "210987654321") {
		t.Errorf("another real account: %v", err)
	}
	if err := p.Delete(t.Context(), provider.Request{Have: resource.Observed{ID: "i-1", Ref: ref("ec2", "web")}}); !errors.Is(err, provider.ErrElsewhere) {
		t.Errorf("deleting a thing of the sandbox with real credentials: %v", err)
	}
}

func TestInvalidLocations(t *testing.T) {
	w := newLiveState(t)
	for _, location := range []string{"", "mars", "us-east-1/", "/us-east-1", "us-east-1;x", "000000000000/", "a/b/us-east-1/c"} {
		if got, err := w.p.Locate(t.Context(), location); !isCause(err, provider.Configuration) {
			t.Errorf("%q is at %q, %v", location, got, err)
		}
	}
	if len(w.cloud.Requests()) > 0 {
		t.Error("a call was made")
	}
}

func TestTheSandboxNeverReachesTheNetwork(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	p := aws.New(aws.Options{Sandbox: true, Attempts: 1})
	if _, err := p.Locate(t.Context(), "us-east-1"); err == nil || !strings.Contains(err.Error(), "has no transport") {
		t.Errorf("%v", err)
	}
}

// TestAnotherEndpointIsNamed: the plan's head says where calls go, however that was configured, and that it
// is not encrypted; never what is secret in a URL.
func TestAnotherEndpointIsNamed(t *testing.T) {
	const account = "AWS account 123456789012"
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"AWS":              {nil, ""},
		"loopback":         {map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:5000"}, account + " at http://127.0.0.1:5000"},
		"not encrypted":    {map[string]string{"AWS_ENDPOINT_URL": "http://aws.example:5000"}, account + " at http://aws.example:5000, which is not encrypted"},
		"of one service":   {map[string]string{"AWS_ENDPOINT_URL_EC2": "https://ec2.example"}, account + " at https://ec2.example"},
		"of two services":  {map[string]string{"AWS_ENDPOINT_URL_EC2": "https://ec2.example", "AWS_ENDPOINT_URL_S3": "https://s3.example"}, account + " at https://ec2.example and https://s3.example"},
		"with a password":  {map[string]string{"AWS_ENDPOINT_URL": "https://ann:secret@aws.example/x?token=secret"}, account + " at https://aws.example/x"},
		"ignored settings": {map[string]string{"AWS_ENDPOINT_URL": "https://aws.example", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := realProvider(t, &realAccount{})
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			location, err := p.Locate(t.Context(), "us-east-1")
			if err != nil {
				t.Fatal(err)
			}
			_, _ = p.Observe(t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: location}}) // makes the clients
			if got := p.Describe(location); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestNoCredentials(t *testing.T) {
	p := realProvider(t, &realAccount{})
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	_, err := p.Locate(t.Context(), "us-east-1")
	if !isCause(err, provider.Expired) || !strings.Contains(err.Error(), "--sandbox") {
		t.Errorf("%v", err)
	}
}

func TestAnEndpointThatDoesNotExist(t *testing.T) {
	realProvider(t, nil)
	p := aws.New(aws.Options{Endpoint: "http://127.0.0.1:1", Attempts: 2})
	s, err := p.Observe(t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: "us-east-1"}})
	if !isCause(err, provider.Unreachable) || len(s.Resources) > 0 || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("%v", err)
	}
}

func TestAProfileThatDoesNotExist(t *testing.T) {
	realProvider(t, nil)
	p := aws.New(aws.Options{Identities: identified(t, "no-such-profile", "", "")})
	if _, err := p.Locate(t.Context(), "us-east-1"); !isCause(err, provider.Expired) || !strings.Contains(err.Error(), "no-such-profile") {
		t.Errorf("%v", err)
	}
}
