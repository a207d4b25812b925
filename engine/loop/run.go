package loop

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// Lead is the prefix of the claim of the instance that leads a stack's loop.
const Lead = "lead/"

// Stack is a stack that a loop reconciles.
type Stack struct {
	Name string // the leader holds the claim Lead + Name
	// Load reads the configuration; it is called in every cycle, unless an earlier call has not returned. An intent names
	// its unreadable parts (Unread, Parts), so that the other parts are reconciled and the last accepted configuration is
	// healed. An error ends the cycle. The context ends when the loop is stopped.
	Load func(context.Context) ([]resource.Intent, error)
	// Known is the configuration that was read before the loop started. It holds while the first call of Load takes long;
	// without it, the first cycle waits for Load.
	Known []resource.Intent
	// Mark returns a different string when the source may have changed. It is called every second and must
	// be cheap. If nil, only intervals and wakes start a cycle.
	Mark func() string
	// Engine is the stack's own, with the ledger and the claims of the others; nil means the engine of Run.
	Engine *engine.Engine
}

// RunOptions control loops. Zero fields are defaults.
type RunOptions struct {
	Interval time.Duration // between the starts of two cycles; 0 means a minute
	Patience time.Duration // how long a plan waits for slow scopes; 0: 30 s
	// Timeout bounds the observation and plan of a cycle, and each call of an action from its start. 0 means no
	// limit. An action whose call was canceled has an unknown result, which an observation finds.
	Timeout time.Duration
	// StopGrace is the time that running actions have to end when the loop is stopped. After it their calls are
	// canceled. 0 means no limit.
	StopGrace time.Duration
	Poll      time.Duration // the pause before the leader is asked for again after an error; 0: 1 s
	// Apply applies the plans. Without it, a cycle only observes, plans and reports.
	Apply bool
	Plan  engine.PlanOptions
	// Rules reads the rules for every stack in each cycle, instead of Plan.Rules. With an error
	// it returns the rules to use in the meantime, and the error is an alert. It is called from
	// many goroutines. nil: Plan.Rules.
	Rules func(context.Context) (rules.Rules, error)
	Do    engine.ApplyOptions
	// InventoryEvery is the number of cycles of which the first reads all kinds in full. The others read
	// only configured and recorded resources, and do not see changes of unmanaged ones. 0 means 10.
	InventoryEvery int
	// UnreachableAfter is the number of consecutive cycles after which an unreachable scope is
	// an alert; 0: 3.
	UnreachableAfter int
	Alarms           func() []provider.Alarm // the alarms of the last day; nil means none
	// Orders returns the orders for a stack that came from outside. Nil means that there are none.
	Orders func(stack string) provider.Orders
	Watch  *Watch      // learns what the loops do
	Wakes  *Wakes      // nil: nothing wakes the loops
	Tell   func(Cycle) // is called after each cycle and the apply that it started, from many goroutines
}

func (o RunOptions) orDefault() RunOptions {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	set(&o.Interval, time.Minute)
	set(&o.Patience, 30*time.Second)
	set(&o.Poll, time.Second)
	if o.UnreachableAfter <= 0 {
		o.UnreachableAfter = 3
	}
	if o.InventoryEvery <= 0 {
		o.InventoryEvery = 10
	}
	if o.Wakes == nil {
		o.Wakes = &Wakes{}
	}
	if o.Tell == nil {
		o.Tell = func(Cycle) {}
	}
	return o
}

// Cycle is the result of one cycle.
type Cycle struct {
	Stack   string
	Why     string // "start", "interval", "changed", "woken"...
	Led     bool   // false means that it helped the leader
	At      time.Time
	Took    time.Duration
	Planned *engine.Planned // nil if it failed before the plan
	Result  *engine.Result  // nil if nothing was applied
	Err     error
	Alerts  []Alert
	Order   uint64 // the number of the newest recorded orders; 0 means none
}

