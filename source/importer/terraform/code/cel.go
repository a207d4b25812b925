package code

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// scope is the module of an expression, and the values that Terraform has in its block.
type scope struct {
	m *module
	// key, value and index are each.key, each.value and count.index in CEL. Empty means that the block has none.
	key, value, index string
	locals            map[string]string // variables of loops and of dynamic blocks, by their name in Terraform
	self              *res              // the resource that is written
}

func (s *scope) with(name, as string) *scope {
	c := *s
	c.locals = map[string]string{}
	for k, v := range s.locals {
		c.locals[k] = v
	}
	c.locals[name] = as
	return &c
}

// loopName is a variable of a loop in CEL, where the roots and reserved words are taken.
func loopName(name string) string {
	if !identifier.MatchString(name) || isRoot(name) || isReserved(name) {
		return "x_" + strings.ReplaceAll(name, "-", "_")
	}
	return name
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// isRoot reports whether CEL has a root of this name.
func isRoot(name string) bool {
	return slices.Contains([]string{
		"vars", "locals", "each", "index", "environment", "stack", "json", "by", "merge", "cidr", "ref",
	}, name)
}

// isReserved reports whether a name is a reserved word of CEL.
func isReserved(name string) bool {
	return slices.Contains([]string{
		"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
		"package", "namespace", "null", "return", "true", "var", "void", "while",
	}, name)
}

// field is a key of a map in CEL.
func field(of, name string) string {
	if identifier.MatchString(name) && !isReserved(name) {
		return of + "." + name
	}
	return of + "[" + quote(name) + "]"
}

// quote is a text in CEL.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// cel is an expression in CEL.
func (s *scope) cel(e hclsyntax.Expression) (string, error) {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return literal(e.Val, e.SrcRange)
	case *hclsyntax.TemplateExpr:
		return s.celTemplate(e)
	case *hclsyntax.TemplateWrapExpr:
		return s.cel(e.Wrapped)
	case *hclsyntax.ParenthesesExpr:
		return s.wrapped("(", e.Expression, ")")
	case *hclsyntax.ObjectConsKeyExpr:
		if name := hcl.ExprAsKeyword(e.Wrapped); name != "" && !e.ForceNonLiteral {
			return quote(name), nil
		}
		return s.cel(e.Wrapped)
	case *hclsyntax.ScopeTraversalExpr:
		return s.celPath(e)
	case *hclsyntax.ConditionalExpr:
		parts, err := s.each(e.Condition, e.TrueResult, e.FalseResult)
		if err != nil {
			return "", err
		}
		return "(" + parts[0] + " ? " + parts[1] + " : " + parts[2] + ")", nil
	case *hclsyntax.UnaryOpExpr:
		if e.Op == hclsyntax.OpNegate {
			return s.wrapped("-", e.Val, "")
		}
		return s.wrapped("!(", e.Val, ")")
	case *hclsyntax.BinaryOpExpr:
		return s.celBinary(e)
	case *hclsyntax.FunctionCallExpr:
		return s.celCall(e)
	case *hclsyntax.IndexExpr:
		parts, err := s.each(e.Collection, e.Key)
		if err != nil {
			return "", err
		}
		return parts[0] + "[" + parts[1] + "]", nil
	case *hclsyntax.RelativeTraversalExpr:
		of, err := s.cel(e.Source)
		if err != nil {
			return "", err
		}
		return steps(of, e.Traversal), nil
	case *hclsyntax.TupleConsExpr:
		parts, err := s.each(e.Exprs...)
		return "[" + strings.Join(parts, ", ") + "]", err
	}
	return s.celMany(e)
}

