package faultrun

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/storage/etcd"
)

func name(i int) string { return fmt.Sprintf("aws/000000000000/us-east-1/ec2/web-%05d", i) }

// holder is an instance that holds claims until it is ended. It writes the file "held" in its
// folder when it has them all.
func holder(ctx context.Context, o orders) error {
	store, err := etcd.Open(ctx, etcd.Config{Endpoints: o.Endpoints, Prefix: o.Prefix})
	if err != nil {
		return err
	}
	claims := coordinator.New(store, coordinator.Identity{Instance: o.Name}, coordinator.WithTTL(o.TTL))
	return hold(ctx, claims, o.Holds, func() error { return replace(filepath.Join(o.Dir, "held"), nil) })
}

// hold acquires claims, 32 at a time, calls all when it has them, and keeps them until ctx ends.
func hold(ctx context.Context, claims *coordinator.Claims, n int, all func() error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var have, done sync.WaitGroup
	turns := make(chan struct{}, 32)
	have.Add(n)
	for i := range n {
		turns <- struct{}{}
		done.Go(func() {
			err := claims.Hold(ctx, name(i), func(ctx context.Context, _ coordinator.Claim) error {
				<-turns
				have.Done()
				<-ctx.Done()
				return nil
			})
			if err != nil && ctx.Err() == nil {
				cancel(err)
			}
		})
	}
	ready := make(chan struct{})
	go func() { have.Wait(); close(ready) }()
	select {
	case <-ready:
		if err := all(); err != nil {
			return err
		}
	case <-ctx.Done():
	}
	<-ctx.Done()
	done.Wait()
	return context.Cause(ctx)
}

func open(t *testing.T, s *etcdtest.Server, prefix string) *etcd.Store {
	t.Helper()
	store, err := etcd.Open(t.Context(), etcd.Config{Endpoints: []string{s.Endpoint}, Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// TestFigures measures the figures of docs/dev/evidence.md. It runs only on
// request, because it depends on the machine.
func TestFigures(t *testing.T) {
	if os.Getenv("OVI_FIGURES") == "" {
		t.Skip("set OVI_FIGURES=1")
	}
	server := etcdtest.Start(t)
	t.Run("claims a second", func(t *testing.T) { claimsASecond(t, server) })
	t.Run("take-over", func(t *testing.T) { takeOver(t, server) })
	t.Run("heartbeat", func(t *testing.T) { heartbeat(t, server) })
}

// rate runs do from workers for a while and returns how often a second it succeeded.
func rate(t *testing.T, workers int, do func(worker, n int) error) float64 {
	t.Helper()
	const length = 3 * time.Second
	counts := make([]int, workers)
	start := time.Now()
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for time.Since(start) < length {
				if err := do(w, counts[w]); err != nil {
					t.Error(err)
					return
				}
				counts[w]++
			}
		})
	}
	all.Wait()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(sum) / time.Since(start).Seconds()
}

func claimsASecond(t *testing.T, server *etcdtest.Server) {
	disk, err := bolt.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	bare, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	lease, err := bare.Grant(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	txn := func(w, n int) error {
		key := fmt.Sprintf("bare/%d/%d", w, n)
		r, err := bare.Txn(t.Context()).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, string(make([]byte, 200)), clientv3.WithLease(lease.ID))).Commit()
		if err != nil {
			return err
		}
		_, err = bare.Txn(t.Context()).If(clientv3.Compare(clientv3.CreateRevision(key), "=", r.Header.Revision)).Then(clientv3.OpDelete(key)).Commit()
		return err
	}
	cycle := func(store storage.Store) func(int, int) error {
		claims := coordinator.New(store, coordinator.Identity{Instance: "bench"}, coordinator.WithTTL(30*time.Second))
		return func(w, n int) error {
			return claims.Hold(t.Context(), name(1000*w+n%1000), func(context.Context, coordinator.Claim) error { return nil })
		}
	}
	local := open(t, server, "rate")
	for range 3 {
		for _, workers := range []int{1, 8} {
			t.Logf("%d at a time, acquired and released a second: bare etcd transactions %.0f, claims on etcd %.0f, claims on bolt %.0f",
				workers, rate(t, workers, txn), rate(t, workers, cycle(local)), rate(t, workers, cycle(disk)))
		}
	}
}

