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
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// kill ends the process of a crasher: it writes and calls nothing from now on.
func (m *crasher) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
}

// TestLaw12_TheNextStartKnowsAllFlights: a loop is killed with twenty creates in flight, before or after a yield, before
// or after the creates took effect. The next start finds the results of all twenty, creates none
// twice, and does everything else at once. engine/crashes.md has the same rows.
func TestLaw12_TheNextStartKnowsAllFlights(t *testing.T) {
	for _, row := range []struct {
		name    string
		effect  bool // the creates have taken effect
		yielded bool // a newer configuration was loaded before the crash
	}{
		{"before their effect", false, false},
		{"between their effect and their record", true, false},
		{"before their effect, after a yield", false, true},
		{"between their effect and their record, after a yield", true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { killedInFlight(t, row.effect, row.yielded) })
		})
	}
}

func killedInFlight(t *testing.T, effect, yielded bool) {
	b := blank(t)
	var s commits
	var all []resource.Desired
	for i := range 20 {
		all = append(all, disk(fmt.Sprintf("d-%02d", i), 10))
	}
	s.commit(all...)
	slow := func(ctx context.Context, c fake.Call) error {
		if c.Verb != fake.Create || c.Ref.Name == "more" {
			return nil
		}
		select {
		case <-time.After(10 * time.Minute):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if effect {
		b.cloud.Break(fake.Faults{After: slow})
	} else {
		b.cloud.Break(fake.Faults{Before: slow})
	}
	m := &crasher{}
	first := b.process(m)
	hard, cut := context.WithCancel(t.Context())
	stop := first.loops(s.stacks(), loop.RunOptions{
		Interval: time.Minute, Apply: true, Do: engine.ApplyOptions{Parallelism: 20, Hard: hard},
	})
	time.Sleep(10 * time.Second)
	if yielded {
		s.commit(append(all, disk("other", 10))...)
		time.Sleep(3 * time.Second)
	}
	m.kill()
	cut()
	_ = stop()
	first.stop()
	b.cloud.Break(fake.Faults{})

	second := b.process(&crasher{})
	defer second.stop()
	want := wants(append(all, disk("more", 10))...)
	p := second.plan(want)
	finding, creates := event.FoundNotDone, 21
	if effect {
		finding, creates = event.FoundDone, 1
	}
	known := 0
	for _, r := range p.Recovered {
		if r.Ref.Name != "other" && r.Finding == finding {
			known++
		}
	}
	if known != 20 || len(p.Flights) != 0 {
		t.Errorf("%d of 20 recovered as %s, %d flights: %+v", known, finding, len(p.Flights), p.Recovered)
	}
	start := time.Now()
	r, err := second.engine.Apply(t.Context(), p, engine.ApplyOptions{})
	if err != nil || r.Counts.Create != creates || time.Since(start) > time.Second {
		t.Errorf("after %s: %+v %v", time.Since(start), r.Counts, err)
	}
	made := map[string]int{}
	for _, o := range b.cloud.Resources(here) {
		made[o.Marks.Ref.Name]++
	}
	if len(made) != 21 {
		t.Errorf("%d resources: %v", len(made), made)
	}
	for name, n := range made {
		if n != 1 {
			t.Errorf("%s was made %d times", name, n)
		}
	}
	second.settled(want)
	second.replays()
}
