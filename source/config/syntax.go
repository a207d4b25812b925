package config

import (
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
	if k, v, ok := strings.Cut(strings.TrimPrefix(value, "- "), ":"); ok && v != "" && v[0] != ' ' && wordEnd(k) == len(k) {
		return "a colon without the space behind it", "write " + k + ": " + clip(v)
	}
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

// fromYAML places an error of the YAML library, which knows a line at best, and often that
// of the block around it: text is the piece that can't be read, shift the lines above it.
func fromYAML(text string, shift int, err error) (at syntaxError, suggestion string) {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(msg); m != nil {
		line, _ = strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
	}
	lines := strings.SplitAfter(text, "\n")
	if len(text) <= maxProbed {
		line = firstBad(lines)
	}
	line = max(1, min(line, len(lines)))
	here := strings.TrimRight(lines[line-1], "\r\n")
	if col := tabIn(here); col > 0 {
		return syntaxError{int32(line + shift), int32(col), "a tab in the indentation"}, "indent with spaces"
	}
	col := len(here) - len(strings.TrimLeft(here, " ")) + 1
	summary, suggestion := advice(msg, here)
	return syntaxError{int32(line + shift), int32(col), summary}, suggestion
}

// The bounds of looking for the place of an error: the longest text, and how many lines one
// quote or bracket may go over.
const (
	maxProbed = 1 << 16
	maxOpen   = 40
)

// firstBad finds the first line that no text can be read with: the one behind the longest
// beginning that can be read. A beginning that ends inside a quote can't be read either, so
// some lines behind it are tried too.
func firstBad(lines []string) int {
	good := func(n int) bool {
		_, err := parseYAML(strings.NewReader(strings.Join(lines[:n], "")))
		return err == nil
	}
	low, high := 0, len(lines)
	for {
		for high-low > 1 {
			if mid := (low + high) / 2; good(mid) {
				low = mid
			} else {
				high = mid
			}
		}
		next := 0
		for n := low + 2; n <= min(low+maxOpen, len(lines)) && next == 0; n++ {
			if good(n) {
				next = n
			}
		}
		if next == 0 {
			return low + 1
		}
		low, high = next, len(lines)
	}
}

// tabIn finds a tab in the white space a line begins with.
func tabIn(line string) int {
	for i := range len(line) {
		switch line[i] {
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
