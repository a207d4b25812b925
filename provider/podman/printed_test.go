package podman

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPrintedTextsLoseTheirSecrets: in each form in which programs print them.
func TestPrintedTextsLoseTheirSecrets(t *testing.T) {
	t.Parallel()
	const key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\n}\n-----END KEY-----\n"
	for _, c := range []struct{ text, secret, want string }{
		{"login of hunter2 failed", "hunter2", "login of (secret) failed"},
		{"login of hunter2 failed", "hunter2\n", "login of (secret) failed"},
		{"hunter2hunter2", "hunter2", "(secret)"},
		{`{"password": "a\"b"}`, `a"b`, `{"password": "(secret)"}`},
		{"postgres://u:a%2Fb+c@db", "a/b c", "postgres://u:(secret)@db"},
		{"Basic " + base64.StdEncoding.EncodeToString([]byte("hunter2")), "hunter2", "Basic (secret)=="},
		{"bad key: MIIEvQIBADANBg }", key, "bad key: (secret) }"},
		{"cut in the middle: hunt", "hunter2", "cut in the middle: (secret)"},
		{"nothing of it", "hunter2", "nothing of it"},
		{"no secret", "", "no secret"},
	} {
		if got := withoutSecrets(c.text, []string{c.secret}); got != c.want {
			t.Errorf("%q without %q is %q, want %q", c.text, c.secret, got, c.want)
		}
	}
}

// TestNoSecretIsLeft: of several secrets, also where one is part of another or they overlap.
func TestNoSecretIsLeft(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ab]{2,6}`)
		secrets := rapid.SliceOfN(secret, 1, 3).Draw(t, "secrets")
		parts := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(secrets), rapid.StringMatching(`[abx ]{0,3}`))).Draw(t, "parts")
		got := strings.ReplaceAll(withoutSecrets(strings.Join(parts, ""), secrets), concealed, "|")
		for _, s := range secrets {
			if strings.Contains(got, s) {
				t.Errorf("%q is left in %q", s, got)
			}
		}
	})
}
