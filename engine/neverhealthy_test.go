package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// neverHealthy makes creates of a name wait for a time, after which they fail: the resource did not become healthy.
func neverHealthy(name string, limit time.Duration) fake.Faults {
	waits := waiting(map[string]time.Duration{name: limit})
	return fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
		if err := waits.Before(ctx, c); err != nil || c.Verb != fake.Create || c.Ref.Name != name {
			return err
		}
		return &provider.Error{Code: provider.NotHealthy, Op: "create", Err: errors.New("it did not become healthy: not today")}
	}}
}

// outcomesOf lists what the applies of a loop reported about a resource.
func (d *diary) outcomesOf(r resource.Ref) (out []engine.Outcome) {
	for _, c := range d.all() {
		if c.Result == nil {
			continue
		}
		for _, o := range c.Result.Outcomes {
			if o.Ref == r {
				out = append(out, o)
			}
		}
	}
	return out
}

// TestLaw12_AHealthCheckThatNeverPassesDelaysOnlyWhatDependsOnIt: with one slot for calls, what is new is created, a
// commit is applied and a drift is repaired meanwhile. The wait ends with its cause, and the fix is applied at once.
func TestLaw12_AHealthCheckThatNeverPassesDelaysOnlyWhatDependsOnIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var s commits
		var d diary
		b.cloud.Break(neverHealthy("ill", 20*time.Minute))
		all := func(size int64) []resource.Desired {
			return []resource.Desired{
				network("ill"), server("needs", "ill"), network("well"), server("other", "well"), disk("x", size),
			}
		}
		s.commit(all(10)...)
		stop := b.loops(s.stacks(), loop.RunOptions{
			Interval: time.Minute, Apply: true, Tell: d.tell, Do: engine.ApplyOptions{Parallelism: 1},
		})
		exist := func(when string, want ...string) {
			t.Helper()
			var got []string
			for _, o := range b.cloud.Resources(here) {
				got = append(got, o.Marks.Ref.Name)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %v exist, want %v", when, got, want)
			}
		}
		time.Sleep(5 * time.Second)
		exist("after 5 s", "other", "well", "x")
		time.Sleep(5 * time.Minute)
		s.commit(all(20)...)
		time.Sleep(3 * time.Second)
		o, _, _ := b.cloud.Find(ref("disk", "x"))
		if sizeOf(o) != 20 {
			t.Errorf("the commit is not applied after 3 s: %v", o.Attrs)
		}
		b.cloud.Remove(here, o.ID)
		time.Sleep(70 * time.Second)
		exist("after the repair", "other", "well", "x")
		time.Sleep(15 * time.Minute)
		ends := d.outcomesOf(ref("network", "ill"))
		if len(ends) == 0 || ends[0].Err == nil || !strings.Contains(ends[0].Err.Error(), "did not become healthy: not today") {
			t.Errorf("the wait ended as %+v", ends)
		}
		exist("after the end of the wait", "other", "well", "x")

		b.cloud.Break(fake.Faults{})
		fixed := all(20)
		fixed[0].Attrs = attrs("range", resource.String("10.9.0.0/16"))
		s.commit(fixed...)
		time.Sleep(10 * time.Second)
		exist("after the fix", "ill", "needs", "other", "well", "x")
		_ = stop()
	})
}
