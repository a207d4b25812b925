package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Columns returns the width of a text without color on a terminal.
func Columns(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return uniseg.StringWidth(s)
		}
	}
	return len(s) // nearly every text, and many times faster
}

// Truncate cuts a text to so many columns, the last one an ellipsis. 0 is unbounded.
func Truncate(s string, width int) string {
	if width <= 0 || Columns(s) <= width {
		return s
	}
	used := 0
	for rest, state := s, -1; rest != ""; {
		var n int
		left := len(rest)
		if _, rest, n, state = uniseg.FirstGraphemeClusterInString(rest, state); used+n > width-1 {
			return s[:len(s)-left] + "…"
		}
		used += n
	}
	return s
}

// Pad fills a text up with spaces.
func Pad(s string, width int) string { return s + Spaces(width-Columns(s)) }

// Wrap breaks a text at its spaces into lines of so many columns. A word longer than a line
// is alone on its line and not broken: it may be a name to be copied. So is a command in
// backquotes, unless it is longer than a line. 0 is unbounded.
func Wrap(s string, width int) []string {
	s = OneLine(s)
	if width <= 0 || Columns(s) <= width {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range words(s, width) {
		switch {
		case line == "":
			line = word
		case Columns(line)+1+Columns(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// words are what a text is wrapped between: its words, and its commands of at most so many
// columns.
func words(s string, width int) []string {
	var out []string
	for fields := strings.Fields(s); len(fields) > 0; {
		n := 1
		if first := fields[0]; strings.Count(first, "`")%2 == 1 {
			for end := 1; end < len(fields); end++ {
				if strings.Count(fields[end], "`")%2 == 1 {
					if command := strings.Join(fields[:end+1], " "); Columns(command) <= width {
						n = end + 1
					}
					break
				}
			}
		}
		out = append(out, strings.Join(fields[:n], " "))
		fields = fields[n:]
	}
	return out
}

// WrapItems breaks a line between its items, which two spaces part; and an item that is too long
// at its spaces.
func WrapItems(s string, width int) []string {
	var lines []string
	for i, item := range strings.Split(OneLine(s), "  ") {
		last := len(lines) - 1
		if i > 0 && Columns(lines[last])+2+Columns(item) <= width {
			lines[last] += "  " + item
			continue
		}
		lines = append(lines, Wrap(item, width)...)
	}
	return lines
}

// WrapCounts breaks a sentence of counts at its commas.
func WrapCounts(s string, width int) []string {
	var lines []string
	for i, item := range strings.SplitAfter(s, ", ") {
		last := len(lines) - 1
		if i > 0 && Columns(lines[last])+Columns(strings.TrimSpace(item)) <= width {
			lines[last] += item
			continue
		}
		lines = append(lines, item)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// WrapValue breaks a value at its single spaces into lines of so many columns. Joined by spaces
// they are the value: nothing is omitted or truncated. A word longer than a line is
// not broken. 0 is unbounded.
func WrapValue(s string, width int) []string {
	if width <= 0 || Columns(s) <= width {
		return []string{s}
	}
	var lines []string
	for Columns(s) > width {
		at := breakAt(s, width)
		if at < 0 {
			break
		}
		lines = append(lines, s[:at])
		s = s[at+1:]
	}
	return append(lines, s)
}

// breakAt is the last single space within so many columns, or else the first one; -1 for none.
func breakAt(s string, width int) int {
	at, used, i := -1, 0, 0
	for rest, state := s, -1; rest != ""; {
		if single := s[i] == ' ' && i > 0 && i+1 < len(s) && s[i-1] != ' ' && s[i+1] != ' '; single {
			if used > width && at >= 0 {
				return at
			}
			if at = i; used > width {
				return at
			}
		}
		var n int
		_, rest, n, state = uniseg.FirstGraphemeClusterInString(rest, state)
		used, i = used+n, len(s)-len(rest)
	}
	if used > width {
		return at
	}
	return -1
}

// WrapBehind breaks a text at its spaces into a first line of so many columns and further lines
// of more.
func WrapBehind(s string, first, rest int) []string {
	lines := Wrap(s, first)
	if len(lines) == 1 {
		return lines
	}
	return append(lines[:1], Wrap(strings.Join(lines[1:], " "), rest)...)
}

// Shortened is a text of at most a number of columns.
func Shortened(s string, width int) string { return Truncate(OneLine(s), width) }

// Printable is a text without what would change a terminal.
func Printable(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = OneLine(lines[i])
	}
	return strings.Join(lines, "\n")
}

// OneLine makes one line of a text and removes control codes: the answer of a provider is not
// trusted.
func OneLine(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, UnsafeRune) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case UnsafeRune(r):
			return '\ufffd'
		}
		return r
	}, s)
}

// UnsafeRune finds control codes, the marks that turn the direction of writing or end a line, and characters without a
// width, with which two names look the same. Joiners of letters are part of words and remain.
func UnsafeRune(r rune) bool {
	switch {
	case unicode.IsControl(r), r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r == 0x061c, r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff:
		return true
	}
	return false
}
