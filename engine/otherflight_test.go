package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/resource"
)

// TestLaw12_TheEndOfAFlightOfAnotherInstanceWakesTheLoop: what waits for the flight starts right after its end, not
// after the interval. Nothing wakes the loop while it waits.
func TestLaw12_TheEndOfAFlightOfAnotherInstanceWakesTheLoop(t *testing.T) {
	moved := network("main")
	moved.Attrs = attrs("range", resource.String("10.9.0.0/16"))
	for name, c := range map[string]struct {
		flight, want []resource.Desired
		started      string
	}{
		"a dependent":           {[]resource.Desired{disk("x", 1), network("main")}, []resource.Desired{disk("x", 1), network("main"), server("a", "main")}, "started server/a"},
		"another configuration": {[]resource.Desired{disk("x", 1), network("main")}, []resource.Desired{disk("x", 1), moved}, "started network/main"},
		"nothing that waits":    {[]resource.Desired{disk("x", 1), network("main")}, []resource.Desired{disk("x", 1), network("main")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := blank(t)
				one, two := b.elsewhere("one"), b.elsewhere("two")
				defer one.stop()
				defer two.stop()
				b.cloud.Break(slowly(map[string]time.Duration{"create network/main": 3 * time.Minute}))
				start := time.Now()
				wait := one.behind(one.plan(wants(c.flight...)))
				time.Sleep(10 * time.Second)
				var s commits
				var d diary
				s.commit(c.want...)
				stop := two.loops(s.stacks(), loop.RunOptions{Interval: time.Hour, Apply: true, Tell: d.tell})
				time.Sleep(2 * time.Minute)
				if n := len(d.all()); n != 1 {
					t.Errorf("%d cycles while the flight runs, want 1: %+v", n, d.all())
				}
				time.Sleep(time.Minute)
				if r := wait(); r.Outcomes[len(r.Outcomes)-1].Status != engine.Done {
					t.Errorf("the flight: %+v", r.Outcomes)
				}
				got := two.times(start)
				if at, is := got[c.started]; is != (c.started != "") || is && (at < 180 || at > 183) {
					t.Errorf("started at %d s: %v", at, got)
				}
				time.Sleep(10 * time.Minute)
				if woken := d.because("an action ended").Why != ""; woken != (c.started != "") {
					t.Errorf("woken: %v", woken)
				}
				if n := len(d.all()); n > 4 {
					t.Errorf("%d cycles in 13 minutes: %+v", n, d.all())
				}
				_ = stop()
			})
		})
	}
}
