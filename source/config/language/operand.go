package language

import "regexp"

var (
	// outputOperand matches a reference to an output where an expression has an operand.
	outputOperand = regexp.MustCompile(`(?:^|[^A-Za-z0-9_.)\]])((?:use|stack)/[A-Za-z0-9][A-Za-z0-9._-]*)`)
	quotedText    = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)
)

// operandOf returns the reference to an output that an expression has as an operand; empty if it has none.
func operandOf(expression string) string {
	if m := outputOperand.FindStringSubmatch(quotedText.ReplaceAllString(expression, `""`)); m != nil {
		return m[1]
	}
	return ""
}
