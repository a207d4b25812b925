package engine_test

import (
	"maps"
	"testing"
	"testing/synctest"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// TestWhatAnExchangeBeganEndsWhileItsSourceIsAway crashes before and after every write and call of exchanges of slots,
// and continues without the source. If something was given up, the exchange ends as it was accepted; otherwise nothing
// changes. Once the source is back, the rest follows.
func TestWhatAnExchangeBeganEndsWhileItsSourceIsAway(t *testing.T) {
	for name, c := range map[string]struct{ was, want []resource.Intent }{
		"two slots exchanged": {wants(slot("a", 1), slot("b", 2)), wants(slot("a", 2), slot("b", 1))},
		"three slots rotated": {
			wants(slot("a", 1), slot("b", 2), slot("c", 3)), wants(slot("a", 2), slot("b", 3), slot("c", 1)),
		},
		"a slot of a removed disk for a new one": {wants(slot("a", 1), slot("b", 2)), wants(slot("b", 2), slot("c", 1))},
		"a slot of a removed disk, and that of the next": {
			wants(slot("a", 1), slot("b", 2)), wants(slot("b", 1), slot("c", 2)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			begun := 0
			for nth := 1; ; nth++ {
				ended := false
				synctest.Test(t, func(t *testing.T) {
					b := restarted(t, nth, c.was, c.want)
					if b == nil {
						ended = true
						return
					}
					defer b.stop()
					if b.endsAway(nth, c.was, c.want) {
						begun++
					}
				})
				if ended {
					break
				}
			}
			if begun == 0 {
				t.Error("no crash was in the middle")
			}
		})
	}
}

// endsAway applies the last accepted configuration while the source is away, and then the configuration. It reports
// whether the exchange was in its middle, and ended while the source was away.
func (b *bench) endsAway(nth int, was, want []resource.Intent) (begun bool) {
	b.t.Helper()
	away := []resource.Intent{{Stack: stack, Unread: "git is away"}}
	before, middle := b.slotsNow(), len(b.outages()) > 0
	middle = middle || len(before) < len(was[0].Resources) // not recorded yet
	for range 2 {
		if _, err := b.engine.Apply(b.t.Context(), b.planToApply(away), engine.ApplyOptions{}); err != nil {
			b.t.Fatal(err)
		}
	}
	now := b.slotsNow()
	if left := b.outages(); len(left) > 0 {
		b.t.Errorf("point %d: outages while the source is away: %+v", nth, left)
	}
	for _, d := range was[0].Resources {
		_, had := before[d.Ref.Name]
		_, has := now[d.Ref.Name]
		if next := configuredIn(want, d.Ref); (had || next != nil) && !has {
			b.t.Errorf("point %d: %s is gone, was %v: %v, %v", nth, d.Ref, had, now, brief(b.plan(away)))
		}
	}
	for name := range now {
		if _, had := before[name]; !had && configuredIn(was, ref("disk", name)) == nil && !middle {
			b.t.Errorf("point %d: %s was created while the source was away", nth, name)
		}
	}
	b.apply(want)
	b.settled(want)
	if middle {
		crashed{bench: b}.sound(want)
	}
	return middle
}

func (b *bench) outages() map[resource.Ref][]rows.Outage {
	b.t.Helper()
	all, err := b.ledger.Reader().Names(b.t.Context(), 0)
	if err != nil {
		b.t.Fatal(err)
	}
	return all.Outages
}

func configuredIn(in []resource.Intent, r resource.Ref) *resource.Desired {
	for i := range in[0].Resources {
		if d := &in[0].Resources[i]; d.Ref == r {
			return d
		}
	}
	return nil
}

// slotsNow are the slots of all disks.
func (b *bench) slotsNow() map[string]string {
	out := map[string]string{}
	for _, o := range b.cloud.Resources(here) {
		w, _ := o.Attrs.Get("weight")
		out[o.Marks.Ref.Name] = string(resource.AppendJSON(nil, w))
	}
	return out
}

// TestOnlyWhatAnExchangeBeganEndsWhileItsSourceIsAway crashes between the delete and the create of an exchange, and then
// accepts another configuration of the other disk, which is not applied. It is not applied without the source either.
func TestOnlyWhatAnExchangeBeganEndsWhileItsSourceIsAway(t *testing.T) {
	was, want := wants(slot("a", 1), slot("b", 2)), wants(slot("a", 2), slot("b", 1))
	found := false
	for nth := 1; !found; nth++ {
		synctest.Test(t, func(t *testing.T) {
			b := restarted(t, nth, was, want)
			if b == nil {
				t.Fatal("no crash was in the middle")
			}
			defer b.stop()
			if found = len(b.outages()) > 0; !found {
				return
			}
			before := b.slotsNow()
			b.planToApply(wants(slot("a", 2), slot("b", 7)))
			r, err := b.engine.Apply(t.Context(), b.planToApply([]resource.Intent{{Stack: stack, Unread: "git is away"}}),
				engine.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if now := b.slotsNow(); !maps.Equal(before, now) {
				t.Errorf("%v before, and %v after: %v", before, now, statuses(r))
			}
			b.apply(want)
			b.settled(want)
			crashed{bench: b}.sound(want)
		})
	}
}
