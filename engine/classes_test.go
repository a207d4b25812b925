package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// attempted runs a loop over a version that fails for a cause, and returns when its attempts started.
func (y *yard) attempted(in []resource.Intent, during time.Duration) (started []time.Time, d *diary) {
	y.t.Helper()
	d = &diary{}
	stacks := []loop.Stack{{Name: stack, Load: func(context.Context) ([]resource.Intent, error) { return in, nil }}}
	stop := y.loops(stacks, loop.RunOptions{Interval: 10 * time.Second, Apply: true, Tell: d.tell, Do: engine.ApplyOptions{Tries: 1}})
	time.Sleep(during)
	_ = stop()
	for r, err := range history.New(y.ledger.Reader()).LogRecords(y.t.Context(), history.Filter{Types: []string{event.TypeStarted}}) {
		if e, is := r.Event.(event.Started); err == nil && is && e.Desired == in[0].Resources[0].Digest() {
			started = append(started, r.At)
		}
	}
	return started, d
}

// TestAPermanentErrorUsesUpAllAttempts: what surely fails again is not tried again; the node goes back at once.
func TestAPermanentErrorUsesUpAllAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		n.cause = map[string]provider.Cause{"n1": provider.Configuration}
		good, bad := appOn("1", rules.Update{Rollback: true}, "n1"), appOn("bad", rules.Update{Rollback: true}, "n1")
		y.rounds(good, 2, takes)
		started, d := y.attempted(bad, time.Hour)
		if len(started) != 1 || n.version("n1") != "1" {
			t.Errorf("%d attempts, want 1: asked %v; runs %q", len(started), n.asked, n.version("n1"))
		}
		want := event.Exhausted{
			Ref: nodeRef("n1"), Desired: bad[0].Resources[0].Digest(), Attempts: 1, Back: good[0].Resources[0].Digest(), Cause: provider.Configuration,
		}
		if diff := cmp.Diff([]event.Exhausted{want}, recorded[event.Exhausted](y)); diff != "" {
			t.Errorf("recorded (-want +got):\n%s", diff)
		}
		if a := d.last().Alerts; len(a) != 1 || a[0].Type != loop.Exhausted {
			t.Errorf("alerts %+v", a)
		}
		y.replays()
		y.stop()
	})
}

// TestATransientErrorIsNoAttempt: a registry that does not answer for two hours costs neither attempts nor
// restarts, of a first installation as of an update; pauses grow to five minutes, and it is installed once it answers.
func TestATransientErrorIsNoAttempt(t *testing.T) {
	for name, first := range map[string]bool{"first installation": true, "update": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y, n := newNodes(t)
				n.cause, n.stays = map[string]provider.Cause{"n1": provider.Unreachable}, first
				since := time.Now()
				n.bad = func(_, version string) bool { return version == "2" && time.Since(since) < 2*time.Hour }
				if !first {
					y.rounds(appOn("1", rules.Update{Rollback: true}, "n1"), 2, takes)
				}
				started, d := y.attempted(appOn("2", rules.Update{Rollback: true}, "n1"), 2*time.Hour+10*time.Minute)
				if len(started) < 20 || len(started) > 60 {
					t.Errorf("%d attempts in two hours", len(started))
				}
				for i := 1; i < len(started); i++ {
					if pause := started[i].Sub(started[i-1]); pause > 6*time.Minute || i < 4 && pause < time.Duration(15<<(i-1))*time.Second {
						t.Errorf("attempt %d came %s after the one before", i+1, pause)
					}
				}
				if got := recorded[event.Exhausted](y); len(got) > 0 || n.version("n1") != "2" || len(d.last().Alerts) > 0 {
					t.Errorf("exhausted %+v; runs %q; alerts %+v", got, n.version("n1"), d.last().Alerts)
				}
				y.replays()
				y.stop()
			})
		})
	}
}

// TestTransientErrorsMayBeLimited: by the rules of the stack.
func TestTransientErrorsMayBeLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		n.cause = map[string]provider.Cause{"n1": provider.Unreachable}
		limits := rules.Update{Rollback: true, Attempts: rules.Attempts{Count: 3, Other: 4}}
		good, bad := appOn("1", limits, "n1"), appOn("bad", limits, "n1")
		y.rounds(good, 2, takes)
		if started, _ := y.attempted(bad, time.Hour); len(started) != 4 || n.version("n1") != "1" {
			t.Errorf("%d attempts, want 4; runs %q", len(started), n.version("n1"))
		}
		if got := recorded[event.Exhausted](y); len(got) != 1 || got[0].Attempts != 4 || got[0].Cause != provider.Unreachable {
			t.Errorf("exhausted %+v", got)
		}
		y.stop()
	})
}
