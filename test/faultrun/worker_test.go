package faultrun

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/boottime"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/etcd"
)

// workerEnv contains the orders of a process that is an instance.
const workerEnv = "OVI_FAULT_WORKER"

// orders are the settings of an instance.
type orders struct {
	Name      string
	Dir       string
	Endpoints []string
	Prefix    string
	Cloud     string
	Desired   string
	TTL       time.Duration
	Interval  time.Duration // of the loop of ovi run; 0: single cycles of plan and apply
	Unfenced  bool
	Holds     int // hold this many claims and do nothing else
}

func TestMain(m *testing.M) {
	text := os.Getenv(workerEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	work := instance
	if o.Holds > 0 {
		work = holder
	}
	if err := work(ctx, o); err != nil && ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "%s %s: %v\n", time.Now().Format("15:04:05.000"), o.Name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// progress is an instance's report of its last cycle.
type progress struct {
	Version string
	Left    int // decisions that were to be executed, and open actions
	Cycles  int
	Led     bool `json:",omitempty"`
}

// worker is one instance, wired as in cmd/ovi, on a clock that can be stepped.
type worker struct {
	orders
	wall, boot atomic.Int64 // what the clocks are off by
	ledger     *ledger.Ledger
	claims     *coordinator.Claims
	engine     *engine.Engine
	ops        *os.File
	leads      atomic.Int64 // the token of the leader claim, 0 without it
	loaded     atomic.Pointer[string]
	cycles     int
}

// instance works until it is stopped: as `ovi run` does, or in cycles of plan and apply until its
// data directory breaks.
func instance(ctx context.Context, o orders) error {
	w := &worker{orders: o}
	w.step()
	ops, err := os.OpenFile(filepath.Join(w.Dir, "ops.jsonl"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	w.ops = ops // for as long as the process lives, whatever still writes to it
	go func() {
		for range time.Tick(200 * time.Millisecond) {
			w.step()
		}
	}()
	if o.Interval > 0 {
		return w.keep(ctx)
	}
	if err := w.open(ctx); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	for n := 1; ctx.Err() == nil; n++ {
		p, err := w.cycle(ctx)
		if err != nil {
			w.say("cycle: %v", err)
		}
		if broken := w.ledger.Broken(); broken != nil {
			return broken // the supervisor restarts it
		}
		if p.Cycles = n; err == nil {
			w.tell(p)
		}
		select {
		case <-ctx.Done():
		case <-time.After(300 * time.Millisecond):
		}
	}
	return w.close()
}

// close releases the claims and closes the data directory, whatever fails.
func (w *worker) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(w.claims.Close(ctx), w.ledger.Close())
}

// step reads the offsets of the clocks: nanoseconds of the wall's, then of the boot's.
func (w *worker) step() {
	text, err := os.ReadFile(filepath.Join(w.Dir, "clock"))
	if err != nil {
		return
	}
	var wall, boot int64
	if _, err := fmt.Sscan(string(text), &wall, &boot); err == nil {
		w.wall.Store(wall)
		w.boot.Store(boot)
	}
}

func (w *worker) clock() time.Time { return time.Now().Add(time.Duration(w.wall.Load())) }

func (w *worker) open(ctx context.Context) error {
	raw, err := etcd.Open(ctx, etcd.Config{Endpoints: w.Endpoints, Prefix: w.Prefix})
	if err != nil {
		return err
	}
	var store storage.Store = &witnessed{Store: raw, name: fmt.Sprintf("%s.%d", w.Name, os.Getpid()), file: w.ops}
	if w.Unfenced {
		store = &unfenced{Store: store, taken: map[string]storage.Revision{}}
	}
	w.ledger, err = ledger.Open(ctx, ledger.Config{Dir: w.Dir, Key: teamKey(), Store: store, Shared: true, CloseStore: true, User: w.Name, Clock: w.clock, Wait: 20 * time.Second})
	if err != nil {
		return err
	}
	host := boottime.Host()
	w.claims = coordinator.New(w.ledger.Claims(),
		coordinator.Identity{Instance: w.ledger.Instance(), Host: "faultrun", User: w.Name, Run: w.ledger.Run(), PID: os.Getpid()},
		coordinator.WithTTL(w.TTL), coordinator.WithClock(func() (string, time.Duration) {
			name, since := host()
			return name, since + time.Duration(w.boot.Load())
		}))
	var claims engine.Claims = leading{w.claims, &w.leads}
	if w.Unfenced {
		claims = deaf{w.claims}
	}
	there, err := url.Parse(w.Cloud)
	if err != nil {
		return err
	}
	p := marked{aws.New(aws.Options{Sandbox: true, PlainPace: true, Attempts: 4, HTTPClient: &http.Client{
		Transport: carrier{there.Host, w.Name, &http.Transport{MaxIdleConnsPerHost: 16}},
	}}), w.observed, w.clock}
	w.engine = engine.New(engine.Config{Providers: provider.Set{"aws": p}, Ledger: w.ledger, Claims: claims, Clock: w.clock})
	return nil
}

// teamKey is the signing key of all instances, as one team has it: each may delete what another one made.
func teamKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte("t"), ed25519.SeedSize))
}

// cycle applies the current configuration.
func (w *worker) cycle(ctx context.Context) (progress, error) {
	intent, err := w.configured(ctx)
	if err != nil {
		return progress{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	plan, err := w.engine.Plan(bounded, []resource.Intent{intent}, engine.PlanOptions{Mode: event.ForApply})
	if err != nil {
		return progress{}, fmt.Errorf("plan: %w", err)
	}
	p := progress{Version: intent.Version, Left: left(plan)}
	if p.Left == 0 {
		opens, err := w.ledger.OpenActions(bounded)
		p.Left += len(opens)
		return p, err
	}
	r, err := w.engine.Apply(ctx, plan, engine.ApplyOptions{Parallelism: 6, Tries: 3, Backoff: 100 * time.Millisecond})
	w.troubles(r)
	return p, err
}

func (w *worker) tell(p progress) {
	b, err := json.Marshal(p)
	if err == nil {
		err = replace(filepath.Join(w.Dir, "progress"), b)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, w.Name, err)
	}
}

// replace writes a file atomically.
func replace(name string, b []byte) error {
	if err := os.WriteFile(name+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
