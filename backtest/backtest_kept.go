package backtest

import (
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
)

// rulePrefix begins the name under which a rule vetoes.
const rulePrefix = "rule "

// kept are the vetoes on record that stay beside the policies under trial: those of policies
// that are not replaced. What was held back because something else was is found out anew.
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

// replaces says that a veto on record is none of the policies under trial's past.
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

// spoken says that a veto may be of the policies under trial.
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

func (t *backtestRun) hasRule(name string) bool {
	for _, r := range t.Rules.Expressions {
		if r.Name == name {
			return true
		}
	}
	return false
}

// recordedBlockers says again what was said then.
type recordedBlockers map[resource.Ref][]decider.Blocker

// Name implements decider.Policy.
func (recordedBlockers) Name() string { return "on record" }

// Review implements decider.Policy. Of several vetoes on one decision the hardest stands for
// all, for it decides.
func (k recordedBlockers) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		hardest := -1
		for _, v := range k[p.Decisions[i].Ref] {
			if n := rank(judge([]decider.Blocker{v}).Says); hardest < 0 || n < hardest {
				hardest, out[i] = n, v
			}
		}
	}
	return out, nil
}
