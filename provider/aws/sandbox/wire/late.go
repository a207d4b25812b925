package wire

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used. Every ovi has the sandbox in it, and few
// ask it: to compile these forms, with their counted repeats, was a tenth of the start of each.
type pattern func() *regexp.Regexp

// Late compiles a regular expression when it is first used.
func Late(expr string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// MatchString reports whether a text contains a match.
func (p pattern) MatchString(text string) bool { return p().MatchString(text) }

// FindStringSubmatch is the first match in a text, with its groups.
func (p pattern) FindStringSubmatch(text string) []string { return p().FindStringSubmatch(text) }
