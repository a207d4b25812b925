package language

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"
	"cel.dev/cel-go/interpreter"

	"github.com/ovi-project/ovi/internal/matching"
	"github.com/ovi-project/ovi/source/config/selection"
)

// The limits of one evaluation and of all evaluations of one load, in CEL's own units.
const (
	costOfOne = 1_000_000
	costOfAll = 100_000_000
	// bytesOfCost is the number of bytes of text that cost as much as one unit: all texts of a load have 512 MiB.
	bytesOfCost = 5
	// untracked is the number of calls up to which an expression without a loop and without a regular expression needs no
	// limit.
	untracked = 12
)

// program is a compiled expression.
type program struct {
	path    []string    // of a bare path, which needs no CEL
	prg     cel.Program // nil for a bare path
	ast     *cel.Ast
	refs    [][]string // the paths that the expression reads
	tracked bool
	err     *located // the expression is not valid
	varies  bool     // it reads each or index, so that its value differs between the resources of a block
	// prepared reports that the variables and locals that it reads are evaluated.
	prepared bool
}

// located is an error at a place in an expression.
type located selection.Problem

// shared is the environment of CEL, made once.
var shared = sync.OnceValues(func() (*cel.Env, error) { //nolint:gochecknoglobals // making it takes milliseconds
	options := []cel.EnvOption{
		cel.CustomTypeAdapter(adapter{}),
		ext.Sets(), ext.Lists(), ext.Math(), ext.TwoVarComprehensions(),
		cel.OptionalTypes(), cel.EnableMacroCallTracking(),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserRecursionLimit(100), cel.ParserExpressionSizeLimit(10_000),
		cel.Variable("vars", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("locals", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("each", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("index", cel.IntType),
		cel.Variable("environment", cel.StringType),
		cel.Variable("stack", cel.StringType),
		cel.Variable(refRoot, cel.MapType(cel.StringType, cel.DynType)),
	}
	return cel.NewEnv(append(options, functions()...)...)
})

// compile compiles an expression.
func compile(text string) *program {
	trimmed := strings.TrimSpace(text)
	if root, _, _ := strings.Cut(trimmed, "."); barePath.MatchString(trimmed) && slices.Contains(roots(), root) {
		path := strings.Split(trimmed, ".")
		return &program{path: path, refs: [][]string{path}}
	}
	env, err := shared()
	if err != nil {
		return &program{err: &located{1, 0, err.Error(), "report this error of ovi"}}
	}
	if name, marked := strings.CutSuffix(trimmed, "?"); marked && barePath.MatchString(name) {
		return &program{err: &located{
			1, 0, "a ? is for references to resources, and " + name + " is none",
			"use ${KIND/NAME.ATTRIBUTE?}, or a condition: has(vars.NAME.KEY) ? A : B",
		}}
	}
	if name := operandOf(trimmed); name != "" {
		return &program{err: &located{
			1, 0, "an expression cannot have " + name + " as an operand", operandAdvice(name),
		}}
	}
	checked, unknown, issues := check(env, text)
	if unknown == "ref" {
		return &program{err: &located{1, 0, "ref needs one literal text", "for example, ref('use/net.zones')"}}
	}
	if unknown != "" {
		return &program{err: &located{
			1, 0, "an expression has no function " + unknown,
			cmp.Or(otherFunction(unknown), "use the functions that docs/configuration.md lists"),
		}}
	}
	if issues.Err() != nil {
		first := issues.Errors()[0]
		summary, suggestion := explained(first.Message)
		summary, suggestion = inOtherWords(text, summary, suggestion)
		return &program{err: &located{first.Location.Line(), first.Location.Column(), summary, suggestion}}
	}
	p := &program{ast: checked}
	w := walker{p: p, loops: map[int64]bool{}}
	w.visit(checked.NativeRep().Expr())
	options := []cel.ProgramOption{cel.CustomDecoratorV2(w.decorate)}
	if w.matches {
		options = append(options, matching.Options()...)
	}
	if p.tracked = len(w.loops) > 0 || w.calls > untracked || w.matches; p.tracked {
		options = append(options, cel.CostLimit(costOfOne), cel.InterruptCheckFrequency(100))
	}
	if p.prg, err = env.Program(checked, options...); err != nil {
		return &program{err: &located{1, 0, err.Error(), "use a simpler expression"}}
	}
	return p
}

// check parses and checks an expression. The branches of a condition may have different types, such as null. Unknown is
// the name of a function that no expression has.
func check(env *cel.Env, text string) (checked *cel.Ast, unknown string, issues *cel.Issues) {
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, "", issues
	}
	next := ast.MaxID(parsed.NativeRep())
	factory := ast.NewExprFactory()
	anything := func(e ast.Expr) ast.Expr {
		next++
		return factory.NewCall(next, "dyn", e)
	}
	ast.PostOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		c := e.AsCall()
		switch name := c.FunctionName(); name {
		case "dyn", "type", "timestamp", "duration":
			unknown = name
		case "ref":
			if a := c.Args(); c.IsMemberFunction() || len(a) != 1 || !isLiteralText(a[0]) {
				unknown = name
			} else {
				next++
				e.SetKindCase(factory.NewCall(e.ID(), operators.Index, factory.NewIdent(next, refRoot), a[0]))
			}
		case operators.Conditional:
			a := c.Args()
			e.SetKindCase(factory.NewCall(e.ID(), name, a[0], anything(a[1]), anything(a[2])))
		}
	}))
	if unknown != "" {
		return nil, unknown, nil
	}
	checked, issues = env.Check(parsed)
	return checked, "", issues
}

