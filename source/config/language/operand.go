package language

import (
	"regexp"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
)

// refRoot is the name of the map that has, by its text, each output that ref('use/NAME.OUTPUT') reads. No expression
// can write the name.
const refRoot = "@ref"

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

// operandAdvice suggests another form of a reference that an expression has as an operand.
func operandAdvice(name string) string {
	if strings.HasPrefix(name, "use/") {
		return "use ref('" + name + "'), or ${" + name + "} alone or inside a text"
	}
	return "use ${" + name + "} alone or inside a text: it is known after apply"
}

// isLiteralText reports whether an expression is a literal text.
func isLiteralText(e ast.Expr) bool {
	if e.Kind() != ast.LiteralKind {
		return false
	}
	_, is := e.AsLiteral().(types.String)
	return is
}
