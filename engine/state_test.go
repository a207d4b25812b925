package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/box"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

var webBox = resource.Ref{Stack: stack, Provider: "box", Location: "here", Kind: "box", Name: "web"}

// boxOf is the configuration of one box.
func boxOf(image string, size int64, state resource.State) []resource.Intent {
	return []resource.Intent{{Stack: stack, Resources: []resource.Desired{{
		Ref: webBox, Attrs: attrs("image", resource.String(image), "size", resource.Int(size)), State: state,
	}}}}
}

func newBoxes(t *testing.T) (*yard, *box.Provider) {
	b := box.New()
	return newYard(t, provider.Set{"box": b}), b
}

func (y *yard) health(b *box.Provider, want resource.Health) {
	y.t.Helper()
	s, err := b.Observe(y.t.Context(), provider.ObserveRequest{Scope: webBox.Scope()})
	if err != nil || len(s.Resources) != 1 || s.Resources[0].Health != want {
		y.t.Errorf("there is %+v, %v; want one that is %s", s.Resources, err, want)
	}
}

// TestTheStateIsComparedWithTheHealth: what is stopped or failing is started, what runs is stopped,
// as configured; without a configured state nothing is compared.
func TestTheStateIsComparedWithTheHealth(t *testing.T) {
	for _, x := range []struct {
		name    string
		state   resource.State
		health  resource.Health
		message string
		want    string // the reason of the decision; "": there is none
		after   resource.Health
	}{
		{"stopped", resource.StateRunning, resource.Stopped, "", "it is stopped", resource.Healthy},
		{"failing", resource.StateRunning, resource.Failing, "exited with 1", "it is failing: exited with 1", resource.Healthy},
		{"running", resource.StateRunning, resource.Healthy, "", "", resource.Healthy},
		{"unknown", resource.StateRunning, resource.Unclear, "", "", resource.Unclear},
		{"starting", resource.StateRunning, resource.Pending, "", "", resource.Pending},
		{"to be stopped", resource.StateStopped, resource.Healthy, "", "it is configured as stopped, and is not", resource.Stopped},
		{"to be stopped, and failing", resource.StateStopped, resource.Failing, "", "it is configured as stopped, and is not", resource.Stopped},
		{"stopped, as configured", resource.StateStopped, resource.Stopped, "", "", resource.Stopped},
		{"not configured", "", resource.Stopped, "", "", resource.Stopped},
	} {
		t.Run(x.name, func(t *testing.T) {
			y, b := newBoxes(t)
			in := boxOf("web:1", 1, x.state)
			y.apply(in)
			byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health, o.Message = x.health, x.message })
			p := y.plan(in)
			d, found := decisionOn(p, webBox)
			if found != (x.want != "") || found && (d.Action != decider.Restart || d.Reason != decider.ReasonState || d.Message != x.want) {
				t.Errorf("decision %+v, want %q", d, x.want)
			}
			if _, err := y.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
				t.Fatal(err)
			}
			y.health(b, x.after)
			y.settled(in)
			y.replays()
		})
	}
}

// TestPendingIsNoFailureWithinItsGrace: a resource that stays pending for longer is restarted.
func TestPendingIsNoFailureWithinItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, b := newBoxes(t)
		in := boxOf("web:1", 1, resource.StateRunning)
		y.apply(in)
		byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health = resource.Pending })
		y.settled(in)
		time.Sleep(resource.DefaultGrace - time.Second)
		byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Message = "still starting" })
		y.settled(in)
		time.Sleep(time.Second)
		if diff := cmp.Diff([]string{"restart box/web"}, brief(y.plan(in))); diff != "" {
			t.Errorf("after the grace (-want +got):\n%s", diff)
		}
		y.apply(in)
		y.health(b, resource.Healthy)
		byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health = resource.Pending })
		y.settled(in) // a new grace
		y.stop()
	})
}

// restarts plans and applies once a minute, and returns how often it restarted.
func (y *yard) restarts(in []resource.Intent, minutes int, each func()) (n int) {
	y.t.Helper()
	for range minutes {
		p := y.plan(in)
		if d, ok := decisionOn(p, webBox); ok && d.Action == decider.Restart {
			n++
		}
		if _, err := y.engine.Apply(y.t.Context(), p, engine.ApplyOptions{}); err != nil {
			y.t.Fatal(err)
		}
		if each != nil {
			each()
		}
		time.Sleep(time.Minute)
	}
	return n
}

