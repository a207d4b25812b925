package config_test

import (
	"strings"
	"testing"
)

// TestADocumentSetsAnOptionForItsAccount, and one whose location has no account for all others.
func TestADocumentSetsAnOptionForItsAccount(t *testing.T) {
	t.Parallel()
	one := func(region, option string) string {
		return "version: v1\nprovider: aws\n" + region + "options: {aws: {" + option + "}}\nresources: []\n"
	}
	const first, second, none = "region: 111111111111/us-east-1\n", "defaults: {region: 222222222222/us-east-1}\n", "region: us-east-1\n"
	for name, c := range map[string]struct {
		docs []string
		want string
	}{
		"each its own":              {[]string{one(first, "role: a"), one(second, "role: b"), one(none, "role: c")}, "c,111111111111=a,222222222222=b"},
		"one account twice":         {[]string{one(first, "role: a"), one(first, "role: a")}, "111111111111=a"},
		"no account":                {[]string{one(none, "role: a"), one("", "role: a")}, "a"},
		"named in the value":        {[]string{one(none, `role: "x,222222222222=b"`), one(first, `role: "333333333333=c"`)}, "x,222222222222=b,333333333333=c"},
		"another provider's region": {[]string{one("", "role: a"), strings.Replace(one("location: 111111111111/us-east-1\n", "role: a"), "provider: aws", "provider: box", 1)}, "a"},
	} {
		in, err := load(t, strings.Join(c.docs, "---\n"))
		if err != nil || in.Options.Providers["aws"]["role"] != c.want {
			t.Errorf("%s: %q, %v", name, in.Options.Providers["aws"]["role"], err)
		}
	}
	for want, docs := range map[string][]string{
		"conflicting options.aws.role for 111111111111: b here, and a at ovi.yaml:4\n  at ovi.yaml:10:23\n  Suggestion: set it once: it is for all of them": {one(first, "role: a"), one(first, "role: b")},
		"Suggestion: set it once, or give each document a region with its account, for example region: 222222222222/us-east-1":                              {one(none, "role: a"), one(none, "role: b")},
		"options.aws.role has two values for account 111111111111: a and b":                                                                                 {one(first, `role: "a,111111111111=b"`)},
		"conflicting options.aws.profile": {one(first, "profile: a"), one(second, "profile: b")}, // one that is not grouped
	} {
		if _, err := load(t, strings.Join(docs, "---\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwithout %s", err, want)
		}
	}
}
