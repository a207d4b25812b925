package language

import (
	"regexp"
	"strings"
)

var (
	forLoop = regexp.MustCompile(`[\[{]\s*for\s`)
	splat   = regexp.MustCompile(`\[\s*\*\s*\]|\.\*`)
	spaced  = regexp.MustCompile(`^\s*([a-z][a-z0-9_]*/[A-Za-z0-9][A-Za-z0-9._-]*\??)\s*$`)
	words   = regexp.MustCompile(`[\s)](and|or)[\s(]`)
	assign  = regexp.MustCompile(`[^=!<>]=[^=]`)
	operand = regexp.MustCompile(`(?:^|[^A-Za-z0-9_.)\]/])([a-z][a-z0-9_]*)/[A-Za-z][A-Za-z0-9._-]*`)
)

// inOtherWords replaces the summary and the advice about an expression that does not compile, for the forms of other
// languages.
func inOtherWords(text, summary, suggestion string) (string, string) {
	bare := quotedText.ReplaceAllString(text, `""`)
	name, isName := strings.CutPrefix(summary, "unknown name ")
	name, _, _ = strings.Cut(name, " ")
	wrongSyntax := strings.HasPrefix(summary, "syntax error")
	switch m := operand.FindStringSubmatch(bare); {
	case wrongSyntax && strings.Contains(bare, "${"):
		return "an expression has no ${} in it", "write the name alone, as in vars.NAME > 1"
	case wrongSyntax && words.MatchString(bare):
		word := words.FindStringSubmatch(bare)[1]
		return "an expression has no operator " + word, "use " + map[string]string{"and": "&&", "or": "||"}[word]
	case wrongSyntax && assign.MatchString(bare):
		return "an expression has no operator =", "use == to compare"
	case isName && m != nil && spaced.MatchString(text):
		return "a reference to a resource has no spaces", "use ${" + spaced.FindStringSubmatch(text)[1] + "}"
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
