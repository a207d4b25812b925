package engine_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// blockers are what a plan says about why nodes do not change, by node.
func blockersOf(p *engine.Planned) map[string]decider.Blocker {
	out := map[string]decider.Blocker{}
	for _, d := range p.Plan.Decisions {
		if len(d.Blockers) > 0 {
			out[d.Ref.Location] = d.Blockers[0]
		}
	}
	return out
}

// TestNothingStartsWhileASiteIsFrozen: what has started goes on, what is down or lost comes back as it was, nothing
// else changes or is deleted; after the end of the order all follows. A restart of ovi does not lift it.
func TestNothingStartsWhileASiteIsFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		y.rounds(appOn("1", rules.Update{}, "n1", "n2", "n3"), 2, takes)
		waves := rules.Update{Waves: []rules.Budget{{Set: true, Count: 1}}}
		on := appOn("2", waves, "n1", "n2", "n3")
		y.round(on) // wave 1 starts on n1
		freeze := provider.Orders{Number: 7, Frozen: true, Who: "ada", Reason: "inventory"}
		for range 2 { // the second time nothing is new
			if err := y.engine.Obey(t.Context(), stack, freeze); err != nil {
				t.Fatal(err)
			}
		}
		if err := y.engine.Obey(t.Context(), stack, provider.Orders{Number: 6}); !errors.Is(err, engine.ErrOlderOrders) {
			t.Errorf("older orders, of a backup: %v", err)
		}
		time.Sleep(takes)
		y.stop()
		y.open(&crasher{})
		last := y.rounds(on, 4, takes)
		if n.version("n1") != "2" || n.version("n2") != "1" || n.version("n3") != "1" {
			t.Errorf("while it is frozen they run %q %q %q", n.version("n1"), n.version("n2"), n.version("n3"))
		}
		if b := blockersOf(last)["n2"]; b.Reason != "frozen by an order: inventory" || !strings.Contains(b.Suggestion, "unfreeze "+stack) {
			t.Errorf("blocked by %+v", b)
		}
		down := n.ByName(nodeRef("n2"))
		down.Health = resource.Failing
		lost := n.ByName(nodeRef("n3"))
		n.Remove(lost.Ref, lost.ID)
		y.rounds(on, 4, takes)
		if n.version("n2") != "1" || n.version("n3") != "1" {
			t.Errorf("what was down and what was lost: %q %q; asked %v", n.version("n2"), n.version("n3"), n.asked)
		}
		without := appOn("2", waves, "n1", "n2")
		y.rounds(without, 2, takes)
		if n.version("n3") != "1" {
			t.Errorf("it was deleted: %q", n.version("n3"))
		}
		if err := y.engine.Obey(t.Context(), stack, provider.Orders{Number: 8}); err != nil {
			t.Fatal(err)
		}
		y.rounds(on, 4, takes)
		if n.version("n2") != "2" || n.version("n3") != "2" {
			t.Errorf("after the order they run %q %q", n.version("n2"), n.version("n3"))
		}
		if got := recorded[event.Ordered](y); len(got) != 2 || !got[0].On || got[0].Central != 7 || got[1].On || got[1].Central != 8 {
			t.Errorf("recorded %+v", got)
		}
		y.settled(on)
		y.replays()
		y.stop()
	})
}

// TestALockedNodeStopsNoOther: a lock is of one node, or one deployment on it; waves go on without it, and it
// follows when it is unlocked.
func TestALockedNodeStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		waves := rules.Update{Waves: []rules.Budget{{Set: true, Count: 1}}}
		y.rounds(appOn("1", rules.Update{}, "n1", "n2", "n3"), 2, takes)
		lock := event.Ordered{Stack: stack, Location: "n1", On: true}
		if err := y.engine.Lock(t.Context(), lock, engine.OperatorAction{Who: "ada", Reason: "a technician is there"}); err != nil {
			t.Fatal(err)
		}
		on := appOn("2", waves, "n1", "n2", "n3")
		last := y.rounds(on, 4, takes)
		if n.version("n1") != "1" || n.version("n2") != "2" || n.version("n3") != "2" {
			t.Errorf("they run %q %q %q", n.version("n1"), n.version("n2"), n.version("n3"))
		}
		if b := blockersOf(last)["n1"]; b.Reason != "locked by ada: a technician is there" {
			t.Errorf("blocked by %+v", b)
		}
		if lock.On = false; true {
			for i, want := range []bool{true, false} { // the second time it is not locked
				if err := y.engine.Lock(t.Context(), lock, engine.OperatorAction{Who: "ada"}); (err == nil) != want {
					t.Errorf("unlocked %d: %v", i, err)
				}
			}
		}
		y.rounds(on, 2, takes)
		y.settled(on)
		y.replays()
		y.stop()
	})
}

