package engine_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// round is one cycle of a loop without back-off.
func (y *yard) round(in []resource.Intent) *engine.Planned {
	y.t.Helper()
	p, err := y.engine.Plan(y.t.Context(), in, engine.PlanOptions{Mode: event.ForApply})
	if err != nil {
		y.t.Fatal(err)
	}
	if _, err := y.engine.Apply(y.t.Context(), p, engine.ApplyOptions{Tries: 1}); err != nil {
		y.t.Fatal(err)
	}
	return p
}

// recorded are the events of a type, in words.
func recorded[T event.Event](y *yard) (out []T) {
	y.t.Helper()
	for r, err := range history.New(y.ledger.Reader()).LogRecords(y.t.Context(), history.Filter{}) {
		if err != nil {
			y.t.Fatal(err)
		}
		if e, is := r.Event.(T); is {
			out = append(out, e)
		}
	}
	return out
}

// TestABadVersionIsTriedThreeTimesAndGoesBack: with back-off, then back to the last good one, which is
// quarantined until the configuration changes: for an hour of the loop's time nothing is asked of the node.
func TestABadVersionIsTriedThreeTimesAndGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		n.stays = true
		var config atomic.Pointer[[]resource.Intent]
		change := func(version string) (digest string) {
			in := appOn(version, rules.Update{Rollback: true}, "n1")
			config.Store(&in)
			return in[0].Resources[0].Digest()
		}
		good := change("1")
		stacks := []loop.Stack{{Name: stack, Load: func(context.Context) ([]resource.Intent, error) { return *config.Load(), nil }}}
		var d diary
		stop := y.loops(stacks, loop.RunOptions{Interval: 10 * time.Second, Apply: true, Tell: d.tell, Do: engine.ApplyOptions{Tries: 1}})
		time.Sleep(time.Minute)
		bad := change("bad")
		time.Sleep(20 * time.Minute)
		var started []time.Time
		for r, err := range history.New(y.ledger.Reader()).LogRecords(t.Context(), history.Filter{Types: []string{event.TypeStarted}}) {
			if e, is := r.Event.(event.Started); err == nil && is && e.Desired == bad {
				started = append(started, r.At)
			}
		}
		if len(started) != 3 || n.version("n1") != "1" {
			t.Errorf("%d attempts, want 3: asked %v; runs %q", len(started), n.asked, n.version("n1"))
		}
		for i := 1; i < len(started); i++ {
			if pause, least := started[i].Sub(started[i-1]), time.Duration(15<<(i-1))*time.Second; pause < least {
				t.Errorf("attempt %d came %s after the one before, want at least %s", i+1, pause, least)
			}
		}
		back := event.Exhausted{Ref: nodeRef("n1"), Desired: bad, Attempts: 3, Back: good}
		if diff := cmp.Diff([]event.Exhausted{back}, recorded[event.Exhausted](y)); diff != "" {
			t.Errorf("recorded (-want +got):\n%s", diff)
		}
		text := "back to " + resource.ShortDigest(good) + ": 3 attempts of " + resource.ShortDigest(bad) + " failed"
		if !slices.ContainsFunc(recorded[event.Planned](y), func(p event.Planned) bool {
			return slices.ContainsFunc(p.Decisions, func(d event.Decision) bool { return d.Reason == decider.ReasonBack && d.Message == text })
		}) {
			t.Errorf("no plan says %q", text)
		}
		asked := len(n.asked)
		time.Sleep(time.Hour)
		if len(n.asked) != asked || n.version("n1") != "1" {
			t.Errorf("within an hour it was asked %v; runs %q", n.asked[asked:], n.version("n1"))
		}
		if a := d.last().Alerts; len(a) != 1 || a[0].Type != loop.Exhausted {
			t.Errorf("alerts %+v", a)
		}
		change("2")
		time.Sleep(time.Minute)
		if n.version("n1") != "2" || len(d.last().Alerts) != 0 {
			t.Errorf("after the configuration changed: %q, alerts %+v", n.version("n1"), d.last().Alerts)
		}
		_ = stop()
		y.replays()
		y.stop()
	})
}

// TestARetryAllowsTheQuarantinedVersionAgain.
func TestARetryAllowsTheQuarantinedVersionAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		on := func(version string) []resource.Intent { return appOn(version, rules.Update{Rollback: true}, "n1") }
		y.rounds(on("1"), 2, takes)
		y.rounds(on("bad"), 10, takes)
		if n.times("n1", "bad") != 3 || n.version("n1") != "1" {
			t.Errorf("asked %v; runs %q", n.asked, n.version("n1"))
		}
		n.bad = func(string, string) bool { return false }
		if err := y.engine.Retry(t.Context(), nodeRef("n1"), engine.OperatorAction{Who: "ann"}); err != nil {
			t.Fatal(err)
		}
		y.rounds(on("bad"), 3, takes)
		if n.version("n1") != "bad" || n.times("n1", "bad") != 4 {
			t.Errorf("asked %v; runs %q", n.asked, n.version("n1"))
		}
		y.settled(on("bad"))
		y.replays()
		y.stop()
	})
}

