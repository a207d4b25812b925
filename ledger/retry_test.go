package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/internal/sshsig/sshsigtest"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// dim is a store that cannot be read for a while, and that may fail to commit without a doubt.
type dim struct {
	storage.Store
	reads, commits atomic.Int64 // so many fail
	err            error        // with this
}

var errDim = fmt.Errorf("the leader changed: %w", storage.ErrUnavailable)

func (d *dim) Range(ctx context.Context, prefix string, at storage.Revision) (iter.Seq2[storage.Entry, error], storage.Revision, error) {
	if d.reads.Add(-1) >= 0 {
		return nil, 0, d.err
	}
	return d.Store.Range(ctx, prefix, at)
}

func (d *dim) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	if d.commits.Add(-1) >= 0 {
		return 0, d.err
	}
	return d.Store.Commit(ctx, tx)
}

// blinded are two ledgers of one data directory, one of which sees its store through a dim
// one and is behind by a record, so that it must catch up; do records with it.
func blinded(t *testing.T, share bool, do func(t *testing.T, l *ledger.Ledger, d *dim)) {
	synctest.Test(t, func(t *testing.T) {
		dir, inner := t.TempDir(), mem.New()
		d := &dim{Store: inner, err: errDim}
		a, err := ledger.Open(t.Context(), ledger.Config{Dir: dir, Store: d, Shared: share, User: "a"})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		must[ledger.Receipt](t)(a.Record(t.Context(), event.Loaded{Stack: "web"}))
		b, err := ledger.Open(t.Context(), ledger.Config{Dir: dir, Store: inner, Shared: share, User: "b"})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		must[ledger.Receipt](t)(b.Record(t.Context(), event.Loaded{Stack: "db"}))
		do(t, a, d)
		must[ledger.Receipt](t)(b.Record(t.Context(), event.Blessed{Ref: ref("z"), On: true, Who: "b"}))
		replayed := mem.New()
		if _, _, err := openLogs(t, dir).Check(t.Context(), inner, replayed); err != nil {
			t.Fatal(err)
		}
		if must[string](t)(replaytest.Content(t.Context(), inner)) != must[string](t)(replaytest.Content(t.Context(), replayed)) {
			t.Error("the replayed log gives another store")
		}
	})
}

// TestAReadThatFailsForAMomentIsRepeated: whichever read it is.
func TestAReadThatFailsForAMomentIsRepeated(t *testing.T) {
	for _, share := range []bool{false, true} {
		t.Run(fmt.Sprint("shared=", share), func(t *testing.T) {
			blinded(t, share, func(t *testing.T, l *ledger.Ledger, d *dim) {
				d.reads.Store(3)
				must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(res("x", "s")), ledger.ObservationOptions{Since: 0}))
				d.reads.Store(2)
				must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("x"), On: true, Who: "a"}))
			})
		})
	}
}

// TestAStoreThatCannotBeReadBreaksNothing: nothing was appended, so when the store is back the
// same ledger goes on.
func TestAStoreThatCannotBeReadBreaksNothing(t *testing.T) {
	for _, share := range []bool{false, true} {
		t.Run(fmt.Sprint("shared=", share), func(t *testing.T) {
			blinded(t, share, func(t *testing.T, l *ledger.Ledger, d *dim) {
				for _, behind := range []bool{true, false} { // first while it catches up, then while it projects
					d.reads.Store(1 << 40)
					end := l.Log().Frontier().Seq
					_, err := l.RecordObservation(t.Context(), liveState(res("x", "s")), ledger.ObservationOptions{Since: 0})
					if !errors.Is(err, errDim) || errors.Is(err, ledger.ErrBroken) || l.Broken() != nil {
						t.Errorf("behind %v: recording on a store that cannot be read: %v; broken: %v", behind, err, l.Broken())
					}
					if now := l.Log().Frontier().Seq; !behind && now != end {
						t.Errorf("the log went from %d to %d", end, now)
					}
					d.reads.Store(0)
					must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("x"), On: true, Who: "a"}))
				}
			})
		})
	}
}

// TestARefusalIsFinal: what a store did not mark as transient is returned at once, because others wait for
// the append lock. In the time of synctest no wait of the ledger goes unseen.
func TestARefusalIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dim{Store: mem.New(), err: errors.New("a sector of the disk is damaged")}
		l := open(t, t.TempDir(), d)
		defer l.Close()
		ann := event.Signer{Name: "ann", Key: sshsigtest.New(t, "ed25519").Key}
		if err := l.ChangeRoster(t.Context(), change(t, l, true, ann, "ann", nil)); err != nil {
			t.Fatal(err)
		}
		again := change(t, l, true, ann, "ann", nil)
		moved := again
		moved.Before = nil
		for name, refused := range map[string]func() error{
			"a signer is added twice": func() error { return l.ChangeRoster(t.Context(), again) },
			"the roster moved":        func() error { return l.ChangeRoster(t.Context(), moved) },
			"a store with a lasting damage": func() error {
				d.reads.Store(1)
				_, err := l.RecordPlan(t.Context(), event.Planned{Stacks: []string{"web"}})
				return err
			},
		} {
			begun := time.Now()
			if err := refused(); err == nil {
				t.Errorf("%s: it is recorded", name)
			}
			if took := time.Since(begun); took != 0 {
				t.Errorf("%s: refused after %s", name, took)
			}
			must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: name}))
		}
	})
}

// TestACommitThatDidNotHappenIsRepeated: in a store that hosts share it is known not to have
// happened, so it can be.
func TestACommitThatDidNotHappenIsRepeated(t *testing.T) {
	blinded(t, true, func(t *testing.T, l *ledger.Ledger, d *dim) {
		d.commits.Store(3)
		must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("x"), On: true, Who: "a"}))
	})
}
