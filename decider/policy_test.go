package decider_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

func blessed(o *resource.Observed) { o.Marks.Blessed = true }

// A resource that is recorded as blessed is protected from every action, with and without its
// mark.
func TestBlessedResourcesAreProtectedFromEveryAction(t *testing.T) {
	t.Parallel()
	const no = "blessed resources are not changed]"
	for name, c := range map[string]struct {
		configured configured
		res        resource.Observed
		want       string
	}{
		"delete":  {nil, ours("a/server/s", "s-1", ""), "! a/server/s unwanted: not in the configuration [delete blessed: " + no},
		"replace": {configured{desired("a/server/s", "network n-2")}, ours("a/server/s", "s-1", "network n-1"), "! a/server/s immutable: network cannot be changed in place [replace blessed: " + no},
		"restart": {configured{desired("a/server/s", "size 2")}, ours("a/server/s", "s-1", "size 1"), "! a/server/s restarts: changing size restarts it [restart blessed: " + no},
		"update":  {configured{desired("a/server/s", "label 2")}, ours("a/server/s", "s-1", "label 1"), "! a/server/s changed: label differs [update blessed: " + no},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, sceneOf(c.configured, with(c.res, blessed)).plan(t, decider.Facts{}, decider.Blessed{}), c.want)
			recorded := decider.Facts{Blessed: func(r resource.Ref) bool { return r == parse("a/server/s") }}
			check(t, sceneOf(c.configured, c.res).plan(t, recorded, decider.Blessed{}), c.want)
		})
	}
}

func TestBlessing(t *testing.T) {
	t.Parallel()
	protected := func(a string) configured {
		return configured{with(desired("a/server/s", a), func(d *resource.Desired) { d.Blessed = true })}
	}
	t.Run("the mark may be written", func(t *testing.T) {
		t.Parallel()
		check(t, sceneOf(protected(""), ours("a/server/s", "s-1", "")).plan(t, decider.Facts{}, decider.Blessed{}),
			"~ a/server/s changed: ovi:blessed differs")
	})
	t.Run("the configuration protects from replacing", func(t *testing.T) {
		t.Parallel()
		check(t, sceneOf(protected("network n-2"), ours("a/server/s", "s-1", "network n-1")).plan(t, decider.Facts{}, decider.Blessed{}),
			"! a/server/s immutable: network cannot be changed in place [replace blessed: the configuration says blessed: true]")
	})
	t.Run("a missing resource is created", func(t *testing.T) {
		t.Parallel()
		f := decider.Facts{Blessed: func(resource.Ref) bool { return true }}
		check(t, sceneOf(protected("")).plan(t, f, decider.Blessed{}), "+ a/server/s missing: it does not exist")
	})
}

func destruction() scene {
	s := sceneOf(configured{desired("a/disk/new", ""), desired("a/server/s", "network n-2"), desired("a/server/t", "label 2")},
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
		return decider.Facts{Rules: map[string]rules.Rules{stack: {SkipDestructive: true}}}
	}
	for name, got := range map[string]decider.Plan{
		"everywhere":   destruction().plan(t, decider.Facts{}, decider.SkipDestructive{Everywhere: true}),
		"by the stack": destruction().plan(t, rules("web"), decider.SkipDestructive{}),
	} {
		if d := cmp.Diff(want, blocked(got)); d != "" {
			t.Errorf("%s: blocked (-want +got):\n%s", name, d)
		}
	}
	if got := blocked(destruction().plan(t, rules("shop"), decider.SkipDestructive{})); len(got) > 0 {
		t.Errorf("another stack's rule blocks %v", got)
	}
}

