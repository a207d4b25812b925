package cel

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"github.com/ovi-project/ovi/internal/matching"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
)

// CostLimit bounds one evaluation, in CEL's own units. Kubernetes has the same limit for one
// validation rule.
const CostLimit = 1_000_000

// Rules are compiled rules. They may be used from many goroutines.
type Rules struct{ rules []compiled }

type compiled struct {
	Rule
	when  expression
	until *expression // nil means none
	// restarts says that the condition names the action restart. Any other condition on an update holds for a restart,
	// too.
	restarts bool
}

// expression is a compiled text with its position.
type expression struct {
	program cel.Program
	ast     *cel.Ast
	at      position.Position
}

// location is where in its file an expression failed; its start, if that is not known.
func (e expression) location(err error) position.Position {
	var failed *types.Err
	if !errors.As(err, &failed) || failed.NodeID() == 0 {
		return e.at
	}
	at := e.ast.NativeRep().SourceInfo().GetStartLocation(failed.NodeID())
	if at.Line() < 1 {
		return e.at
	}
	return shift(e.at, at.Line(), at.Column())
}

// Compile checks the names and types of every rule. It returns the Rules, or all problems at
// once, each with its position.
func Compile(rules []Rule) (*Rules, error) {
	env, err := environment()
	if err != nil {
		return nil, fmt.Errorf("cel: %w", err)
	}
	var problems source.Problems
	out := &Rules{}
	names := map[string]position.Position{}
	for _, r := range rules {
		problems = append(problems, checkWords(r, names)...)
		c, ps := compileRule(env, r)
		problems = append(problems, ps...)
		out.rules = append(out.rules, c)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return out, nil
}

// Len is the number of rules.
func (r *Rules) Len() int { return len(r.rules) }

func environment() (*cel.Env, error) {
	object := func(v any) *cel.Type {
		return cel.ObjectType("cel." + reflect.TypeOf(v).Name())
	}
	return cel.NewEnv(
		ext.NativeTypes(ext.ParseStructTags(true),
			reflect.TypeFor[Resource](), reflect.TypeFor[Desired](), reflect.TypeFor[Change](),
			reflect.TypeFor[Proposal](), reflect.TypeFor[Totals](), reflect.TypeFor[Past]()),
		ext.Strings(), ext.Sets(), ext.Lists(), ext.Network(),
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserRecursionLimit(100), cel.ParserExpressionSizeLimit(10_000),
		cel.Variable("resource", object(Resource{})),
		cel.Variable("desired", object(Desired{})),
		cel.Variable("changes", cel.ListType(object(Change{}))),
		cel.Variable("decision", object(Proposal{})),
		cel.Variable("plan", object(Totals{})),
		cel.Variable("now", cel.TimestampType),
		cel.Variable("history", cel.ListType(object(Past{}))),
	)
}

func checkWords(r Rule, names map[string]position.Position) source.Problems {
	var ps source.Problems
	problem := func(summary, suggestion string) {
		ps = append(ps, source.Problem{At: r.At, Summary: summary, Suggestion: suggestion})
	}
	if r.Name == "" {
		problem("a rule has no name", "add name: NAME")
	}
	if first, twice := names[r.Name]; twice && r.Name != "" {
		problem(fmt.Sprintf("duplicate rule %q", r.Name), "rename one of them; the other is at "+first.String())
	}
	names[r.Name] = r.At
	if !slices.Contains(effects(), r.Effect) {
		problem(fmt.Sprintf("unknown effect %q of rule %q", r.Effect, r.Name), "use one of "+strings.Join(effects(), ", "))
	}
	if r.Until != "" && Effect(r.Effect) != Defer {
		problem(fmt.Sprintf("rule %q has until, which needs effect: defer", r.Name), "remove until, or use effect: defer")
	}
	if r.Approvers < 0 || (r.Approvers > 0 && Effect(r.Effect) != RequireApproval) {
		problem(fmt.Sprintf("rule %q has approvers, which needs effect: require_approval", r.Name),
			"remove approvers, or use effect: require_approval")
	}
	if r.Signed && Effect(r.Effect) != RequireApproval {
		problem(fmt.Sprintf("rule %q has signed, which needs effect: require_approval", r.Name),
			"remove signed, or use effect: require_approval")
	}
	return ps
}

func compileRule(env *cel.Env, r Rule) (compiled, source.Problems) {
	c := compiled{Rule: r, restarts: strings.Contains(r.When, `"restart"`) || strings.Contains(r.When, `'restart'`)}
	if r.When == "" {
		return c, source.Problems{{
			At: r.At, Summary: fmt.Sprintf("rule %q has no condition", r.Name),
			Suggestion: "add when: EXPRESSION, which is true or false",
		}}
	}
	var ps, more source.Problems
	c.when, ps = compileExpr(env, r.Name, r.When, cel.BoolType, r.WhenAt)
	if r.Until != "" {
		var until expression
		until, more = compileExpr(env, r.Name, r.Until, cel.TimestampType, r.UntilAt)
		c.until = &until
	}
	return c, append(ps, more...)
}

func compileExpr(env *cel.Env, name, text string, want *cel.Type, at position.Position) (expression, source.Problems) {
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		var ps source.Problems
		for _, e := range issues.Errors() {
			ps = append(ps, source.Problem{
				At:      shift(at, e.Location.Line(), e.Location.Column()),
				Summary: fmt.Sprintf("rule %q: %s", name, readable(e.Message)), Suggestion: adviceOn(e.Message),
			})
		}
		return expression{}, ps
	}
	if t := ast.OutputType(); !t.IsEquivalentType(want) && !t.IsEquivalentType(cel.DynType) {
		return expression{}, source.Problems{{At: at, Summary: fmt.Sprintf("rule %q: the expression is of type %s, not %s",
			name, t, want), Suggestion: "use an expression of type " + want.String()}}
	}
	p, err := env.Program(ast, append(matching.Options(), cel.CostLimit(CostLimit), cel.InterruptCheckFrequency(100))...)
	if err != nil {
		return expression{}, source.Problems{{At: at, Summary: fmt.Sprintf("rule %q: %v", name, err)}}
	}
	return expression{p, ast, at}, nil
}

// shift turns a position inside an expression into one of the file. CEL counts lines from 1 and
// columns from 0; only the first line starts at the expression's own column.
func shift(at position.Position, line, column int) position.Position {
	if line <= 1 {
		at.Column += column
		return at
	}
	at.Line += line - 1
	at.Column = column + 1
	return at
}
