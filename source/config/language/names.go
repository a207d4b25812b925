package language

import (
	"regexp"
	"slices"
	"strings"
)

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// reserved reports whether a name is a word of CEL.
func reserved(name string) bool {
	return slices.Contains([]string{
		"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop", "null",
		"package", "namespace", "return", "true", "var", "void", "while",
	}, name)
}

// state is the state of an evaluation.
type state uint8

const (
	unread state = iota
	reading
	settled
)

// Keys are the keys of a document that this package reads.
func Keys() []string { return []string{"vars", "locals", "environments"} }

// Mentions reports whether a text may have a key of this package. It is quick, and may be wrong only by saying yes.
func Mentions(text string) bool {
	return slices.ContainsFunc(Keys(), func(k string) bool { return strings.Contains(text, k) })
}
