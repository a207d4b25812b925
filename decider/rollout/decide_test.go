package rollout_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider/rollout"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

// TestRolloutsKeepTheirLimits runs fleets to their end: there is no attempt too many, no more
// are down than the budget allows, nothing is created from a secret that is not known, and the
// record never goes back. In the end every good node that is reachable has the new
// configuration, unless the rollout halted for a failure.
func TestRolloutsKeepTheirLimits(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		f := drawFleet(t)
		for range 40 {
			for _, n := range f.nodes {
				if rapid.IntRange(0, 20).Draw(t, "flips") == 0 {
					n.Offline = !n.Offline
				}
			}
			f.cycle()
		}
		for range 30 * len(f.nodes) {
			f.cycle()
		}
		if f.told != "" {
			t.Fatal(f.told)
		}
		stuck := f.count(func(n *node) bool { return n.Health != resource.Healthy && !n.Offline }) > 0 && f.MaxUnavailable.Set
		for _, n := range f.nodes {
			if !n.Offline && !n.bad && n.Has != newConfig && !f.Halted && !stuck {
				t.Errorf("%s is reachable and good, and has %q: %+v", n.Group, n.Has, n.Progressing)
			}
			if n.bad && !n.Offline && f.Rollback && n.LastGood == oldConfig && !n.Sealed && !n.backFails && n.Has != oldConfig {
				t.Errorf("%s did not go back: %+v", n.Group, n.Progressing)
			}
		}
		if failed := f.count(func(n *node) bool { return n.failures >= f.attempts() }); f.Halted && failed == 0 {
			t.Error("it halted, and nothing failed")
		}
	})
}

// drawState draws any state, also one that no rollout leads to.
func drawState(t *rapid.T) (rollout.Rollout, []rollout.Progressing) {
	f := drawFleet(t)
	f.Halted, f.Reach = rapid.IntRange(0, 5).Draw(t, "halted") == 0, rapid.IntRange(0, 4).Draw(t, "reach")
	f.Frozen, f.Promote, f.Promoted = rapid.IntRange(0, 5).Draw(t, "frozen") == 0, rapid.IntRange(0, 2).Draw(t, "promote") == 0, rapid.IntRange(0, 4).Draw(t, "promoted")
	for _, n := range f.nodes {
		n.Locked, n.Spent = rapid.IntRange(0, 5).Draw(t, "locked") == 0, rapid.IntRange(0, 9).Draw(t, "spent") == 0
		n.Has = rapid.SampledFrom([]string{"", oldConfig, newConfig}).Draw(t, "has")
		n.Health = rapid.SampledFrom([]resource.Health{resource.Healthy, resource.Failing, resource.Pending}).Draw(t, "health")
		n.Attempts, n.Returns = rapid.IntRange(0, 4).Draw(t, "attempts"), rapid.IntRange(0, 4).Draw(t, "returns")
		n.LastGood = rapid.SampledFrom([]string{"", oldConfig, newConfig}).Draw(t, "last good")
	}
	return f.Rollout, f.state()
}

// TestWhatATargetMayBe holds each target to its rules at any state.
func TestWhatATargetMayBe(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		r, state := drawState(t)
		target, halted, wave := rollout.Decide(r, state)
		most := r.Attempts
		if most == 0 {
			most = 3
		}
		allowed := r.Total()
		if r.Promote {
			allowed = max(r.Promoted, min(1, len(r.Waves)))
		}
		if len(target) != len(state) || wave < min(1, allowed) || wave > r.Total() || wave < min(r.Reach, r.Total()) || r.Halted && !halted {
			t.Fatalf("%d targets, wave %d of %d, halted %v", len(target), wave, r.Total(), halted)
		}
		for _, x := range state {
			to := target[x.Ref]
			healthy := x.Has == newConfig && x.Health == resource.Healthy
			untried := x.Has != newConfig && x.Attempts == 0 && !x.Spent && x.LastGood != newConfig && !x.Unchanged
			must := func(ok bool, text string) {
				if !ok {
					t.Errorf("%s: %+v for %+v (halted %v, wave %d)", text, to, x, halted, wave)
				}
			}
			must(!healthy || to.Follow == rollout.New && !to.NoRetry, "what has the new configuration keeps it")
			must(to.Follow != rollout.New || healthy || x.Unchanged || x.Attempts < most && !x.Spent || to.NoRetry && x.Has == newConfig, "one attempt too many")
			must(to.Follow != rollout.LastGood || x.LastGood != "" && (!x.Sealed || x.Has == x.LastGood), "it cannot be created from that")
			must(!halted || !untried || to.Follow != rollout.New, "it starts although the rollout halted")
			must(!r.Frozen && !x.Locked || !untried || to.Follow != rollout.New, "it starts although it is frozen or locked")
			must(!untried || to.Follow != rollout.New || to.Wave <= max(allowed, r.Reach) && (!x.Offline || allowed >= r.Total() || r.Reach >= r.Total()), "it starts before its wave is promoted")
			must(!untried || x.Offline || to.Wave <= wave || to.Follow != rollout.New, "it starts before its wave")
			must(!untried || !x.Offline || wave == r.Total() || to.Follow != rollout.New, "it starts before all are reached")
			must((to.Reason == "") == (to.Follow == rollout.New && !to.NoRetry), "the reason")
			must(x.Has != newConfig || x.Health == resource.Healthy || x.Attempts >= most || x.Spent || to.Follow == rollout.New, "it is taken off what it has")
		}
	})
}

// TestOfflineNeverBlocks: without the locations that are offline, and have no failure on
// record, all others get the same answer.
func TestOfflineNeverBlocks(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		r, state := drawState(t)
		with, halted, wave := rollout.Decide(r, state)
		most := max(r.Attempts, 1)
		if r.Attempts == 0 {
			most = 3
		}
		online := slices.DeleteFunc(slices.Clone(state), func(x rollout.Progressing) bool { return (x.Offline || x.Locked) && x.Attempts < most && !x.Spent })
		without, halted2, wave2 := rollout.Decide(r, online)
		for ref, to := range without {
			if with[ref] != to {
				t.Errorf("%s: %+v, without the offline ones %+v", ref, with[ref], to)
			}
		}
		if halted != halted2 || wave != wave2 {
			t.Errorf("halted %v, wave %d; without the offline ones %v, %d", halted, wave, halted2, wave2)
		}
	})
}

func TestTheOrderOfTheInputDoesNotMatter(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		r, state := drawState(t)
		a, halted, wave := rollout.Decide(r, state)
		b, halted2, wave2 := rollout.Decide(r, rapid.Permutation(state).Draw(t, "order"))
		if diff := cmp.Diff(a, b); diff != "" || halted != halted2 || wave != wave2 {
			t.Errorf("another order, another answer:\n%s", diff)
		}
	})
}
