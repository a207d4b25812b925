package code

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
)

// node is an expression as a value of an attribute: plain where it is constant, a name where the attribute takes one,
// and else ${…}.
func (s *scope) node(e hclsyntax.Expression, a resource.Attribute) (*yaml.Node, error) {
	elem := resource.Attribute{}
	if a.Elem != nil {
		elem = *a.Elem
	}
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return s.node(e.Expression, a)
	case *hclsyntax.TemplateWrapExpr:
		return s.node(e.Wrapped, a)
	case *hclsyntax.LiteralValueExpr:
		return literalNode(e.Val)
	case *hclsyntax.TemplateExpr:
		return s.textNode(e)
	case *hclsyntax.TupleConsExpr:
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, x := range e.Exprs {
			c, err := s.node(x, elem)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, c)
		}
		return n, nil
	case *hclsyntax.ObjectConsExpr:
		return s.objectNode(e, a)
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.IndexExpr, *hclsyntax.RelativeTraversalExpr:
		if n, err := s.referenceNode(e, a); n != nil || err != nil {
			return n, err
		}
		if t, ok := parseTarget(e); ok && len(t.path) == 1 && t.path[0] == "json" {
			typ := strings.TrimPrefix(t.root, "data.")
			d, err := jsonDocument(s.m.blocks, s.m.in.Types[typ].Document, typ, t.name)
			if err != nil {
				return nil, err
			}
			if d != nil {
				return s.node(d, a)
			}
		}
	case *hclsyntax.SplatExpr, *hclsyntax.ForExpr:
		if name, ok := s.m.groupOf(e); ok && elem.RefKind != "" {
			return sequence(scalar(name)), nil
		}
	case *hclsyntax.ConditionalExpr:
		if n, ok := s.optionalNode(e, a); ok {
			return n, nil
		}
	case *hclsyntax.FunctionCallExpr:
		if n, err := s.callNode(e, a); n != nil || err != nil {
			return n, err
		}
	}
	text, err := s.cel(e)
	if err != nil {
		return nil, err
	}
	return scalar("${" + bare(text) + "}"), nil
}

// bare is an expression without brackets around all of it.
func bare(text string) string {
	if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") || strings.ContainsAny(text, `'"`) &&
		strings.ContainsAny(quotedText.ReplaceAllString(text, ""), `'"`) {
		return text
	}
	open := 0
	plain := quotedText.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("x", len(s)) })
	for i, c := range plain {
		switch c {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 && i < len(plain)-1 {
			return text
		}
	}
	return text[1 : len(text)-1]
}

// quotedText matches a text in CEL.
var quotedText = regexp.MustCompile(`'(?:[^'\\]|\\.)*'`)

func literalNode(v cty.Value) (*yaml.Node, error) {
	switch {
	case v.IsNull():
		return scalar(nil), nil
	case v.Type() == cty.String:
		return scalar(escape(v.AsString())), nil
	case v.Type() == cty.Bool:
		return scalar(v.True()), nil
	case v.Type() == cty.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: number(v.AsBigFloat())}, nil
	}
	return nil, errors.New("a constant of an unknown type")
}

// escape is a literal text, in which ${ would start an expression.
func escape(s string) string { return strings.ReplaceAll(s, "${", "$${") }

func scalar(v any) *yaml.Node {
	var n yaml.Node
	if err := n.Encode(v); err != nil { // a string, a number, a boolean or nil has no error
		return &yaml.Node{Kind: yaml.ScalarNode}
	}
	if strings.Contains(n.Value, "'") && !strings.Contains(n.Value, "\n") {
		n.Style = yaml.DoubleQuotedStyle
	}
	return &n
}

func sequence(all ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: all}
}

func set(n *yaml.Node, key string, v *yaml.Node) {
	n.Content = append(n.Content, scalar(key), v)
}

// textNode is a template as a text with ${…}.
func (s *scope) textNode(e *hclsyntax.TemplateExpr) (*yaml.Node, error) {
	var b strings.Builder
	for _, p := range e.Parts {
		if l, is := p.(*hclsyntax.LiteralValueExpr); is && l.Val.Type() == cty.String && !l.Val.IsNull() {
			text := escape(l.Val.AsString())
			if strings.HasPrefix(text, "{") && strings.HasSuffix(b.String(), "$") {
				b.WriteByte('$') // the two are no expression
			}
			b.WriteString(text)
			continue
		}
		n, err := s.node(p, resource.Attribute{})
		if err != nil {
			return nil, err
		}
		if n.Kind != yaml.ScalarNode {
			return nil, s.cannot(p, "join the list to a text")
		}
		b.WriteString(n.Value)
	}
	return scalar(b.String()), nil
}

