package code

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// templates returns the functions of Terraform in CEL, by name and number of arguments: {0} is the first one.
func templates() map[string]map[int]string {
	return map[string]map[int]string{
		"lower": {1: "{0}.lowerAscii()"}, "upper": {1: "{0}.upperAscii()"}, "trimspace": {1: "{0}.trim()"},
		"join": {2: "{1}.join({0})"}, "split": {2: "{1}.split({0})"},
		"length": {1: "size({0})"}, "contains": {2: "({1} in {0})"},
		"keys": {1: "{0}.transformList(k, v, k)"}, "values": {1: "{0}.transformList(k, v, v)"},
		"lookup":     {2: "{0}[{1}]", 3: "({1} in {0} ? {0}[{1}] : {2})"},
		"jsonencode": {1: "json({0})"}, "base64encode": {1: "base64({0})"}, "cidrsubnet": {3: "cidr.subnet({0}, {1}, {2})"},
		"toset": {1: "{0}"}, "tolist": {1: "{0}"}, "tomap": {1: "{0}"}, "nonsensitive": {1: "{0}"},
		"tostring": {1: "string({0})"}, "distinct": {1: "{0}.distinct()"}, "flatten": {1: "{0}.flatten()"},
		"reverse": {1: "{0}.reverse()"}, "sort": {1: "{0}.sort()"}, "slice": {3: "{0}.slice({1}, {2})"},
		"range": {1: "lists.range({0})"}, "abs": {1: "math.abs({0})"}, "element": {2: "{0}[{1} % size({0})]"},
		"substr": {3: "{0}.substring({1}, {1} + {2})"}, "startswith": {2: "{0}.startsWith({1})"},
		"endswith": {2: "{0}.endsWith({1})"}, "compact": {1: "{0}.filter(x, x != null && x != '')"},
		"coalesce":    {2: "({0} != null && {0} != '' ? {0} : {1})"},
		"setsubtract": {2: "{0}.filter(x, !(x in {1}))"}, "strcontains": {2: "{0}.contains({1})"},
		"trimprefix": {2: "({0}.startsWith({1}) ? {0}.substring(size({1})) : {0})"},
		"trimsuffix": {2: "({0}.endsWith({1}) ? {0}.substring(0, size({0}) - size({1})) : {0})"},
		"alltrue":    {1: "{0}.all(x, x)"}, "anytrue": {1: "{0}.exists(x, x)"},
	}
}

// celCall is a call of a function in CEL.
func (s *scope) celCall(e *hclsyntax.FunctionCallExpr) (string, error) {
	if text, done, err := s.special(e); done || err != nil {
		return text, err
	}
	args, err := s.each(e.Args...)
	if err != nil {
		return "", err
	}
	for i, a := range e.Args {
		if _, is := a.(*hclsyntax.BinaryOpExpr); is {
			args[i] = "(" + args[i] + ")"
		}
	}
	if t, ok := templates()[e.Name][len(args)]; ok && !e.ExpandFinal {
		for i, a := range args {
			t = strings.ReplaceAll(t, fmt.Sprintf("{%d}", i), "\x00"+fmt.Sprint(i)+"\x00")
			_ = a
		}
		for i, a := range args {
			t = strings.ReplaceAll(t, "\x00"+fmt.Sprint(i)+"\x00", a)
		}
		return t, nil
	}
	switch {
	case e.ExpandFinal || len(args) == 0:
	case e.Name == "concat":
		return "(" + strings.Join(args, " + ") + ")", nil
	case e.Name == "merge":
		out := args[0]
		for _, a := range args[1:] {
			out = "merge(" + out + ", " + a + ")"
		}
		return out, nil
	case e.Name == "max":
		return "math.greatest(" + strings.Join(args, ", ") + ")", nil
	case e.Name == "min":
		return "math.least(" + strings.Join(args, ", ") + ")", nil
	}
	suggestion := "write the value by hand"
	switch e.Name {
	case "file", "templatefile", "filebase64":
		suggestion = "copy the file next to ovi.yaml and use ${file:PATH}; join variables into the text"
	case "try", "can":
		suggestion = "use a condition: has(vars.NAME.KEY) ? A : B"
	case "timestamp", "uuid", "bcrypt":
		suggestion = "an expression has no clock and no randomness: write the value"
	}
	return "", &unsupported{e.Range(), "the function " + e.Name + " has no counterpart", suggestion}
}

// special converts the functions whose arguments decide. done is false for other functions.
func (s *scope) special(e *hclsyntax.FunctionCallExpr) (text string, done bool, err error) {
	switch {
	case e.Name == "replace" && len(e.Args) == 3:
		if pattern, is := constantText(e.Args[1]); !is || strings.HasPrefix(pattern, "/") {
			return "", true, s.cannot(e, "a pattern has no counterpart: write the value by hand")
		}
		args, err := s.each(e.Args...)
		if err != nil {
			return "", true, err
		}
		return args[0] + ".replace(" + args[1] + ", " + args[2] + ")", true, nil
	case e.Name == "can" && len(e.Args) == 1:
		call, is := e.Args[0].(*hclsyntax.FunctionCallExpr)
		if !is || (call.Name != "regex" && call.Name != "regexall") || len(call.Args) != 2 {
			return "", false, nil
		}
		args, err := s.each(call.Args...)
		if err != nil {
			return "", true, err
		}
		return "string(" + args[1] + ").matches(" + args[0] + ")", true, nil
	case (e.Name == "floor" || e.Name == "ceil") && len(e.Args) == 1:
		by, is := e.Args[0].(*hclsyntax.BinaryOpExpr)
		if !is || by.Op != hclsyntax.OpDivide {
			args, err := s.each(e.Args...)
			if err != nil {
				return "", true, err
			}
			return "int(math." + e.Name + "(double(" + args[0] + ")))", true, nil
		}
		args, err := s.each(by.LHS, by.RHS)
		if err != nil {
			return "", true, err
		}
		return fmt.Sprintf("int(math.%s(double(%s) / double(%s)))", e.Name, args[0], args[1]), true, nil
	}
	return "", false, nil
}

// constantText is a text without variables.
func constantText(e hclsyntax.Expression) (string, bool) {
	v, diags := e.Value(nil)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}
