package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// waiting makes creates of disks take a time, which they only wait.
func waiting(times map[string]time.Duration) fake.Faults {
	return fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
		d, waits := times[c.Ref.Name]
		if c.Verb != fake.Create || !waits {
			return nil
		}
		defer provider.Waiting(ctx)()
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}}
}

// TestLaw12_AWaitHoldsNoSlot: twenty disks that only wait for half an hour delay nothing at a parallelism of two.
func TestLaw12_AWaitHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		times := map[string]time.Duration{}
		var all []resource.Desired
		for i := range 20 {
			name := fmt.Sprintf("a-%02d", i)
			times[name] = 30 * time.Minute
			all = append(all, disk(name, 10))
		}
		for i := range 10 {
			all = append(all, disk(fmt.Sprintf("z-%02d", i), 10))
		}
		b.cloud.Break(fake.Faults{Delay: time.Second, Before: waiting(times).Before})
		start := time.Now()
		p := b.plan(wants(all...))
		r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{Parallelism: 2})
		if err != nil || r.Counts.Create != 30 {
			t.Fatalf("%+v, %v", r.Counts, err)
		}
		for key, at := range b.times(start) {
			var kind, name string
			if n, _ := fmt.Sscanf(key, "started %4s/%s", &kind, &name); n == 2 && name[0] == 'z' && at > 30 {
				t.Errorf("%s after %d s", key, at)
			}
		}
		if took := time.Since(start); took > 32*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// TestAWaitEndsWhenItsConfigurationChanges: a disk that never becomes healthy does not delay its own fix. A call
// that does not only wait ends first.
func TestAWaitEndsWhenItsConfigurationChanges(t *testing.T) {
	for name, c := range map[string]struct {
		fault fake.Faults
		soon  bool
	}{
		"waits":         {waiting(map[string]time.Duration{"a": 10 * time.Hour}), true},
		"calls":         {slowly(map[string]time.Duration{"create disk/a": 10 * time.Minute}), false},
		"other changed": {waiting(map[string]time.Duration{"b": 10 * time.Minute}), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				var s commits
				var d diary
				s.commit(disk("a", 10), disk("b", 10))
				b.cloud.Break(c.fault)
				stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell, StopGrace: time.Minute})
				time.Sleep(10 * time.Second)
				b.cloud.Break(fake.Faults{})
				s.commit(disk("a", 20), disk("b", 10))
				time.Sleep(5 * time.Second)
				o, exists, _ := b.cloud.Find(ref("disk", "a"))
				if soon := exists && sizeOf(o) == 20; soon != c.soon {
					t.Errorf("the fix is applied after 5 s: %v, want %v; %v", soon, c.soon, b.events(event.TypeStarted, event.TypeFinished, event.TypeRecovered))
				}
				time.Sleep(10 * time.Minute)
				if all := b.cloud.Resources(here); len(all) != 2 {
					t.Errorf("%+v", all)
				}
				_ = stop()
			})
		})
	}
}
