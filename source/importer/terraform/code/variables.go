package code

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/terms"
)

// writeVars writes the variables, in the order of the files.
func (m *module) writeVars() *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for _, b := range m.blocks {
		if b.Type != "variable" || len(b.Labels) != 1 || m.vars[b.Labels[0]] == nil || m.vars[b.Labels[0]].block != b {
			continue
		}
		v := m.vars[b.Labels[0]]
		n := m.writeVar(v)
		m.marks[n] = b.Range()
		set(out, v.name, n)
		m.count++
	}
	return out
}

func (m *module) writeVar(v *variable) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	s := &scope{m: m}
	var value *yaml.Node
	if v.fallback != nil && !v.secret {
		var err error
		if value, err = s.node(v.fallback, resource.Attribute{}); err != nil {
			m.notes.failed("var."+v.name, v.block.Range(), err)
		}
	}
	m.writeType(n, v, value)
	if value != nil {
		set(n, "default", value)
	}
	m.validate(n, v)
	if a := v.block.Body.Attributes["description"]; a != nil {
		if text, ok := constantText(a.Expr); ok {
			set(n, "doc", scalar(escape(text)))
		}
	}
	if len(n.Content) > 4 || value != nil && value.Kind == yaml.MappingNode {
		n.Style = 0
	}
	if value != nil && len(n.Content) == 4 && n.Content[2].Value == "default" && simple(value) {
		return value // the type of the default is the type
	}
	return n
}

// simple reports whether a default alone declares a variable.
func simple(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag != "!!null" && !strings.Contains(n.Value, "${")
}

func (m *module) writeType(n *yaml.Node, v *variable, value *yaml.Node) {
	typ := v.typ
	switch {
	case v.secret:
		m.secretVar(n, v)
		return
	case !m.root && v.refers != "" && v.many:
		typ = "list(ref(" + v.refers + "))"
	case !m.root && v.refers != "":
		typ = "ref(" + v.refers + ")"
	case typ == "" && value == nil:
		typ = "string"
		m.notes.at(v.block.Range(), "var."+v.name+" has no type and is taken for a string", "set its type")
	case typ == "" && value.Kind == yaml.MappingNode:
		typ = "object"
	case typ == "int" && m.hasFraction(v):
		typ = "number"
	}
	if typ == "" {
		return
	}
	if v.nullable {
		typ += "?"
	}
	set(n, "type", scalar(typ))
}

// secretVar writes a secret, which comes from the environment variable that Terraform reads. Terraform's text of a list
// or a map is not YAML, so that its value is asked for.
func (m *module) secretVar(n *yaml.Node, v *variable) {
	typ := secretType(v.typ)
	set(n, "type", scalar(typ))
	if !m.root {
		return
	}
	if typ == "secret" {
		set(n, "default", scalar("${env:TF_VAR_"+v.name+"}"))
	}
	if v.fallback != nil && !isNull(v.fallback) || v.valued {
		m.notes.at(v.block.Range(), "var."+v.name+" is a secret: its value is not written", v.advice())
	}
}

// advice is how a secret gets its value.
func (v *variable) advice() string {
	if secretType(v.typ) != "secret" {
		return "set it in a file for --values"
	}
	return "set TF_VAR_" + v.name + " in the environment"
}

// secretType is the type of a sensitive variable: each element of a list or a map is a secret.
func secretType(typ string) string {
	if !strings.Contains(typ, "(") || strings.Contains(typ, "object") {
		return "secret"
	}
	return scalarType.ReplaceAllString(typ, "secret")
}

var scalarType = regexp.MustCompile(`\b(string|int|number|bool)\b`)

// hasFraction reports whether a value of a variable is not a whole number.
func (m *module) hasFraction(v *variable) bool {
	fraction := func(e hclsyntax.Expression) bool {
		l, is := e.(*hclsyntax.LiteralValueExpr)
		return is && !l.Val.IsNull() && l.Val.Type() == cty.Number && !l.Val.AsBigFloat().IsInt()
	}
	if v.fallback != nil && fraction(v.fallback) {
		return true
	}
	for _, f := range m.in.values {
		if a := f.body.Attributes[v.name]; a != nil && fraction(a.Expr) {
			return true
		}
	}
	return false
}

// validate writes the conditions of a variable as one.
func (m *module) validate(n *yaml.Node, v *variable) {
	var checks, messages []string
	for _, b := range v.block.Body.Blocks {
		if b.Type != "validation" || b.Body.Attributes["condition"] == nil {
			continue
		}
		a := b.Body.Attributes["condition"]
		check, err := (&scope{m: m}).cel(a.Expr)
		if err != nil {
			m.notes.failed("var."+v.name+".validation", a.SrcRange, err)
			continue
		}
		checks = append(checks, check)
		if text := b.Body.Attributes["error_message"]; text != nil {
			if x, err := (&scope{m: m}).node(text.Expr, resource.Attribute{}); err == nil && x.Kind == yaml.ScalarNode {
				messages = append(messages, x.Value)
			}
		}
	}
	if len(checks) == 0 {
		return
	}
	if len(checks) > 1 {
		for i := range checks {
			checks[i] = "(" + checks[i] + ")"
		}
	}
	set(n, "check", scalar(strings.Join(checks, " && ")))
	if len(messages) > 0 {
		set(n, "message", scalar(strings.Join(messages, " ")))
	} else {
		set(n, "message", scalar(fmt.Sprintf("vars.%s is not valid", v.name)))
	}
}

// writeLocals writes the locals that are known before apply.
func (m *module) writeLocals() *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for _, b := range m.blocks {
		if b.Type != "locals" {
			continue
		}
		for _, a := range sortedAttributes(b.Body) {
			if m.inlined[a.Name] != "" {
				continue // it is written where it is used
			}
			if _, is := constantText(a.Expr); is && terms.SecretName(a.Name) {
				m.notes.at(a.SrcRange, "local."+a.Name+" is a secret: its value is not written",
					"declare a variable of type secret")
				continue
			}
			n, err := (&scope{m: m}).node(a.Expr, resource.Attribute{})
			if err != nil {
				m.notes.failed("local."+a.Name, a.SrcRange, err)
				continue
			}
			m.marks[n] = a.SrcRange
			set(out, a.Name, n)
			m.count++
		}
	}
	return out
}

// writeOutputs writes the outputs. A sensitive one is listed, because outputs are recorded.
func (m *module) writeOutputs() *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for _, b := range m.blocks {
		if b.Type != "output" || len(b.Labels) != 1 || b.Body.Attributes["value"] == nil {
			continue
		}
		if a := b.Body.Attributes["sensitive"]; a != nil && constantBool(a.Expr) {
			m.notes.at(b.Range(), "output "+b.Labels[0]+" is sensitive: an output is never a secret",
				"read the secret at its source")
			continue
		}
		n, err := (&scope{m: m}).node(b.Body.Attributes["value"].Expr, resource.Attribute{})
		if err != nil {
			m.notes.failed("output."+b.Labels[0], b.Range(), err)
			continue
		}
		m.marks[n] = b.Range()
		set(out, b.Labels[0], n)
		m.count++
	}
	return out
}
