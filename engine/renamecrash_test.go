package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// crashingSlots has disks with exclusive slots, in a process that may crash.
type crashingSlots struct{ crashingCloud }

func (c crashingSlots) Kinds() []resource.Kind { return slots{c.Cloud, nil}.Kinds() }

func (c crashingSlots) Check(context.Context, provider.Request) error { return nil }

// slotted opens the ledger and makes an engine over disks with slots, in a process that may crash.
func (b *bench) slotted(m *crasher) *bench {
	b.t.Helper()
	l, err := ledger.Open(b.t.Context(), ledger.Config{
		Dir: b.dir, Store: crashingStore{b.store, m}, User: "ann",
		LogOptions: []wal.Option{wal.WithFS(crashingFS{b.disk, m}), wal.WithoutCompression()},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	out := *b
	out.ledger = l
	out.claims = coordinator.New(crashingStore{b.store, m},
		coordinator.Identity{Instance: l.Instance(), Run: l.Run()}, coordinator.WithTTL(10*time.Second))
	out.engine = engine.New(engine.Config{
		Providers: provider.Set{"fake": crashingSlots{crashingCloud{b.cloud, m}}}, Ledger: l, Claims: out.claims,
	})
	return &out
}

// crashedAt applies one configuration, crashes at a point of an apply of another, and applies that in the next process.
// It returns nil if the apply ended before the point.
func crashedAt(t *testing.T, nth int, was, want []resource.Intent) *bench {
	t.Helper()
	third := restarted(t, nth, was, want)
	if third == nil {
		return nil
	}
	if _, err := third.engine.Apply(t.Context(), third.plan(want), engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	third.settled(want)
	return third
}

// restarted applies one configuration, crashes at a point of an apply of another, and starts the next process. It
// returns nil if the apply ended before the point.
func restarted(t *testing.T, nth int, was, want []resource.Intent) *bench {
	t.Helper()
	b := blank(t)
	first := b.slotted(&crasher{})
	first.apply(was)
	first.stop()

	m := &crasher{nth: nth}
	second := b.slotted(m)
	p := second.planToApply(want)
	m.armed = true
	_, _ = second.engine.Apply(t.Context(), p, engine.ApplyOptions{Tries: 1})
	second.stop()
	time.Sleep(time.Minute)
	if !m.dead {
		return nil
	}
	return b.slotted(&crasher{})
}

// planToApply plans as `ovi apply` does, which accepts the configuration.
func (b *bench) planToApply(in []resource.Intent) *engine.Planned {
	b.t.Helper()
	p, err := b.engine.Plan(b.t.Context(), in, engine.PlanOptions{Mode: event.ForApply})
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// TestEveryCrashOfARenameConverges crashes before and after every write and call of renames: between the record and the
// marks, between two of a chain, and before the update that comes with one. The resources stay, and each is recorded once.
func TestEveryCrashOfARenameConverges(t *testing.T) {
	for name, c := range map[string]struct {
		was, want []resource.Intent
	}{
		"a rename":               {wants(disk("a", 20)), wants(formerly(disk("b", 20), "a"))},
		"a rename and an update": {wants(disk("a", 20)), wants(formerly(disk("b", 30), "a"))},
		"a chain of renames": {
			wants(disk("a", 20), disk("b", 30)), wants(formerly(disk("b", 20), "a"), formerly(disk("c", 30), "b")),
		},
	} {
		t.Run(name, func(t *testing.T) {
			for nth := 1; ; nth++ {
				ended := false
				synctest.Test(t, func(t *testing.T) {
					b := crashedAt(t, nth, c.was, c.want)
					if b == nil {
						ended = true
						return
					}
					defer b.stop()
					creates := 0
					for _, e := range b.recordsOf(event.TypeFinished) {
						if f := e.Event.(event.Finished); f.Action == "create" || f.Action == "delete" {
							creates++
						}
					}
					again := len(b.events(event.TypeMoved)) - len(c.want[0].Resources)
					refused := len(b.events(event.TypeRefused)) // in the log alone, so that it is done again
					if creates != len(c.was[0].Resources) || again < 0 || again > refused {
						t.Errorf("point %d: %d creates and deletes, %d renames again", nth, creates, again)
					}
					crashed{bench: b}.sound(c.want)
				})
				if ended {
					if nth < 8 {
						t.Errorf("only %d points", nth)
					}
					return
				}
			}
		})
	}
}

// TestEveryCrashOfAnExchangeConverges crashes before and after every write and call of an exchange of two slots, also
// between the delete and the create of the disk that gives way: the next apply ends it.
func TestEveryCrashOfAnExchangeConverges(t *testing.T) {
	was, want := wants(slot("a", 1), slot("b", 2)), wants(slot("a", 2), slot("b", 1))
	between := 0
	for nth := 1; ; nth++ {
		ended := false
		synctest.Test(t, func(t *testing.T) {
			b := crashedAt(t, nth, was, want)
			if b == nil {
				ended = true
				return
			}
			defer b.stop()
			crashed{bench: b}.sound(want)
			if b.deletedThenCreated() {
				between++
			}
		})
		if ended {
			break
		}
	}
	if between == 0 {
		t.Error("no crash was between a delete and its create")
	}
}

// deletedThenCreated reports whether two processes did a delete and the create that it made room for.
func (b *bench) deletedThenCreated() bool {
	deleted, created := "", ""
	for _, r := range b.recordsOf(event.TypeFinished) {
		switch f := r.Event.(event.Finished); {
		case f.Phase == event.PhaseDelete:
			deleted = r.Run
		case f.Action == "create" || f.Phase == event.PhaseCreate:
			created = r.Run
		}
	}
	return deleted != "" && created != deleted
}

// recordsOf lists the records of some types.
func (b *bench) recordsOf(types ...string) (out []event.Record) {
	b.t.Helper()
	for r, err := range history.New(b.ledger.Reader()).LogRecords(b.t.Context(), history.Filter{Types: types}) {
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}
