package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// yard is a data directory and the toy providers that engines on it use.
type yard struct {
	*bench
	toys provider.Set
}

func newYard(t *testing.T, toys provider.Set) *yard {
	t.Helper()
	y := &yard{&bench{t: t, dir: t.TempDir(), disk: vfs.NewMem(1), store: mem.New()}, toys}
	y.open(&crasher{})
	t.Cleanup(func() { y.stop() })
	return y
}

// open opens the ledger and makes an engine, in a process that may crash.
func (y *yard) open(m *crasher) {
	y.t.Helper()
	l, err := ledger.Open(y.t.Context(), ledger.Config{
		Dir: y.dir, Store: crashingStore{y.store, m}, User: "ann",
		LogOptions: []wal.Option{wal.WithFS(crashingFS{y.disk, m}), wal.WithoutCompression()},
	})
	if err != nil {
		y.t.Fatal(err)
	}
	y.ledger = l
	y.claims = coordinator.New(crashingStore{y.store, m}, coordinator.Identity{Instance: l.Instance(), Run: l.Run()}, coordinator.WithTTL(10*time.Second))
	toys := provider.Set{}
	for name, p := range y.toys {
		toys[name] = crashingToy{p, m}
	}
	y.engine = engine.New(engine.Config{Providers: toys, Ledger: l, Claims: y.claims})
}

// crashAt applies in a process that crashes at a step, and opens the next one when its claims have
// expired.
func (y *yard) crashAt(at string, intents []resource.Intent) (steps []string) {
	y.t.Helper()
	y.stop()
	m := &crasher{at: at}
	y.open(m)
	p := y.plan(intents)
	m.armed = true
	_, _ = y.engine.Apply(y.t.Context(), p, engine.ApplyOptions{Tries: 1})
	y.stop()
	time.Sleep(time.Minute)
	y.open(&crasher{})
	return m.steps
}

// crashingToy crashes before or after the calls that change something.
type crashingToy struct {
	provider.Provider
	m *crasher
}

func (c crashingToy) Create(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	err = c.m.step("call", func() error { o, err = c.Provider.Create(ctx, r); return err })
	return o, err
}

func (c crashingToy) Update(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	err = c.m.step("call", func() error { o, err = c.Provider.Update(ctx, r); return err })
	return o, err
}

func (c crashingToy) Delete(ctx context.Context, r provider.Request) error {
	return c.m.step("call", func() error { return c.Provider.Delete(ctx, r) })
}

// byHand changes a toy resource outside ovi.
func byHand(t *testing.T, s *shelf.Shelf, ref resource.Ref, change func(*resource.Observed)) {
	t.Helper()
	err := s.Do(t.Context(), func() error {
		change(s.ByName(ref))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
