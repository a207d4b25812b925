package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// diary keeps the cycles of a loop.
type diary struct {
	mu     sync.Mutex
	cycles []loop.Cycle
}

func (d *diary) tell(c loop.Cycle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cycles = append(d.cycles, c)
}

func (d *diary) all() []loop.Cycle {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]loop.Cycle(nil), d.cycles...)
}

func (d *diary) last() loop.Cycle {
	all := d.all()
	return all[len(all)-1]
}

// stackOf is a stack whose configuration does not change.
func stackOf(intents []resource.Intent) []loop.Stack {
	return []loop.Stack{{Name: stack, Load: func(context.Context) ([]resource.Intent, error) { return intents, nil }}}
}

// loops runs the loop of a bench until stop is called, which returns the result of Run.
func (b *bench) loops(stacks []loop.Stack, o loop.RunOptions) (stop func() error) {
	ctx, cancel := context.WithCancel(b.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx, b.engine, stacks, o) }()
	return func() error { cancel(); return <-ended }
}

func TestRunReconciles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		var mark atomic.Value
		mark.Store("one")
		wakes := &loop.Wakes{}
		stacks := stackOf(wants(network("main"), server("a", "main")))
		stacks[0].Mark = func() string { return mark.Load().(string) }
		stop := b.loops(stacks, loop.RunOptions{Interval: time.Minute, Apply: true, Wakes: wakes, Tell: d.tell})
		time.Sleep(10 * time.Second)
		if n := len(b.cloud.Resources(here)); n != 2 {
			t.Fatalf("%d resources after the first cycle, want 2", n)
		}
		gone, _, _ := b.cloud.Find(ref("server", "a"))
		b.cloud.Remove(here, gone.ID)
		time.Sleep(70 * time.Second) // the interval and its jitter
		if n := len(b.cloud.Resources(here)); n != 2 {
			t.Errorf("%d resources an interval after one was deleted, want 2", n)
		}
		before := len(d.all())
		mark.Store("two")
		time.Sleep(2 * time.Second)
		if c := d.last(); len(d.all()) != before+1 || c.Why != "changed" {
			t.Errorf("after the source changed: %d more cycles, the last for %q", len(d.all())-before, c.Why)
		}
		wakes.Wake("woken")
		time.Sleep(time.Second)
		if c := d.last(); c.Why != "woken" || !c.Led || c.Err != nil {
			t.Errorf("after a wake: %+v", c)
		}
		if err := stop(); err != nil {
			t.Errorf("stopped with %v", err)
		}
		if claims, err := b.claims.List(t.Context()); err != nil || len(claims) != 0 {
			t.Errorf("claims remain: %v, %v", claims, err)
		}
	})
}

// TestADestroyRulePrunesInTheLoop: what is removed from a configuration whose rules say destroy:
// auto is deleted; otherwise the loop must be told so.
func TestADestroyRulePrunesInTheLoop(t *testing.T) {
	for _, auto := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.apply(wants(disk("a", 20), disk("b", 20)))
			intents := wants(disk("a", 20))
			intents[0].Rules.DestroyAuto = auto
			var d diary
			stop := b.loops(stackOf(intents), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell, Plan: engine.PlanOptions{SkipDestructive: true}})
			time.Sleep(10 * time.Second)
			want := 2
			if auto {
				want = 1
			}
			if n := len(b.cloud.Resources(here)); n != want {
				t.Errorf("destroy: auto is %v: %d resources, want %d", auto, n, want)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRunWithoutApplyOnlyReports: pending decisions are alerts.
func TestRunWithoutApplyOnlyReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		stop := b.loops(stackOf(wants(network("main"))), loop.RunOptions{Tell: d.tell})
		time.Sleep(3 * time.Minute)
		if n := b.calls(); n != 0 {
			t.Errorf("%d calls that change resources", n)
		}
		if c := d.last(); len(c.Alerts) != 1 || c.Alerts[0].Type != loop.Pending || c.Alerts[0].Ref != ref("network", "main") {
			t.Errorf("alerts: %+v", c.Alerts)
		}
		_ = stop()
	})
}

func TestASlowScopeDoesNotDelayOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		slow := resource.Scope{Provider: "fake", Location: "slow"}
		b.cloud.Break(fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
			if c.Verb == fake.Observe && c.Scope == slow {
				select {
				case <-time.After(5 * time.Minute):
				case <-ctx.Done():
				}
			}
			return ctx.Err()
		}})
		far := disk("far", 10)
		far.Ref.Location = "slow"
		want := wants(network("main"), far)
		want[0].Scopes = append(want[0].Scopes, slow)
		var d diary
		stop := b.loops(stackOf(want), loop.RunOptions{Apply: true, Patience: 10 * time.Second, UnreachableAfter: 2, Tell: d.tell})
		time.Sleep(15 * time.Second)
		if n := len(b.cloud.Resources(here)); n != 1 {
			t.Errorf("%d resources in the fast scope, want 1: it waited for the slow one", n)
		}
		time.Sleep(2 * time.Minute)
		if c := d.last(); len(c.Alerts) != 1 || c.Alerts[0].Type != loop.UnreachableAlert || c.Alerts[0].Scope != slow {
			t.Errorf("alerts after two cycles without the slow scope: %+v", c.Alerts)
		}
		time.Sleep(4 * time.Minute)
		if n := len(b.cloud.Resources(slow)); n != 1 {
			t.Errorf("%d resources in the slow scope after it was observed, want 1", n)
		}
		_ = stop()
	})
}

// TestASlowKindDelaysNoOther: one API of a location does not answer for minutes. The other kinds are acted
// on, the kind is not listed a second time meanwhile, and its late answer is used.
func TestASlowKindDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		start := time.Now()
		var listed atomic.Int32
		b.cloud.Break(fake.Faults{Slow: func(ctx context.Context, kind string) error {
			if kind != "disk" || time.Since(start) > 5*time.Minute {
				return nil
			}
			listed.Add(1)
			select {
			case <-time.After(5 * time.Minute):
			case <-ctx.Done():
			}
			return ctx.Err()
		}})
		var d diary
		stop := b.loops(stackOf(wants(network("main"), server("a", "main"), disk("d", 10))),
			loop.RunOptions{Apply: true, Interval: time.Minute, Patience: 10 * time.Second, UnreachableAfter: 2, Tell: d.tell})
		time.Sleep(15 * time.Second)
		if n := len(b.cloud.Resources(here)); n != 2 {
			t.Errorf("%d resources of the kinds that answered, want 2: they waited for the slow kind", n)
		}
		time.Sleep(2 * time.Minute)
		unread := []loop.Alert{}
		for _, a := range d.last().Alerts {
			if a.Type == loop.UnreachableAlert {
				unread = append(unread, a)
			}
		}
		if len(unread) != 1 || unread[0].Scope != here || unread[0].About != "disk" ||
			!strings.Contains(unread[0].Text, "has not answered since") {
			t.Errorf("alerts after two cycles without disks: %+v", d.last().Alerts)
		}
		gone, _, _ := b.cloud.Find(ref("server", "a"))
		b.cloud.Remove(here, gone.ID)
		time.Sleep(90 * time.Second)
		if n := len(b.cloud.Resources(here)); n != 2 {
			t.Errorf("%d resources, want 2: a drift waits for the slow kind", n)
		}
		if n := listed.Load(); n != 1 {
			t.Errorf("disks were listed %d times while the first list was running", n)
		}
		time.Sleep(90 * time.Second) // the list ends 5 minutes after the start
		if n := len(b.cloud.Resources(here)); n != 3 {
			t.Errorf("%d resources after the slow kind answered, want 3", n)
		}
		if c := d.last(); c.Planned == nil || len(c.Planned.Plan.UnreachableKinds) > 0 {
			t.Errorf("still unreachable: %+v", c)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestOneLeadsAndTheOthersHelp: one instance observes, both apply, nothing is created twice, and
// when the leader leaves, the other observes.
func TestOneLeadsAndTheOthersHelp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, one, two := pair(t)
		want := disks(40)
		b.cloud.Break(fake.Faults{Delay: time.Second})
		var first, second diary
		stops := []func() error{
			one.loops(stackOf(wants(want...)), loop.RunOptions{Apply: true, Tell: first.tell, Do: engine.ApplyOptions{Parallelism: 4}}),
			two.loops(stackOf(wants(want...)), loop.RunOptions{Apply: true, Tell: second.tell, Do: engine.ApplyOptions{Parallelism: 4}}),
		}
		time.Sleep(50 * time.Second)
		if n := len(b.cloud.Resources(here)); n != 40 {
			t.Errorf("%d resources, want 40", n)
		}
		for i, d := range []*diary{&first, &second} {
			did := 0
			for _, c := range d.all() {
				if c.Result != nil {
					did += c.Result.Counts.Create
				}
			}
			if did == 0 {
				t.Errorf("instance %d did nothing", i+1)
			}
		}
		observations := observes(b)
		time.Sleep(10 * time.Minute)
		if n := observes(b) - observations; n < 9 || n > 12 {
			t.Errorf("%d observations in ten minutes: want one a minute, by one instance", n)
		}
		leader, other := stops[0], stops[1]
		diaries := []*diary{&first, &second}
		if !first.last().Led {
			leader, other, diaries = other, leader, []*diary{&second, &first}
		}
		_ = leader()
		time.Sleep(3 * time.Second)
		if c := diaries[1].last(); !c.Led {
			t.Errorf("no instance leads after the leader left: %+v", c)
		}
		_ = other()
	})
}