// objectNode is an object with constant keys. Others are expressions as a whole.
func (s *scope) objectNode(e *hclsyntax.ObjectConsExpr, a resource.Attribute) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, i := range e.Items {
		key, ok := "", false
		if k, is := i.KeyExpr.(*hclsyntax.ObjectConsKeyExpr); is && !k.ForceNonLiteral {
			if key = hcl.ExprAsKeyword(k.Wrapped); key == "" {
				key, ok = constantText(k.Wrapped)
			} else {
				ok = true
			}
		}
		if !ok {
			text, err := s.cel(e)
			if err != nil {
				return nil, err
			}
			return scalar("${" + text + "}"), nil
		}
		elem := resource.Attribute{}
		if a.Elem != nil {
			elem = *a.Elem
		}
		v, err := s.node(i.ValueExpr, elem)
		if err != nil {
			return nil, err
		}
		set(n, key, v)
	}
	return n, nil
}

// referenceNode is a reference, a secret or a local that stands for one. It returns nil for other paths.
func (s *scope) referenceNode(e hclsyntax.Expression, a resource.Attribute) (*yaml.Node, error) {
	if t, is := e.(*hclsyntax.ScopeTraversalExpr); is && len(t.Traversal) == 2 {
		if name, is := t.Traversal[1].(hcl.TraverseAttr); is {
			local, inlined := s.m.locals[name.Name]
			switch {
			case s.locals[t.Traversal.RootName()] != "":
			case t.Traversal.RootName() == "var" && s.m.isSecret(name.Name):
				return scalar("${" + field("vars", name.Name) + "}"), nil
			case t.Traversal.RootName() == "local" && inlined && s.m.inlined[name.Name] != "":
				if s.m.inlining++; s.m.inlining > maxInlined {
					return nil, s.cannot(e, "write the value by hand")
				}
				return s.node(local.Expr, a)
			}
		}
	}
	text, err := s.reference(e, a.RefKind)
	if err != nil || text == "" {
		return nil, err
	}
	return scalar(text), nil
}

// optionalNode is a reference to a block with the same condition, where Terraform has COND ? REFERENCE : null.
func (s *scope) optionalNode(e *hclsyntax.ConditionalExpr, a resource.Attribute) (*yaml.Node, bool) {
	v, diags := e.FalseResult.Value(nil)
	if diags.HasErrors() || !v.IsKnown() {
		return nil, false
	}
	if !v.IsNull() && (v.Type() != cty.String || v.AsString() != "") {
		return nil, false
	}
	n, err := s.referenceNode(e.TrueResult, a)
	if err != nil || n == nil || !strings.Contains(n.Value, "?") {
		return nil, false
	}
	return n, true
}

// callNode converts the functions that keep references whole. It returns nil for others.
func (s *scope) callNode(e *hclsyntax.FunctionCallExpr, a resource.Attribute) (*yaml.Node, error) {
	one := len(e.Args) == 1 && !e.ExpandFinal
	switch {
	case one && slices.Contains([]string{
		"toset", "tolist", "tomap", "compact", "flatten", "sort", "distinct", "sensitive", "nonsensitive",
	}, e.Name):
		if _, err := s.cel(e); err == nil && e.Name != "toset" && e.Name != "tolist" {
			return nil, nil //nolint:nilnil // the expression is converted as a whole
		}
		return s.node(e.Args[0], a)
	case e.Name == "concat" && !e.ExpandFinal:
		if _, err := s.cel(e); err == nil {
			return nil, nil //nolint:nilnil // the expression is converted as a whole
		}
		n := sequence()
		for _, x := range e.Args {
			part, err := s.node(x, a)
			if err != nil {
				return nil, err
			}
			if part.Kind != yaml.SequenceNode {
				return nil, s.cannot(e, "write one list")
			}
			n.Content = append(n.Content, part.Content...)
		}
		return n, nil
	case e.Name == "jsonencode" && one:
		if _, err := s.cel(e); err == nil {
			return nil, nil //nolint:nilnil // the expression is converted as a whole
		}
		n, err := s.node(e.Args[0], resource.Attribute{})
		if err != nil {
			return nil, err
		}
		return scalar(jsonText(n)), nil
	}
	return nil, nil //nolint:nilnil // other functions are converted by cel
}

// jsonText is a value as JSON, with references in its texts. They are IDs, ARNs and addresses, which need no escapes.
func jsonText(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, jsonString(n.Content[i].Value)+":"+jsonText(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case yaml.SequenceNode:
		for _, c := range n.Content {
			parts = append(parts, jsonText(c))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	switch {
	case isExpression(n.Value):
		return "${json(" + n.Value[2:len(n.Value)-1] + ")}" // it keeps its type
	case n.Tag == "!!str":
		return jsonString(n.Value)
	}
	return n.Value
}

// isExpression reports whether a text is one expression in CEL, and not a reference.
func isExpression(text string) bool {
	return strings.HasPrefix(text, "${") && strings.HasSuffix(text, "}") && strings.Count(text, "${") == 1 &&
		!referenceText.MatchString(text)
}

// referenceText matches a text that starts with a reference.
var referenceText = regexp.MustCompile(`^\$\{[a-z0-9_]+/`)
