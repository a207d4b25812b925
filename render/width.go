package render

import (
	"strings"
	"unicode"
)

// runeWidth is how many columns a terminal gives a rune: none for combining marks, two for
// what East Asian scripts and pictures fill.
func runeWidth(r rune) int {
	switch {
	case r == 0 || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd):
		return 2
	}
	return 1
}

// columns is the width of a text without colours.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// truncate cuts a text to so many columns, the last one an ellipsis. 0 is unbounded.
func truncate(s string, width int) string {
	if width <= 0 || columns(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		if n+runeWidth(r) > width-1 {
			return s[:i] + "…"
		}
		n += runeWidth(r)
	}
	return s
}

// pad fills a text up with spaces.
func pad(s string, width int) string { return s + spaces(width-columns(s)) }

// wrap breaks a text at its spaces into lines of so many columns. A word longer than a line
// stands alone and is not broken: it may be a name that people copy. 0 is unbounded.
func wrap(s string, width int) []string {
	s = printable(s)
	if width <= 0 || columns(s) <= width {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case columns(line)+1+columns(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// Wrap breaks a text at its spaces into lines of so many columns.
func Wrap(s string, width int) []string { return wrap(s, width) }

// printable makes one line of a text and takes out what would steer a terminal: what a
// provider answers is not ours to trust.
func printable(s string) string {
	clean := strings.IndexFunc(s, unsafeRune) < 0
	if clean {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unsafeRune(r):
			return '\ufffd'
		}
		return r
	}, s)
}

// unsafeRune finds control codes, and the marks that turn the direction of writing.
func unsafeRune(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