// takeOver kills an instance that holds a claim and measures when a waiting one has it.
func takeOver(t *testing.T, server *etcdtest.Server) {
	const ttl, rounds = 3 * time.Second, 20
	store := open(t, server, "takeover")
	next := coordinator.New(store, coordinator.Identity{Instance: "next"}, coordinator.WithTTL(ttl), coordinator.WithLockTimeout(time.Minute))
	var waits []time.Duration
	for i := range rounds {
		dir := t.TempDir()
		text, err := json.Marshal(orders{Name: fmt.Sprint("holder", i), Dir: dir, Endpoints: []string{server.Endpoint}, Prefix: "takeover", TTL: ttl, Holds: 1})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(dir, "held")); err == nil {
				break
			}
			if time.Now().After(end) {
				t.Fatal("the holder never had its claim")
			}
		}
		time.Sleep(time.Duration(i) * ttl / 3 / rounds) // anywhere between two heartbeats
		_ = cmd.Process.Signal(syscall.SIGKILL)
		killed := time.Now()
		_ = cmd.Wait()
		err = next.Hold(t.Context(), name(0), func(context.Context, coordinator.Claim) error {
			waits = append(waits, time.Since(killed))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(waits)
	t.Logf("TTL %s, %d kills: taken over after %s (best), %s (median), %s (worst)", ttl, rounds,
		waits[0].Round(time.Millisecond), waits[rounds/2].Round(time.Millisecond), waits[rounds-1].Round(time.Millisecond))
	if waits[rounds-1] > 3*ttl {
		t.Errorf("a take-over took %s", waits[rounds-1])
	}
}

// counted counts the requests of claims to a store.
type counted struct {
	storage.Store
	mu     sync.Mutex
	alives int
	took   time.Duration
}

// KeepAlive implements storage.Leaser.
func (c *counted) KeepAlive(ctx context.Context, id storage.LeaseID) error {
	start := time.Now()
	err := c.Store.KeepAlive(ctx, id)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alives++
	c.took += time.Since(start)
	return err
}

// heartbeat holds 10,000 claims and measures what keeping them costs.
func heartbeat(t *testing.T, server *etcdtest.Server) {
	const n, ttl, length = 10_000, 15 * time.Second, 30 * time.Second
	store := &counted{Store: open(t, server, "heartbeat")}
	claims := coordinator.New(store, coordinator.Identity{Instance: "bench", Host: "host", User: "user", Run: "01J0000000000000000000000"}, coordinator.WithTTL(ttl))
	ctx, cancel := context.WithCancel(t.Context())
	start := time.Now()
	err := hold(ctx, claims, n, func() error {
		defer cancel()
		t.Logf("%d claims acquired in %s", n, time.Since(start).Round(time.Millisecond))
		mine, theirs, beats, took := cpu(t, os.Getpid()), cpu(t, server.PID()), store.alives, store.took
		time.Sleep(length)
		store.mu.Lock()
		defer store.mu.Unlock()
		t.Logf("%s with %d claims held: %d renewals of one lease (%s each), %s of CPU here, %s in etcd", length, n,
			store.alives-beats, ((store.took - took) / time.Duration(max(1, store.alives-beats))).Round(time.Microsecond), cpu(t, os.Getpid())-mine, cpu(t, server.PID())-theirs)
		return nil
	})
	if err != nil && ctx.Err() == nil {
		t.Error(err)
	}
}

// cpu is what a process has used, in steps of 10 ms.
func cpu(t *testing.T, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	rest := b[slices.Index(b, ')')+2:]
	var state string
	var v [13]int64
	args := []any{&state}
	for i := range v {
		args = append(args, &v[i])
	}
	if _, err := fmt.Sscan(string(rest), args...); err != nil {
		t.Fatal(err)
	}
	return time.Duration(v[10]+v[11]) * 10 * time.Millisecond
}