// TestRestartsHaveABudget: three restarts in ten minutes that did not help block the next one, also
// in another process, until an operator allows it or the configuration changes.
func TestRestartsHaveABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, _ := newBoxes(t)
		in := boxOf("crash", 1, resource.StateRunning)
		y.apply(in)
		if n := y.restarts(in, 60, nil); n != 3 {
			t.Errorf("%d restarts, want 3", n)
		}
		y.stop()
		y.open(&crasher{})
		d, _ := decisionOn(y.plan(in), webBox)
		if len(d.Blockers) != 1 || d.Blockers[0].Policy != "restarts" || d.Blockers[0].Until != nil ||
			!strings.Contains(d.Blockers[0].Reason, "exited with 1") || !strings.Contains(d.Blockers[0].Suggestion, "`ovi retry box/web`") {
			t.Errorf("blocked by %+v", d.Blockers)
		}
		if err := y.engine.Retry(t.Context(), webBox, engine.OperatorAction{Who: "ann"}); err != nil {
			t.Error(err)
		}
		if n := y.restarts(in, 60, nil); n != 3 {
			t.Errorf("%d restarts after the operator allowed them, want 3", n)
		}
		if err := y.engine.Retry(t.Context(), ref("disk", "a"), engine.OperatorAction{Who: "ann"}); err == nil {
			t.Error("a retry of what never failed is accepted")
		}
		in = boxOf("crash", 2, resource.StateRunning)
		if n := y.restarts(in, 60, nil); n != 4 { // one with the change itself
			t.Errorf("%d restarts of another configuration, want 4", n)
		}
		y.replays()
		y.stop()
	})
}

// TestWhatRunsForLongMayBeRestarted: the budget is of restarts that did not help.
func TestWhatRunsForLongMayBeRestarted(t *testing.T) {
	for _, x := range []struct {
		name string
		runs int // minutes, until it stops again
		want int
	}{
		{"a quarter of an hour", 15, 10},
		{"two minutes", 2, 3},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y, b := newBoxes(t)
				in := boxOf("web:1", 1, resource.StateRunning)
				y.apply(in)
				up := 0
				n := y.restarts(in, 10*x.runs+10, func() {
					if up++; up%x.runs == 0 {
						byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health = resource.Stopped })
					}
				})
				if n != x.want {
					t.Errorf("%d restarts, want %d", n, x.want)
				}
				y.stop()
			})
		})
	}
}

// TestACrashLosesNoRestart: a restart counts from the moment it starts.
func TestACrashLosesNoRestart(t *testing.T) {
	for _, at := range []string{"before call", "after call", "before log finished", "after store finished"} {
		t.Run(at, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y, b := newBoxes(t)
				in := boxOf("web:1", 1, resource.StateRunning)
				y.apply(in)
				for i := range 3 {
					byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health = resource.Stopped })
					if steps := y.crashAt(at, in); !contains(steps, "call") {
						t.Fatalf("crash %d: the restart was not tried: %v", i, steps)
					}
				}
				byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health = resource.Stopped })
				if diff := cmp.Diff([]string{"notify box/web (restart blocked by restarts)"}, brief(y.plan(in))); diff != "" {
					t.Errorf("after three crashed restarts (-want +got):\n%s", diff)
				}
				y.replays()
				y.stop()
			})
		})
	}
}

// TestAWindowDoesNotKeepAServiceDown: unless it covers restarts explicitly, a maintenance window does
// not defer starting what does not run. It defers stopping what does.
func TestAWindowDoesNotKeepAServiceDown(t *testing.T) {
	y, b := newBoxes(t)
	never := rules.Window{Name: "never", Days: []time.Weekday{(time.Now().UTC().Weekday() + 3) % 7}, From: 0, To: time.Hour}
	in := boxOf("web:1", 1, resource.StateRunning)
	y.apply(in)
	byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health = resource.Stopped })
	plan := func(state resource.State, w rules.Window) []string {
		in := boxOf("web:1", 1, state)
		in[0].Rules.Windows = []rules.Window{w}
		return brief(y.plan(in))
	}
	if diff := cmp.Diff([]string{"restart box/web"}, plan(resource.StateRunning, never)); diff != "" {
		t.Errorf("what is stopped (-want +got):\n%s", diff)
	}
	explicit := never
	explicit.Actions = []string{"restart"}
	blocked := []string{"notify box/web (restart blocked by windows)"}
	if diff := cmp.Diff(blocked, plan(resource.StateRunning, explicit)); diff != "" {
		t.Errorf("with a window of restarts (-want +got):\n%s", diff)
	}
	byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health = resource.Healthy })
	if diff := cmp.Diff(blocked, plan(resource.StateStopped, never)); diff != "" {
		t.Errorf("what runs and is to be stopped (-want +got):\n%s", diff)
	}
}
