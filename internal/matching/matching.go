// Package matching matches regular expressions of configurations and policies. The time that a match takes grows with
// the length of the text and with the size of the compiled expression, which a few characters make a million times
// larger. The cost limit of CEL knows only the characters. Here the product is bounded, and counts as the cost.
package matching

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

// Function is the function of CEL that matches.
const Function = "matches"

const (
	mostCharacters    = 2000
	mostInstructions  = 10_000
	mostKept          = 100      // instructions
	mostSteps         = 16 << 20 // of one match: a fraction of a second
	stepsOfCost       = 16       // as long as one unit of the cost of CEL
	costOfInstruction = 2        // to compile it
	costOfRefusal     = 100_000  // to find that an expression is too large takes longer than most matches do
)

// Pattern is a compiled regular expression.
type Pattern struct {
	form         *regexp.Regexp
	instructions int
}

// Compile compiles a regular expression of RE2. It returns an error if the expression is too large.
func Compile(expression string) (*Pattern, error) {
	if len(expression) > mostCharacters {
		return nil, fmt.Errorf("the regular expression is longer than %d characters", mostCharacters)
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > mostInstructions {
		return nil, errors.New("the regular expression repeats too much")
	}
	form, err := regexp.Compile(expression)
	return &Pattern{form, len(prog.Inst)}, err
}

// Match reports whether a text has a match. It is an error if the answer would take too long.
func (p *Pattern) Match(text string) (bool, error) {
	if p.steps(text) > mostSteps {
		return false, fmt.Errorf("the regular expression takes too long for a text of %d bytes", len(text))
	}
	return p.form.MatchString(text), nil
}

func (p *Pattern) steps(text string) int { return p.instructions * (len(text) + 1) }

// program is the matches of one program of CEL.
type program struct {
	mu         sync.Mutex
	expression string
	newest     *Pattern // of the expression; a loop matches with the same one each time
}

// compile compiles an expression each time if it is large: a configuration can have many.
func (p *program) compile(expression string) (*Pattern, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.newest != nil && p.expression == expression {
		return p.newest, nil
	}
	compiled, err := Compile(expression)
	if err == nil && compiled.instructions <= mostKept {
		p.expression, p.newest = expression, compiled
	}
	return compiled, err
}

// Options bound the matches of a program of CEL, and count them as cost.
func Options() []cel.ProgramOption {
	p := &program{}
	return []cel.ProgramOption{cel.CustomDecoratorV2(p.decorate), cel.CostTracking(p)}
}

func (p *program) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, is := i.(interpreter.InterpretableCall)
	if !is || call.Function() != Function || len(call.Args()) != 2 {
		return i, nil
	}
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), p.match), nil
}

func (p *program) match(values ...ref.Val) ref.Val {
	text, isText := values[0].(types.String)
	expression, is := values[1].(types.String)
	if !isText || !is {
		return types.MaybeNoSuchOverloadErr(values[0])
	}
	pattern, err := p.compile(string(expression))
	if err != nil {
		return types.WrapErr(err)
	}
	matched, err := pattern.Match(string(text))
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Bool(matched)
}

// CallCost implements cost.ActualCostEstimator.
func (p *program) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	if function != Function || len(args) != 2 {
		return nil
	}
	text, isText := args[0].(types.String)
	expression, is := args[1].(types.String)
	if !isText || !is {
		return nil
	}
	cost := uint64(costOfRefusal)
	if pattern, err := p.compile(string(expression)); err == nil && pattern.steps(string(text)) <= mostSteps {
		cost = uint64(pattern.steps(string(text))/stepsOfCost + pattern.instructions*costOfInstruction)
	}
	return &cost
}
