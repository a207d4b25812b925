package byhand

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/resource"
)

// line is a command for a shell: its words, quoted.
type line []string

// cmdline is a command as it stands, and arguments that are quoted.
func cmdline(command string, args ...string) line { return append(line{command}, shells(args)...) }

func (l *line) add(all ...setting) {
	for _, s := range all {
		*l = append(*l, s.flag)
		if s.value != "" || !s.alone {
			*l = append(*l, shell(s.value))
		}
	}
}

func joined(lines ...line) []string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.Join(l, " "))
	}
	return out
}

// setting is one option of Podman's command line.
type setting struct {
	flag, value string
	alone       bool // it has no value
}

func each(flag string, values []string) []setting {
	var out []setting
	for _, v := range values {
		out = append(out, setting{flag: flag, value: v})
	}
	return out
}

// pairs are the entries of a map as KEY=VALUE, sorted.
func pairs(flag string, m map[string]string) []setting {
	var out []setting
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, setting{flag: flag, value: k + "=" + m[k]})
	}
	return out
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shell quotes a word for a shell, where it has to be.
func shell(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func shells(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = shell(s)
	}
	return out
}

// named is a value with the names of what it refers to instead of their IDs. A value that is only
// known later is written as a placeholder, and a secret never.
func named(v resource.Value) string {
	switch v := v.(type) {
	case resource.String:
		return string(v)
	case resource.Reference:
		if v.Path == "" {
			return v.Ref.Name
		}
		return "<" + v.String() + ">"
	case resource.Text:
		var b strings.Builder
		for _, p := range v {
			b.WriteString(named(p))
		}
		return b.String()
	}
	return "<secret>"
}

func namedOf(a resource.Attrs, name string) (string, bool) {
	v, ok := a.Get(name)
	if !ok {
		return "", false
	}
	return named(v), true
}

// namedAll are the elements of a list.
func namedAll(a resource.Attrs, name string) []string {
	var out []string
	for _, v := range a.List(name) {
		out = append(out, named(v))
	}
	return out
}

// namedMap are the entries of a map.
func namedMap(a resource.Attrs, name string) map[string]string {
	out := map[string]string{}
	for _, x := range a.Object(name) {
		out[x.Name] = named(x.Value)
	}
	return out
}

// namesIn are the names in a list, or the one name.
func namesIn(v resource.Value) map[string]bool {
	out := map[string]bool{}
	switch v := v.(type) {
	case resource.List:
		for _, e := range v {
			out[named(e)] = true
		}
	case nil:
	default:
		out[named(v)] = true
	}
	return out
}

// ownLabels are the labels that a user configured.
func ownLabels(a resource.Attrs) map[string]string {
	out := namedMap(a, "labels")
	for k := range out {
		if strings.HasPrefix(k, marks.LabelPrefix) || strings.HasPrefix(k, labelGroup) {
			delete(out, k)
		}
	}
	return out
}

// labelGroup starts the labels of the design of charts.
const labelGroup = "cutepod.io/"
