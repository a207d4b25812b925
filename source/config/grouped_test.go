package config_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// roleAccount is the account that a role of these tests names: role-111111111111.
func roleAccount(role string) string {
	if m := regexp.MustCompile(`^role-([0-9]{12})$`).FindStringSubmatch(role); m != nil {
		return m[1]
	}
	return ""
}

// TestADocumentSetsAnOptionForItsAccount, and one whose location has no account for all others.
func TestADocumentSetsAnOptionForItsAccount(t *testing.T) {
	t.Parallel()
	one := func(region, option string) string {
		return "version: v1\nprovider: aws\n" + region + "options: {aws: {" + option + "}}\nresources: []\n"
	}
	const first, second, none = "region: 111111111111/us-east-1\n", "defaults: {region: 222222222222/us-east-1}\n",
		"region: us-east-1\n"
	for name, c := range map[string]struct {
		docs []string
		want string
	}{
		"each its own": {
			[]string{one(first, "role: a"), one(second, "role: b"), one(none, "role: c")},
			"c,111111111111=a,222222222222=b",
		},
		"one account twice": {[]string{one(first, "role: a"), one(first, "role: a")}, "111111111111=a"},
		"no account":        {[]string{one(none, "role: a"), one("", "role: a")}, "a"},
		"named in the value": {
			[]string{one(none, `role: "x,222222222222=b"`), one(first, `role: "333333333333=c"`)},
			"x,222222222222=b,333333333333=c",
		},
		"another provider's region": {[]string{
			one("", "role: a"),
			strings.Replace(one("location: 111111111111/us-east-1\n", "role: a"), "provider: aws", "provider: box", 1),
		}, "a"},
	} {
		in, err := load(t, strings.Join(c.docs, "---\n"))
		if err != nil || in.Options.Providers["aws"]["role"] != c.want {
			t.Errorf("%s: %q, %v", name, in.Options.Providers["aws"]["role"], err)
		}
	}
	for want, docs := range map[string][]string{
		"conflicting options.aws.role for 111111111111: b here, and a at ovi.yaml:4\n  at ovi.yaml:10:23\n" +
			"  Suggestion: set it once: it is for all of them": {one(first, "role: a"), one(first, "role: b")},
		"Suggestion: set it once, or give each document a region with its account, for example region: " +
			"222222222222/us-east-1": {one(none, "role: a"), one(none, "role: b")},
		"options.aws.role has two values for account 111111111111: a and b": {one(first, `role: "a,111111111111=b"`)},
		"conflicting options.aws.profile": {
			one(first, "profile: a"),
			one(second, "profile: b"),
		}, // one that is not grouped
	} {
		if _, err := load(t, strings.Join(docs, "---\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwithout %s", err, want)
		}
	}
}

// TestARolePutsItsDocumentIntoItsAccount, wherever it stands, unless it is the only one.
func TestARolePutsItsDocumentIntoItsAccount(t *testing.T) {
	t.Parallel()
	doc := func(option, more string) string {
		return "version: v1\nprovider: aws\nregion: us-east-1\n" + option + "resources:\n  - {type: vpc, name: NAME" + more +
			", cidr: 10.0.0.0/16}\n"
	}
	role := func(account string) string { return "options: {aws: {external: x, role: role-" + account + "}}\n" }
	const one, two = "111111111111", "222222222222"
	for name, c := range map[string]struct {
		docs               []string
		locations, options string // of the options role and external
	}{
		"one document": {[]string{doc(role(one), "")}, "us-east-1", "role-" + one + " x"},
		"the first has none": {
			[]string{doc("", ""), doc(role(two), "")},
			"us-east-1 " + two + "/us-east-1",
			two + "=role-" + two + " " + two + "=x",
		},
		"each its own": {
			[]string{doc(role(one), ""), doc(role(two), ""), doc("", "")},
			one + "/us-east-1 " + two + "/us-east-1 us-east-1",
			one + "=role-" + one + "," + two + "=role-" + two + " " + one + "=x," + two + "=x",
		},
		"in another order": {
			[]string{doc("", ""), doc(role(two), ""), doc(role(one), "")},
			"us-east-1 " + two + "/us-east-1 " + one + "/us-east-1",
			one + "=role-" + one + "," + two + "=role-" + two + " " + one + "=x," + two + "=x",
		},
		"the same": {
			[]string{doc(role(one), ""), doc(role(one), "")},
			one + "/us-east-1 " + one + "/us-east-1",
			one + "=role-" + one + " " + one + "=x",
		},
		"without a region": {[]string{strings.Replace(doc(role(one), ", region: us-west-2"), "\nregion: us-east-1", "",
			1), doc("", "")}, "us-west-2 us-east-1", "role-" + one + " x"},
		"another region": {
			[]string{doc("", ""), doc(role(two), ", region: eu-west-1")},
			"us-east-1 " + two + "/eu-west-1", two + "=role-" + two + " " + two + "=x",
		},
		"an account of its own": {
			[]string{doc("", ""), doc(role(two), ", region: "+one+"/eu-west-1")},
			"us-east-1 " + one + "/eu-west-1", two + "=role-" + two + " " + two + "=x",
		},
		"several roles": {
			[]string{doc("", ""), doc("options: {aws: {role: \"role-"+one+",role-"+two+"\"}}\n", "")},
			"us-east-1 us-east-1", "role-" + one + ",role-" + two + " ",
		},
	} {
		for i := range c.docs {
			c.docs[i] = strings.Replace(c.docs[i], "NAME", "abc"[i:i+1], 1)
		}
		in, err := load(t, strings.Join(c.docs, "---\n"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		locations := make([]string, len(c.docs))
		for _, d := range in.Resources {
			locations[strings.Index("abc", d.Ref.Name)] = d.Ref.Location
		}
		of := in.Options.Providers["aws"]
		if got := of["role"] + " " + of["external"]; !slices.Equal(locations,
			strings.Fields(c.locations)) || got != c.options {
			t.Errorf("%s: %v with %q", name, locations, got)
		}
	}
	contradiction := strings.Replace(doc(role(two), ""), "region: ", "region: "+one+"/", 1)
	const want = "options.aws.role is of account 222222222222, and the region of this document is in account 111111111111"
	if _, err := load(t, contradiction); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nwithout %s", err, want)
	}
}
