package resource

import (
	"fmt"
	"path"
	"strings"
)

// Ignored lists the paths and patterns that the rules leave out for a kind.
func (r Rules) Ignored(kind string) []string {
	var out []string
	for _, rule := range r.Ignore {
		if rule.Kind == "" || rule.Kind == kind {
			out = append(out, rule.Paths...)
		}
	}
	return out
}

// MatchPath says that one of the patterns names the path or something it lies in. A pattern
// is a dotted path with the wildcards of path.Match, except that * also stands for slashes:
// "tags.aws:*" and "root_volume" (which covers "root_volume.size") are patterns.
func MatchPath(patterns []string, p string) bool {
	for _, pattern := range patterns {
		if matchPath(pattern, p) {
			return true
		}
	}
	return false
}

// CheckPattern says what is wrong with an ignore pattern; such a pattern matches nothing.
func CheckPattern(pattern string) error {
	if pattern == "" {
		return fmt.Errorf("resource: an empty pattern ignores nothing: name an attribute, such as tags.team")
	}
	if _, err := path.Match(noSlash(pattern), ""); err != nil {
		return fmt.Errorf("resource: pattern %q: %w: an open [ needs its ]", pattern, err)
	}
	return nil
}

// matchPath tries the whole path, then everything it lies in, outwards.
func matchPath(pattern, p string) bool {
	pattern = noSlash(pattern)
	p = noSlash(p)
	for {
		if ok, err := path.Match(pattern, p); ok || err != nil {
			return ok && err == nil
		}
		dot := strings.LastIndexByte(p, '.')
		if dot < 0 {
			return false
		}
		p = p[:dot]
	}
}

// noSlash hides slashes from path.Match, for which they are borders: a tag's key is no path.
func noSlash(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
