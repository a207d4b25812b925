package resource

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Grouped are the values of an option for groups of locations, such as accounts; "" has the value of all others. As
// text it is VALUE,GROUP=VALUE,GROUP=VALUE.
type Grouped map[string]string

// ParseGrouped reads the text of an option, whose groups match the regular expression. Values may contain
// commas, except before text that matches a group.
func ParseGrouped(text, group string) Grouped {
	out := Grouped{}
	rest := text
	starts := regexp.MustCompile(`(?:^|,)\s*(`+group+`)=`).FindAllStringSubmatchIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		out.add(text[at[2]:at[3]], text[at[1]:end])
		rest = text[:starts[0][0]]
	}
	out.add("", rest)
	return out
}

// add sets a value that has none yet.
func (g Grouped) add(group, value string) {
	if value = strings.TrimSpace(value); value != "" && g[group] == "" {
		g[group] = value
	}
}

// Or adds the values of the groups that have none.
func (g Grouped) Or(other Grouped) {
	for group, value := range other {
		g.add(group, value)
	}
}

// For is the value for a group.
func (g Grouped) For(group string) string {
	if v := g[group]; v != "" {
		return v
	}
	return g[""]
}

// String is the text that ParseGrouped reads.
func (g Grouped) String() string {
	var out []string
	for _, group := range slices.Sorted(maps.Keys(g)) {
		if group == "" {
			out = append(out, g[group])
			continue
		}
		out = append(out, group+"="+g[group])
	}
	return strings.Join(out, ",")
}
