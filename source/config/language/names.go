package language

import (
	"regexp"
	"slices"
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