func TestMaxDestroy(t *testing.T) {
	t.Parallel()
	for budget, want := range map[string]int{"3": 0, "2": 3, "0": 3, "100%": 0, "75%": 0, "74%": 3, "10%": 3} {
		b, err := rules.ParseBudget(budget)
		if err != nil {
			t.Fatal(err)
		}
		byRule := decider.Facts{Rules: map[string]rules.Rules{"web": {MaxDestroy: b}}}
		for name, p := range map[string]decider.Plan{
			"rule":  destruction().plan(t, byRule, decider.MaxDestroy{}),
			"limit": destruction().plan(t, decider.Facts{}, decider.MaxDestroy{Limit: b}),
		} {
			if n := len(blocked(p)); n != want {
				t.Errorf("%s by %s: %d of 3 destroying decisions blocked, want %d", budget, name, n, want)
			}
		}
	}
	p := destruction().plan(t, decider.Facts{}, decider.MaxDestroy{Limit: rules.Budget{Set: true, Count: 50, Percent: true}})
	want := "3 of 4 resources in stack web would be destroyed; the limit is 50%"
	if got := p.Decisions[1].Blockers[0].Reason; got != want {
		t.Errorf("the reason is %q", got)
	}
	p = destruction().plan(t, decider.Facts{}, decider.MaxDestroy{Limit: rules.Budget{Set: true, Count: 1}})
	if got := p.Decisions[1].Blockers[0].Reason; !strings.Contains(got, "the limit is 1") {
		t.Errorf("the reason is %q", got)
	}
	// Decisions that are blocked already do not count.
	p = destruction().plan(t, decider.Facts{}, decider.Excludes{Patterns: []string{"one"}}, decider.MaxDestroy{Limit: rules.Budget{Set: true, Count: 2}})
	if d := cmp.Diff(map[string]string{"one": "exclude"}, blocked(p)); d != "" {
		t.Errorf("blocked (-want +got):\n%s", d)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/network/n", ""), desired("a/server/s", "network @a/network/n"), desired("a/server/other", ""), desired("b/disk/d", "")}, ours("a/disk/old", "d-1", ""))
	for pattern, want := range map[string]string{
		"server/s": "n s", "s": "n s", "fake/a/server/s": "n s", "a/server/*": "n other s", "n": "n",
		"fake/*/disk/*": "old d", "nothing": "", "disk": "", "x/server/s": "", "*": "old n other d s",
	} {
		var names []string
		for _, d := range s.plan(t, decider.Facts{}, decider.Targets{Patterns: []string{pattern}}).Decisions {
			if d.Action.Executes() {
				names = append(names, d.Ref.Name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("target %s selects %q, want %q", pattern, got, want)
		}
	}
	for _, p := range []decider.Policy{decider.Targets{Patterns: []string{"["}}, decider.Excludes{Patterns: []string{"["}}} {
		for _, d := range s.plan(t, decider.Facts{}, p).Decisions {
			if d.Action.Executes() {
				t.Errorf("%s: %s is not blocked by an invalid pattern", p.Name(), d.Ref)
			}
		}
	}
}

func TestExcludesBlockDependents(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/network/n", ""), desired("a/server/s", "network @a/network/n"), desired("a/server/t", "peer @a/server/s")})
	p := s.plan(t, decider.Facts{}, decider.Excludes{Patterns: []string{"network/n"}})
	for _, d := range p.Decisions[1:] {
		if d.Blockers[0].DueTo != (decider.Excludes{}).Name() {
			t.Errorf("%s is blocked due to %q", d.Ref, d.Blockers[0].DueTo)
		}
	}
	check(t, p,
		"! a/network/n missing: it does not exist [create exclude: excluded by --exclude]",
		"! a/server/s missing: it does not exist [create dependency: it depends on network/n, which is blocked by exclude]",
		"! a/server/t missing: it does not exist [create dependency: it depends on server/s, which waits for network/n, which is blocked by exclude]")
}

// TestAChainNamesItsFirst: a blocked decision names the first of its chain, and why that one is not done.
func TestAChainNamesItsFirst(t *testing.T) {
	t.Parallel()
	chain := configured{
		desired("a/network/n", ""), desired("b/server/s", "network @a/network/n"), desired("b/server/t", "peer @b/server/s"),
		desired("b/server/u", "peer @b/server/t"),
	}
	foreign := with(ours("a/network/n", "n-1", ""), func(o *resource.Observed) { o.Ownership = resource.Unmanaged })
	gone := sceneOf(nil, ours("a/network/n", "n-1", ""), ours("a/server/s", "s-1", "network n-1"),
		with(ours("a/server/t", "t-1", "network n-1, peer s-1"), blessed))
	for name, c := range map[string]struct {
		s     scene
		first string
		want  map[string]string // the reasons of some
	}{
		"in conflict": {sceneOf(chain, foreign), "n", map[string]string{
			"s": "it depends on network/n, which is in conflict",
			"t": "it depends on server/s, which waits for network/n, which is in conflict",
			"u": "it depends on server/t, which waits for network/n, which is in conflict",
		}},
		"unreachable": {sceneOf(chain).unreachable("a"), "n", map[string]string{
			"s": "it depends on network/n, and fake/a is unreachable",
			"u": "it depends on server/t, which waits for network/n, which is unreachable",
		}},
		"deletes": {gone, "t", map[string]string{
			"s": "server/t depends on it and is blocked by blessed",
			"n": "server/s depends on it and waits for server/t, which is blocked by blessed",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := c.s.plan(t, decider.Facts{}, decider.Blessed{})
			for i := range p.Decisions {
				d := &p.Decisions[i]
				if len(d.Blockers) == 0 || d.Ref.Name == c.first {
					continue
				}
				b := d.Blockers[0]
				if want := c.want[d.Ref.Name]; b.First.Name != c.first || want != "" && b.Reason != want {
					t.Errorf("%s: %q, first %s; want %q, first %s", d.Ref, b.Reason, b.First, want, c.first)
				}
			}
		})
	}
}

func TestDependenciesOfBlockedDecisionsStay(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/network/n", "range 2"), desired("a/server/s", "network @a/network/n")},
		ours("a/network/n", "n-1", "range 1"), with(ours("a/server/s", "s-1", "network n-1"), blessed))
	check(t, s.plan(t, decider.Facts{}, decider.Blessed{}),
		"! a/network/n immutable: range cannot be changed in place [replace dependency: server/s depends on it and is blocked by blessed]",
		"! a/server/s follows_replaced: network/n is replaced [replace blessed: blessed resources are not changed]")
	s = sceneOf(nil, ours("a/network/n", "n-1", ""), with(ours("a/server/s", "s-1", "network n-1"), blessed))
	if d := cmp.Diff(map[string]string{"n": "dependency", "s": "blessed"}, blocked(s.plan(t, decider.Facts{}, decider.Blessed{}))); d != "" {
		t.Errorf("blocked (-want +got):\n%s", d)
	}
}

func TestConflictsAndUnreachableResourcesBlockDependents(t *testing.T) {
	t.Parallel()
	conflict := sceneOf(configured{desired("a/network/n", ""), desired("a/server/s", "network @a/network/n")},
		with(ours("a/network/n", "n-1", ""), func(o *resource.Observed) { o.Ownership = resource.Unmanaged }))
	if d := cmp.Diff(map[string]string{"s": "dependency"}, blocked(conflict.plan(t, decider.Facts{}))); d != "" {
		t.Errorf("conflict: blocked (-want +got):\n%s", d)
	}
	unread := sceneOf(configured{desired("a/network/n", ""), desired("b/server/s", "network @a/network/n")}).unreachable("a")
	if d := cmp.Diff(map[string]string{"s": "dependency"}, blocked(unread.plan(t, decider.Facts{}))); d != "" {
		t.Errorf("unreachable: blocked (-want +got):\n%s", d)
	}
}

// A misspelled region is an unreachable location: the resources in the right one are not
// configured any more, and must not be deleted.
func TestResourcesThatMoveToAnUnreachableLocationAreNotDeleted(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("b/server/s", "")}, ours("a/server/s", "s-1", ""), ours("a/server/gone", "g-1", "")).unreachable("b")
	if d := cmp.Diff(map[string]string{"s": "unreachable"}, blocked(s.plan(t, decider.Facts{}, decider.Unreachable{}))); d != "" {
		t.Errorf("blocked (-want +got):\n%s", d)
	}
	reachable := sceneOf(configured{desired("b/server/s", "")}, ours("a/server/s", "s-1", ""))
	if b := blocked(reachable.plan(t, decider.Facts{}, decider.Unreachable{})); len(b) > 0 {
		t.Errorf("both locations are reachable, and %v is blocked", b)
	}
}

