// Package shell writes the words of the commands that ovi suggests.
package shell

import "strings"

// Word is a text as one word of a POSIX shell: quoted if it has characters that a shell interprets.
func Word(s string) string {
	if s != "" && strings.IndexFunc(s, special) < 0 && !strings.HasPrefix(s, "-") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func special(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/._-+@%:", r)
}
