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
		vars := variables(d, totals, p.Owned[d.Stack], f)
		for j := range r.rules {
			if found, holds := r.rules[j].judge(d, vars); holds {
				found.Index = i
				out = append(out, found)
			}
		}
	}
	return out
}

func variables(d decider.Decision, t Totals, owned int, f decider.Facts) map[string]any {
	t.Owned = owned
	return map[string]any{
		"resource": lazy(func() any { return resourceOf(d) }),
		"desired":  lazy(func() any { return desiredOf(d) }),
		"changes":  lazy(func() any { return changesOf(d) }),
		"history":  lazy(func() any { return historyOf(d, f) }),
		"decision": proposalOf(d), "plan": t, "now": f.Now,
	}
}

// lazy is computed only when a rule uses it, and then once: most rules use little, and a
// resource's history is read from the store.
func lazy(f func() any) func() any {
	var got any
	return func() any {
		if got == nil {
			got = f()
		}
		return got
	}
}

func historyOf(d decider.Decision, f decider.Facts) []Past {
	history := []Past{}
	if f.History == nil {
		return history
	}
	for _, p := range f.History(d.Ref) {
		history = append(history, Past(p))
	}
	return history[:min(len(history), HistoryLimit)]
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
		case decider.Delete:
			t.Delete++
		case decider.Notify:
			t.Notify++
		}
	}
	return t
}

func (c *compiled) judge(d decider.Decision, vars map[string]any) (Finding, bool) {
	holds, err := evalBool(c.when.program, vars)
	if err != nil {
		return c.failed(d, c.when, err), true
	}
	if !holds {
		return Finding{}, false
	}
	f := Finding{Rule: c.Name, Effect: Effect(c.Effect), Message: c.message(), Approvers: c.Approvers}
	if f.Effect == RequireApproval {
		f.Approvers = max(1, c.Approvers)
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

// failed is the finding of a rule that could not be evaluated: it denies what deletes or
// replaces, so that a broken rule never lets that pass.
func (c *compiled) failed(d decider.Decision, e expression, err error) Finding {
	at := e.location(err)
	f := Finding{Rule: c.Name, Effect: Warn, Failed: true, At: at, Message: fmt.Sprintf("rule %s could not be evaluated: %v", c.Name, err)}
	if at.File != "" {
		f.Message += fmt.Sprintf(" (%s:%d:%d)", at.File, at.Line, at.Column)
	}
	if d.Proposed.Destroys() {
		f.Effect = Deny
	}
	return f
}

func evalBool(p cel.Program, vars map[string]any) (bool, error) {
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

func evalTime(p cel.Program, vars map[string]any) (int64, error) {
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
