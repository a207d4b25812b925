package decider_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

func blessed(o *resource.Observed) { o.Marks.Blessed = true }

// S4 and E16: the mark on the thing and the record both protect, from every action.
func TestBlessedThingsAreProtectedFromEveryAction(t *testing.T) {
	t.Parallel()
	const no = "blessed resources are not changed]"
	for name, c := range map[string]struct {
		configured configured
		res        resource.Observed
		want       string
	}{
		"delete":  {nil, ours("a/server/s", "s-1", ""), "! a/server/s unwanted: not in the configuration [delete blessed: " + no},
		"replace": {configured{want("a/server/s", "network n-2")}, ours("a/server/s", "s-1", "network n-1"), "! a/server/s immutable: network cannot be changed in place [replace blessed: " + no},
		"restart": {configured{want("a/server/s", "size 2")}, ours("a/server/s", "s-1", "size 1"), "! a/server/s restarts: changing size restarts it [restart blessed: " + no},
		"update":  {configured{want("a/server/s", "label 2")}, ours("a/server/s", "s-1", "label 1"), "! a/server/s changed: label differs [update blessed: " + no},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, sceneOf(c.configured, with(c.res, blessed)).plan(t, decider.Facts{}, decider.Blessed{}), c.want)
			byRecord := decider.Facts{Blessed: func(r resource.Ref) bool { return r == parse("a/server/s") }}
			check(t, sceneOf(c.configured, c.res).plan(t, byRecord, decider.Blessed{}), c.want)
		})
	}
}

func TestBlessing(t *testing.T) {
	t.Parallel()
	desired := func(a string) configured {
		return configured{with(want("a/server/s", a), func(d *resource.Desired) { d.Blessed = true })}
	}
	t.Run("may be put on", func(t *testing.T) {
		t.Parallel()
		check(t, sceneOf(desired(""), ours("a/server/s", "s-1", "")).plan(t, decider.Facts{}, decider.Blessed{}),
			"~ a/server/s changed: blessed differs")
	})
	t.Run("wished protects from replacing", func(t *testing.T) {
		t.Parallel()
		check(t, sceneOf(desired("network n-2"), ours("a/server/s", "s-1", "network n-1")).plan(t, decider.Facts{}, decider.Blessed{}),
			"! a/server/s immutable: network cannot be changed in place [replace blessed: the configuration says blessed: true]")
	})
	t.Run("does not keep what is gone from being made", func(t *testing.T) {
		t.Parallel()
		f := decider.Facts{Blessed: func(resource.Ref) bool { return true }}
		check(t, sceneOf(desired("")).plan(t, f, decider.Blessed{}), "+ a/server/s missing: it does not exist")
	})
}

func destruction() scene {
	s := sceneOf(configured{want("a/disk/new", ""), want("a/server/s", "network n-2"), want("a/server/t", "label 2")},
		ours("a/disk/one", "d-1", ""), ours("a/disk/two", "d-2", ""), ours("a/server/s", "s-1", "network n-1"), ours("a/server/t", "t-1", "label 1"))
	return s
}

func blocked(p decider.Plan) map[string]string {
	out := map[string]string{}
	for _, d := range p.Decisions {
		if len(d.Blockers) > 0 {
			out[d.Ref.Name] = d.Blockers[0].Policy
		}
	}
	return out
}

func TestSkipDestructive(t *testing.T) {
	t.Parallel()
	want := map[string]string{"one": "skip_destructive", "two": "skip_destructive", "s": "skip_destructive"}
	rules := func(stack string) decider.Facts {
		return decider.Facts{Rules: map[string]resource.Rules{stack: {SkipDestructive: true}}}
	}
	for name, got := range map[string]decider.Plan{
		"everywhere":   destruction().plan(t, decider.Facts{}, decider.SkipDestructive{Everywhere: true}),
		"by the stack": destruction().plan(t, rules("web"), decider.SkipDestructive{}),
	} {
		if d := cmp.Diff(want, blocked(got)); d != "" {
			t.Errorf("%s: vetoes (-want +got):\n%s", name, d)
		}
	}
	if got := blocked(destruction().plan(t, rules("shop"), decider.SkipDestructive{})); len(got) > 0 {
		t.Errorf("another stack's rule held back %v", got)
	}
}

