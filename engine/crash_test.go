package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/replay"
	"github.com/ovi-project/ovi/replay/replaytest"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// crashTable is what the next start does after a crash between two steps of one action. It
// stands in ARCHITECTURE.md in the same words.
var crashTable = []struct {
	after, before string // the steps between which the process dies
	finding       string // what the next plan finds of the action, per action
	next          string // what it does
}{
	{"", "claim", "", "nothing happened: it is planned again"},
	{"claim", "log started", "", "the claim of the dead is ended (or expires): it is planned again"},
	{"log started", "store began", "", "the store is brought up to the log when it is opened; the beginning was logged under a claim that is gone, so it is refused, and nothing was called: it is planned again"},
	{"store began", "call", "not_done", "the look shows that nothing was done: it is planned again, a create with the same key"},
	{"call", "log finished", "done", "the look shows the deed: it is recorded as done, and nothing is done again"},
	{"log finished", "store ended", "done", "the end was logged under a claim that is gone, so it is refused; the look shows the deed"},
	{"store ended", "release", "", "it is done and on record; the claim of the dead is ended (or expires)"},
	{"release", "", "", "it is done and on record"},
}

var errDead = errors.New("the process is dead")

// mortal counts the steps of one action and dies at one of them.
type mortal struct {
	mu    sync.Mutex
	dead  bool
	armed bool
	at    string // "before claim" or "after claim"
	steps []string
}

// step does one step, unless the process is dead or dies just before; it may die just after.
func (m *mortal) step(name string, do func() error) error {
	m.mu.Lock()
	if m.armed {
		m.steps = append(m.steps, name)
		m.dead = m.dead || m.at == "before "+name
	}
	if m.dead {
		m.mu.Unlock()
		return errDead
	}
	m.mu.Unlock()
	err := do()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.armed && m.at == "after "+name {
		m.dead = true
	}
	if m.dead {
		return errDead
	}
	return err
}

type mortalStore struct {
	storage.Store
	m *mortal
}

func (s mortalStore) Commit(ctx context.Context, tx storage.Tx) (rev storage.Revision, err error) {
	err = s.m.step(commitName(tx), func() error {
		rev, err = s.Store.Commit(ctx, tx)
		return err
	})
	return rev, err
}

func (s mortalStore) KeepAlive(ctx context.Context, id storage.LeaseID) error {
	return s.m.step("heartbeat", func() error { return s.Store.KeepAlive(ctx, id) })
}

func (s mortalStore) Revoke(ctx context.Context, id storage.LeaseID) error {
	return s.m.step("end of the lease", func() error { return s.Store.Revoke(ctx, id) })
}

// commitName tells the commits of an action apart by what they write.
func commitName(tx storage.Tx) string {
	name := "store other"
	for _, op := range tx.Ops {
		switch {
		case strings.HasPrefix(op.Key, coordinator.Prefix) && op.Delete:
			return "release"
		case strings.HasPrefix(op.Key, coordinator.Prefix):
			return "claim"
		case strings.HasPrefix(op.Key, "open/") && !op.Delete && !bytes.Contains(op.Value, []byte(`"uncertain":true`)):
			name = "store began"
		case strings.HasPrefix(op.Key, "open/"):
			name = "store ended"
		}
	}
	return name
}

type mortalFS struct {
	vfs.FS
	m *mortal
}

func (f mortalFS) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	file, err := f.FS.OpenFile(name, flag, perm)
	if err != nil || filepath.Ext(name) != ".wal" {
		return file, err
	}
	return mortalFile{file, f.m}, nil
}

type mortalFile struct {
	vfs.File
	m *mortal
}

func (f mortalFile) WriteAt(b []byte, off int64) (n int, err error) {
	name := "log other"
	for _, event := range []string{"started", "finished"} {
		if bytes.Contains(b, []byte(`"event":"`+event+`"`)) {
			name = "log " + event
		}
	}
	err = f.m.step(name, func() error {
		n, err = f.File.WriteAt(b, off)
		return err
	})
	return n, err
}

type mortalCloud struct {
	*fake.Cloud
	m *mortal
}

func (c mortalCloud) Create(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	err = c.m.step("call", func() error { o, err = c.Cloud.Create(ctx, r); return err })
	return o, err
}

func (c mortalCloud) Update(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	err = c.m.step("call", func() error { o, err = c.Cloud.Update(ctx, r); return err })
	return o, err
}

func (c mortalCloud) Delete(ctx context.Context, r provider.Request) error {
	return c.m.step("call", func() error { return c.Cloud.Delete(ctx, r) })
}

// life is one process: it opens what is there and may die.
type life struct {
	*bench
	m *mortal
}

