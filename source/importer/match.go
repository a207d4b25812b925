package importer

import (
	"fmt"
	"path"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Matcher chooses resources by patterns; without any it chooses all.
type Matcher struct{ patterns []string }

// NewMatcher checks patterns: KIND/NAME, NAME, or tag:KEY=VALUE, each with * and ? as in file names. NAME is what
// users call the resource, or its ID.
func NewMatcher(patterns []string) (Matcher, error) {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return Matcher{}, fmt.Errorf("invalid pattern %q", p)
		}
		if tag, is := strings.CutPrefix(p, "tag:"); is && !strings.Contains(tag, "=") {
			return Matcher{}, fmt.Errorf("invalid pattern %q: a tag needs a value, as in tag:team=web or tag:team=*", p)
		}
	}
	return Matcher{patterns}, nil
}

// Match reports whether a pattern chooses a resource that users call by a name. What is a part of another resource is
// chosen only by a pattern with its kind.
func (m Matcher) Match(o *resource.Observed, called string) bool {
	part := o.Message == resource.PartOfAnother
	if len(m.patterns) == 0 {
		return !part
	}
	for _, p := range m.patterns {
		if tag, is := strings.CutPrefix(p, "tag:"); is {
			key, value, _ := strings.Cut(tag, "=")
			if v, has := o.Tags.Get(key); has && fits(value, v) && !part {
				return true
			}
			continue
		}
		kind, name, both := strings.Cut(p, "/")
		if !both {
			kind, name = "*", p
		}
		if part && kind != o.Ref.Kind {
			continue
		}
		if fits(kind, o.Ref.Kind) && (fits(name, called) || fits(name, o.ID)) {
			return true
		}
	}
	return false
}

// fits is path.Match where a slash is a character like others.
func fits(pattern, s string) bool {
	const slash = "\x00"
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(s, "/", slash))
	return ok && err == nil
}
