package loop

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
)

// Lead is what the claim of the instance that leads a stack's loop begins with.
const Lead = "lead/"

// Stack is a source of wishes that a loop keeps.
type Stack struct {
	Name string // the loop is led under the claim Lead + Name
	// Load reads all wishes, anew each time.
	Load func(context.Context) ([]resource.Intent, error)
	// Mark is another string when the source may have changed. It is asked every second and
	// must be cheap. nil: it never changes by itself.
	Mark func() string
}

// RunOptions say how loops run. Zero fields are defaults.
type RunOptions struct {
	Interval time.Duration // between the beginnings of two cycles; 0: a minute
	Patience time.Duration // how long a cycle waits for slow scopes; 0: 30 s
	Poll     time.Duration // the pause before one that could not ask who leads asks again; 0: 1 s
	// Apply does what is planned. Without it a cycle only looks, plans and tells.
	Apply bool
	Plan  engine.PlanOptions
	// Rules reads what holds for every stack, anew for each cycle, instead of Plan.Rules. With an
	// error it returns the rules to hold to meanwhile, and the error is a concern. It is called
	// from many goroutines. nil: Plan.Rules hold.
	Rules func(context.Context) (resource.Rules, error)
	Do    engine.ApplyOptions
	// UnreachableAfter is after how many blind cycles in a row a scope is a concern; 0: 3.
	UnreachableAfter int
	Wakes            *Wakes      // nil: nobody wakes the loops
	Tell             func(Cycle) // hears of each cycle; called from many goroutines
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
	if o.Wakes == nil {
		o.Wakes = &Wakes{}
	}
	if o.Tell == nil {
		o.Tell = func(Cycle) {}
	}
	return o
}

// Cycle is one turn of a loop, as it ended.
type Cycle struct {
	Stack   string
	Why     string // "start", "interval", "changed", "woken"...
	Led     bool   // false: it helped the one that leads
	At      time.Time
	Took    time.Duration
	Planned *engine.Planned // nil if it came to none
	Result  *engine.Result  // nil if nothing was to be done, or only planned
	Err     error
	Alerts  []Alert // what only a human can settle
}

// Run keeps the stacks as wished until ctx ends: each in a loop of its own, one cycle at a
// time. Among the instances that run a stack one leads: it looks; the others help with what
// its looks call for, and one of them takes over when it dies. When ctx ends, what is in
// flight is let finish, and nothing more is begun (Do.Hard cuts that off too). The error is
// that of a record that cannot be written any more: open it anew and run again.
func Run(ctx context.Context, e *engine.Engine, stacks []Stack, o RunOptions) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wait sync.WaitGroup
	for i := range stacks {
		l := &loop{engine: e, stack: &stacks[i], o: o.orDefault(), unreachable: map[resource.Scope]int{}, helped: map[resource.Scope]time.Time{}}
		wait.Go(func() {
			defer stop() // the record is shared: what ends one ends all
			l.keep(ctx)
		})
	}
	wait.Wait()
	return e.Ledger().Broken()
}

// loop keeps one stack.
type loop struct {
	engine        *engine.Engine
	stack         *Stack
	o             RunOptions
	async         *asyncObserver
	wake          chan string
	mark          string
	unread        string                       // the last error of loading that was recorded
	unreachable   map[resource.Scope]int       // cycles in a row
	helped        map[resource.Scope]time.Time // the looks that were last helped with
	mismatchSince time.Time                    // since when it wants other things than the one that leads
}

// keep leads the stack whenever it can, and helps whoever leads it when it can't.
func (l *loop) keep(ctx context.Context) {
	var leave func()
	l.wake, leave = l.o.Wakes.join()
	defer leave()
	l.async = newAsyncObserver(ctx, l)
	defer l.async.close()
	for ctx.Err() == nil && l.engine.Ledger().Broken() == nil {
		l.engine.ReleaseDead(ctx)
		err := l.engine.Claims().Hold(ctx, Lead+l.stack.Name, func(ctx context.Context, _ engine.Claim) error { return l.lead(ctx) })
		var held *coordinator.ClaimedError
		switch {
		case ctx.Err() != nil || l.engine.Ledger().Broken() != nil:
			return
		case errors.As(err, &held):
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

// lead goes from cycle to cycle until the claim is lost, ctx ends or the record is broken.
func (l *loop) lead(ctx context.Context) error {
	t := scheduler{interval: l.o.Interval}
	for why := "start"; ; {
		begun := time.Now()
		c := l.cycle(ctx, why, true)
		if ctx.Err() != nil || l.engine.Ledger().Broken() != nil {
			return nil
		}
		pause := t.next(c.Err != nil, unfinished(c.Result), time.Since(begun), jitterSource())
		if why = l.pause(ctx, pause); why == "" {
			return nil
		}
	}
}

// standBy waits until nobody leads, or the one that leads has looked anew. An error says that
// it cannot be told.
func (l *loop) standBy(ctx context.Context) error {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	var wait sync.WaitGroup
	var errs [2]error
	for i, until := range []func() error{
		func() error { return l.engine.Claims().Await(ctx, Lead+l.stack.Name) },
		func() error { return l.awaitObservation(ctx) },
	} {
		wait.Go(func() {
			defer enough()
			errs[i] = until()
		})
	}
	wait.Wait()
	if errs[0] == nil || errs[1] == nil { // the other one was cut off
		return nil
	}
	return errors.Join(errs[:]...)
}

// whileLed ends the context of do when nobody leads any more: what is in flight is let finish,
// and then this instance can lead. Else a stack whose helpers have much to do would not be
// looked at until they had done it all.
func (l *loop) whileLed(ctx context.Context, do func(context.Context)) {
	ctx, enough := context.WithCancel(ctx)
	var wait sync.WaitGroup
	wait.Go(func() {
		for ctx.Err() == nil {
			if l.engine.Claims().Await(ctx, Lead+l.stack.Name) == nil {
				enough()
				return
			}
			select { // the store may answer again
			case <-ctx.Done():
			case <-time.After(l.o.Poll):
			}
		}
	})
	do(ctx)
	enough()
	wait.Wait()
}

// markEvery is how often the source is asked whether it changed.
const markEvery = time.Second

// pause waits for the next cycle and says what began it; "" if ctx ended.
func (l *loop) pause(ctx context.Context, d time.Duration) string {
	timer, obs := time.NewTimer(d), time.NewTicker(markEvery)
	defer timer.Stop()
	defer obs.Stop()
	for {
		select {
		case <-ctx.Done():
			return ""
		case why := <-l.wake:
			return why
		case <-timer.C:
			return "interval"
		case <-obs.C:
			if l.stack.Mark != nil && l.stack.Mark() != l.mark {
				return "changed"
			}
		}
	}
}

// Wakes begins the next cycle of all loops at once. The zero value is ready.
type Wakes struct {
	mu    sync.Mutex
	loops map[chan string]struct{}
}

// Wake begins a cycle in each loop now, or as soon as the one under way has ended.
func (w *Wakes) Wake(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.loops {
		select {
		case c <- why:
		default: // woken already
		}
	}
}

func (w *Wakes) join() (chan string, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.loops == nil {
		w.loops = map[chan string]struct{}{}
	}
	c := make(chan string, 1)
	w.loops[c] = struct{}{}
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.loops, c)
	}
}