// celMany is an expression with several values.
func (s *scope) celMany(e hclsyntax.Expression) (string, error) {
	switch e := e.(type) {
	case *hclsyntax.ObjectConsExpr:
		var items []string
		for _, i := range e.Items {
			parts, err := s.each(i.KeyExpr, i.ValueExpr)
			if err != nil {
				return "", err
			}
			items = append(items, parts[0]+": "+parts[1])
		}
		return "{" + strings.Join(items, ", ") + "}", nil
	case *hclsyntax.ForExpr:
		return s.celFor(e)
	case *hclsyntax.SplatExpr:
		of, err := s.cel(e.Source)
		if err != nil {
			return "", err
		}
		inner := "e"
		each, is := e.Each.(*hclsyntax.RelativeTraversalExpr)
		switch {
		case is:
			inner = steps("e", each.Traversal)
		case fmt.Sprintf("%T", e.Each) != "*hclsyntax.AnonSymbolExpr":
			return "", s.cannot(e, "write it as a list")
		}
		return of + ".map(e, " + inner + ")", nil
	}
	return "", s.cannot(e, "write it by hand")
}

func (s *scope) cannot(e hclsyntax.Expression, suggestion string) error {
	return &unsupported{e.Range(), "an expression has no counterpart: " + clip(s.m.source(e.Range())), suggestion}
}

func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

func (s *scope) wrapped(before string, e hclsyntax.Expression, after string) (string, error) {
	text, err := s.cel(e)
	return before + text + after, err
}

func (s *scope) each(all ...hclsyntax.Expression) ([]string, error) {
	out := make([]string, len(all))
	for i, e := range all {
		var err error
		if out[i], err = s.cel(e); err != nil {
			return out, err
		}
	}
	return out, nil
}

// literal is a constant in CEL.
func literal(v cty.Value, at hcl.Range) (string, error) {
	switch {
	case v.IsNull():
		return "null", nil
	case v.Type() == cty.String:
		return quote(v.AsString()), nil
	case v.Type() == cty.Bool && v.True():
		return "true", nil
	case v.Type() == cty.Bool:
		return "false", nil
	case v.Type() == cty.Number:
		return number(v.AsBigFloat()), nil
	}
	return "", &unsupported{at, "a constant of an unknown type", "write it by hand"}
}

func number(f *big.Float) string {
	if f.IsInt() {
		return f.Text('f', 0)
	}
	return f.Text('g', 17)
}

