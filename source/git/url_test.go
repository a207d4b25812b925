package git_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source/git"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]git.URL{
		"git+https://example.com/a/fleet.git//deployments/berlin?ref=main": {
			Remote: "https://example.com/a/fleet.git",
			Path:   "deployments/berlin", Ref: "main",
		},
		"git+ssh://git@example.com:2222/fleet.git//x.yaml": {
			Remote: "ssh://git@example.com:2222/fleet.git",
			Path:   "x.yaml",
		},
		"git+file:///srv/fleet.git//deployments/*?ref=v1.2/x": {
			Remote: "file:///srv/fleet.git", Path: "deployments",
			Ref: "v1.2/x", Each: true,
		},
		"git+file:///srv/fleet.git//*": {Remote: "file:///srv/fleet.git", Path: ".", Each: true},
		"git+file:///srv/fleet.git":    {Remote: "file:///srv/fleet.git", Path: "."},
	} {
		got, err := git.Parse(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
		if got.String() != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
}

// TestParseRefuses holds what git or ssh could take for an option or a command outside, and secrets, which no
// error shows.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"git+ext::sh -c x", "git+http://example.com/x.git", "git+file://host/x.git", "git+file:x.git", "git+https:///x.git",
		"git+https://example.com",
		"git+ssh://-oProxyCommand=x/y.git", "git+ssh://-x@host/y.git", "git+https://u:example-pass@example.com/x.git",
		"git+https://u@example.com/x.git",
		"git+file:///x.git//../y", "git+file:///x.git//a/*/b", "git+file:///x.git?ref=--upload-pack=x",
		"git+file:///x.git?ref=a..b",
		"git+file:///x.git?branch=main", "git+file:///x.git?ref=a&ref=b", "git+file:///x.git#main",
		"git+https://u:example-pass%zz@h/x", "git+--upload-pack=touch x",
	} {
		u, err := git.Parse(text)
		if err == nil {
			t.Errorf("%s is read as %+v", text, u)
			continue
		}
		if strings.Contains(err.Error(), "example-pass") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}
