package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// withDeletes runs a test on virtual time, with nodes that run an app.
func withDeletes(t *testing.T, count int, do func(t *testing.T, y *yard, n *nodes, on []string)) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		var on []string
		for i := range count {
			on = append(on, fmt.Sprintf("n%03d", i))
		}
		y.rounds(appOn("1", rules.Update{}, on...), 3, takes)
		y.settled(appOn("1", rules.Update{}, on...))
		n.asked = nil
		do(t, y, n, on)
		y.replays()
		y.stop()
	})
}

// gone is the configuration of the same nodes without the app.
func gone(on ...string) []resource.Intent {
	in := appOn("1", rules.Update{}, on...)
	in[0].Resources, in[0].Rules.MaxDestroy = nil, rules.Budget{Set: true, Count: 10_000}
	return in
}

// live is how many bindings of the nodes have not ended.
func (y *yard) live(on []string) (count int) {
	y.t.Helper()
	for _, node := range on {
		all, err := y.ledger.Bindings(y.t.Context(), nodeRef(node).Scope())
		if err != nil {
			y.t.Fatal(err)
		}
		for i := range all {
			if all[i].Live() {
				count++
			}
		}
	}
	return count
}

func (y *yard) opens() int {
	y.t.Helper()
	open, err := y.ledger.OpenActions(y.t.Context())
	if err != nil {
		y.t.Fatal(err)
	}
	return len(open)
}

// TestDeletesAreAcceptedAndHoldNoWorker: 40 nodes that do not answer are asked for a delete by two workers, and the
// apply ends at once. Nothing is asked twice, also not by another process; later observations end each delete, and
// its binding, once.
func TestDeletesAreAcceptedAndHoldNoWorker(t *testing.T) {
	const count = 40
	withDeletes(t, count, func(t *testing.T, y *yard, n *nodes, on []string) {
		n.silent = true
		start := time.Now()
		r, err := y.engine.Apply(t.Context(), y.plan(gone(on...)), engine.ApplyOptions{Parallelism: 2, Tries: 1})
		if err != nil || time.Since(start) > 0 {
			t.Fatalf("%v, after %s", err, time.Since(start))
		}
		for _, o := range r.Outcomes {
			if o.Status != engine.Accepted {
				t.Fatalf("%+v", o)
			}
		}
		blocked := len(y.events(event.TypeBlocked))
		for range 2 {
			y.rounds(gone(on...), 1, time.Minute)
			y.stop() // killed between the acceptance and the reports
			y.open(&crasher{})
		}
		if len(r.Outcomes) != count || len(n.asked) != count || y.live(on) != count || y.opens() != count {
			t.Errorf("%d outcomes, %d requests, %d bindings, %d open; want %d of each", len(r.Outcomes), len(n.asked), y.live(on), y.opens(), count)
		}
		if more := len(y.events(event.TypeBlocked)) - blocked; more != 0 {
			t.Errorf("%d records of what is in progress", more)
		}
		n.silent = false
		y.rounds(gone(on...), 3, takes)
		if got := len(y.events(event.TypeRecovered)) - count; got != count || len(n.asked) != count || y.live(on) != 0 || y.opens() != 0 {
			t.Errorf("%d results, %d requests, %d bindings, %d open; want %d, %d, 0, 0", got, len(n.asked), y.live(on), y.opens(), count, count)
		}
		y.settled(gone(on...))
	})
}

// TestADeleteThatFailedLaterIsTriedAgain, as often as its attempts allow, and the binding stays.
func TestADeleteThatFailedLaterIsTriedAgain(t *testing.T) {
	aDeleteThatFailsIsTriedAgain(t, func(n *nodes, fails bool) { n.keeps = fails })
}

// TestADeleteThatIsSaidToBeDoneIsTriedAgain while the resource is observed: what a system says of a request is no proof.
func TestADeleteThatIsSaidToBeDoneIsTriedAgain(t *testing.T) {
	aDeleteThatFailsIsTriedAgain(t, func(n *nodes, fails bool) { n.lies = fails })
}

