package rules

import (
	"fmt"
	"path"
	"strings"
)

// Ignore excludes paths from the comparison of one kind, or of every kind if Kind is empty.
// A path is an attribute's name, a dotted path or a pattern; see MatchPath.
type Ignore struct {
	Kind  string
	Paths []string
}

// Ignored lists the paths and patterns that the rules exclude from the comparison of a kind.
func (r Rules) Ignored(kind string) []string {
	var out []string
	for _, rule := range r.Ignore {
		if rule.Kind == "" || rule.Kind == kind {
			out = append(out, rule.Paths...)
		}
	}
	return out
}

// MatchPath reports whether a pattern matches the path or a prefix of it that ends at a dot. A
// pattern is a dotted path with the wildcards of path.Match, except that * also matches
// slashes: "tags.aws:*" and "root_volume" (which covers "root_volume.size") are patterns.
func MatchPath(patterns []string, p string) bool {
	for _, pattern := range patterns {
		if matchPath(pattern, p) {
			return true
		}
	}
	return false
}

// CheckPattern returns an error for an invalid ignore pattern, which would match nothing.
func CheckPattern(pattern string) error {
	if pattern == "" {
		return fmt.Errorf("rules: empty pattern: use the path of an attribute, such as tags.team")
	}
	if _, err := path.Match(noSlash(pattern), ""); err != nil {
		return fmt.Errorf("rules: pattern %q: %w: close every [ with ]", pattern, err)
	}
	return nil
}

// matchPath tries the whole path, then each shorter prefix.
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

// noSlash hides slashes, which path.Match treats as separators: a tag's key may contain them.
func noSlash(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