// walker finds the paths, the loops and the calls of an expression, and whether it matches.
type walker struct {
	p       *program
	loops   map[int64]bool
	calls   int
	matches bool // a regular expression
}

func (w *walker) visit(e ast.Expr) {
	if path := selection.Path(e); path != nil && (path[0] == refRoot || slices.Contains(roots(), path[0])) {
		w.p.refs = append(w.p.refs, path)
		return
	}
	switch e.Kind() {
	case ast.SelectKind:
		w.visit(e.AsSelect().Operand())
	case ast.CallKind:
		c := e.AsCall()
		w.calls++
		w.matches = w.matches || c.FunctionName() == matching.Function
		if c.IsMemberFunction() {
			w.visit(c.Target())
		}
		for _, x := range c.Args() {
			w.visit(x)
		}
	case ast.ListKind:
		for _, x := range e.AsList().Elements() {
			w.visit(x)
		}
	case ast.MapKind:
		for _, x := range e.AsMap().Entries() {
			w.visit(x.AsMapEntry().Key())
			w.visit(x.AsMapEntry().Value())
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		w.loops[e.ID()] = true
		for _, x := range []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			w.visit(x)
		}
	}
}

// decorate makes the maps that loops return sorted.
func (w *walker) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if w.loops[i.ID()] {
		if _, is := i.(interpreter.InterpretableAttribute); !is {
			return sortedResult{i}, nil
		}
	}
	return i, nil
}

// sortedResult sorts the map that an expression returns.
type sortedResult struct{ interpreter.InterpretableV2 }

func (s sortedResult) Eval(a interpreter.Activation) ref.Val {
	return sortedVal(s.InterpretableV2.Eval(a))
}

func (s sortedResult) Exec(f *interpreter.ExecutionFrame) ref.Val {
	return sortedVal(s.InterpretableV2.Exec(f))
}

func sortedVal(v ref.Val) ref.Val {
	m, is := v.(traits.Mapper)
	if _, done := v.(sortedMap); !is || done {
		return v
	}
	return sortedMap{m}
}

// sortedMap is a map with a fixed order.
type sortedMap struct{ traits.Mapper }

// Iterator returns the keys, sorted.
func (m sortedMap) Iterator() traits.Iterator {
	var keys []ref.Val
	for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	slices.SortFunc(keys, func(a, b ref.Val) int {
		if c := strings.Compare(a.Type().TypeName(), b.Type().TypeName()); c != 0 {
			return c
		}
		if c, ok := a.(traits.Comparer); ok {
			if n, ok := c.Compare(b).(types.Int); ok {
				return int(n)
			}
		}
		return 0
	})
	return types.NewRefValList(adapter{}, keys).Iterator()
}

// adapter turns values into values of CEL, with sorted maps.
type adapter struct{}

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		return sortedMap{types.NewStringInterfaceMap(a, v)}
	case map[ref.Val]ref.Val:
		return sortedMap{types.NewRefValMap(a, v)}
	case []any:
		return types.NewDynamicList(a, v)
	case nil:
		return types.NullValue
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// errTooBig is the error of a value that exceeds a limit.
var errTooBig = errors.New("the value is too big")