// TestAHelperInTheMiddleOfMuchWorkTakesTheLead: after the leader has left, a helper finishes its
// running actions and leads, however much work remains.
func TestAHelperInTheMiddleOfMuchWorkTakesTheLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, one, two := pair(t)
		want := disks(100)
		b.cloud.Break(fake.Faults{Delay: 10 * time.Second})
		slowly := engine.ApplyOptions{Parallelism: 1}
		var d diary
		leave := one.loops(stackOf(wants(want...)), loop.RunOptions{Apply: true, Do: slowly})
		time.Sleep(time.Second)
		stop := two.loops(stackOf(wants(want...)), loop.RunOptions{Apply: true, Tell: d.tell, Do: slowly})
		time.Sleep(30 * time.Second)
		observations := observes(b)
		_ = leave()
		time.Sleep(30 * time.Second)
		if n := observes(b) - observations; n == 0 {
			t.Errorf("no observation for half a minute after the leader left; cycles: %+v", d.all())
		}
		_ = stop()
		if n := len(b.cloud.Resources(here)); n > 20 {
			t.Errorf("%d resources: the helper had no work left", n)
		}
	})
}

// leadsOf counts the attempts to lead while the ledger is broken.
type leadsOf struct {
	*coordinator.Claims
	ledger *ledger.Ledger
	n      atomic.Int64
}

// Hold implements engine.Claims.
func (c *leadsOf) Hold(ctx context.Context, ref string, do func(context.Context, engine.Claim) error) error {
	if strings.HasPrefix(ref, loop.Lead) && c.ledger.Broken() != nil {
		c.n.Add(1)
	}
	return c.Claims.Hold(ctx, ref, do)
}

// TestAHelperWithABrokenLedgerDoesNotLead: it could record nothing, and would keep others from
// leading.
func TestAHelperWithABrokenLedgerDoesNotLead(t *testing.T) {
	for commits := range int64(8) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.breakRecord(commits)
			leader := b.another(0)
			defer leader.stop()
			want := stackOf(wants(network("main"), disk("a", 10)))
			leave := leader.loops(want, loop.RunOptions{Apply: true, Interval: 2 * time.Second})
			time.Sleep(time.Second)
			c := &leadsOf{Claims: b.claims, ledger: b.ledger}
			b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": b.cloud}, Ledger: b.ledger, Claims: c})
			stop := b.loops(want, loop.RunOptions{Apply: true})
			time.Sleep(time.Minute)
			_ = stop()
			_ = leave()
			if n := c.n.Load(); n > 0 {
				t.Errorf("%d attempts to lead with a broken ledger, after %d commits", n, commits)
			}
		})
	}
}

func observes(b *bench) (n int) {
	for _, c := range b.cloud.Calls() {
		if c.Verb == fake.Observe {
			n++
		}
	}
	return n
}

