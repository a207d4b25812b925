package language

import (
	"regexp"
	"strings"
)

var (
	forLoop = regexp.MustCompile(`[\[{]\s*for\s`)
	splat   = regexp.MustCompile(`\[\s*\*\s*\]|\.\*`)
	operand = regexp.MustCompile(`(?:^|[^A-Za-z0-9_.)\]/])([a-z][a-z0-9_]*)/[A-Za-z][A-Za-z0-9._-]*`)
)

// inOtherWords replaces the summary and the advice about an expression that does not compile, for the forms of other
// languages.
func inOtherWords(text, summary, suggestion string) (string, string) {
	bare := quotedText.ReplaceAllString(text, `""`)
	name, isName := strings.CutPrefix(summary, "unknown name ")
	name, _, _ = strings.Cut(name, " ")
	switch m := operand.FindStringSubmatch(bare); {
	case forLoop.MatchString(bare):
		return "an expression has no loop with for",
			"use LIST.map(x, …), LIST.filter(x, …) or MAP.transformMap(k, v, …); a resource for each key has for_each"
	case splat.MatchString(bare):
		return "an expression has no splat with *",
			"use LIST.map(x, x.NAME); for the resources of a count, list each: ${ec2/web-0.public_address}"
	case strings.Contains(bare, "??"):
		return "an expression has no operator ??", "use a condition: has(vars.NAME.KEY) ? vars.NAME.KEY : OTHER"
	case isName && m != nil && m[1] == name:
		return "an expression cannot compute with a reference to a resource",
			"use ${KIND/NAME.ATTRIBUTE} alone or inside a text: its value is known after apply"
	}
	return summary, suggestion
}

// keyAdvice suggests what to do about a path without a value.
func keyAdvice(path []string) string {
	if len(path) == 2 && path[0] == "each" && path[1] == "index" {
		return "give each key a number in a map, for example for_each: {a: 0, b: 1}, and use ${each.value}"
	}
	return "use a key that exists"
}
