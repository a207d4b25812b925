package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// slowSince returns how long a loop ran until the first alert about a slow action, and the alert.
func (d *diary) slowSince(start time.Time) (time.Duration, loop.Alert) {
	for _, c := range d.all() {
		for _, a := range c.Alerts {
			if a.Type == loop.Slow {
				return c.At.Sub(start), a
			}
		}
	}
	return 0, loop.Alert{}
}

// TestLaw12_AnActionPastTwiceTheUsualTimeIsAnAlert: the usual time is the one on record, else the one of the kind.
func TestLaw12_AnActionPastTwiceTheUsualTimeIsAnAlert(t *testing.T) {
	for name, x := range map[string]struct {
		before      time.Duration // how long an earlier create took; 0: there was none
		early, late time.Duration
		text        string
	}{
		"the kind declares it":  {0, 20 * time.Minute, 23 * time.Minute, "m, more than twice the usual time of 10m (as its kind declares)"},
		"it is on record":       {3 * time.Minute, 6 * time.Minute, 9 * time.Minute, "more than twice the usual time of 3m (the last one)"},
		"it is usually at once": {time.Second, time.Minute, 4 * time.Minute, "more than twice the usual time of 1s (the last one)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				var d diary
				var s commits
				s.commit(network("main"), server("slow", "main"))
				b.cloud.Break(slowly(map[string]time.Duration{"create server/first": x.before}))
				if x.before > 0 {
					b.apply(wants(network("main"), server("first", "main")))
					s.commit(network("main"), server("first", "main"), server("slow", "main"))
				}
				b.cloud.Break(slowly(map[string]time.Duration{"create server/slow": 40 * time.Minute}))
				start := time.Now()
				stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell})
				time.Sleep(35 * time.Minute)
				at, alert := d.slowSince(start)
				if at < x.early || at > x.late || alert.Ref != ref("server", "slow") || !strings.Contains(alert.Text, x.text) {
					t.Errorf("an alert after %s: %+v", at, alert)
				}
				time.Sleep(10 * time.Minute)
				for _, a := range d.last().Alerts {
					if a.Type == loop.Slow {
						t.Errorf("an alert after its end: %s", a.Text)
					}
				}
				_ = stop()
			})
		})
	}
}

// TestTheWatchTellsALoopThatWaitsFromOneThatIsStuck: an action that takes 40 minutes is no reason, a source that is
// read for as long is.
func TestTheWatchTellsALoopThatWaitsFromOneThatIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.cloud.Break(slowly(map[string]time.Duration{"create disk/slow": 40 * time.Minute}))
		var w loop.Watch
		hang := make(chan struct{})
		var hangs atomic.Bool
		stacks := []loop.Stack{{Name: stack, Load: func(ctx context.Context) ([]resource.Intent, error) {
			if hangs.Load() {
				<-hang
			}
			return wants(disk("slow", 10)), nil
		}}}
		start := time.Now()
		stop := b.loops(stacks, loop.RunOptions{Interval: time.Minute, Apply: true, Watch: &w})
		for time.Since(start) < 35*time.Minute {
			time.Sleep(time.Minute)
			if stuck := w.Stuck(); len(stuck) > 0 {
				t.Fatalf("after %s: %v", time.Since(start), stuck)
			}
		}
		b.cloud.Break(fake.Faults{})
		synctest.Wait()
		hangs.Store(true)
		time.Sleep(10 * time.Minute)
		if stuck := w.Stuck(); len(stuck) > 0 {
			t.Errorf("too early: %v", stuck)
		}
		time.Sleep(10 * time.Minute)
		if stuck := w.Stuck(); len(stuck) != 1 || !strings.HasPrefix(stuck[0], "stack "+stack+": loading its source for 1") {
			t.Errorf("not stuck: %v", stuck)
		}
		close(hang)
		synctest.Wait()
		if stuck := w.Stuck(); len(stuck) > 0 {
			t.Errorf("after it went on: %v", stuck)
		}
		_ = stop()
		if stuck := w.Stuck(); len(stuck) > 0 {
			t.Errorf("after the end: %v", stuck)
		}
	})
}