// TestAReopenedLedgerDoesNotWaitForItsOwnClaims: the ledger of a running process broke, and its
// claims could not be released.
func TestAReopenedLedgerDoesNotWaitForItsOwnClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		lease, err := b.store.Grant(t.Context(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		value := fmt.Sprintf(`{"instance":%q,"host":"host","run":%q,"pid":1,"since":"2026-01-02T03:04:05Z","ttl_ms":3600000,"nonce":"n"}`, b.ledger.Instance(), b.ledger.Run())
		_, err = b.store.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: coordinator.Prefix + loop.Lead + stack, Value: []byte(value), Lease: lease}}})
		if err != nil {
			t.Fatal(err)
		}
		b.ledger.LeaveClaims(false)
		b.stop()
		b.start()
		var d diary
		stop := b.loops(stackOf(wants(network("main"))), loop.RunOptions{Apply: true, Tell: d.tell})
		time.Sleep(10 * time.Second)
		if all := d.all(); len(all) == 0 || !all[0].Led {
			t.Errorf("it does not lead: %+v", all)
		}
		_ = stop()
	})
}

// TestEveryTenthCycleReadsAllKinds, so that what no configuration has is on record too; the plans
// between count it.
func TestEveryTenthCycleReadsAllKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		b.apply(wants(disk("d", 20)))
		stop := b.loops(stackOf(wants(disk("d", 20))), loop.RunOptions{Interval: time.Minute, Tell: d.tell})
		time.Sleep(5 * time.Minute) // the first cycle reads all kinds too
		b.cloud.Put(resource.Observed{Ref: ref("network", "by-hand"), ID: "net-1", Health: resource.Healthy})
		for range 20 {
			time.Sleep(time.Minute)
			if d.last().Planned.Plan.Unlisted > 0 {
				break
			}
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if n := len(d.all()); n < 10 || n > 13 || d.last().Planned.Plan.Unlisted != 1 {
			t.Errorf("after %d cycles %d are unmanaged", n, d.last().Planned.Plan.Unlisted)
		}
		all, err := history.New(b.ledger.Reader()).Unmanaged(t.Context())
		if err != nil || len(all) != 1 || all[0].ID != "net-1" {
			t.Errorf("on record: %+v, %v", all, err)
		}
	})
}

// TestInventoryReadsEveryKindOnRecord: without a configuration too, and what cannot be read stays as it
// was.
func TestInventoryReadsEveryKindOnRecord(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	b.cloud.Put(resource.Observed{Ref: ref("network", "by-hand"), ID: "net-1", Health: resource.Healthy})
	unmanaged := func() int {
		all, err := history.New(b.ledger.Reader()).Unmanaged(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if p, err := b.engine.Inventory(t.Context(), nil, 0); err != nil || p.Plan.Unread() || unmanaged() != 1 {
		t.Errorf("%d unmanaged, %v", unmanaged(), err)
	}
	b.cloud.Remove(here, "net-1")
	b.cloud.Break(fake.Faults{Before: fake.Unreachable(here, errOffline)})
	if p, err := b.engine.Inventory(t.Context(), nil, 0); err != nil || !p.Plan.Unread() || unmanaged() != 1 {
		t.Errorf("unreachable: %d unmanaged, %v", unmanaged(), err)
	}
	b.cloud.Break(fake.Faults{})
	if p, err := b.engine.Inventory(t.Context(), nil, 0); err != nil || p.Plan.Unread() || unmanaged() != 0 {
		t.Errorf("removed: %d unmanaged, %v", unmanaged(), err)
	}
}

// TestManyWakesAreFewCycles: wakes that come together start one cycle a second at most, and none is
// lost.
func TestManyWakesAreFewCycles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		wakes := &loop.Wakes{}
		stop := b.loops(stackOf(wants(disk("a", 20))), loop.RunOptions{Interval: time.Hour, Apply: true, Wakes: wakes, Tell: d.tell})
		time.Sleep(10 * time.Second)
		before := len(d.all())
		for range 300 {
			wakes.Wake("woken")
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
		if n := len(d.all()) - before; n < 3 || n > 4 {
			t.Errorf("300 wakes within 3 seconds were %d cycles", n)
		}
		time.Sleep(20 * time.Minute) // a list may not show what is younger
		lone, _, _ := b.cloud.Find(ref("disk", "a"))
		b.cloud.Remove(here, lone.ID)
		wakes.Wake("woken")
		time.Sleep(500 * time.Millisecond)
		if n := len(b.cloud.Resources(here)); n != 1 {
			t.Error("a wake after a pause waited")
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