// Run reconciles the stacks until ctx ends, each in its own loop, one cycle at a time. An apply does not
// delay the next cycle; it yields when another version of its configuration is loaded. Of the
// instances that run a stack one leads and observes; the others help to apply its observations,
// and one of them takes over if it stops. When ctx ends, running actions finish and no others
// start; when Do.Hard ends, they are canceled too. A ledger that can no longer be written is reopened
// beneath running actions. Without any, Run returns the error: open the ledger again and call Run again.
func Run(ctx context.Context, e *engine.Engine, stacks []Stack, o RunOptions) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wait sync.WaitGroup
	var flying atomic.Int64
	for i := range stacks {
		l := &stackLoop{
			engine: cmp.Or(stacks[i].Engine, e), stack: &stacks[i], o: o.orDefault(), unreachable: map[unreadable]int{},
			helped: map[resource.Scope]time.Time{}, usual: usualTimes{}, reopening: reopening{flying: &flying},
		}
		wait.Go(func() {
			defer stop() // the ledger is shared: an error of one loop ends all
			l.run(ctx)
		})
	}
	wait.Wait()
	return e.Ledger().Broken()
}

// stackLoop reconciles one stack.
type stackLoop struct {
	engine        *engine.Engine
	stack         *Stack
	o             RunOptions
	async         *asyncObserver
	waker         *waker
	source        sourceReader
	mark          string                       // of the source when the last read of it started
	started       time.Time                    // the last cycle that it led
	unread        string                       // the last recorded error of Load
	unreachable   map[unreadable]int           // consecutive cycles
	helped        map[resource.Scope]time.Time // the last observations that it helped with
	blocked       string                       // the hash of the last plan, if all of it was blocked
	order         uint64                       // the number of the orders that were recorded last
	led           int                          // cycles that it led so far
	usual         usualTimes
	mismatchSince time.Time // since when its configuration differs from the leader's

	claim   engine.Claim    // of the lead
	life    context.Context // of the applies: it ends when the loop is stopped
	hard    context.Context // when it ends, their calls are canceled
	works   []*work         // applies that have not been reported
	ended   chan *work
	flights sync.WaitGroup

	awaiting sync.Mutex
	awaited  map[resource.Ref]bool // what decisions of the last plan wait for

	reopening

	endAwaits context.CancelFunc // of the waits for actions of other instances, or nil
	awaits    sync.WaitGroup
}

// run leads the stack if it can, and otherwise helps the leader.
func (l *stackLoop) run(ctx context.Context) {
	var leave func()
	l.waker, leave = l.o.Wakes.join()
	defer leave()
	l.async = newAsyncObserver(ctx, l)
	defer l.async.close()
	l.source = sourceReader{
		load: l.stack.Load, latest: l.stack.Known, led: func(ctx context.Context, in *resource.Intent) (string, error) {
			return l.engine.Ledger().LedVersion(ctx, in.Stack)
		}, begins: func() func() {
			if l.stack.Mark != nil {
				l.mark = l.stack.Mark()
			}
			if l.o.Watch == nil {
				return func() {}
			}
			return l.o.Watch.read(l.stack.Name, l.stuckAfter())
		},
	}
	hard := l.o.Do.Hard
	if hard == nil {
		hard = context.WithoutCancel(ctx)
	}
	hard, cut := context.WithCancelCause(hard)
	l.life, l.hard, l.ended = ctx, hard, make(chan *work, endedRoom)
	defer l.drain(cut)
	defer l.forgetOthers()
	if l.o.Watch != nil {
		defer l.o.Watch.leave(l.stack.Name)
	}
	for ctx.Err() == nil {
		if broken := l.engine.Ledger().Broken(); broken != nil && !l.reopened(ctx, broken) {
			return
		}
		l.collect()
		l.does(leading)
		l.engine.ReleaseDead(ctx)
		err := l.engine.Claims().Hold(ctx, Lead+l.stack.Name, func(ctx context.Context, c engine.Claim) error {
			l.claim = c
			return l.lead(ctx)
		})
		var claimed *coordinator.ClaimedError
		switch {
		// The next round ends the loop, or reopens the ledger.
		case ctx.Err() != nil || l.engine.Ledger().Broken() != nil:
			continue
		case errors.As(err, &claimed):
			if l.help(ctx) && (l.engine.Ledger().Broken() != nil || l.standBy(ctx) == nil) {
				continue
			}
		case err != nil:
			l.o.Tell(Cycle{Stack: l.stack.Name, Why: "lead", At: l.engine.Clock(), Err: err})
		}
		select {
		case <-ctx.Done():
		case <-time.After(l.o.Poll):
		}
	}
}

