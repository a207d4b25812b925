package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// startsAfter lists the creates and deletes that an instance recorded as started after a time.
func (b *bench) startsAfter(at time.Time) (out []string) {
	b.t.Helper()
	for r, err := range history.New(b.ledger.Reader()).LogRecords(b.t.Context(), history.Filter{Types: []string{event.TypeStarted}}) {
		if err != nil {
			b.t.Fatal(err)
		}
		if s := r.Event.(event.Started); r.At.After(at) {
			out = append(out, fmt.Sprintf("%s %s/%s", s.Action, s.Ref.Kind, s.Ref.Name))
		}
	}
	return out
}

// TestLaw12_NoInstanceStartsAnActionOfAnOlderConfiguration: a helper works through a first apply of many resources
// when the leader loads another configuration. The helper has not loaded it, and starts nothing more.
func TestLaw12_NoInstanceStartsAnActionOfAnOlderConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := blank(t)
		one, two := b.elsewhere("one"), b.elsewhere("two")
		defer one.stop()
		defer two.stop()
		var ofOne, ofTwo commits
		times := map[string]time.Duration{}
		var all []resource.Desired
		for i := range 50 {
			name := fmt.Sprintf("d-%02d", i)
			times["create disk/"+name] = 10 * time.Second
			all = append(all, disk(name, 10))
		}
		var blind atomic.Bool // the leader observes slowly, so that the helper learns nothing from an observation
		slow := slowly(times)
		b.cloud.Break(fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
			if c.Verb == fake.Observe && blind.Load() {
				select {
				case <-time.After(25 * time.Second):
				case <-ctx.Done():
				}
			}
			return slow.Before(ctx, c)
		}})
		ofOne.commit(all...)
		ofTwo.commit(all...)
		o := loop.RunOptions{Interval: time.Minute, Apply: true, Do: engine.ApplyOptions{Parallelism: 2}}
		leave := one.loops(ofOne.stacks(), o)
		time.Sleep(5 * time.Second)
		var d diary
		o.Tell = d.tell
		stop := two.loops(ofTwo.stacks(), o)
		time.Sleep(25 * time.Second)
		if n := len(two.startsAfter(time.Time{})); n == 0 {
			t.Fatal("the second instance does not help")
		}
		blind.Store(true)
		ofOne.commit(all[:2]...)
		time.Sleep(1500 * time.Millisecond) // the source is checked every second
		at := time.Now()
		time.Sleep(40 * time.Second)
		if got := two.startsAfter(at); len(got) != 0 {
			t.Errorf("the helper started %v", got)
		}
		for _, s := range one.startsAfter(at) {
			if !strings.HasPrefix(s, "delete") {
				t.Errorf("the leader started %s", s)
			}
		}
		if !slices.ContainsFunc(d.all(), func(c loop.Cycle) bool { return c.Result != nil && c.Result.Yielded }) {
			t.Errorf("the helper did not yield: %+v", d.all())
		}
		_ = stop()
		time.Sleep(2 * time.Minute)
		if n := len(b.cloud.Resources(here)); n != 2 {
			t.Errorf("%d resources, want 2", n)
		}
		_ = leave()
	})
}

// TestARenameIsFenced: a rename that has not been recorded when a newer configuration is loaded is not recorded.
func TestARenameIsFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.apply(wants(disk("a", 10)))
		want := wants(formerly(disk("b", 10), "a"))
		want[0].Version = "v1"

		p := b.plan(want)
		if _, err := b.ledger.Record(t.Context(), event.Led{Stack: stack, Version: "v2"}); err != nil {
			t.Fatal(err)
		}
		r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{Versions: map[string]string{stack: "v1"}})
		if err != nil || statuses(r)["disk/b"] != engine.Yielded || !r.Yielded {
			t.Errorf("outcomes %v: %v", statuses(r), err)
		}
		if got := b.events(event.TypeMoved, event.TypeStarted); len(got) != 1 { // the first create
			t.Errorf("recorded: %v", got)
		}
	})
}

// TestASuccessorIsOwed: an apply that yields after the delete which makes room still creates the resource that needs
// the room, though another resource had it.
func TestASuccessorIsOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.withSlots(nil)
		b.apply(wants(slot("old", 1)))
		var s commits
		var d diary
		s.commit(slot("new", 1), disk("x", 10))
		slow := slowly(map[string]time.Duration{"delete disk/old": 30 * time.Second})
		b.cloud.Break(slow)
		stop := b.loops(s.stacks(), loop.RunOptions{Interval: 10 * time.Minute, Apply: true, Tell: d.tell})
		time.Sleep(10 * time.Second)
		s.commit(disk("x", 20))
		time.Sleep(5 * time.Second)
		if o, _, _ := b.cloud.Find(ref("disk", "x")); sizeOf(o) != 20 {
			t.Errorf("the commit waits: %v", o.Attrs)
		}
		time.Sleep(time.Minute)
		started := strings.Join(b.startsAfter(time.Time{}), "; ")
		if !strings.Contains(started, "create disk/new") {
			t.Errorf("the successor was not created: %s", started)
		}
		_ = stop()
	})
}
