package edge_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/resource"
)

// TestSecretsAreNamed: a secret is a name with a file of its own, and its value is nowhere in the configuration.
func TestSecretsAreNamed(t *testing.T) {
	checker, err := resource.NewChecker(edge.Kinds()[0])
	if err != nil {
		t.Fatal(err)
	}
	for want, secrets := range map[string]map[string]string{
		"":                                    {"db-password": "/run/secrets/db-password", "TLS.key": "/etc/tls/key"},
		`"../db" is not the name of a secret`: {"../db": "/run/secrets/db"},
		"the file of secret db must be an absolute path":         {"db": "run/db"},
		"the file of secret up must be an absolute path":         {"up": "/run/../etc/passwd"},
		"secrets a and b have the same file /run/secrets/shared": {"a": "/run/secrets/shared", "b": "/run/secrets/shared"},
	} {
		_, problems := checker.Check(resource.NewAttrs(
			resource.Attr{Name: "version", Value: resource.String("1")}, resource.Attr{Name: "image", Value: resource.String("web:1")},
			resource.Attr{Name: "secrets", Value: resource.TextAttrs(secrets)},
		))
		if want == "" && len(problems) == 0 {
			continue
		}
		if len(problems) != 1 || !strings.Contains(problems[0].Summary, want) || want == "" || problems[0].Suggestion == "" {
			t.Errorf("%v: %+v, want %s", secrets, problems, want)
		}
	}
}