func aDeleteThatFailsIsTriedAgain(t *testing.T, deletes func(n *nodes, fail bool)) {
	t.Helper()
	withDeletes(t, 1, func(t *testing.T, y *yard, n *nodes, on []string) {
		deletes(n, true)
		p := y.rounds(gone(on...), 200, time.Minute)
		if len(n.asked) != 3 || y.live(on) != 1 || y.opens() != 0 {
			t.Errorf("asked %v, %d bindings, %d open", n.asked, y.live(on), y.opens())
		}
		if diff := cmp.Diff([]string{"notify app/web (delete blocked by attempts)"}, brief(p)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		deletes(n, false)
		if err := y.engine.Retry(t.Context(), nodeRef(on[0]), ann); err != nil {
			t.Fatal(err)
		}
		y.rounds(gone(on...), 3, takes)
		if len(n.asked) != 4 || y.live(on) != 0 {
			t.Errorf("asked %v, %d bindings", n.asked, y.live(on))
		}
	})
}

// TestADeleteWithoutAReport: while its node is offline nothing is concluded, for however long; one that a node online
// does not end fails at its deadline.
func TestADeleteWithoutAReport(t *testing.T) {
	withDeletes(t, 2, func(t *testing.T, y *yard, n *nodes, on []string) {
		n.silent = true
		y.rounds(gone(on...), 1, time.Second)
		n.offline[on[0]] = time.Now()
		y.rounds(gone(on...), 4, time.Minute)
		if y.opens() != 2 || len(n.asked) != 2 {
			t.Errorf("before the deadline %d are open, asked %v", y.opens(), n.asked)
		}
		y.rounds(gone(on...), 2, time.Minute)
		if n.times(on[1], leave) != 2 || n.times(on[0], leave) != 1 {
			t.Errorf("after the deadline: asked %v", n.asked)
		}
		y.rounds(gone(on...), 60, time.Minute)
		if n.times(on[0], leave) != 1 || y.live(on) != 2 {
			t.Errorf("of a node that is offline: asked %v, %d bindings", n.asked, y.live(on))
		}
		n.silent = false
		delete(n.offline, on[0])
		y.rounds(gone(on...), 4, time.Minute)
		if n.times(on[0], leave) != 1 || y.live(on[:1]) != 0 {
			t.Errorf("back online: asked %v, %d bindings", n.asked, y.live(on[:1]))
		}
	})
}

// TestWhatIsConfiguredAgainWhileItIsDeleted is created again once it is gone, as another resource.
func TestWhatIsConfiguredAgainWhileItIsDeleted(t *testing.T) {
	for _, version := range []string{"1", "2"} {
		withDeletes(t, 1, func(t *testing.T, y *yard, n *nodes, on []string) {
			n.silent = true
			y.rounds(gone(on...), 1, time.Second)
			again := appOn(version, rules.Update{}, on...)
			y.rounds(again, 3, time.Second)
			if len(n.asked) != 1 || y.live(on) != 1 {
				t.Errorf("asked %v, %d bindings", n.asked, y.live(on))
			}
			n.silent = false
			y.rounds(again, 4, takes)
			if diff := cmp.Diff([]string{on[0] + " " + leave, on[0] + " " + version}, n.asked); diff != "" || n.version(on[0]) != version || y.live(on) != 1 {
				t.Errorf("%s runs, %d bindings; asked (-want +got):\n%s", n.version(on[0]), y.live(on), diff)
			}
			y.settled(again)
		})
	}
}

// TestADeleteThatANodeLost is asked for again: the node has it, and does not delete it.
func TestADeleteThatANodeLost(t *testing.T) {
	withDeletes(t, 1, func(t *testing.T, y *yard, n *nodes, on []string) {
		n.silent = true
		y.rounds(gone(on...), 1, time.Second)
		x := n.ByName(nodeRef(on[0]))
		delete(n.pending, x.ID)
		x.Health, x.Last, n.silent = resource.Healthy, nil, false
		y.rounds(gone(on...), 3, takes)
		if n.times(on[0], leave) != 2 || y.live(on) != 0 || y.opens() != 0 {
			t.Errorf("asked %v, %d bindings, %d open", n.asked, y.live(on), y.opens())
		}
	})
}

// TestADeleteAcceptedInACrash: a process that ends before it has recorded the acceptance asks for nothing again.
func TestADeleteAcceptedInACrash(t *testing.T) {
	for at, asked := range map[string]int{"before call": 1, "after call": 1, "before log finished": 1, "after log finished": 1, "before store finished": 1, "after store finished": 1} {
		t.Run(at, func(t *testing.T) {
			withDeletes(t, 1, func(t *testing.T, y *yard, n *nodes, on []string) {
				n.silent = true
				if steps := y.crashAt(at, gone(on...)); !contains(steps, "call") {
					t.Fatalf("steps: %v", steps)
				}
				y.rounds(gone(on...), 3, time.Second)
				if len(n.asked) != asked || y.live(on) != 1 {
					t.Errorf("asked %v, %d bindings", n.asked, y.live(on))
				}
				n.silent = false
				y.rounds(gone(on...), 4, takes)
				if len(n.asked) != asked || y.live(on) != 0 || y.opens() != 0 {
					t.Errorf("in the end: asked %v, %d bindings, %d open", n.asked, y.live(on), y.opens())
				}
				y.settled(gone(on...))
			})
		})
	}
}

// TestWhatADeletedResourceDependsOnStays until that is gone.
func TestWhatADeletedResourceDependsOnStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		db := nodeRef("n1")
		db.Name = "db"
		in := appOn("1", rules.Update{}, "n1")
		in[0].Resources[0].DependsOn = []resource.Ref{db}
		in[0].Resources = append([]resource.Desired{{Ref: db, Attrs: attrs("version", resource.String("d")), State: resource.StateRunning}}, in[0].Resources...)
		y.rounds(in, 4, takes)
		y.settled(in)
		n.asked, n.silent = nil, true
		var last *engine.Planned
		for range 3 {
			last = y.rounds(gone("n1"), 1, time.Second)
			if x := n.ByName(db); x == nil || x.Health == resource.Pending {
				t.Fatalf("it is being deleted before what depends on it is gone: %+v", x)
			}
		}
		for _, d := range last.Plan.Decisions {
			if d.Action != decider.Notify {
				t.Errorf("%s of %s", d.Action, d.Ref)
			}
		}
		n.silent = false
		y.rounds(gone("n1"), 5, takes)
		if len(n.asked) != 2 || n.ByName(db) != nil || y.live([]string{"n1"}) != 0 {
			t.Errorf("asked %v, left %+v", n.asked, n.ByName(db))
		}
		y.stop()
	})
}

