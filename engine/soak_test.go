package engine_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

func desiredOf(d resource.Desired) string { return d.Digest() }

// drawDesired draws a small stack: networks, servers on them, disks of some sizes.
func drawDesired(t *rapid.T) []resource.Intent {
	var out []resource.Desired
	nets := rapid.IntRange(0, 2).Draw(t, "networks")
	for i := range nets {
		n := network(fmt.Sprint("n", i))
		n.Attrs = attrs("range", resource.String(rapid.SampledFrom([]string{"10.0.0.0/16", "10.1.0.0/16"}).Draw(t, "range")))
		out = append(out, n)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "servers") {
		if nets > 0 {
			out = append(out, server(fmt.Sprint("s", i), fmt.Sprint("n", rapid.IntRange(0, nets-1).Draw(t, "on"))))
		}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "disks") {
		out = append(out, disk(fmt.Sprint("d", i), rapid.Int64Range(1, 3).Draw(t, "size")))
	}
	return wants(out...)
}

// drawFault draws faults: none, or calls that fail before or after they take effect.
func drawFault(t *rapid.T) fake.Faults {
	errs := []error{fake.ErrThrottled, fake.ErrUnreachable, fake.ErrConfiguration, fake.ErrLost, fake.ErrDenied}
	one := func(name string) fake.Fault {
		if rapid.Bool().Draw(t, name+" none") {
			return nil
		}
		verb := rapid.SampledFrom([]fake.Verb{fake.Create, fake.Update, fake.Delete, fake.Observe}).Draw(t, name+" verb")
		err := rapid.SampledFrom(errs).Draw(t, name)
		nth := rapid.Int64Range(1, 3).Draw(t, name+" nth")
		var n atomic.Int64
		return func(_ context.Context, c fake.Call) error {
			if c.Verb == verb && n.Add(1) == nth {
				return err
			}
			return nil
		}
	}
	return fake.Faults{Before: one("before"), After: one("after")}
}

// TestSoak applies drawn configurations under drawn faults, errors of the store and changes outside
// ovi. After each round no resource exists twice and the unmanaged one is unchanged; in the end,
// without faults, live state matches the configuration and the log replays to the same store.
func TestSoak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { rapid.Check(bubbled{t}, func(r *rapid.T) { soak(t, r) }) })
}

func soak(t *testing.T, r *rapid.T) {
	b := blank(t)
	b.start()
	defer func() { b.stop() }()
	unmanaged := b.cloud.Put(resource.Observed{Ref: ref("disk", "unmanaged"), Attrs: attrs("size", resource.Int(7))})
	want := drawDesired(r)
	for range rapid.IntRange(1, 4).Draw(r, "rounds") {
		if rapid.Bool().Draw(r, "new configuration") {
			want = drawDesired(r)
		}
		if rapid.IntRange(0, 3).Draw(r, "full store") == 0 {
			b.breakRecord(rapid.Int64Range(0, 20).Draw(r, "commits"))
		}
		b.cloud.Break(drawFault(r))
		b.round(r, want)
		b.cloud.Break(fake.Faults{})
		if b.ledger.Broken() != nil {
			b.stop()
			b.start()
		}
		b.sane(r, unmanaged)
		b.changeOutside(r)
	}
	if b.ledger.Broken() != nil {
		b.stop()
	}
	b.stop()
	b.start()
	b.apply(want)
	b.apply(want)
	b.settled(want)
	b.sane(r, unmanaged)
	if open, err := b.ledger.OpenActions(t.Context()); err != nil || len(open) > 0 {
		r.Errorf("open actions remain: %+v %v", open, err)
	}
	b.replays()
}

// round plans and applies; errors of the store are expected.
func (b *bench) round(r *rapid.T, want []resource.Intent) {
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	p, err := b.engine.Plan(ctx, want, engine.PlanOptions{})
	if err != nil {
		if b.ledger.Broken() == nil && !isFull(err) {
			r.Errorf("plan: %v", err)
		}
		return
	}
	o := engine.ApplyOptions{Parallelism: rapid.IntRange(1, 3).Draw(r, "parallel"), Tries: rapid.IntRange(1, 2).Draw(r, "tries"), Backoff: time.Microsecond}
	if _, err := b.engine.Apply(ctx, p, o); err != nil && b.ledger.Broken() == nil && !isFull(err) {
		r.Errorf("apply: %v", err)
	}
}

// sane checks what holds at any time.
func (b *bench) sane(r *rapid.T, unmanaged resource.Observed) {
	unchanged := false
	seen := map[resource.Ref]string{}
	for _, o := range b.cloud.Resources(here) {
		if o.ID == unmanaged.ID {
			unchanged = o.Equal(unmanaged)
			continue
		}
		if id, duplicate := seen[o.Ref]; duplicate {
			r.Errorf("%s exists twice: %s and %s", o.Ref, id, o.ID)
		}
		seen[o.Ref] = o.ID
	}
	if !unchanged {
		r.Error("the unmanaged resource was changed")
	}
}

// changeOutside changes or deletes resources outside ovi.
func (b *bench) changeOutside(r *rapid.T) {
	for _, o := range b.cloud.Resources(here) {
		if o.Ref.Kind != "disk" || !o.Managed() {
			continue
		}
		switch rapid.IntRange(0, 3).Draw(r, "outside") {
		case 0:
			o.Attrs = attrs("size", resource.Int(99))
			b.cloud.Put(o)
		case 1:
			b.cloud.Remove(here, o.ID)
		}
	}
}

// bubbled hides the deadline of a test, which is not valid in a synctest bubble.
type bubbled struct{ rapid.TB }
