package etcd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/storage/etcd"
)

func TestParse(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "pw")
	if err := os.WriteFile(secret, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]etcd.Config{
		"etcd://h1:2379,h2:2380/team/web":         {Endpoints: []string{"h1:2379", "h2:2380"}, Prefix: "team/web"},
		"etcd://h1":                               {Endpoints: []string{"h1:2379"}},
		"etcd://[::1]:2379/p":                     {Endpoints: []string{"[::1]:2379"}, Prefix: "p"},
		"etcd://ann:p%40ss@h1/p":                  {Endpoints: []string{"h1:2379"}, Prefix: "p", Username: "ann", Password: "p@ss"},
		"etcd://ann@h1/p?password-file=" + secret: {Endpoints: []string{"h1:2379"}, Prefix: "p", Username: "ann", Password: "from-a-file"},
	} {
		got, err := etcd.Parse(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", raw, d)
		}
	}
	if cfg, err := etcd.Parse("etcd://h1/p?tls=true"); err != nil || cfg.TLS == nil {
		t.Errorf("tls=true: %+v, %v", cfg, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for raw, want := range map[string]string{
		"http://h1":                      "invalid store: use etcd://",
		"etcd:///p":                      "an endpoint is missing",
		"etcd://h1,/p":                   "an endpoint is missing",
		"etcd://h1/p?tlss=true":          `unknown option "tlss"`,
		"etcd://h1/p?tls=yes":            "use true or false",
		"etcd://h1/p?tls=":               "use true or false",
		"etcd://h1/p?tls=false&ca=x":     "tls=false with ca",
		"etcd://h1/p?cert=x":             "cert and key must be set together",
		"etcd://h1/p?ca=/does/not/exist": "the certificate in ca",
		"etcd://ann:hunter2%zz@h1/p":     "starts no escape",
		"etcd://ann:hunter2/x@h1/p":      "%2F for /",
		"etcd://ann:x?hunter2@h1/p":      "%3F for ?",
		"etcd://ann:x/hunter2?y@h1/p":    "%2F for /",
	} {
		_, err := etcd.Parse(raw)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", raw, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

// TestHalfAUserIsRefused: the client would connect without a user, silently.
func TestHalfAUserIsRefused(t *testing.T) {
	for raw, want := range map[string]string{
		"etcd://ann@127.0.0.1:1/p":     `user "ann" has no password`,
		"etcd://:hunter2@127.0.0.1:1/": "the password has no user",
	} {
		cfg, err := etcd.Parse(raw)
		if err == nil {
			_, err = etcd.Open(t.Context(), cfg)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}

func TestLoopback(t *testing.T) {
	for raw, want := range map[string]bool{
		"etcd://127.0.0.1:1,localhost,[::1]:3/p": true, "etcd://127.0.0.1:1,h2/p": false, "etcd://10.0.0.1/p": false,
	} {
		if cfg, err := etcd.Parse(raw); err != nil || cfg.Loopback() != want {
			t.Errorf("%s: %v, %v", raw, cfg.Loopback(), err)
		}
	}
}