// lead runs cycles until the claim is lost, ctx ends or the ledger is broken. A cycle is due by its reasons alone:
// an apply that an earlier cycle started delays none. When the claim is lost, the applies yield, because the next
// leader may load another configuration.
func (l *stackLoop) lead(ctx context.Context) error {
	defer l.yieldAll()
	t := scheduler{interval: l.o.Interval}
	for why := "start"; ; {
		// The interval counts from the start of one cycle to the start of the next one.
		l.started = time.Now()
		c, began := l.cycle(ctx, why, true)
		if ctx.Err() != nil || l.engine.Ledger().Broken() != nil {
			return nil
		}
		var pause time.Duration
		if began == nil {
			pause = t.next(c.Err != nil, false, time.Since(l.started), jitterSource())
		} else {
			pause = t.regular(time.Since(l.started), jitterSource())
		}
		if why = l.pause(ctx, &t, pause, began); why == "" {
			return nil
		}
	}
}

// does notes what the loop does from now on.
func (l *stackLoop) does(doing string) {
	if l.o.Watch != nil {
		l.o.Watch.enter(l.stack.Name, doing, l.stuckAfter())
	}
}

// stuckAfter returns the time after which a part of the cycle counts as stuck: the deadlines of all its calls have
// passed by then.
func (l *stackLoop) stuckAfter() time.Duration { return stuckAfter + 2*l.o.Patience + l.o.Timeout }

// standBy waits until no instance leads, or the leader has a new observation. It returns an error
// if neither can be read.
func (l *stackLoop) standBy(ctx context.Context) error {
	l.does("")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	var errs [2]error
	for i, until := range []func() error{
		func() error { return l.engine.Claims().Await(ctx, Lead+l.stack.Name) },
		func() error { // an observation that this instance has not helped with, if it applies
			if !l.o.Apply {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			return l.engine.Ledger().AwaitScans(ctx, l.hasNewScans)
		},
	} {
		wait.Go(func() {
			defer cancel()
			errs[i] = until()
		})
	}
	l.reportUntil(ctx)
	wait.Wait()
	// Either the lead is free, or the leader has a new observation.
	if errs[0] == nil || errs[1] == nil { // the other was canceled
		return nil
	}
	return errors.Join(errs[:]...)
}

// whileLed cancels the context of do when no instance leads any more, so that this instance can lead.
func (l *stackLoop) whileLed(ctx context.Context, do func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	wait.Go(func() {
		for ctx.Err() == nil {
			if l.engine.Claims().Await(ctx, Lead+l.stack.Name) == nil {
				cancel()
				return
			}
			select { // the store may recover
			case <-ctx.Done():
			case <-time.After(l.o.Poll):
			}
		}
	})
	do(ctx)
	cancel()
	wait.Wait()
}

// wakesEvery is the least time between cycles that wakes start. Wakes that come meanwhile are taken together.
const wakesEvery = time.Second

// gather waits until a second after the start of the last cycle, and returns the reason of the next cycle:
// the reason of the first wake, or of a later wake that reads more. It returns "" if ctx ended.
func (l *stackLoop) gather(ctx context.Context, why string) string {
	for wait := time.After(wakesEvery - time.Since(l.started)); ; {
		select {
		case <-ctx.Done():
			return ""
		case again := <-l.waker.wake:
			if why == reportedWake || why == endedWake {
				why = again
			}
		case <-wait:
			return why
		}
	}
}

// markEvery is the time between calls of Mark.
const markEvery = time.Second

// pause waits for the next cycle and returns its reason; "" if ctx ended.
func (l *stackLoop) pause(ctx context.Context, t *scheduler, d time.Duration, began *work) string {
	timer, ticker := time.NewTimer(d), time.NewTicker(markEvery)
	defer timer.Stop()
	defer ticker.Stop()
	for {
		l.does(pausing)
		select {
		case <-ctx.Done():
			return ""
		case why := <-l.waker.wake:
			return l.gather(ctx, why)
		case <-timer.C:
			return "interval"
		case <-l.source.outlasting():
			return "source read"
		case w := <-l.ended:
			l.finish(w)
			switch {
			case l.engine.Ledger().Broken() != nil:
				return ""
			// The end of the apply that this pause follows decides when the next cycle starts.
			case w == began:
				timer.Reset(t.next(w.err != nil, unfinished(w.result), time.Since(l.started), jitterSource()))
			// An apply of an earlier cycle left something that another cycle can soon finish.
			case unfinished(w.result):
				timer.Reset(t.interval / pollInterval)
			}
		case <-ticker.C:
			if l.stack.Mark != nil && l.stack.Mark() != l.mark {
				return "changed"
			}
		}
	}
}
