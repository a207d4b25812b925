package manage

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/cel"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

func policyEval(c *command.Call) error {
	o := evalOptionsOf(c)
	if c.Cmd.NArg() != 1 || !session.IsPlan(c.Arg(0)) {
		return cli.Usage("create one: ovi plan --out FILE", "`ovi policy eval` needs a saved plan")
	}
	head, saved, err := session.LoadPlan(c.Arg(0))
	if err != nil {
		return err
	}
	if err := session.AsPlanned(c, head, c.Arg(0)); err != nil {
		return err
	}
	rule, err := oneRule(c, head, o)
	if err != nil {
		return err
	}
	rules, err := cel.Compile([]cel.Rule{rule})
	if err != nil {
		return err
	}
	facts := decider.Facts{Now: saved.At}
	dir := session.DataDir(c, nil)
	if _, err := os.Stat(dir); err != nil {
		c.Out.Warn("the plan's data directory was not found: rules have no history", "name it with --data-dir")
		return evaluate(c, saved, rule, rules, facts)
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error {
		past, failed := history.New(l.Reader()).Pasts(c, math.MaxInt64, math.MaxInt)
		facts.History = func(ref resource.Ref) []decider.Past {
			var out []decider.Past
			for _, p := range past(ref) {
				if !p.At.After(saved.At) {
					out = append(out, p)
				}
			}
			return out
		}
		if err := evaluate(c, saved, rule, rules, facts); err != nil {
			return err
		}
		return failed()
	})
}

// oneRule finds the rule that was named, or makes one from a condition.
func oneRule(c *command.Call, head session.PlanHead, o evalOptions) (cel.Rule, error) {
	if (o.rule == "") == (o.expr == "") {
		return cel.Rule{}, cli.Usage("use --rule NAME or --expr 'CEL'", "`ovi policy eval` needs one rule or one condition")
	}
	if o.expr != "" {
		at := position.Position{File: "--expr", Line: 1, Column: 1}
		return cel.Rule{Name: "--expr", When: o.expr, Effect: string(cel.Deny), At: at, WhenAt: at}, nil
	}
	var all []cel.Rule
	if paths := session.PoliciesOf(c); len(paths) > 0 {
		rules, err := session.ReadPolicies(c, paths)
		if err != nil {
			return cel.Rule{}, err
		}
		all = rules.Expressions
	}
	intents, err := session.Load(c, head.Sources, session.DataDir(c, head.Sources))
	if err != nil {
		return cel.Rule{}, err
	}
	for _, in := range intents {
		all = append(all, in.Rules.Expressions...)
	}
	var names []string
	for _, r := range all {
		if r.Name == o.rule {
			return r, nil
		}
		names = append(names, r.Name)
	}
	next := "it must be in --policy FILE, or in the rules of the plan's sources"
	if near, ok := resource.Nearest(o.rule, names); ok {
		next = "did you mean " + near + "?"
	}
	return cel.Rule{}, cli.Usage(next, "unknown rule %q", o.rule)
}

// evaluate shows the result of the rule for each decision that would change something.
func evaluate(c *command.Call, p *engine.Planned, rule cel.Rule, rules *cel.Rules, facts decider.Facts) error {
	found := map[int]cel.Finding{}
	for _, f := range rules.Judge(p.Plan, facts) {
		found[f.Index] = f
	}
	names := session.NamesOf(p)
	var rows []render.RuleSays
	failed := false
	for i, d := range p.Plan.Decisions {
		if !d.Proposed.Executes() {
			continue
		}
		f, holds := found[i]
		row := render.RuleSays{
			Type: "rule_result", Ref: names.Ref(d.Ref), Proposed: string(d.Proposed), Rule: rule.Name,
			Holds: holds && !f.Failed,
		}
		if holds {
			row.Effect, row.Message, row.Failed = string(f.Effect), f.Message, f.Failed
			row.File, row.Line, row.Column = f.At.File, f.At.Line, f.At.Column
		}
		if f.Until != nil {
			at := time.Unix(*f.Until, 0).UTC()
			row.Until = &at
		}
		if rule.Name == "--expr" && !f.Failed {
			row.Effect, row.Message = "", "" // a condition alone has no effect
		}
		failed = failed || f.Failed
		rows = append(rows, row)
	}
	if err := tellRule(c, rows); err != nil || !failed {
		return err
	}
	return &cli.Problem{
		Summary:    fmt.Sprintf("%s could not be evaluated for every decision", rule.Name),
		Suggestion: "use `in` or [?\"key\"] before reading what may be absent: docs/policies.md",
	}
}

func tellRule(c *command.Call, rows []render.RuleSays) error {
	if !c.Out.Machine() {
		return c.Out.Table(render.RuleTable(rows), "No changes.")
	}
	for _, r := range rows {
		if err := c.Out.Records(r); err != nil {
			return err
		}
	}
	return nil
}
