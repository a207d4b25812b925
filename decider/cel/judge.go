package cel

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/ovi-project/ovi/decider"
)

// Judge runs every rule over every decision that would call a provider, in the order of the
// plan, then of the rules. The same input gives the same findings.
func (r *Rules) Judge(p decider.Plan, f decider.Facts) []Finding {
	var out []Finding
	totals := count(p)
	for i := range p.Decisions {
		d := p.Decisions[i]
		if !d.Proposed.Executes() {
			continue
		}
		vars := &variables{decision: d, totals: totals, facts: f}
		vars.totals.Owned = p.Owned[d.Ref.Stack]
		for j := range r.rules {
			found, holds := r.rules[j].judge(d, vars)
			if !holds && d.Proposed == decider.Restart && !r.rules[j].restarts { // a plan shows it as an update
				updates := *vars
				updates.decision.Proposed = decider.Update
				found, holds = r.rules[j].judge(d, &updates)
			}
			if holds {
				found.Index = i
				out = append(out, found)
			}
		}
	}
	return out
}

func count(p decider.Plan) Totals {
	t := Totals{Unchanged: p.Unchanged, Unreachable: len(p.Unreachable)}
	for _, d := range p.Decisions {
		switch d.Proposed {
		case decider.Create:
			t.Create++
		case decider.Update:
			t.Update++
		case decider.Replace:
			t.Replace++
		case decider.Revert:
			t.Revert++
		case decider.Restart:
			t.Restart++
			t.Update++
		case decider.Delete:
			t.Delete++
		case decider.Forget:
			t.Forget++
		case decider.Notify:
			t.Notify++
		}
	}
	return t
}

func (c *compiled) judge(d decider.Decision, vars cel.Activation) (Finding, bool) {
	holds, err := evalBool(c.when.program, vars)
	if err != nil {
		return c.failed(d, c.when, err), true
	}
	if !holds {
		return Finding{}, false
	}
	f := Finding{Rule: c.Name, Effect: Effect(c.Effect), Message: c.message(), Approvers: c.Approvers}
	if f.Effect == RequireApproval {
		f.Approvers, f.Signed = max(1, c.Approvers), c.Signed
	}
	if c.until != nil {
		at, err := evalTime(c.until.program, vars)
		if err != nil {
			return c.failed(d, *c.until, err), true
		}
		f.Until = &at
	}
	return f, true
}

func (c *compiled) message() string {
	if c.Message != "" {
		return c.Message
	}
	return fmt.Sprintf("rule %s", c.Name)
}

// failed is the finding of a rule that could not be evaluated: one that blocks denies, so that a broken
// rule never lets pass what it is about; one that warns denies only what deletes or replaces.
func (c *compiled) failed(d decider.Decision, e expression, err error) Finding {
	at := e.location(err)
	f := Finding{
		Rule: c.Name, Effect: Warn, Failed: true, At: at,
		Message: fmt.Sprintf("rule %s could not be evaluated: %v", c.Name, err),
	}
	if at.File != "" {
		f.Message += fmt.Sprintf(" (%s:%d:%d)", at.File, at.Line, at.Column)
	}
	if d.Proposed.Destroys() || Effect(c.Effect) != Warn {
		f.Effect = Deny
	}
	return f
}

func evalBool(p cel.Program, vars cel.Activation) (bool, error) {
	v, _, err := p.Eval(vars)
	if err != nil {
		return false, err
	}
	b, ok := v.(types.Bool)
	if !ok {
		return false, fmt.Errorf("the result is %s, not a bool", v.Type())
	}
	return bool(b), nil
}

func evalTime(p cel.Program, vars cel.Activation) (int64, error) {
	v, _, err := p.Eval(vars)
	if err != nil {
		return 0, err
	}
	t, ok := v.(types.Timestamp)
	if !ok {
		return 0, fmt.Errorf("the result is %s, not a timestamp", v.Type())
	}
	return t.Unix(), nil
}