func TestMaxDestroy(t *testing.T) {
	t.Parallel()
	for budget, held := range map[string]int{"3": 0, "2": 3, "0": 3, "100%": 0, "75%": 0, "74%": 3, "10%": 3} {
		b, err := resource.ParseBudget(budget)
		if err != nil {
			t.Fatal(err)
		}
		byRule := decider.Facts{Rules: map[string]resource.Rules{"web": {MaxDestroy: b}}}
		for name, p := range map[string]decider.Plan{
			"rule":  destruction().plan(t, byRule, decider.MaxDestroy{}),
			"limit": destruction().plan(t, decider.Facts{}, decider.MaxDestroy{Limit: b}),
		} {
			if n := len(blocked(p)); n != held {
				t.Errorf("%s by %s: %d of 3 destroying decisions of 4 things held back, want %d", budget, name, n, held)
			}
		}
	}
	p := destruction().plan(t, decider.Facts{}, decider.MaxDestroy{Limit: resource.Budget{Set: true, Count: 50, Percent: true}})
	want := "3 of 4 resources in stack web would be destroyed; the limit is 50%"
	if got := p.Decisions[1].Blockers[0].Reason; got != want {
		t.Errorf("the reason is %q", got)
	}
	p = destruction().plan(t, decider.Facts{}, decider.MaxDestroy{Limit: resource.Budget{Set: true, Count: 1}})
	if got := p.Decisions[1].Blockers[0].Reason; !strings.Contains(got, "the limit is 1") {
		t.Errorf("the reason is %q", got)
	}
	// What is held back already is not counted.
	p = destruction().plan(t, decider.Facts{}, decider.Excludes{Patterns: []string{"one"}}, decider.MaxDestroy{Limit: resource.Budget{Set: true, Count: 2}})
	if d := cmp.Diff(map[string]string{"one": "exclude"}, blocked(p)); d != "" {
		t.Errorf("vetoes (-want +got):\n%s", d)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{want("a/network/n", ""), want("a/server/s", "network @a/network/n"), want("a/server/other", ""), want("b/disk/d", "")}, ours("a/disk/old", "d-1", ""))
	for pattern, left := range map[string]string{
		"server/s": "n s", "s": "n s", "fake/a/server/s": "n s", "a/server/*": "n other s", "n": "n",
		"fake/*/disk/*": "old d", "nothing": "", "disk": "", "x/server/s": "", "*": "old n other d s",
	} {
		var names []string
		for _, d := range s.plan(t, decider.Facts{}, decider.Targets{Patterns: []string{pattern}}).Decisions {
			if d.Action.Executes() {
				names = append(names, d.Ref.Name)
			}
		}
		if got := strings.Join(names, " "); got != left {
			t.Errorf("target %s leaves %q, want %q", pattern, got, left)
		}
	}
	for _, p := range []decider.Policy{decider.Targets{Patterns: []string{"["}}, decider.Excludes{Patterns: []string{"["}}} {
		for _, d := range s.plan(t, decider.Facts{}, p).Decisions {
			if d.Action.Executes() {
				t.Errorf("%s: %s passes a pattern that can't be read", p.Name(), d.Ref)
			}
		}
	}
}

func TestExcludesHoldBackWhatDependsOnThem(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{want("a/network/n", ""), want("a/server/s", "network @a/network/n"), want("a/server/t", "peer @a/server/s")})
	check(t, s.plan(t, decider.Facts{}, decider.Excludes{Patterns: []string{"network/n"}}),
		"! a/network/n missing: it does not exist [create exclude: excluded by --exclude]",
		"! a/server/s missing: it does not exist [create dependency: it depends on network/n, which is blocked by exclude]",
		"! a/server/t missing: it does not exist [create dependency: it depends on server/s, which is blocked by dependency]")
}

func TestNothingIsTakenFromUnderAThingThatStays(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{want("a/network/n", "range 2"), want("a/server/s", "network @a/network/n")},
		ours("a/network/n", "n-1", "range 1"), with(ours("a/server/s", "s-1", "network n-1"), blessed))
	check(t, s.plan(t, decider.Facts{}, decider.Blessed{}),
		"! a/network/n immutable: range cannot be changed in place [replace dependency: server/s depends on it and is blocked by blessed]",
		"! a/server/s follows_replaced: network/n is replaced [replace blessed: blessed resources are not changed]")
	s = sceneOf(nil, ours("a/network/n", "n-1", ""), with(ours("a/server/s", "s-1", "network n-1"), blessed))
	if d := cmp.Diff(map[string]string{"n": "dependency", "s": "blessed"}, blocked(s.plan(t, decider.Facts{}, decider.Blessed{}))); d != "" {
		t.Errorf("vetoes (-want +got):\n%s", d)
	}
}

