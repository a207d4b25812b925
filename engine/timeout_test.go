package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/provider/fake"
)

// TestATimeoutBoundsEachAction: an action that runs longer is canceled, its result is unknown, and later cycles
// observe it and go on.
func TestATimeoutBoundsEachAction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		b.cloud.Break(fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
			if c.Verb != fake.Create {
				return nil
			}
			<-ctx.Done() // hangs
			return context.Cause(ctx)
		}})
		stop := b.loops(stackOf(wants(network("main"), server("a", "main"))), loop.RunOptions{
			Interval: time.Minute, Apply: true, Tell: d.tell, Timeout: 30 * time.Second,
		})
		time.Sleep(45 * time.Second)
		c := d.all()[0]
		if c.Err != nil || c.Took != 30*time.Second || c.Result == nil {
			t.Fatalf("the cycle ended after %s with %v", c.Took, c.Err)
		}
		for _, o := range c.Result.Outcomes {
			if want := map[string]engine.Status{"main": engine.Uncertain, "a": engine.WaitingFor}[o.Ref.Name]; o.Status != want {
				t.Errorf("%s is %s, want %s", o.Ref, o.Status, want)
			}
			if o.Status == engine.Uncertain && !strings.Contains(o.Detail, "raise --timeout") {
				t.Errorf("the detail: %s", o.Detail)
			}
		}
		if n := b.calls(); n != 1 {
			t.Errorf("%d calls that change something", n)
		}
		b.cloud.Break(fake.Faults{})
		time.Sleep(5 * time.Minute)
		if c := d.last(); c.Err != nil || len(b.cloud.Resources(here)) != 2 {
			t.Errorf("%d resources after the timeouts, %v", len(b.cloud.Resources(here)), c.Err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestATimeoutBoundsAnObservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		stacks := stackOf(wants(network("main")))
		b.cloud.Break(fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
			if c.Verb == fake.Observe {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			return nil
		}})
		stop := b.loops(stacks, loop.RunOptions{
			Interval: time.Minute, Patience: time.Hour, Apply: true, Tell: d.tell, Timeout: 20 * time.Second,
		})
		time.Sleep(30 * time.Second)
		if all := d.all(); len(all) == 0 || !errors.Is(all[0].Err, loop.ErrTimeout) || all[0].Took != 20*time.Second {
			t.Errorf("cycles: %+v", all)
		}
		_ = stop()
	})
}
