package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/provider/fake"
)

// TestATimeoutBoundsEachCycle: an action that runs longer is canceled, no other starts, and later cycles
// go on.
func TestATimeoutBoundsEachCycle(t *testing.T) {
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
			Interval: time.Minute, Apply: true, Tell: d.tell, Timeout: 30 * time.Second, Grace: 10 * time.Second,
		})
		time.Sleep(45 * time.Second)
		if c := d.all()[0]; !errors.Is(c.Err, loop.ErrTimeout) || c.Took != 40*time.Second {
			t.Errorf("the cycle ended after %s with %v", c.Took, c.Err)
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