// TestAWaveWaitsToBePromoted: the first of several starts by itself; a promotion is of one configuration.
func TestAWaveWaitsToBePromoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		y.rounds(appOn("1", rules.Update{}, "n1", "n2", "n3"), 2, takes)
		on := appOn("2", rules.Update{Waves: []rules.Budget{{Set: true, Count: 1}, {Set: true, Count: 2}}, Promote: true}, "n1", "n2", "n3")
		runs := func() string { return n.version("n1") + n.version("n2") + n.version("n3") }
		last := y.rounds(on, 4, takes)
		if runs() != "211" || blockersOf(last)["n2"].Awaits != "wave 2 of 3 is promoted" {
			t.Errorf("they run %s; blocked by %+v", runs(), blockersOf(last))
		}
		number := uint64(0)
		promote := func(version string, wave int) {
			number++
			o := provider.Orders{Number: number, Promoted: []provider.Promotion{{Name: "web", Version: version, Wave: wave, Who: "ada"}}}
			if err := y.engine.Obey(t.Context(), stack, o); err != nil {
				t.Fatal(err)
			}
			y.rounds(on, 4, takes)
		}
		version := last.Rollouts()[0].Version
		if promote("another", 3); runs() != "211" {
			t.Errorf("after the promotion of another configuration they run %s", runs())
		}
		if promote(version, 2); runs() != "221" {
			t.Errorf("after wave 2 was promoted they run %s", runs())
		}
		if promote(version, 3); runs() != "222" {
			t.Errorf("after wave 3 was promoted they run %s", runs())
		}
		on = appOn("3", rules.Update{Promote: true}, "n1", "n2", "n3")
		if last = y.rounds(on, 3, takes); runs() != "222" || blockersOf(last)["n1"].Awaits != "wave 1 of 1 is promoted" {
			t.Errorf("without waves they run %s; blocked by %+v", runs(), blockersOf(last))
		}
		if promote(last.Rollouts()[0].Version, 1); runs() != "333" {
			t.Errorf("after the promotion they run %s", runs())
		}
		y.settled(on)
		y.replays()
		y.stop()
	})
}

// TestNodesChangeInTheirWindows: outside, a node that lost what it ran gets its last good configuration, and one
// that is down is restarted.
func TestNodesChangeInTheirWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which starts at midnight UTC
		y, n := newNodes(t)
		y.rounds(appOn("1", rules.Update{}, "n1", "n2"), 2, takes)
		nights := rules.Update{Windows: []rules.Window{{Name: "nights", From: 22 * time.Hour, To: 23 * time.Hour}}}
		on := appOn("2", nights, "n1", "n2")
		lost := n.ByName(nodeRef("n2"))
		n.Remove(lost.Ref, lost.ID)
		n.ByName(nodeRef("n1")).Health = resource.Failing
		last := y.rounds(on, 4, takes)
		if n.version("n1") != "1" || n.version("n2") != "1" {
			t.Errorf("outside the window they run %q %q; asked %v", n.version("n1"), n.version("n2"), n.asked)
		}
		opens := time.Now().Truncate(24 * time.Hour).Add(22 * time.Hour)
		if b := blockersOf(last)["n1"]; b.Until == nil || !b.Until.Equal(opens) || b.Reason != "window nights" {
			t.Errorf("blocked by %+v, want until %s", b, opens)
		}
		time.Sleep(time.Until(opens) + time.Minute)
		y.rounds(on, 2, takes)
		if n.version("n1") != "2" || n.version("n2") != "2" {
			t.Errorf("inside the window they run %q %q", n.version("n1"), n.version("n2"))
		}
		y.replays()
		y.stop()
	})
}
