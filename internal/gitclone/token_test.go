package gitclone

import (
	"net/url"
	"strings"
	"testing"
)

// TestATokenGoesOnlyToItsHost asks for the token of remotes that an operator or a configuration names.
func TestATokenGoesOnlyToItsHost(t *testing.T) {
	const forge = "https://git.example.com/team/apps.git"
	for name, x := range map[string]struct {
		remote, host string
		own, want    bool
	}{
		"a configuration's remote":            {forge, "", false, false},
		"an operator's remote":                {forge, "", true, true},
		"the named host":                      {forge, "git.example.com", false, true},
		"the named host, in capitals":         {"https://GIT.example.com/x", "git.example.com", false, true},
		"another host":                        {"https://git.example.org/x", "git.example.com", false, false},
		"another host, an operator's":         {"https://git.example.org/x", "git.example.com", true, false},
		"a host that contains it":             {"https://git.example.com.evil.example/x", "git.example.com", false, false},
		"another port":                        {"https://git.example.com:8443/x", "git.example.com", false, false},
		"the named port":                      {"https://git.example.com:8443/x", "git.example.com:8443", false, true},
		"a path that contains it":             {"https://evil.example/git.example.com", "git.example.com", false, false},
		"an empty name, which allows no host": {forge, "", false, false},
		"ssh":                                 {"ssh://git.example.com/x", "git.example.com", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Clone{Remote: x.remote, Own: x.own, Env: func(name string) (string, bool) {
				switch name {
				case tokenVariable:
					return "CanaryGit7f3kQa", true
				case tokenForVariable:
					return x.host, x.host != ""
				}
				return "", false
			}}
			env := strings.Join(c.environ("/clone"), "\n")
			if got := strings.Contains(env, "CanaryGit7f3kQa"); got != x.want {
				t.Errorf("the token is in the environment of git: %v", got)
			}
			if u, _ := url.Parse(x.remote); strings.Contains(env, "=credential.https://"+u.Host+".helper\n") != x.want {
				t.Errorf("the helper answers for any host: %s", env)
			}
			if advice := c.withheld(); (advice != "") != (!x.want && c.scheme() == "https") {
				t.Errorf("advice %q", advice)
			}
		})
	}
}
