package core

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// Filtered keeps the resources that match every Filter.N of the request. values
// gives the values of a resource for a filter's name, or false for a name that the
// API does not know, which AWS refuses ("Filtering resources").
func Filtered[T Entity](x *Exchange, list []T, values func(T, string) ([]string, bool)) ([]T, error) {
	for _, f := range x.P.Items("Filter") {
		name, desired := f.Str("Name"), f.Strs("Value")
		if name == "" {
			return nil, wire.Missing("Filter.Name")
		}
		if len(desired) == 0 {
			return nil, wire.Failf("InvalidParameterValue", "The filter '%s' has no values.", name)
		}
		if _, ok := TagValues(nil, name); !ok {
			if _, ok := values(Blank[T](), name); !ok {
				return nil, wire.Failf("InvalidParameterValue", "The filter '%s' is invalid", name)
			}
		}
		list = slices.DeleteFunc(list, func(e T) bool {
			got, ok := TagValues(e.Meta().Tags, name)
			if !ok {
				got, _ = values(e, name)
			}
			return !AnyMatch(desired, got)
		})
	}
	return list, nil
}

// TagValues answers the filters that every taggable kind has.
func TagValues(tags map[string]string, name string) ([]string, bool) {
	if key, ok := strings.CutPrefix(name, "tag:"); ok {
		if v, has := tags[key]; has {
			return []string{v}, true
		}
		return nil, true
	}
	switch name {
	case "tag-key":
		return slices.Collect(maps.Keys(tags)), true
	case "tag-value":
		return slices.Collect(maps.Values(tags)), true
	}
	return nil, false
}

// AnyMatch reports whether one of the values matches one of the patterns.
func AnyMatch(patterns, values []string) bool {
	for _, p := range patterns {
		for _, v := range values {
			if matches(p, v) {
				return true
			}
		}
	}
	return false
}

// matches compares with * for any run of characters, ? for one, and \ to take
// the next one as it is ("Filtering resources": wildcards).
func matches(pattern, s string) bool {
	if !strings.ContainsAny(pattern, `*?\`) {
		return pattern == s
	}
	p, text := []rune(pattern), []rune(s)
	star, mark, i, j := -1, 0, 0, 0
	for j < len(text) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && p[i] == '?':
			i, j = i+1, j+1
		case i+1 < len(p) && p[i] == '\\' && p[i+1] == text[j]:
			i, j = i+2, j+1
		case i < len(p) && p[i] != '\\' && p[i] == text[j]:
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// One is the value of a filter that has one, if it is not empty.
func One(s string) ([]string, bool) {
	if s == "" {
		return nil, true
	}
	return []string{s}, true
}

// Truth is the value of a filter that is true or false.
func Truth(b bool) ([]string, bool) { return []string{strconv.FormatBool(b)}, true }
