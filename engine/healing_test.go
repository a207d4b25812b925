package engine_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// TestAFailedUpdateStopsNoHealing: a version fails, and the one before goes on. Then that one fails on one node and is
// deleted on another. Both are brought back within a cycle, whether the bad version waits for its next attempt or has
// none left, with rollback and without; the bad version gets no attempt more than it is allowed.
func TestAFailedUpdateStopsNoHealing(t *testing.T) {
	for _, after := range []time.Duration{2 * takes, time.Hour} {
		for _, rules := range []rules.Update{{}, {Rollback: true}} {
			t.Run(fmt.Sprint(after, rules.Rollback), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { healsAfter(t, after, rules) })
			})
		}
	}
}

func healsAfter(t *testing.T, after time.Duration, u rules.Update) {
	y, n := newNodes(t)
	var config atomic.Pointer[[]resource.Intent]
	change := func(version string) {
		in := appOn(version, u, "n1", "n2", "n3")
		config.Store(&in)
	}
	change("1")
	stacks := []loop.Stack{{Name: stack, Load: func(context.Context) ([]resource.Intent, error) { return *config.Load(), nil }}}
	var d diary
	stop := y.loops(stacks, loop.RunOptions{Interval: 10 * time.Second, Apply: true, Tell: d.tell, Do: engine.ApplyOptions{Tries: 1}})
	time.Sleep(time.Minute)
	change("bad")
	time.Sleep(10*time.Second + after)
	asked := 0
	back := func() (all bool) {
		n.look(func() {
			asked = len(n.asked)
			all = n.version("n1") == "1" && n.version("n2") == "1" && n.version("n3") == "1"
			if all {
				n.ByName(nodeRef("n1")).Health = resource.Failing
				gone := n.ByName(nodeRef("n2"))
				n.Remove(gone.Ref, gone.ID)
			}
		})
		return all
	}
	for wait := time.Duration(0); !back(); wait += time.Second { // intervals vary by chance
		if wait > time.Minute {
			t.Fatal("the version before is not back on all nodes")
		}
		time.Sleep(time.Second)
	}
	time.Sleep(10*time.Second + 2*takes)
	n.look(func() {
		for _, node := range []string{"n1", "n2", "n3"} {
			if v := n.version(node); v != "1" && v != "1 pending" { // it is pending while the bad version has its next attempt
				t.Errorf("%s runs %q after", node, v)
			}
		}
		if n.times("n1", "") != 1 || n.times("n2", "1") != 2 || n.times("n3", "") != 0 || n.times("n3", "1") != 1 {
			t.Errorf("asked %v, then %v", n.asked[:asked], n.asked[asked:])
		}
	})
	time.Sleep(time.Hour)
	n.look(func() {
		for _, node := range []string{"n1", "n2", "n3"} {
			if got := n.times(node, "bad"); got != 3 || n.version(node) != "1" {
				t.Errorf("%s was asked %d times for the bad version, and runs %q: %v", node, got, n.version(node), n.asked)
			}
		}
	})
	change("2")
	time.Sleep(time.Minute)
	_ = stop()
	if n.version("n1") != "2" || n.version("n2") != "2" {
		t.Errorf("after the configuration changed: %q %q", n.version("n1"), n.version("n2"))
	}
	y.replays()
	y.stop()
}
