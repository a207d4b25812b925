package schema

import (
	"net/netip"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/resource"
)

func invalid(what string, s resource.String, suggestion string) []resource.Problem {
	return []resource.Problem{{Summary: "invalid " + what + " " + strconv.Quote(string(s)), Suggestion: suggestion}}
}

func isSubnet(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	if p, err := netip.ParsePrefix(string(s)); err != nil {
		return invalid("subnet", s, "use for example 172.20.0.0/16")
	} else if p.Bits() > p.Addr().BitLen()-2 {
		return invalid("subnet", s, "use a range with room for containers, such as 172.20.0.0/24")
	}
	return nil
}

func isAddress(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	if _, err := netip.ParseAddr(string(s)); err != nil {
		return invalid("address", s, "use for example 172.20.0.1")
	}
	return nil
}

func addressOrNone(v resource.Value) []resource.Problem {
	if s, _ := v.(resource.String); s == "" {
		return nil
	}
	return isAddress(v)
}

var restartPolicy = regexp.MustCompile(`^(no|always|unless-stopped|on-failure(:[1-9][0-9]{0,8})?)$`)

func restartPolicyIsKnown(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	if restartPolicy.MatchString(canonicalRestart(string(s))) {
		return nil
	}
	words := []string{"no", "on-failure", "always", "unless-stopped", "Never", "OnFailure", "Always"}
	if near, ok := resource.Nearest(string(s), words); ok {
		return invalid("restart_policy", s, "use "+near)
	}
	return invalid("restart_policy", s, "use one of no, on-failure, on-failure:3, always, unless-stopped")
}

// insidePath accepts a path that does not leave its volume.
func insidePath(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	p := path.Clean(string(s))
	if strings.HasPrefix(string(s), "/") || p == ".." || strings.HasPrefix(p, "../") {
		return invalid("sub_path", s, "use a path inside the volume, such as html")
	}
	return nil
}

// keys checks the keys of a map.
func keys(v resource.Value, ok func(string) bool, what, suggestion string) (out []resource.Problem) {
	m, _ := v.(resource.Attrs)
	for _, a := range m {
		if !ok(a.Name) {
			out = append(out,
				resource.Problem{Path: a.Name, Summary: "invalid " + what + " " + strconv.Quote(a.Name), Suggestion: suggestion})
		}
	}
	return out
}

func envNames(v resource.Value) []resource.Problem {
	ok := func(s string) bool { return s != "" && !strings.ContainsAny(s, "= \t\r\n\x00") }
	return keys(v, ok, "name of an environment variable", "use letters, digits and '_'")
}

func labelKeys(v resource.Value) []resource.Problem {
	free := func(s string) bool { return s != "" && !strings.ContainsAny(s, "=\n\x00") }
	out := keys(v, free, "label", "use letters, digits, '.', '/', '_' and '-'")
	own := func(s string) bool { return !strings.HasPrefix(s, marks.LabelPrefix) }
	return append(out, keys(v, own, "label", "labels that start with "+marks.LabelPrefix+" are ovi's: use another")...)
}

var dataKey = regexp.MustCompile(`^[A-Za-z0-9._-]{1,253}$`)

// dataKeys checks the keys of a secret, which are names of files and of variables.
func dataKeys(v resource.Value) []resource.Problem {
	ok := func(s string) bool { return dataKey.MatchString(s) && s != "." && s != ".." }
	return keys(v, ok, "key", "use letters, digits, '.', '_' and '-'")
}
