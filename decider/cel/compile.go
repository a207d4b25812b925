package cel

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// CostLimit bounds one evaluation, in CEL's own units. Kubernetes allows the same for one
// call of a validation rule.
const CostLimit = 1_000_000

// Rules are compiled rules. They may be used from many goroutines.
type Rules struct{ rules []compiled }

type compiled struct {
	Rule
	when  expression
	until *expression // nil: not said
}

// expression is a compiled text with the place it stands at.
type expression struct {
	program cel.Program
	ast     *cel.Ast
	at      resource.Position
}

// location is where in its file an expression failed; its beginning, if that is not known.
func (e expression) location(err error) resource.Position {
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

// Compile checks every rule's words and types. What is wrong comes all at once, each with the
// place it stands at; then there are no Rules.
func Compile(rules []Rule) (*Rules, error) {
	env, err := environment()
	if err != nil {
		return nil, fmt.Errorf("cel: %w", err)
	}
	var problems source.Problems
	out := &Rules{}
	names := map[string]resource.Position{}
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
		ext.Strings(), ext.Sets(), ext.Lists(),
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

func checkWords(r Rule, names map[string]resource.Position) source.Problems {
	var ps source.Problems
	say := func(summary, suggestion string) {
		ps = append(ps, source.Problem{At: r.At, Summary: summary, Suggestion: suggestion})
	}
	if r.Name == "" {
		say("a rule has no name", "write name: what-it-guards")
	}
	if first, twice := names[r.Name]; twice && r.Name != "" {
		say(fmt.Sprintf("two rules are named %q", r.Name), fmt.Sprintf("the first stands at %s:%d", first.File, first.Line))
	}
	names[r.Name] = r.At
	if !slices.Contains(effects(), r.Effect) {
		say(fmt.Sprintf("rule %q: there is no effect %q", r.Name, r.Effect), fmt.Sprintf("one of %v", effects()))
	}
	if r.Until != "" && Effect(r.Effect) != Defer {
		say(fmt.Sprintf("rule %q: until stands only with effect: defer", r.Name), "")
	}
	if r.Approvers < 0 || (r.Approvers > 0 && Effect(r.Effect) != RequireApproval) {
		say(fmt.Sprintf("rule %q: people is a number from 1, and stands only with effect: require_approval", r.Name), "")
	}
	return ps
}

func compileRule(env *cel.Env, r Rule) (compiled, source.Problems) {
	c := compiled{Rule: r}
	if r.When == "" {
		return c, source.Problems{{At: r.At, Summary: fmt.Sprintf("rule %q has no condition", r.Name), Suggestion: "write when: an expression that gives true or false"}}
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

func compileExpr(env *cel.Env, name, text string, want *cel.Type, at resource.Position) (expression, source.Problems) {
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		var ps source.Problems
		for _, e := range issues.Errors() {
			ps = append(ps, source.Problem{At: shift(at, e.Location.Line(), e.Location.Column()), Summary: fmt.Sprintf("rule %q: %s", name, e.Message)})
		}
		return expression{}, ps
	}
	if t := ast.OutputType(); !t.IsEquivalentType(want) && !t.IsEquivalentType(cel.DynType) {
		return expression{}, source.Problems{{At: at, Summary: fmt.Sprintf("rule %q: the expression gives %s, not %s", name, t, want)}}
	}
	p, err := env.Program(ast, cel.CostLimit(CostLimit), cel.InterruptCheckFrequency(100))
	if err != nil {
		return expression{}, source.Problems{{At: at, Summary: fmt.Sprintf("rule %q: %v", name, err)}}
	}
	return expression{p, ast, at}, nil
}

// shift moves a place inside an expression to its place in the file. CEL counts lines from 1
// and columns from 0; only the first line shares its start with the file's line.
func shift(at resource.Position, line, column int) resource.Position {
	if line <= 1 {
		at.Column += column
		return at
	}
	at.Line += line - 1
	at.Column = column + 1
	return at
}
