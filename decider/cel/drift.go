package cel

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
)

// Drift is compiled drift rules. A nil Drift ignores nothing. It may be used from many
// goroutines.
type Drift struct{ rules []driftRule }

type driftRule struct {
	rules.Drift
	when *expression // nil means always
}

// CompileDrift checks the conditions of drift rules. It returns the Drift, or all problems at
// once, each with its position.
func CompileDrift(rules []rules.Drift) (*Drift, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	env, err := cel.NewEnv(
		ext.Strings(), ext.Sets(), ext.Lists(), ext.Math(),
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserRecursionLimit(100), cel.ParserExpressionSizeLimit(10_000),
		cel.Variable("old", cel.DynType), cel.Variable("new", cel.DynType), cel.Variable("path", cel.StringType),
	)
	if err != nil {
		return nil, fmt.Errorf("cel: %w", err)
	}
	var problems source.Problems
	out := &Drift{}
	for _, r := range rules {
		c := driftRule{Drift: r}
		if r.When != "" {
			e, ps := compileExpr(env, "drift of "+r.Path, r.When, cel.BoolType, r.WhenAt)
			c.when, problems = &e, append(problems, ps...)
		}
		out.rules = append(out.rules, c)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return out, nil
}

// Ignores reports that a rule ignores a change of a resource of a kind. A condition that cannot
// be evaluated ignores nothing: a difference is shown rather than hidden. Secrets are
// "(secret)" in conditions; a change of one is ignored by a rule without a condition only.
func (d *Drift) Ignores(kind string, c resource.Change) bool {
	if d == nil {
		return false
	}
	for i := range d.rules {
		r := &d.rules[i] // the path of a tag is "tags.KEY"
		if r.Kind != "" && r.Kind != kind || !rules.MatchPath([]string{r.Path}, c.Path) {
			continue
		}
		if r.when == nil {
			return true
		}
		if isSecret(c.From) || isSecret(c.To) {
			continue
		}
		if holds, err := evalBool(r.when.program, &compared{c}); err == nil && holds {
			return true
		}
	}
	return false
}

func isSecret(v resource.Value) bool {
	switch v.(type) {
	case resource.Secret, resource.Digest:
		return true
	}
	return false
}
