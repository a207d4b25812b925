package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/storage/etcd"
)

// TestTakeOverFigures measures what docs/dev/evidence.md prints: how long after kill -9 of the
// instance of `ovi run` that leads another one does. It runs only when asked to.
func TestTakeOverFigures(t *testing.T) {
	if os.Getenv("OVI_FIGURES") == "" {
		t.Skip("set OVI_FIGURES=1: some ten minutes")
	}
	for _, c := range []struct {
		on    string
		ttl   time.Duration
		kills int
	}{
		{"etcd", 3 * time.Second, 30},
		{"etcd", 10 * time.Second, 20},
		{"etcd", 30 * time.Second, 8},
		{"bolt", 3 * time.Second, 30},
		{"bolt", 10 * time.Second, 20},
	} {
		t.Run(fmt.Sprintf("%s with TTL %s", c.on, c.ttl), func(t *testing.T) {
			t.Parallel()
			s := &site{t: t, dir: t.TempDir()} // one host: one data directory
			if c.on == "etcd" {
				s = newSite(t, fleet(2))
			}
			killLeaders(t, s, c.on, c.ttl, c.kills)
		})
	}
}

// killLeaders kills one leader after another, anywhere between two heartbeats of it.
func killLeaders(t *testing.T, s *site, on string, ttl time.Duration, kills int) {
	store := s.openStore()
	start := func(name string) *instance {
		i := s.keep(name, "--claim-ttl", ttl.String(), "--interval", "1h")
		eventually(t, name+" stands by", func() bool { return strings.Contains(i.said(), "keeps stack") })
		return i
	}
	running := []*instance{start("ann"), start("bob")}
	var waits []time.Duration
	for n := range kills {
		pid := leads(t, store, 0)
		time.Sleep(time.Second + ttl/3*time.Duration(n)/time.Duration(kills))
		i := slices.IndexFunc(running, func(i *instance) bool { return i.cmd.Process.Pid == pid })
		if i < 0 {
			t.Fatalf("process %d leads, which is none of ours", pid)
		}
		if err := running[i].cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		leads(t, store, pid)
		waits = append(waits, time.Since(killed))
		running[i] = start(fmt.Sprint("next", n))
	}
	slices.Sort(waits)
	within := slices.IndexFunc(append(waits, time.Hour), func(d time.Duration) bool { return d > ttl })
	t.Logf("on %s, TTL %s, %d kills: another leads after %.2f s (best), %.2f s (median), %.2f s (worst); %d within the TTL",
		on, ttl, kills, waits[0].Seconds(), waits[kills/2].Seconds(), waits[kills-1].Seconds(), within)
}

// openStore opens the store of the site past any instance.
func (s *site) openStore() storage.Store {
	s.t.Helper()
	if s.server != nil {
		store, err := etcd.Open(s.t.Context(), etcd.Config{Endpoints: []string{s.server.Endpoint}, Prefix: s.server.Room + "site"})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { store.Close() })
		return store
	}
	writeConfig(s.t, s.dir, fleet(2))
	s.run("", "0", "plan", "--sandbox")
	store, err := bolt.Open(filepath.Join(s.dir, "all", "store.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	return store
}

// leads waits until a process other than this one leads, and says which.
func leads(t *testing.T, store storage.Store, not int) (pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	claims := coordinator.New(store, coordinator.Identity{})
	err := storage.Await(ctx, store, coordinator.Prefix+loop.Lead, time.Second, func(ctx context.Context) (bool, error) {
		all, err := claims.List(ctx)
		for _, c := range all {
			if strings.HasPrefix(c.Ref, loop.Lead) && c.PID != not {
				pid = c.PID
			}
		}
		return pid != 0, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
