package syntax

import (
	"regexp"
	"strconv"
	"strings"
)

// Error is a document that cannot be read, with the position.
type Error struct {
	Line, Col  int32
	Msg        string
	Suggestion string
}

func (e *Error) Error() string { return e.Msg }

// word is a key without quotes.
var word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)

// optionalType matches a type of a variable that can be null, without quotes.
var optionalType = regexp.MustCompile(
	`[{,]\s*type:\s*(string|int|number|bool|secret|object|(list|map|ref)\([a-z_?()]*\))\?\s*[,}]`)

// optionalName matches a name with a ? in a list or a block, without quotes, and typeOfFields a type of Terraform.
var (
	optionalName = regexp.MustCompile(`[\[{,:]\s*[A-Za-z0-9][A-Za-z0-9_./-]*\?\s*[,\]}]`)
	typeOfFields = regexp.MustCompile(`type:\s*[a-z]+\([^"']*[{\[=]`)
)

// advice turns a message of the YAML library into what to do. The first row whose words are
// in the message counts. It quotes nothing of the line, which may be a secret.
func advice(msg, line string) (summary, suggestion string) {
	value := strings.TrimSpace(line)
	if optionalType.MatchString(value) && strings.Contains(msg, "did not find expected") {
		return "a type with a ? that is not quoted", `quote the type inside {}: type: "string?"`
	}
	if typeOfFields.MatchString(value) && strings.Contains(msg, "did not find expected") {
		return "a type with fields", "use type: object, or list(TYPE) or map(TYPE)"
	}
	if optionalName.MatchString(value) && strings.Contains(msg, "did not find expected") {
		return "a name with a ? that is not quoted", `quote the name inside [] and {}: ["web?"]`
	}
	if strings.Contains(value, "${") && !strings.Contains(msg, "unknown") {
		return "an expression with a character that has a meaning in YAML", `quote the expression: "${…}"`
	}
	if k, v, ok := strings.Cut(strings.TrimPrefix(value, "- "), ":"); ok && v != "" && v[0] != ' ' && word.MatchString(k) {
		return "a colon without a space after it", "use KEY: VALUE, with a space after the colon"
	}
	if strings.Contains(msg, "expected whitespace or line break") && strings.Contains(value, "!") {
		return "a value cannot start with !", "quote the value"
	}
	for _, row := range []struct{ words, summary, suggestion string }{
		{"cannot start any token", "a value cannot start with this character", "quote the value"},
		{
			"mapping values are not allowed", "unexpected key",
			"check the indentation, and quote a value with a colon and a space in it",
		},
		{"did not find expected key", "expected a key", "check the indentation: keys of one block start in the same column"},
		{
			"did not find expected '-' indicator", "expected an item of the list",
			"check the indentation: the dashes of one list are in the same column",
		},
		{
			"could not find expected ':'", "a key without a colon",
			"add a colon and a space after the key, or indent the line to make it part of the value above",
		},
		{"found unexpected end of stream", "missing closing quote", "close the quote"},
		{"found unexpected document indicator", "missing closing quote before the next document", "close the quote"},
		{"did not find expected ',' or ']'", "missing ] of a list", "use [a, b]"},
		{"did not find expected ',' or '}'", "missing } of a block", "use {a: 1, b: 2}"},
		{
			"unknown anchor", "an alias without its anchor",
			"quote a value that starts with *, or add the anchor (&NAME) above its alias (*NAME)",
		},
		{"unknown escape character", "unknown escape", "double the backslash, or use single quotes"},
	} {
		if strings.Contains(msg, row.words) {
			return row.summary, row.suggestion
		}
	}
	return msg, "check the indentation and the quotes near this position"
}

// FromYAML locates an error of the YAML library, which has a line at best, and often that of
// the block around it: text is the piece that cannot be read, shift the lines above it.
func FromYAML(text string, shift int, err error) *Error {
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
		return &Error{int32(line + shift), int32(col), "a tab in the indentation", "indent with spaces"}
	}
	col := len(here) - len(strings.TrimLeft(here, " ")) + 1
	summary, suggestion := advice(msg, here)
	return &Error{int32(line + shift), int32(col), summary, suggestion}
}

// The bounds of the search for an error: the longest text, and how many lines one quote or
// bracket may span.
const (
	maxProbed = 1 << 16
	maxOpen   = 40
)

// firstBad finds the first line with which no text can be read: the one after the longest
// part from the start that can be read. A part that ends inside a quote cannot be read either,
// so it tries some lines after it too.
func firstBad(lines []string) int {
	good := func(n int) bool {
		_, err := Parse(strings.NewReader(strings.Join(lines[:n], "")))
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

// tabIn finds a tab in the white space that a line starts with.
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
