package cel

import (
	"regexp"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// undeclared matches what CEL says of a variable that does not exist.
var undeclared = regexp.MustCompile(`^undeclared reference to '([^']*)'`)

// readable is a message of CEL without the terms of its parser: the tokens that it expects.
func readable(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	message, _, _ = strings.Cut(message, " expecting ")
	for _, row := range [][2]string{
		{"'<EOF>'", "the end of the expression"},
		{"mismatched input", "unexpected"},
		{"extraneous input", "unexpected"},
		{"no viable alternative at input", "unexpected"},
		{"token recognition error at:", "unexpected"},
		{" (in container '')", ""},
		{"Syntax error", "syntax error"},
	} {
		message = strings.ReplaceAll(message, row[0], row[1])
	}
	return message
}

// adviceOn is what to do about a message of CEL.
func adviceOn(message string) string {
	const reference = "docs/policies.md lists what a condition can use"
	variables := []string{"resource", "desired", "changes", "decision", "plan", "now", "history"}
	found := undeclared.FindStringSubmatch(message)
	switch {
	case found != nil:
		if near, ok := resource.Nearest(found[1], variables); ok {
			return "use " + near
		}
		return "use one of " + strings.Join(variables, ", ") + "; " + reference
	case strings.Contains(message, "Syntax error"):
		return "check the expression near this position: quotes, parentheses, operators"
	case strings.Contains(message, "no matching overload"):
		return "use values of types that fit the operator or function"
	}
	return reference
}