// TestADeleteAcceptedHereMayBeFoundDoneThere: on a store that instances share, who sees that it is gone signs the end
// of the binding; its acceptance ends nothing.
func TestADeleteAcceptedHereMayBeFoundDoneThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		instance := func(name string) *yard {
			b := y.elsewhere(name)
			b.engine = engine.New(engine.Config{Providers: y.toys, Ledger: b.ledger, Claims: b.claims})
			return &yard{b, y.toys}
		}
		one, other := instance("one"), instance("other")
		defer one.stop()
		defer other.stop()
		generation := func(who *yard) (uint64, bool) {
			t.Helper()
			all, err := who.ledger.Bindings(t.Context(), nodeRef("n1").Scope())
			if err != nil || len(all) != 1 {
				t.Fatalf("%+v, %v", all, err)
			}
			return all[0].Generation, all[0].Live()
		}
		one.rounds(appOn("1", rules.Update{}, "n1"), 3, takes)
		created, _ := generation(one)
		n.silent = true
		one.rounds(gone("n1"), 2, time.Second)
		other.rounds(gone("n1"), 2, time.Second)
		if g, live := generation(other); g != created || !live || n.times("n1", leave) != 1 {
			t.Errorf("accepted: generation %d, live %v, asked %v", g, live, n.asked)
		}
		n.silent = false
		time.Sleep(takes)
		other.rounds(gone("n1"), 2, time.Second)
		if g, live := generation(one); g != created+1 || live || one.opens() != 0 {
			t.Errorf("gone: generation %d, live %v, %d open", g, live, one.opens())
		}
		one.settled(gone("n1"))
		y.stop()
	})
}