func TestWhatIsForeignOrUnseenHoldsBackWhatNeedsIt(t *testing.T) {
	t.Parallel()
	conflict := sceneOf(configured{want("a/network/n", ""), want("a/server/s", "network @a/network/n")},
		with(ours("a/network/n", "n-1", ""), func(o *resource.Observed) { o.Ownership = resource.Unmanaged }))
	if d := cmp.Diff(map[string]string{"s": "dependency"}, blocked(conflict.plan(t, decider.Facts{}))); d != "" {
		t.Errorf("foreign: vetoes (-want +got):\n%s", d)
	}
	unread := sceneOf(configured{want("a/network/n", ""), want("b/server/s", "network @a/network/n")}).unreachable("a")
	if d := cmp.Diff(map[string]string{"s": "dependency"}, blocked(unread.plan(t, decider.Facts{}))); d != "" {
		t.Errorf("unseen: vetoes (-want +got):\n%s", d)
	}
}

// A misspelt region is a place that cannot be seen, and the things in the right one look
// unwanted: they are not deleted for that.
func TestWhatMovesToAnUnseenPlaceIsNotDeleted(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{want("b/server/s", "")}, ours("a/server/s", "s-1", ""), ours("a/server/gone", "g-1", "")).unreachable("b")
	if d := cmp.Diff(map[string]string{"s": "unreachable"}, blocked(s.plan(t, decider.Facts{}, decider.Unreachable{}))); d != "" {
		t.Errorf("vetoes (-want +got):\n%s", d)
	}
	seen := sceneOf(configured{want("b/server/s", "")}, ours("a/server/s", "s-1", ""))
	if v := blocked(seen.plan(t, decider.Facts{}, decider.Unreachable{})); len(v) > 0 {
		t.Errorf("both places are seen, and still it is held back: %v", v)
	}
}

func TestBackOff(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{want("a/disk/d", "size 1")}, ours("a/disk/gone", "g-1", ""))
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	desired := s.plan(t, decider.Facts{}).Decisions
	policy := decider.BackOff{Base: time.Minute, Max: 5 * time.Minute, Breaker: 6}
	for _, c := range []struct {
		name     string
		failures int
		ago      time.Duration
		desired  string
		held     bool
		wait     time.Duration // 0: no time is named
	}{
		{"never failed", 0, 0, "", false, 0},
		{"failed just now", 1, 0, "", true, time.Minute},
		{"failed a minute ago", 1, time.Minute, "", false, 0},
		{"failed thrice", 3, time.Minute, "", true, 4 * time.Minute},
		{"waits no longer than the most", 5, time.Minute, "", true, 5 * time.Minute},
		{"the breaker is open", 6, 1000 * time.Hour, "", true, 0},
		{"another wish failed", 6, 0, "other", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := decider.Facts{Now: now, Attempts: func(r resource.Ref) (decider.Attempts, bool) {
				for i := range desired {
					if desired[i].Ref == r {
						w := c.desired
						if w == "" {
							w = desired[i].DesiredDigest()
						}
						return decider.Attempts{Desired: w, Failures: c.failures, Last: now.Add(-c.ago), Error: "no room"}, true
					}
				}
				return decider.Attempts{}, false
			}}
			for _, d := range s.plan(t, f, policy).Decisions {
				if held := len(d.Blockers) > 0; held != c.held {
					t.Fatalf("%s: held %v, want %v: %v", d.Ref, held, c.held, d.Blockers)
				}
				if !c.held {
					continue
				}
				v := d.Blockers[0]
				if c.wait == 0 && v.Until != nil || c.wait > 0 && (v.Until == nil || !v.Until.Equal(now.Add(-c.ago).Add(c.wait))) {
					t.Errorf("%s: until %v", d.Ref, v.Until)
				}
				if !strings.Contains(v.Reason, "no room") {
					t.Errorf("the reason hides the error: %s", v.Reason)
				}
			}
		})
	}
}

func TestUnseenStandsBehindTheComparator(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{want("a/disk/new", "")}, ours("a/disk/old", "d-1", ""), ours("b/disk/old", "d-2", ""))
	scope := resource.Scope{Provider: "fake", Location: "a"}
	p, err := decider.Decide(s.compare(t), kinds, decider.Facts{Unreachable: map[resource.Scope]error{scope: errors.New("denied")}}, decider.Unreachable{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range p.Decisions {
		if d.Action.Executes() != (d.Ref.Location == "b") {
			t.Errorf("%s %s", d.Action, d.Ref)
		}
	}
	if p.Unreachable[scope] != "denied" {
		t.Errorf("blind: %v", p.Unreachable)
	}
}

// E12: a policy that can't be evaluated vetoes what destroys, and only that.
func TestAPolicyThatFailsVetoesWhatDestroys(t *testing.T) {
	t.Parallel()
	p := destruction().plan(t, decider.Facts{}, lawless{err: errors.New("does not compile")})
	if d := cmp.Diff(map[string]string{"one": "lawless", "two": "lawless", "s": "lawless"}, blocked(p)); d != "" {
		t.Errorf("vetoes (-want +got):\n%s", d)
	}
}
