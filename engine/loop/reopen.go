package loop

import (
	"context"
	"sync/atomic"
	"time"
)

// The pauses before a broken ledger is reopened. A ledger that breaks again soon gets a longer one.
const (
	reopenFirst = time.Second
	reopenMost  = 30 * time.Second
)

// reopening is the state of a loop whose ledger, which all loops of Run share, is broken.
type reopening struct {
	flying *atomic.Int64 // running applies of all loops of Run
	wait   time.Duration // before the last attempt
	since  time.Time     // of the last ledger that was reopened
}

// reopened reopens a broken ledger beneath running actions: they go on under their claims, and record their ends in
// it. Everything else yields, because what the ledger lacks may change a plan. reopened returns false if ctx ended, or
// if no action of any loop runs: then the caller of Run opens everything again.
func (l *stackLoop) reopened(ctx context.Context, broken error) bool {
	l.yieldAll()
	if l.flying.Load() > 0 {
		l.o.Tell(Cycle{Stack: l.stack.Name, Why: "record", At: l.engine.Clock(), Err: broken})
	}
	// A ledger that stayed open for long starts with the shortest pause again.
	if time.Since(l.since) > reopenMost {
		l.wait = 0
	}
	for l.flying.Load() > 0 {
		l.does(mending)
		l.wait = min(max(2*l.wait, reopenFirst), reopenMost)
		timer := time.NewTimer(l.wait)
		for waits := true; waits; {
			select {
			case <-ctx.Done():
				timer.Stop()
				return false
			case w := <-l.ended:
				l.finish(w)
			case <-timer.C:
				waits = false
			}
		}
		if l.engine.Ledger().Reopen(ctx) == nil {
			l.since = time.Now()
			return true
		}
	}
	return l.engine.Ledger().Broken() == nil // another loop has reopened it
}
