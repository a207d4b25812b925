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
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// crashTable is what the next plan does after a crash between two steps of one action.
// engine/crashes.md has the same rows.
var crashTable = []struct {
	after, before string // the steps between which the process crashes
	finding       string // what the next plan finds of the action
	next          string // what it does
}{
	{"", "claim", "", "nothing was done: the action is planned again"},
	{"claim", "log started", "", "the claim is revoked, or expires; the action is planned again"},
	{"log started", "store started", "", "the log has an event that the store has not, under a claim that has ended: it is refused when the ledger opens; nothing was called, and the action is planned again"},
	{"store started", "call", "not_done", "the observation shows that nothing was done: the action is planned again, a create with the same key"},
	{"call", "log finished", "done", "the observation shows the change: it is recorded as done and not repeated"},
	{"log finished", "store finished", "done", "the log has a result that the store has not, under a claim that has ended: it is refused when the ledger opens; the observation shows the change"},
	{"store finished", "release", "", "the action is done and recorded; the claim is revoked, or expires"},
	{"release", "", "", "the action is done and recorded"},
}

var errCrashed = errors.New("the process has crashed")

// crasher counts the steps of one action and crashes at one of them.
type crasher struct {
	mu     sync.Mutex
	dead   bool
	armed  bool
	at     string // such as "before claim" or "after claim"
	steps  []string
	nth    int // or: the number of the point, before or after any step, from 1
	count  int
	coarse bool // count only the points around the effects of the provider
}

// It counts a point, and reports whether the process crashes there.
func (m *crasher) dies(at string) bool {
	if !m.armed {
		return m.dead
	}
	if counts := !m.coarse || strings.HasPrefix(at, "before effect"); counts {
		m.count++
		m.dead = m.dead || m.nth == m.count
	}
	m.dead = m.dead || m.at == at
	return m.dead
}

// step performs one step, unless the process has crashed or crashes before it. It may crash after.
func (m *crasher) step(name string, do func() error) error {
	m.mu.Lock()
	if m.armed {
		m.steps = append(m.steps, name)
	}
	if m.dies("before " + name) {
		m.mu.Unlock()
		return errCrashed
	}
	m.mu.Unlock()
	err := do()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dies("after " + name) {
		return errCrashed
	}
	return err
}

type crashingStore struct {
	storage.Store
	m *crasher
}

func (s crashingStore) Commit(ctx context.Context, tx storage.Tx) (rev storage.Revision, err error) {
	err = s.m.step(commitName(tx), func() error {
		rev, err = s.Store.Commit(ctx, tx)
		return err
	})
	return rev, err
}

func (s crashingStore) KeepAlive(ctx context.Context, id storage.LeaseID) error {
	return s.m.step("heartbeat", func() error { return s.Store.KeepAlive(ctx, id) })
}

func (s crashingStore) Revoke(ctx context.Context, id storage.LeaseID) error {
	return s.m.step("revoke the lease", func() error { return s.Store.Revoke(ctx, id) })
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
			name = "store started"
		case strings.HasPrefix(op.Key, "open/"):
			name = "store finished"
		}
	}
	return name
}

type crashingFS struct {
	vfs.FS
	m *crasher
}

func (f crashingFS) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	file, err := f.FS.OpenFile(name, flag, perm)
	if err != nil || filepath.Ext(name) != ".wal" {
		return file, err
	}
	return crashingFile{file, f.m}, nil
}

type crashingFile struct {
	vfs.File
	m *crasher
}

func (f crashingFile) WriteAt(b []byte, off int64) (n int, err error) {
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

type crashingCloud struct {
	*fake.Cloud
	m *crasher
}

func (c crashingCloud) Create(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	err = c.m.step("call", func() error { o, err = c.Cloud.Create(ctx, r); return err })
	return o, err
}

func (c crashingCloud) Update(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	err = c.m.step("call", func() error { o, err = c.Cloud.Update(ctx, r); return err })
	return o, err
}

func (c crashingCloud) Delete(ctx context.Context, r provider.Request) error {
	return c.m.step("call", func() error { return c.Cloud.Delete(ctx, r) })
}

// process opens the ledger and makes an engine, in a process that may crash.
func (b *bench) process(m *crasher) *bench {
	b.t.Helper()
	l, err := ledger.Open(b.t.Context(), ledger.Config{
		Dir: b.dir, Store: crashingStore{b.store, m}, User: "ann",
		LogOptions: []wal.Option{wal.WithFS(crashingFS{b.disk, m}), wal.WithoutCompression()},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	claims := coordinator.New(crashingStore{b.store, m}, coordinator.Identity{Instance: l.Instance(), Run: l.Run()}, coordinator.WithTTL(10*time.Second))
	e := engine.New(engine.Config{Providers: provider.Set{"fake": crashingCloud{b.cloud, m}}, Ledger: l, Claims: claims})
	return &bench{t: b.t, dir: b.dir, disk: b.disk, store: b.store, cloud: b.cloud, ledger: l, claims: claims, engine: e}
}

// crashed is the result of a crash.
type crashed struct {
	*bench
	recovered []event.Recovered
	steps     []string
}

// crash applies a configuration, crashes in the middle of an apply of another, lets the claims
// expire, and plans and applies in the next process.
func crash(t *testing.T, at string, lag int, was, want []resource.Intent, setup ...func(*fake.Cloud)) crashed {
	t.Helper()
	b := blank(t)
	for _, f := range setup {
		f(b.cloud)
	}
	first := b.process(&crasher{})
	first.apply(was)
	first.stop()

	m := &crasher{at: at}
	second := b.process(m)
	p := second.plan(want)
	m.armed = true
	b.cloud.Break(fake.Faults{Lag: lag})
	_, _ = second.engine.Apply(t.Context(), p, engine.ApplyOptions{Tries: 1})
	second.stop()
	b.cloud.Break(fake.Faults{})
	time.Sleep(time.Minute)

	third := b.process(&crasher{})
	p = third.plan(want)
	out := crashed{third, p.Recovered, m.steps}
	if _, err := third.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	third.settled(want)
	return out
}

// sound checks what holds after every crash.
func (c crashed) sound(want []resource.Intent) {
	c.t.Helper()
	resources := c.cloud.Resources(here)
	if len(resources) != len(want[0].Resources) {
		c.t.Errorf("%d resources exist, want %d", len(resources), len(want[0].Resources))
	}
	for _, d := range want[0].Resources {
		if _, ok, err := c.cloud.Find(d.Ref); !ok || err != nil {
			c.t.Errorf("%s: exists %v, %v", d.Ref, ok, err)
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

// replays checks that a store rebuilt from the log equals the live one.
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
						t.Fatalf("the action never reached %q: %v", row.before, c.steps)
					}
					var found []string
					for _, s := range c.recovered {
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

// TestEveryCrashConverges crashes before and after every step of each kind of action, also while
// lists do not show a new resource yet.
func TestEveryCrashConverges(t *testing.T) {
	changed := network("main")
	changed.Attrs = attrs("range", resource.String("10.1.0.0/16"))
	all := append(actions[:len(actions):len(actions)], struct {
		name      string
		was, want []resource.Intent
	}{"replace", wants(network("main"), server("a", "main")), wants(changed, server("a", "main"))})
	for _, a := range all {
		for _, when := range []string{"before", "after"} {
			for _, step := range []string{"claim", "log started", "store started", "call", "log finished", "store finished", "release", "log other", "store other"} {
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