func (s *scope) celTemplate(e *hclsyntax.TemplateExpr) (string, error) {
	if len(e.Parts) == 0 {
		return "''", nil
	}
	var parts []string
	for _, p := range e.Parts {
		text, err := s.cel(p)
		if err != nil {
			return "", err
		}
		if l, is := p.(*hclsyntax.LiteralValueExpr); !is || l.Val.Type() != cty.String {
			text = "string(" + text + ")"
		}
		parts = append(parts, text)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return "(" + strings.Join(parts, " + ") + ")", nil
}

// steps are the keys and indices after a value.
func steps(of string, path hcl.Traversal) string {
	for _, p := range path {
		switch p := p.(type) {
		case hcl.TraverseAttr:
			of = field(of, p.Name)
		case hcl.TraverseIndex:
			if text, err := literal(p.Key, p.SrcRange); err == nil {
				of += "[" + text + "]"
			}
		}
	}
	return of
}

// celPath is a path such as var.size in CEL.
func (s *scope) celPath(e *hclsyntax.ScopeTraversalExpr) (string, error) {
	root := e.Traversal.RootName()
	if as, ok := s.locals[root]; ok {
		return s.loopPath(as, e.Traversal[1:]), nil
	}
	name, rest := "", hcl.Traversal(nil)
	if len(e.Traversal) > 1 {
		if a, is := e.Traversal[1].(hcl.TraverseAttr); is {
			name, rest = a.Name, e.Traversal[2:]
		}
	}
	switch {
	case name == "":
	case root == "var" && s.m.isSecret(name):
		return "", &unsupported{e.SrcRange, "a secret is part of a computation: var." + name, "pass the secret on whole"}
	case root == "var":
		return steps(field("vars", name), rest), nil
	case root == "local":
		if by, ok := s.m.inlined[name]; ok {
			return "", &unsupported{e.SrcRange, "local." + name + " is not known before apply", by}
		}
		return steps(field("locals", name), rest), nil
	case root == "each" && name == "key" && s.key != "":
		return s.key, nil
	case root == "each" && name == "value" && s.value != "":
		return steps(s.value, rest), nil
	case root == "count" && name == "index" && s.index != "":
		return s.index, nil
	case root == "terraform" && name == "workspace":
		return s.m.workspace(e)
	}
	if v, ok := s.m.constant(e.Traversal); ok {
		return v, nil
	}
	if s.m.isReference(e.Traversal) {
		return "", &unsupported{
			e.SrcRange, "a reference is part of a computation: " + clip(s.m.source(e.SrcRange)),
			"write a value that is known before apply, or use the reference alone or in a text",
		}
	}
	text, suggestion := clip(s.m.source(e.SrcRange)), "write the value"
	switch root {
	case "data":
		suggestion = "write the ID or the value, or add a block with lookup:"
	case "path":
		suggestion = "use a path relative to ovi.yaml, as in ${file:PATH}"
	}
	return "", &unsupported{e.SrcRange, text + " has no counterpart", suggestion}
}

// loopPath is a path from a variable of a loop. A dynamic block has two of them: NAME.key and NAME.value.
func (s *scope) loopPath(as string, path hcl.Traversal) string {
	if key, value, both := strings.Cut(as, " "); both && len(path) > 0 {
		if a, is := path[0].(hcl.TraverseAttr); is && a.Name == "key" {
			return key
		}
		return steps(value, path[1:])
	}
	return steps(as, path)
}

func (s *scope) celBinary(e *hclsyntax.BinaryOpExpr) (string, error) {
	parts, err := s.each(e.LHS, e.RHS)
	if err != nil {
		return "", err
	}
	op := map[*hclsyntax.Operation]string{
		hclsyntax.OpLogicalOr: "||", hclsyntax.OpLogicalAnd: "&&", hclsyntax.OpEqual: "==", hclsyntax.OpNotEqual: "!=",
		hclsyntax.OpGreaterThan: ">", hclsyntax.OpGreaterThanOrEqual: ">=", hclsyntax.OpLessThan: "<",
		hclsyntax.OpLessThanOrEqual: "<=", hclsyntax.OpAdd: "+", hclsyntax.OpSubtract: "-", hclsyntax.OpMultiply: "*",
		hclsyntax.OpModulo: "%",
	}[e.Op]
	if op == "" {
		return "", &unsupported{
			e.SrcRange, "a division has fractions in Terraform, and none between whole numbers here: " +
				clip(s.m.source(e.SrcRange)), "write the division by hand",
		}
	}
	return operand(e.LHS, parts[0]) + " " + op + " " + operand(e.RHS, parts[1]), nil
}

// operand keeps the order of the operations of a side that is one itself.
func operand(e hclsyntax.Expression, text string) string {
	if _, is := e.(*hclsyntax.BinaryOpExpr); is {
		return "(" + text + ")"
	}
	return text
}

func (s *scope) celFor(e *hclsyntax.ForExpr) (string, error) {
	of, err := s.cel(e.CollExpr)
	if err != nil {
		return "", err
	}
	key, value := "k_", loopName(e.ValVar)
	in := s.with(e.ValVar, value)
	if e.KeyVar != "" {
		key = loopName(e.KeyVar)
		in = in.with(e.KeyVar, key)
	}
	condition := ""
	if e.CondExpr != nil {
		if condition, err = in.cel(e.CondExpr); err != nil {
			return "", err
		}
		condition += ", "
	}
	inner, err := in.cel(e.ValExpr)
	switch {
	case err != nil:
		return "", err
	case e.Group:
		return "", s.cannot(e, "write the groups by hand")
	case e.KeyExpr == nil:
		return fmt.Sprintf("%s.transformList(%s, %s, %s%s)", of, key, value, condition, inner), nil
	}
	named, err := in.cel(e.KeyExpr)
	if err != nil {
		return "", err
	}
	if named == key {
		return fmt.Sprintf("%s.transformMap(%s, %s, %s%s)", of, key, value, condition, inner), nil
	}
	return fmt.Sprintf("%s.transformMapEntry(%s, %s, %s{%s: %s})", of, key, value, condition, named, inner), nil
}