// result turns a value of CEL into one of this package.
func result(v ref.Val, left *int) (any, error) {
	if *left--; *left < 0 {
		return nil, errTooBig
	}
	switch v := v.(type) {
	case types.Bool:
		return bool(v), nil
	case types.Int:
		return int64(v), nil
	case types.Uint:
		if v > 1<<62 {
			return nil, errTooBig
		}
		return int64(v), nil
	case types.Double:
		return float64(v), nil
	case types.String:
		if len(v) > mostText {
			return nil, errTooBig
		}
		*left -= len(v) / 64
		return string(v), nil
	case types.Null:
		return nil, nil
	case *types.Optional:
		if !v.HasValue() {
			return nil, nil
		}
		return result(v.GetValue(), left)
	case traits.Mapper:
		return mapResult(v, left)
	case traits.Lister:
		out := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			x, err := result(it.Next(), left)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	}
	return nil, fmt.Errorf("an expression cannot return %s", v.Type().TypeName())
}

func mapResult(m traits.Mapper, left *int) (any, error) {
	out := map[string]any{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		key, ok := k.(types.String)
		if !ok {
			return nil, fmt.Errorf("the keys of a map must be strings, got %s", k.Type().TypeName())
		}
		x, err := result(m.Get(k), left)
		if err != nil {
			return nil, err
		}
		out[string(key)] = x
	}
	return out, nil
}

// explained turns a message of CEL into a summary and advice.
func explained(message string) (summary, suggestion string) {
	message, _, _ = strings.Cut(message, "\n")
	message, _, _ = strings.Cut(message, " expecting ")
	terms := map[string]string{
		"'<EOF>'": "the end of the expression", "mismatched input": "unexpected", "extraneous input": "unexpected",
		"no viable alternative at input": "unexpected", "token recognition error at:": "unexpected",
		" (in container '')": "", "Syntax error": "syntax error", "ERROR: ": "", "!error!": "unknown",
	}
	for from, to := range terms {
		message = strings.ReplaceAll(message, from, to)
	}
	switch {
	case strings.HasPrefix(message, "undeclared reference to '"):
		name, _, _ := strings.Cut(strings.TrimPrefix(message, "undeclared reference to '"), "'")
		return "unknown name " + name + " in an expression", unknownName(name)
	case strings.HasPrefix(message, "reserved identifier: "):
		name := strings.TrimPrefix(message, "reserved identifier: ")
		return "unknown name " + name + " in an expression", unknownName(name)
	case strings.HasPrefix(message, "index out of bounds"):
		return message, "use a number from 0 to size(LIST) - 1"
	case strings.HasPrefix(message, "division by zero"), strings.HasPrefix(message, "modulus by zero"):
		return message, "check the value after / or %: it is 0"
	case strings.HasPrefix(message, "lists.range: "):
		return message, "use a smaller number: a block has at most 10000 entries"
	case strings.Contains(message, "no such overload"):
		return "an operator or function does not fit the types of its values",
			"use values of one type; 1 and 1.0 differ, and string(1) is '1'"
	case strings.Contains(message, "syntax error"):
		return message, "check the expression near this position: quotes, parentheses, operators"
	case strings.Contains(message, "no matching overload"):
		_, name, _ := strings.Cut(message, "'")
		name, _, _ = strings.Cut(name, "'")
		return message, cmp.Or(otherFunction(name),
			"use values of types that fit the operator or function; 1 and 1.0 differ, and string(1) is '1'")
	case strings.HasPrefix(message, "cidr.subnet: "):
		return message, "use cidr.subnet(NET, BITS, N): BITS are added to the prefix (8 makes a /24 of a /16), " +
			"and N is a number from 0"
	}
	return message, "docs/configuration.md lists what an expression can use"
}

// unknownName suggests the meaning of a name that an expression does not have.
func unknownName(name string) string {
	switch name {
	case "var":
		return "use vars"
	case "local":
		return "use locals"
	case "env":
		return "use environment, or ${env:NAME} for a variable of the process"
	case "count":
		return "use index, the number of the resource in a block with count"
	}
	return cmp.Or(otherFunction(name),
		"use one of "+strings.Join(roots(), ", ")+", or a function that docs/configuration.md lists")
}

// lookUp returns the value at a path below a root.
func lookUp(v any, path []string) (found any, err error) {
	for i, step := range path[1:] {
		if x, is := withinOutput(v, step); is {
			v = x
			continue
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s is %s and has no key %q", strings.Join(path[:i+1], "."), form(v), step)
		}
		if v, ok = m[step]; !ok {
			return nil, missing(path[:i+1], step, m)
		}
	}
	return v, nil
}

// missing is the error of a key that a map lacks.
func missing(path []string, key string, m map[string]any) error {
	keys := slices.Sorted(maps.Keys(m))
	if len(keys) > 12 {
		keys = append(keys[:12], "…")
	}
	has := "it is empty"
	if len(keys) > 0 {
		has = "it has " + strings.Join(keys, ", ")
	}
	return fmt.Errorf("%s has no key %q; %s", strings.Join(path, "."), key, has)
}