func (b *bench) live(m *mortal) *life {
	b.t.Helper()
	l, err := ledger.Open(b.t.Context(), ledger.Config{
		Dir: b.dir, Store: mortalStore{b.store, m}, User: "ann",
		LogOptions: []wal.Option{wal.WithFS(mortalFS{b.disk, m}), wal.WithoutCompression()},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	claims := coordinator.New(mortalStore{b.store, m}, coordinator.Identity{Instance: l.Instance(), Run: l.Run()}, coordinator.WithTTL(10*time.Second))
	e := engine.New(engine.Config{Providers: provider.Set{"fake": mortalCloud{b.cloud, m}}, Ledger: l, Claims: claims})
	return &life{&bench{t: b.t, dir: b.dir, disk: b.disk, store: b.store, cloud: b.cloud, ledger: l, claims: claims, engine: e}, m}
}

// crashed is one crash and what came of it.
type crashed struct {
	*bench
	settled []event.Recovered
	steps   []string
}

// crash makes a world, lets a process die in the middle of one action on it, lets the claims
// of the dead expire, and lets the next process plan and apply.
func crash(t *testing.T, at string, lag int, was, want []resource.Intent, setup ...func(*fake.Cloud)) crashed {
	t.Helper()
	b := blank(t)
	for _, f := range setup {
		f(b.cloud)
	}
	first := b.live(&mortal{})
	first.apply(was)
	first.stop()

	m := &mortal{at: at}
	second := b.live(m)
	p := second.plan(want)
	m.armed = true
	b.cloud.Break(fake.Faults{Lag: lag})
	_, _ = second.engine.Apply(t.Context(), p, engine.ApplyOptions{Tries: 1})
	second.stop()
	b.cloud.Break(fake.Faults{})
	time.Sleep(time.Minute)

	third := b.live(&mortal{})
	p = third.plan(want)
	out := crashed{third.bench, p.Recovered, m.steps}
	if _, err := third.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	third.bench.settled(want)
	return out
}

// sound checks what must hold after every crash.
func (c crashed) sound(want []resource.Intent) {
	c.t.Helper()
	resources := c.cloud.Resources(here)
	if len(resources) != len(want[0].Resources) {
		c.t.Errorf("%d things are there, want %d", len(resources), len(want[0].Resources))
	}
	for _, d := range want[0].Resources {
		if _, ok, err := c.cloud.Find(d.Ref); !ok || err != nil {
			c.t.Errorf("%s: there %v, %v", d.Ref, ok, err)
		}
	}
	if open, err := c.ledger.OpenActions(c.t.Context()); err != nil || len(open) > 0 {
		c.t.Errorf("open actions are left: %+v %v", open, err)
	}
	c.replays()
	if _, err := wal.Verify(filepath.Join(c.dir, "wal"), c.ledger.Log().PublicKey(), wal.WithFS(c.disk)); err != nil {
		c.t.Errorf("the log does not verify: %v", err)
	}
}

// replays checks that the log gives the live store again.
func (b *bench) replays() {
	b.t.Helper()
	into := mem.New()
	if _, err := replay.Rebuild(b.t.Context(), b.ledger.Reader(), into); err != nil {
		b.t.Fatal(err)
	}
	live, err1 := replaytest.Digest(b.t.Context(), b.store, 0)
	again, err2 := replaytest.Digest(b.t.Context(), into, 0)
	if live != again || err1 != nil || err2 != nil {
		b.t.Errorf("the replayed store differs from the live one (%v, %v)", err1, err2)
	}
}

var actions = []struct {
	name      string
	was, want []resource.Intent
}{
	{"create", wants(), wants(disk("d", 20))},
	{"update", wants(disk("d", 20)), wants(disk("d", 30))},
	{"delete", wants(disk("d", 20)), wants()},
}

func TestLaw2_RecordBeforeAct_CrashTable(t *testing.T) {
	for _, a := range actions {
		for _, row := range crashTable {
			at := "before " + row.before
			if row.before == "" {
				at = "after " + row.after
			}
			t.Run(a.name+" "+at, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := crash(t, at, 0, a.was, a.want)
					defer c.stop()
					if row.before != "" && (len(c.steps) == 0 || !contains(c.steps, row.before)) {
						t.Fatalf("the action never came to %q: %v", row.before, c.steps)
					}
					var found []string
					for _, s := range c.settled {
						found = append(found, string(s.Finding))
					}
					if got := strings.Join(found, " "); got != row.finding {
						t.Errorf("found %q, want %q", got, row.finding)
					}
					c.sound(a.want)
				})
			})
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// TestEveryCrashConverges dies before and after every single step, whatever it is called, in
// an action of each kind, also while the cloud does not show yet what was made.
func TestEveryCrashConverges(t *testing.T) {
	changed := network("main")
	changed.Attrs = attrs("range", resource.String("10.1.0.0/16"))
	all := append(actions[:len(actions):len(actions)], struct {
		name      string
		was, want []resource.Intent
	}{"replace", wants(network("main"), server("a", "main")), wants(changed, server("a", "main"))})
	for _, a := range all {
		for _, when := range []string{"before", "after"} {
			for _, step := range []string{"claim", "log started", "store began", "call", "log finished", "store ended", "release", "log other", "store other"} {
				for _, lag := range []int{0, 1} {
					t.Run(fmt.Sprint(a.name, " ", when, " ", step, " lag ", lag), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							c := crash(t, when+" "+step, lag, a.was, a.want)
							defer c.stop()
							c.sound(a.want)
						})
					})
				}
			}
		}
	}
}
