package engine_test

import (
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider/fake"
)

// breakDisk makes each write of the log fail, until the returned function is called.
func (b *bench) breakDisk() (repair func()) {
	disk := b.disk.(*vfs.Mem)
	disk.OnOp(func(op vfs.Op) error {
		if op.Kind == "sync" {
			return syscall.EIO
		}
		return nil
	})
	return func() { disk.OnOp(nil) }
}

// creates counts the calls that create a resource.
func (b *bench) creates(name string) (n int) {
	for _, c := range b.cloud.Calls() {
		if c.Verb == fake.Create && c.Ref.Name == name {
			n++
		}
	}
	return n
}

// TestLaw12_ABrokenLedgerIsReopenedBeneathFlights: running actions go on while nothing can be recorded. Once the disk
// works again, what they do is recorded, and a new commit does not wait for them.
func TestLaw12_ABrokenLedgerIsReopenedBeneathFlights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var d diary
		var s commits
		start := time.Now()
		s.commit(disk("slow", 10), disk("lost", 10))
		b.cloud.Break(slowly(map[string]time.Duration{"create disk/slow": 20 * time.Minute, "create disk/lost": 2 * time.Minute}))
		stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell, StopGrace: time.Minute})
		time.Sleep(30 * time.Second)
		repair := b.breakDisk()
		s.commit(disk("slow", 10), disk("lost", 10), disk("edge", 10))
		time.Sleep(5 * time.Minute)
		if n := b.creates("edge"); n > 0 || b.ledger.Broken() == nil {
			t.Errorf("%d actions that cannot be recorded started: %v", n, b.ledger.Broken())
		}
		repair()
		time.Sleep(35 * time.Second) // the longest pause before the next attempt, and a cycle
		if o, _, _ := b.cloud.Find(ref("disk", "edge")); sizeOf(o) != 10 || b.ledger.Broken() != nil {
			t.Errorf("the commit waits: %v, %v", o.Attrs, b.ledger.Broken())
		}
		time.Sleep(20 * time.Minute)
		if got := b.times(start); got["finished disk/slow"] != 1200 {
			t.Errorf("the end of the slow one is recorded at %d s, want 1200", got["finished disk/slow"])
		}
		if diff := cmp.Diff([]int{1, 1, 1}, []int{b.creates("slow"), b.creates("lost"), b.creates("edge")}); diff != "" {
			t.Errorf("creates (-want +got):\n%s", diff)
		}
		if got := b.recordsOf(event.TypeRecovered); len(got) != 1 || got[0].Event.About().Name != "lost" {
			t.Errorf("recovered: %+v", got)
		}
		failed := 0
		for _, c := range d.all() {
			if errors.Is(c.Err, ledger.ErrBroken) {
				failed++
			}
		}
		if failed == 0 {
			t.Error("no cycle reports the broken ledger")
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		b.settled(s.intents)
		b.replays()
	})
}

// TestABrokenLedgerEndsLoopsWithoutFlights: their caller opens everything again. What ended while nothing could be
// recorded is observed then, and not done twice.
func TestABrokenLedgerEndsLoopsWithoutFlights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var s commits
		s.commit(disk("slow", 10))
		b.cloud.Break(slowly(map[string]time.Duration{"create disk/slow": 2 * time.Minute}))
		start, ended := time.Now(), make(chan error, 1)
		go func() {
			ended <- loop.Run(t.Context(), b.engine, s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true})
		}()
		time.Sleep(30 * time.Second)
		repair := b.breakDisk()
		if err := <-ended; !errors.Is(err, ledger.ErrBroken) || time.Since(start) > 3*time.Minute {
			t.Errorf("ended after %s: %v", time.Since(start), err)
		}
		repair()
		b.stop()
		b.start()
		b.apply(s.intents)
		if n := b.creates("slow"); n != 1 {
			t.Errorf("%d creates", n)
		}
		b.settled(s.intents)
	})
}
