package held_test

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ovi-project/ovi/internal/canary"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/held"
)

func files() []provider.CredentialFile {
	return []provider.CredentialFile{{Variable: "CLOUD_CREDENTIALS_FILE", Home: ".cloud/credentials"}}
}

// TestCredentialsOfTheProcessAreConcealed: from each place, in each encoding that programs use.
func TestCredentialsOfTheProcessAreConcealed(t *testing.T) {
	none := func(string) ([]byte, error) { return nil, fs.ErrNotExist }
	file := func(name, text string) func(string) ([]byte, error) {
		return func(asked string) ([]byte, error) {
			if asked == name {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}
	}
	plain := "CanaryPlain8g4lRb"
	for where, x := range map[string]struct {
		env    []string
		read   func(string) ([]byte, error)
		secret string
	}{
		"a token":               {[]string{"OVI_CLUSTER_PORTAINER_TOKEN=" + canary.Secret}, none, canary.Secret},
		"a session":             {[]string{"CLOUD_SESSION_TOKEN=" + canary.Secret}, none, canary.Secret},
		"a URL":                 {[]string{"HTTPS_PROXY=http://ann:" + plain + "@proxy:8080"}, none, plain},
		"a file of a token":     {[]string{"OVI_GIT_TOKEN_FILE=/t"}, file("/t", plain+"\n"), plain},
		"a store's password":    {[]string{"OVI_STORE=etcd://ann@h/p?password-file=/pw&ca=/ca"}, file("/pw", plain), plain},
		"a provider":            {[]string{"HOME=/h"}, file("/h/.cloud/credentials", "[default]\ncloud_secret_access_key = "+plain), plain},
		"Kubernetes":            {[]string{"KUBECONFIG=/a:/b"}, file("/b", "users:\n- user:\n    token: "+plain), plain},
		"a token before a host": {[]string{"PIP_INDEX_URL=https://" + plain + "@pypi.example.com/simple"}, none, plain},
		"a query":               {[]string{"SCRAPE_URL=https://h/x?a=1&access_token=" + plain + "&b=2"}, none, plain},
		"a webhook":             {[]string{"SLACK_WEBHOOK_URL=https://hooks.example.com/services/T01/B02/" + plain}, none, plain},
		"an encoded password":   {[]string{"DATABASE_URL=postgres://u:Canary%40Plain8g4lRb@h/db"}, none, "Canary@Plain8g4lRb"},
		"two lines":             {[]string{"DEPLOY_TOKEN=first-line-of-it\n" + plain}, none, plain},
		"registries in a variable": {
			[]string{`DOCKER_AUTH_CONFIG={"auths":{"r":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("ann:"+plain)) + `"}}}`}, none, plain,
		},
		"Kubernetes, in one line": {[]string{"KUBECONFIG=/a"}, file("/a", `users: [{name: a, user: {"token": "`+plain+`"}}]`), plain},
		"Kubernetes, refreshed":   {[]string{"KUBECONFIG=/a"}, file("/a", "    refresh-token: "+plain), plain},
		"a registry": {
			[]string{"HOME=/h"},
			file("/h/.docker/config.json", `{"auths":{"r":{"auth":"`+base64.StdEncoding.EncodeToString([]byte("ann:"+plain))+`"}}}`), plain,
		},
	} {
		s := held.Of(x.env, x.read, files)
		for _, e := range canary.Encodings() {
			quoted := e.Encode(x.secret)
			err := s.Error(errors.New("bad key " + quoted + " here"))
			if strings.Contains(err.Error(), quoted) || !strings.Contains(err.Error(), "(secret)") {
				t.Errorf("%s, %s: %v", where, e.Name, err)
			}
		}
	}
}

// TestTheAuthorizationOfARequestIsConcealed, whose secrets the process does not know.
func TestTheAuthorizationOfARequestIsConcealed(t *testing.T) {
	var s held.Secrets
	for _, text := range []string{
		"got AWS4-HMAC-SHA256 Credential=AKIA/20260101, SignedHeaders=host, Signature=canary0123",
		`header "Authorization: Bearer canary0123"`, "Authorization: Basic canary0123", "https://h/?X-Amz-Signature=canary0123&x=1",
		"X-Amz-Security-Token=canary0123",
	} {
		if got := s.Text(text); strings.Contains(got, "canary0123") {
			t.Errorf("%s", got)
		}
	}
}

// TestOrdinaryValuesAreShown: hosts, paths, public keys, short words.
func TestOrdinaryValuesAreShown(t *testing.T) {
	s := held.Of([]string{
		"OVI_STORE=etcd://ann@h/p?cert=/etc/client.pem&key=/etc/client.key", "DOCKER_HOST=ssh://deploy@host.example.com",
		"OVI_GIT_TOKEN_FOR=git.example.com", "CLOUD_ACCESS_KEY_ID=AKIAEXAMPLE0001", "OVI_LOG_KEY=0123456789abcdef", "USE_TOKEN=true",
		"CLOUD_REGION=us-east-1",
	}, func(string) ([]byte, error) { return nil, fs.ErrNotExist }, files)
	text := "/etc/client.key deploy host.example.com git.example.com AKIAEXAMPLE0001 0123456789abcdef true us-east-1"
	if got := s.Text(text); got != text {
		t.Errorf("shown is %q", got)
	}
}

// TestALongTextIsCut: the text of another system is shown up to a limit, and a secret that the limit cuts in two is
// concealed.
func TestALongTextIsCut(t *testing.T) {
	s := held.Of([]string{"A_TOKEN=" + canary.Secret}, func(string) ([]byte, error) { return nil, fs.ErrNotExist }, files)
	for _, before := range []int{0, 8<<10 - len(canary.Secret)/2, 8<<10 - 1} {
		cause := errors.New(strings.Repeat("é", before/2) + canary.Secret + strings.Repeat("x", 10<<20))
		err := s.Error(cause)
		if text := err.Error(); len(text) > 9<<10 || !strings.HasSuffix(text, " more bytes)") || !errors.Is(err, cause) || !utf8.ValidString(text) {
			t.Errorf("%d bytes before: an error of %d bytes, %q", before, len(text), text[max(0, len(text)-40):])
		}
		for n := 4; n <= len(canary.Secret); n++ {
			if strings.Contains(err.Error(), canary.Secret[:n]) {
				t.Errorf("%d bytes before: it shows %q", before, canary.Secret[:n])
			}
		}
	}
	if text := s.Text(strings.Repeat("x", 1<<20)); len(text) > 65<<10 {
		t.Errorf("a text of %d bytes", len(text))
	}
}