// TestAReturnThatFailsIsNotRepeated: nothing goes back from going back.
func TestAReturnThatFailsIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		on := func(version string) []resource.Intent { return appOn(version, rules.Update{Rollback: true}, "n1") }
		y.rounds(on("1"), 2, takes)
		n.bad = func(string, string) bool { return true }
		y.rounds(on("2"), 20, takes)
		if asked := len(n.asked); n.times("n1", "2") != 3 || asked > 1+3+3 {
			t.Errorf("asked %v", n.asked)
		}
		y.replays()
		y.stop()
	})
}

// TestWavesReachNodesOneAfterTheOther, and are on record; what waits says for which.
func TestWavesReachNodesOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		all := []string{"n1", "n2", "n3", "n4"}
		waves := rules.Update{Waves: []rules.Budget{{Set: true, Count: 1}, {Set: true, Count: 50, Percent: true}}}
		now := func() (out []string) {
			for _, node := range all {
				out = append(out, n.version(node))
			}
			return out
		}
		want := func(versions ...string) {
			t.Helper()
			if diff := cmp.Diff(versions, now()); diff != "" {
				t.Errorf("versions (-want +got):\n%s", diff)
			}
		}
		y.rounds(appOn("1", rules.Update{}, all...), 2, takes)
		want("1", "1", "1", "1")
		p := y.round(appOn("2", waves, all...))
		want("1 pending", "1", "1", "1")
		for i, awaits := range []string{"", "wave 2 of 3", "wave 3 of 3", "wave 3 of 3"} {
			d, _ := decisionOn(p, nodeRef(all[i]))
			if got := append(d.Blockers, decider.Blocker{})[0].Awaits; d.Proposed != decider.Restart || got != awaits {
				t.Errorf("%s: %s awaits %q, want %q", all[i], d.Proposed, got, awaits)
			}
		}
		y.rounds(appOn("2", waves, all...), 1, takes)
		y.round(appOn("2", waves, all...)) // the first is healthy
		want("2", "1 pending", "1", "1")
		time.Sleep(takes)
		y.rounds(appOn("2", waves, all...), 3, takes)
		want("2", "2", "2", "2")
		y.settled(appOn("2", waves, all...))
		var reached []int
		for _, w := range recorded[event.Wave](y) {
			reached = append(reached, w.Reach)
		}
		if diff := cmp.Diff([]int{1, 2, 3}, reached); diff != "" {
			t.Errorf("waves on record (-want +got):\n%s", diff)
		}
		y.replays()
		y.stop()
	})
}

// TestAPlanStartsNoWave: only what is to be applied is recorded as one.
func TestAPlanStartsNoWave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, _ := newNodes(t)
		y.plan(appOn("1", rules.Update{Waves: []rules.Budget{{Set: true, Count: 1}}}, "n1", "n2"))
		if w := recorded[event.Wave](y); len(w) != 0 {
			t.Errorf("recorded %+v", w)
		}
		y.stop()
	})
}

// TestAHaltedRolloutGoesOnAfterARetry, and tells why it halted.
func TestAHaltedRolloutGoesOnAfterARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		all := []string{"n1", "n2", "n3"}
		on := func(version string) []resource.Intent {
			return appOn(version, rules.Update{Waves: []rules.Budget{{Set: true, Count: 1}}, Rollback: true}, all...)
		}
		y.rounds(on("1"), 6, takes)
		n.bad = func(node, version string) bool { return node == "n1" && version == "2" }
		p := y.rounds(on("2"), 15, takes)
		if n.version("n1") != "1" || n.times("n1", "2") != 3 || n.times("n2", "2")+n.times("n3", "2") != 0 {
			t.Errorf("asked %v", n.asked)
		}
		if r := p.Rollouts(); len(r) != 1 || !r[0].Halted || r[0].Why != "it failed on n1" {
			t.Errorf("the rollout is %+v", r)
		}
		if d, _ := decisionOn(p, nodeRef("n2")); len(d.Blockers) != 1 || d.Blockers[0].Policy != engine.RolloutPolicy || d.Action != decider.Notify {
			t.Errorf("behind it: %+v", d)
		}
		n.bad = func(string, string) bool { return false }
		if err := y.engine.Retry(t.Context(), nodeRef("n1"), engine.OperatorAction{Who: "ann"}); err != nil {
			t.Fatal(err)
		}
		y.rounds(on("2"), 6, takes)
		for _, node := range all {
			if n.version(node) != "2" {
				t.Errorf("%s runs %q", node, n.version(node))
			}
		}
		y.replays()
		y.stop()
	})
}
