// Package selection evaluates expressions that only select values that no expression computes with.
package selection

import (
	"fmt"
	"slices"
	"strconv"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/parser"
)

// Problem is an error at a place in an expression. Lines count from 1, columns from 0. One without a summary is
// reported already.
type Problem struct {
	Line, Column        int
	Summary, Suggestion string
}

// Values is the environment of an expression.
type Values struct {
	// Path returns the value of a path, which may be opaque.
	Path func(path []string) (any, *Problem)
	// Compute evaluates an expression that reads no opaque value.
	Compute func(text string) (any, *Problem)
	// Roots are the names with which paths start.
	Roots []string
	// Form describes a value, as in "a list".
	Form func(v any) string
	// Below returns the value at a key of an opaque value; false if nothing is known to be below it. Nil means never.
	Below func(v, key any) (any, bool)
}

// Element evaluates an expression that only selects opaque values: by an index, a key or a condition, or into a list.
// It computes with none of them, so the structure is known although the values are not. The result is false if the
// expression does anything else with its values.
func (v Values) Element(env *cel.Env, text string) (found any, selects bool, problem *Problem) {
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, false, nil
	}
	s := selector{v, parsed.NativeRep()}
	root := parsed.NativeRep().Expr()
	if !s.selects(root) {
		return nil, false, nil
	}
	found, problem = s.pick(root)
	return found, true, problem
}

// selector evaluates one expression.
type selector struct {
	Values
	of *ast.AST
}

// selects reports whether an expression is more than a path and selects from its values.
func (s selector) selects(e ast.Expr) bool {
	switch e.Kind() {
	case ast.ListKind:
		return true
	case ast.SelectKind:
		return !e.AsSelect().IsTestOnly() && s.selects(e.AsSelect().Operand())
	case ast.CallKind:
		name := e.AsCall().FunctionName()
		return name == operators.Index || name == operators.Conditional || name == operators.Add && s.lists(e)
	}
	return false
}

// lists reports whether an addition joins lists: one side is a list that is written out.
func (s selector) lists(e ast.Expr) bool {
	return slices.ContainsFunc(e.AsCall().Args(), func(x ast.Expr) bool {
		isSum := x.Kind() == ast.CallKind && x.AsCall().FunctionName() == operators.Add
		return x.Kind() == ast.ListKind || isSum && s.lists(x)
	})
}

func (s selector) pick(e ast.Expr) (any, *Problem) {
	if path := Path(e); path != nil && slices.Contains(s.Roots, path[0]) {
		return s.Path(path)
	}
	if !s.selects(e) {
		return s.computed(e)
	}
	switch e.Kind() {
	case ast.ListKind:
		out := make([]any, 0, e.AsList().Size())
		for _, x := range e.AsList().Elements() {
			v, err := s.pick(x)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case ast.SelectKind:
		v, err := s.pick(e.AsSelect().Operand())
		if err != nil {
			return nil, err
		}
		return s.at(v, e.AsSelect().FieldName(), e)
	}
	args := e.AsCall().Args()
	switch e.AsCall().FunctionName() {
	case operators.Index:
		v, err := s.pick(args[0])
		if err != nil {
			return nil, err
		}
		key, err := s.computed(args[1])
		if err != nil {
			return nil, err
		}
		return s.at(v, key, e)
	case operators.Conditional:
		v, err := s.computed(args[0])
		if err != nil {
			return nil, err
		}
		first, is := v.(bool)
		if !is {
			return nil, s.wrong(args[0], "a condition must be true or false, got "+s.Form(v), "compare the value with ==")
		}
		if first {
			return s.pick(args[1])
		}
		return s.pick(args[2])
	}
	var joined []any // what is left joins two lists
	for _, x := range args {
		v, err := s.pick(x)
		if err != nil {
			return nil, err
		}
		list, is := v.([]any)
		if !is {
			return nil, s.wrong(x, "a list is joined with "+s.Form(v), "put the value in brackets")
		}
		joined = append(joined, list...)
	}
	return joined, nil
}

// computed evaluates a part of the expression that reads no opaque value.
func (s selector) computed(e ast.Expr) (any, *Problem) {
	text, err := parser.Unparse(e, s.of.SourceInfo())
	if err != nil {
		return nil, s.wrong(e, "an expression cannot select with this part", "use a local for it")
	}
	v, problem := s.Compute(text)
	if problem != nil && problem.Summary != "" {
		return nil, s.wrong(e, problem.Summary, problem.Suggestion)
	}
	return v, problem
}

// at returns the element of a list or a map.
func (s selector) at(v, key any, e ast.Expr) (any, *Problem) {
	switch v := v.(type) {
	case []any:
		i, is := key.(int64)
		if !is {
			return nil, s.wrong(e, "the index of a list must be an int, got "+s.Form(key), "the first element is [0]")
		}
		if i < 0 || i >= int64(len(v)) {
			return nil, s.wrong(e, fmt.Sprintf("index %d is outside a list of %d", i, len(v)),
				"use an index from 0 to "+strconv.Itoa(max(len(v)-1, 0)))
		}
		return v[i], nil
	case map[string]any:
		name, is := key.(string)
		if !is {
			return nil, s.wrong(e, "the key of a map must be text, got "+s.Form(key), "write the key in quotes")
		}
		found, is := v[name]
		if !is {
			return nil, s.wrong(e, "there is no key "+strconv.Quote(name), "use a key that exists")
		}
		return found, nil
	}
	if s.Below != nil {
		if found, is := s.Below(v, key); is {
			return found, nil
		}
	}
	return nil, s.wrong(e, s.Form(v)+" has no elements", "use a list or a map")
}

// wrong locates a problem.
func (s selector) wrong(e ast.Expr, summary, suggestion string) *Problem {
	at := s.of.SourceInfo().GetStartLocation(e.ID())
	return &Problem{max(at.Line(), 1), max(at.Column(), 0), summary, suggestion}
}

// Path returns the names of a path such as vars.net.cidr or vars['net'].
func Path(e ast.Expr) []string {
	switch e.Kind() {
	case ast.IdentKind:
		return []string{e.AsIdent()}
	case ast.SelectKind:
		s := e.AsSelect()
		if path := Path(s.Operand()); path != nil && !s.IsTestOnly() {
			return append(path, s.FieldName())
		}
		return Path(s.Operand())
	case ast.CallKind:
		c := e.AsCall()
		if c.FunctionName() != operators.Index || len(c.Args()) != 2 || c.Args()[1].Kind() != ast.LiteralKind {
			return nil
		}
		key, ok := c.Args()[1].AsLiteral().(types.String)
		if path := Path(c.Args()[0]); ok && path != nil {
			return append(path, string(key))
		}
	}
	return nil
}

// Container returns the path of the map in which the expression with this number looks for a key. The roots are the
// names with which paths start.
func Container(checked *ast.AST, id int64, roots []string) (path []string) {
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.ID() != id || path != nil {
			return
		}
		switch {
		case e.Kind() == ast.SelectKind:
			path = Path(e.AsSelect().Operand())
		case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Index:
			path = Path(e.AsCall().Args()[0])
		}
		if path != nil && !slices.Contains(roots, path[0]) {
			path = nil
		}
	}))
	return path
}
