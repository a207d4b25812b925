package config

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// syntaxError is a document that can't be read, with its place.
type syntaxError struct {
	line, col int32
	msg       string
}

func (e *syntaxError) Error() string { return e.msg }

// advice says what to do about what the YAML library says. The first row whose words stand
// in the message counts.
func advice(msg, line string) (summary, suggestion string) {
	value := strings.TrimSpace(line)
	for _, row := range []struct{ words, summary, suggestion string }{
		{"cannot start any token", "a value can't begin with this character", "put quotes around the value"},
		{"mapping values are not allowed", "a key can't stand here", "check the indentation, and put quotes around a value that holds a colon and a space"},
		{"did not find expected key", "a key was expected here", "check the indentation: keys of one block begin in the same column"},
		{"did not find expected '-' indicator", "an item of the list was expected here", "check the indentation: the dashes of one list stand in the same column"},
		{"could not find expected ':'", "a key without its colon", "write " + quote(clip(value)+": …") + ", or indent the line to make it part of the value above"},
		{"found unexpected end of stream", "a quote is never closed", "close the quote"},
		{"found unexpected document indicator", "a quote is never closed before the next document", "close the quote"},
		{"did not find expected ',' or ']'", "a list in brackets is not closed", "write [a, b]"},
		{"did not find expected ',' or '}'", "a block in braces is not closed", "write {a: 1, b: 2}"},
		{"unknown anchor", msg, "write the anchor (&NAME) above its alias (*NAME)"},
		{"unknown escape character", "an escape that YAML does not know", "write the backslash twice, or use single quotes"},
	} {
		if strings.Contains(msg, row.words) {
			return row.summary, row.suggestion
		}
	}
	return msg, "check the indentation and the quotes around here"
}

// fromYAML places an error of the YAML library, which knows lines only, and at times the
// line after.
func fromYAML(text []byte, err error) (at syntaxError, suggestion string) {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(msg); m != nil {
		line, _ = strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
	}
	lines := bytes.Split(text, []byte("\n"))
	for i := 0; i < len(lines) && i <= line; i++ {
		if col := tabIn(lines[i]); col > 0 {
			return syntaxError{int32(i + 1), int32(col), "a tab in the indentation"}, "indent with spaces"
		}
	}
	line = max(1, min(line, len(lines)))
	for line > 1 && len(bytes.TrimSpace(lines[line-1])) == 0 {
		line--
	}
	here := string(bytes.TrimRight(lines[line-1], "\r"))
	col := len(here) - len(strings.TrimLeft(here, " ")) + 1
	summary, suggestion := advice(msg, here)
	return syntaxError{int32(line), int32(col), summary}, suggestion
}

// tabIn finds a tab in the white space a line begins with.
func tabIn(line []byte) int {
	for i, c := range line {
		switch c {
		case '\t':
			return i + 1
		case ' ':
		default:
			return 0
		}
	}
	return 0
}

// quote puts text between quotes for a message, cut short.
func quote(s string) string { return strconv.Quote(clip(s)) }

func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
