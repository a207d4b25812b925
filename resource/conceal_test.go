package resource_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/canary"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

func TestConcealHidesEverySecretOfAValue(t *testing.T) {
	t.Parallel()
	attrs := resource.NewAttrs(
		resource.Attr{Name: "password", Value: resource.NewSecret("hunter2", "d1")},
		resource.Attr{Name: "empty", Value: resource.NewSecret("", "d2")},
		resource.Attr{Name: "keys", Value: resource.List{resource.NewAttrs(resource.Attr{Name: "key", Value: resource.NewSecret("fake-key", "d3")})}},
		resource.Attr{Name: "size", Value: resource.String("small")},
	)
	got := resource.Conceal("hunter2 is invalid for small, and so is fake-key; hunter2!", attrs)
	if want := "(secret) is invalid for small, and so is (secret); (secret)!"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLaw9_SecretsStayOut_InAnyEncoding: also next to letters, twice, and in a text of many lines.
func TestLaw9_SecretsStayOut_InAnyEncoding(t *testing.T) {
	t.Parallel()
	if n := len(canary.Encodings()); n < 20 {
		t.Errorf("only %d encodings", n)
	}
	for _, e := range canary.Encodings() {
		form := e.Encode(canary.Secret)
		for _, text := range []string{form, "x: " + form + " is invalid", "<p>" + form + "</p>\n" + form, `{"error":"` + form + `"}`} {
			got := resource.ConcealText(text, canary.Secret)
			if found := canary.In(got, canary.Secret); len(found) > 0 || !strings.Contains(got, "(secret)") {
				t.Errorf("%s: %q becomes %q, which has %q", e.Name, text, got, found)
			}
		}
	}
	if found := canary.In("nothing of it", canary.Secret); len(found) > 0 {
		t.Errorf("the canary is found where it is not: %q", found)
	}
}

// TestTextsLoseTheirSecrets: in each form in which programs print them, and nothing else.
func TestTextsLoseTheirSecrets(t *testing.T) {
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
		{"100% of \\u00 &amp; \\", "hunter2", "100% of \\u00 &amp; \\"},
	} {
		if got := resource.ConcealText(c.text, c.secret); got != c.want {
			t.Errorf("%q without %q is %q, want %q", c.text, c.secret, got, c.want)
		}
	}
}

// TestNoSecretIsLeft: of several secrets, also where one is part of another or they overlap.
func TestNoSecretIsLeft(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ab]{2,6}`)
		secrets := rapid.SliceOfN(secret, 1, 3).Draw(t, "secrets")
		parts := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(secrets), rapid.StringMatching(`[abx ]{0,3}`))).Draw(t, "parts")
		got := strings.ReplaceAll(resource.ConcealText(strings.Join(parts, ""), secrets...), "(secret)", "|")
		for _, s := range secrets {
			if strings.Contains(got, s) {
				t.Errorf("%q is left in %q", s, got)
			}
		}
	})
}

// TestAnyTextCanBeConcealed: any bytes, in any encoding, without a panic, and no longer in the result.
func TestAnyTextCanBeConcealed(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ -~]{6,40}`).Draw(t, "secret")
		e := rapid.SampledFrom(canary.Encodings()).Draw(t, "encoding")
		before, after := rapid.String().Draw(t, "before"), rapid.String().Draw(t, "after")
		form := e.Encode(secret)
		got := resource.ConcealText(before+" "+form+" "+after, secret)
		if strings.TrimSpace(form) != "" && strings.TrimSpace(secret) != "" && strings.Contains(got, " "+form+" ") {
			t.Errorf("%s: %q is left in %q", e.Name, form, got)
		}
	})
}
