package matching_test

import (
	"strings"
	"testing"

	"cel.dev/cel-go/cel"

	"github.com/ovi-project/ovi/internal/matching"
)

// TestAMatchTakesAnInstant: an expression that is too large, or too large for its text, is an error at once. Others match
// as in Go.
func TestAMatchTakesAnInstant(t *testing.T) {
	for name, c := range map[string]struct {
		expression, text string
		matches          bool
		err              string
	}{
		"a name":                 {`\A(?:[a-z]+)\z`, "web", true, ""},
		"another name":           {`\A(?:[a-z]+)\z`, "web0", false, ""},
		"a long text":            {`b$`, strings.Repeat("a", 1<<20) + "b", true, ""},
		"repetitions, long text": {`(a{1,30}){1,30}b?c`, strings.Repeat("a", 100_000), false, "takes too long for a text of 100000 bytes"},
		"repetitions":            {strings.Repeat("a{1000}", 100), "a", false, "repeats too much"},
		"characters":             {strings.Repeat("a", 2001), "a", false, "longer than 2000 characters"},
		"no expression":          {`(a`, "a", false, "missing closing )"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := matching.Compile(c.expression)
			matches := false
			if err == nil {
				matches, err = p.Match(c.text)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) || matches != c.matches {
				t.Errorf("%v, %v", matches, err)
			}
		})
	}
}

// TestMatchesInALoopCostWhatTheyTake: a hundred of them, each of which is allowed, use up the cost limit.
func TestMatchesInALoopCostWhatTheyTake(t *testing.T) {
	env, err := cel.NewEnv(cel.Variable("s", cel.StringType))
	if err != nil {
		t.Fatal(err)
	}
	run := func(expression string) (any, error) {
		ast, issues := env.Compile(expression)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		p, err := env.Program(ast, append(matching.Options(), cel.CostLimit(1_000_000))...)
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := p.Eval(map[string]any{"s": strings.Repeat("a", 5_000)})
		if err != nil {
			return nil, err
		}
		return v.Value(), nil
	}
	const slow = `[0,1,2,3,4,5,6,7,8,9].all(i, [0,1,2,3,4,5,6,7,8,9].all(j, !s.matches('(a{1,30}){1,30}b?c')))`
	refused := `[0,1,2,3,4,5,6,7,8,9].all(i, [0,1,2,3,4,5,6,7,8,9].all(j, s.matches('` + strings.Repeat("a{1000}", 100) + `') || true))`
	for _, expression := range []string{slow, refused} {
		if v, err := run(expression); err == nil || !strings.Contains(err.Error(), "cost limit") {
			t.Errorf("%s is %v, %v", expression, v, err)
		}
	}
	for expression, want := range map[string]bool{
		`s.matches('^a+$')`: true, `matches(s, 'b')`: false, `['x1', 'y2'].all(x, x.matches('[a-z][0-9]'))`: true,
	} {
		if v, err := run(expression); v != want || err != nil {
			t.Errorf("%s is %v, %v", expression, v, err)
		}
	}
	if _, err := run(`s.matches('(')`); err == nil || !strings.Contains(err.Error(), "missing closing )") {
		t.Errorf("an invalid expression: %v", err)
	}
}