func TestBackOff(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/disk/d", "size 1")}, ours("a/disk/gone", "g-1", ""))
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	proposed := s.plan(t, decider.Facts{}).Decisions
	policy := decider.BackOff{Base: time.Minute, Max: 5 * time.Minute}
	until := map[resource.Ref][]time.Time{}
	defer func() {
		if d, gone := until[proposed[0].Ref], until[proposed[1].Ref]; len(d) != 3 || slices.Equal(d, gone) {
			t.Errorf("two resources that failed together are tried again together, at %v and %v", d, gone)
		}
	}()
	for _, c := range []struct {
		name     string
		failures int
		ago      time.Duration
		desired  string
		blocked  bool
		wait     time.Duration // at most, and at least half of it; 0: it is not blocked until a time
	}{
		{"never failed", 0, 0, "", false, 0},
		{"failed just now", 1, 0, "", true, time.Minute},
		{"failed a minute ago", 1, time.Minute, "", false, 0},
		{"failed three times", 3, time.Minute, "", true, 4 * time.Minute},
		{"waits at most Max", 5, time.Minute, "", true, 5 * time.Minute},
		{"another configuration failed", 6, 0, "other", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := decider.Facts{Now: now, Attempts: func(r resource.Ref, digest string) (decider.Attempts, bool) {
				for i := range proposed {
					if proposed[i].Ref == r {
						w := c.desired
						if w == "" {
							w = proposed[i].DesiredDigest()
						}
						return decider.Attempts{Desired: w, Failures: c.failures, Last: now.Add(-c.ago), Error: "no room"}, w == digest
					}
				}
				return decider.Attempts{}, false
			}}
			for _, d := range s.plan(t, f, policy).Decisions {
				if blocked := len(d.Blockers) > 0; blocked != c.blocked {
					t.Fatalf("%s: blocked %v, want %v: %v", d.Ref, blocked, c.blocked, d.Blockers)
				}
				if !c.blocked {
					continue
				}
				v := d.Blockers[0]
				if c.wait == 0 && v.Until != nil || c.wait > 0 && v.Until == nil {
					t.Fatalf("%s: until %v", d.Ref, v.Until)
				}
				if waits := v.Until.Sub(now.Add(-c.ago)); waits > c.wait || waits < c.wait/2 {
					t.Errorf("%s waits %s, want %s at most", d.Ref, waits, c.wait)
				}
				until[d.Ref] = append(until[d.Ref], *v.Until)
				if !strings.Contains(v.Reason, "no room") {
					t.Errorf("the reason hides the error: %s", v.Reason)
				}
			}
		})
	}
}

func TestUnreachableBlocksWhatTheComparatorReports(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/disk/new", "")}, ours("a/disk/old", "d-1", ""), ours("b/disk/old", "d-2", ""))
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
		t.Errorf("unreachable: %v", p.Unreachable)
	}
}

// A policy that cannot be evaluated blocks the destroying actions, and only those.
func TestAPolicyThatFailsBlocksDestruction(t *testing.T) {
	t.Parallel()
	p := destruction().plan(t, decider.Facts{}, lawless{err: errors.New("does not compile")})
	if d := cmp.Diff(map[string]string{"one": "lawless", "two": "lawless", "s": "lawless"}, blocked(p)); d != "" {
		t.Errorf("blocked (-want +got):\n%s", d)
	}
}
