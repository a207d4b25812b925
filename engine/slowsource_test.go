package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/resource"
)

// TestLaw12_ASourceThatDoesNotAnswerDelaysNoRepair: while the source is read for minutes, what breaks is repaired within
// an interval and two seconds, with the configuration that was loaded last. After a minute the source is unread. What it
// answers in the end is applied at once.
func TestLaw12_ASourceThatDoesNotAnswerDelaysNoRepair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		var s commits
		s.commit(disk("a", 10), disk("b", 10))
		hang := make(chan struct{})
		close(hang)
		stacks := []loop.Stack{{Name: stack, Mark: func() string { return "" }, Load: func(ctx context.Context) ([]resource.Intent, error) {
			select {
			case <-hang:
				return s.load(ctx)
			case <-ctx.Done():
				return nil, errors.New("stopped")
			}
		}}}
		stop := b.loops(stacks, loop.RunOptions{Interval: 10 * time.Second, Apply: true, Tell: d.tell})
		time.Sleep(15 * time.Second)
		hang = make(chan struct{})
		unread := func() bool {
			return slices.ContainsFunc(d.all(), func(c loop.Cycle) bool {
				return slices.ContainsFunc(c.Alerts, func(a loop.Alert) bool { return a.Type == loop.SourceUnread })
			})
		}
		for n := range 15 {
			o, _, _ := b.cloud.Find(ref("disk", "a"))
			b.cloud.Remove(here, o.ID)
			time.Sleep(14 * time.Second)
			if _, exists, _ := b.cloud.Find(ref("disk", "a")); !exists {
				t.Fatalf("repair %d is not done after 14 s", n)
			}
			if at := time.Duration(n) * 14 * time.Second; n > 1 && at < 40*time.Second && unread() || at > 80*time.Second && !unread() {
				t.Errorf("after %s the source counts as unread: %v", at, unread())
			}
		}
		s.commit(disk("a", 10), disk("b", 20))
		close(hang)
		time.Sleep(3 * time.Second)
		if o, _, _ := b.cloud.Find(ref("disk", "b")); sizeOf(o) != 20 {
			t.Errorf("what the source answered is not applied after 3 s: %v", o.Attrs)
		}
		_ = stop()
		if last := d.all()[len(d.all())-1]; strings.Contains(last.Why, "interval") {
			t.Errorf("the last cycle is due to %q", last.Why)
		}
	})
}

// TestAnOlderConfigurationIsNotUsedWhileTheSourceIsRead: an instance that takes the lead while its read of the source
// hangs does not act by what it has loaded before another instance led with a newer version.
func TestAnOlderConfigurationIsNotUsedWhileTheSourceIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var s commits
		s.commit(disk("a", 10))
		var slow atomic.Bool
		hanging := func(ctx context.Context) ([]resource.Intent, error) {
			if slow.Load() {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
			return s.load(ctx)
		}
		o := loop.RunOptions{Interval: 10 * time.Second, Apply: true}
		one, two := b.elsewhere("one"), b.elsewhere("two")
		stopOne := one.loops([]loop.Stack{{Name: stack, Load: s.load, Mark: s.mark}}, o)
		time.Sleep(5 * time.Second)
		stopTwo := two.loops([]loop.Stack{{Name: stack, Load: hanging, Mark: s.mark}}, o)
		time.Sleep(15 * time.Second)
		slow.Store(true)
		s.commit(disk("a", 20))
		time.Sleep(15 * time.Second)
		_ = stopOne()
		one.stop()
		time.Sleep(time.Minute)
		if o, _, _ := b.cloud.Find(ref("disk", "a")); sizeOf(o) != 20 {
			t.Errorf("the instance that was slow went back to version 1: %v", o.Attrs)
		}
		_ = stopTwo()
		two.stop()
	})
}
