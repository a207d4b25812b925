package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// TestAnActionEndsWithItsTimeout: its result is unknown, and the next plan finds what the system did.
func TestAnActionEndsWithItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		in := wants(disk("a", 20))
		in[0].Options.Timeouts = map[string]map[string]time.Duration{"disk": {"create": 90 * time.Second}, "network": {"create": time.Second}}
		hangs := true
		b.cloud.Break(fake.Faults{After: func(ctx context.Context, c fake.Call) error {
			if c.Verb != fake.Create || !hangs {
				return nil
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}})
		start := time.Now()
		r := b.apply(in)
		if took := time.Since(start); took < 90*time.Second || took > 100*time.Second {
			t.Errorf("it took %s", took)
		}
		o := r.Outcomes[0]
		if o.Status != engine.Uncertain || !strings.Contains(o.Detail, "no result within 1m30s, the timeout of create for disk") || !strings.Contains(o.Detail, "timeouts: {disk: {create: 3m0s}}") {
			t.Errorf("%s: %s", o.Status, o.Detail)
		}
		hangs = false
		b.settled(in)
		if n := len(b.cloud.Resources(here)); n != 1 {
			t.Errorf("%d disks", n)
		}
	})
}

// TestATimeoutOfOneActionBoundsNoOther, nor that of another stack.
func TestATimeoutOfOneActionBoundsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		in := wants(disk("a", 20))
		in[0].Options.Timeouts = map[string]map[string]time.Duration{"disk": {"delete": time.Second}, "network": {"create": time.Second}}
		other := resource.Intent{Stack: "other", Options: resource.Options{Timeouts: map[string]map[string]time.Duration{"disk": {"create": time.Second}}}}
		b.cloud.Break(fake.Faults{Delay: 20 * time.Second})
		if r := b.apply(append(in, other)); r.Outcomes[0].Status != engine.Done {
			t.Errorf("%s: %s", r.Outcomes[0].Status, r.Outcomes[0].Detail)
		}
	})
}
