package backtest

import (
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// rulePrefix is the prefix of a rule's policy name.
const rulePrefix = "rule "

// kept returns the recorded Blockers of policies that are not replaced. Blockers of dependents are
// not kept: they are derived again.
func (t *backtestRun) kept(listed []event.Decision) recordedBlockers {
	out := recordedBlockers{}
	for _, d := range listed {
		for _, v := range d.Blockers {
			if !t.replaces(v) {
				out[d.Ref] = append(out[d.Ref], v)
			}
		}
	}
	return out
}

// replaces reports whether the evaluated rules replace a recorded Blocker.
func (t *backtestRun) replaces(v decider.Blocker) bool {
	name, isRule := strings.CutPrefix(v.Policy, rulePrefix)
	switch {
	case v.Policy == decider.BlockedByDependency:
		return true
	case isRule:
		return t.Instead || t.hasRule(name)
	case v.Policy == (decider.Windows{}).Name():
		return t.Instead || len(t.Rules.Windows) > 0
	case v.Policy == (decider.Approvals{}).Name():
		return t.Instead || len(t.Rules.Approvals) > 0
	case v.Policy == (decider.MaxDestroy{}).Name():
		return t.Rules.MaxDestroy.Set
	}
	return false
}

// spoken reports whether a Blocker may be of the evaluated rules.
func (t *backtestRun) spoken(v decider.Blocker) bool {
	name, isRule := strings.CutPrefix(v.Policy, rulePrefix)
	switch {
	case isRule:
		return t.hasRule(name)
	case v.Policy == (decider.Windows{}).Name():
		return len(t.Rules.Windows) > 0
	case v.Policy == (decider.Approvals{}).Name():
		return len(t.Rules.Approvals) > 0
	case v.Policy == (decider.MaxDestroy{}).Name():
		return t.Rules.MaxDestroy.Set
	case v.Policy == (decider.SkipDestructive{}).Name():
		return t.Rules.SkipDestructive
	}
	return false
}

// hasRule reports whether one of the evaluated rules has a name.
func (t *backtestRun) hasRule(name string) bool {
	for _, r := range t.Rules.Expressions {
		if r.Name == name {
			return true
		}
	}
	return false
}

// recordedBlockers is a policy that repeats recorded Blockers.
type recordedBlockers map[resource.Ref][]decider.Blocker

// Name implements decider.Policy.
func (recordedBlockers) Name() string { return "recorded" }

// Review implements decider.Policy. If several Blockers name one decision, it returns the strictest.
func (k recordedBlockers) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		strictest := -1
		for _, v := range k[p.Decisions[i].Ref] {
			if n := rank(judge([]decider.Blocker{v}).Says); strictest < 0 || n < strictest {
				strictest, out[i] = n, v
			}
		}
	}
	return out, nil
}
