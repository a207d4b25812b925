package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/unread"
)

// cycle loads, observes and plans, and begins to apply the plan if RunOptions.Apply is set. It reports the cycle,
// unless it started an apply, which it returns: the cycle is reported when that ends.
func (l *stackLoop) cycle(ctx context.Context, why string, leads bool) (Cycle, *work) {
	c := Cycle{Stack: l.stack.Name, Why: why, Led: leads, At: l.engine.Clock()}
	var began *work
	defer l.does(pausing)
	intents, err := l.source.newest(ctx, l.life, leads)
	l.noteUnread(ctx, intents, err)
	if err != nil {
		c.Alerts = append(c.Alerts, Alert{Type: SourceUnread, Text: err.Error()})
	} else {
		if leads {
			err = l.recordLed(ctx, intents)
		}
		l.does(planning)
		// The applies of other versions yield even if the record of the version failed: no further step of theirs may
		// start.
		if l.yieldTo(intents); err == nil {
			began, err = l.bounded(ctx, &c, intents)
		}
	}
	c.Err, c.Took = err, max(l.engine.Clock().Sub(c.At), 0) // a clock may have been set back
	if began != nil {
		// The apply reports the cycle at its end, with the result.
		began.cycle = c
	} else if ctx.Err() == nil {
		l.does(reporting)
		l.o.Tell(c)
	}
	return c, began
}

// ErrTimeout is the cause that stops a cycle whose observation and plan take longer than RunOptions.Timeout.
var ErrTimeout = errors.New("the cycle took longer than its timeout: nothing was started")

// noteUnread records the parts of the source that could not be read: once, not in each cycle.
func (l *stackLoop) noteUnread(ctx context.Context, intents []resource.Intent, err error) {
	for i := range intents {
		// An unreadable part is recorded like an unreadable source: the other parts go on.
		for _, p := range unread.All(&intents[i]) {
			err = errors.Join(err, fmt.Errorf("%s: %s", unread.Title(p, &intents[i]), p.Why))
		}
	}
	if err == nil {
		l.unread = ""
	} else if text := err.Error(); text != l.unread {
		l.unread = text
		l.engine.LoadFailed(ctx, l.stack.Name, err)
	}
}

// bounded reconciles, with an observation and a plan within RunOptions.Timeout. An apply that was started goes on after
// the timeout, and each of its calls has a limit of its own.
func (l *stackLoop) bounded(ctx context.Context, c *Cycle, intents []resource.Intent) (*work, error) {
	if l.o.Timeout <= 0 {
		return l.reconcile(ctx, c, intents)
	}
	ctx, end := context.WithTimeoutCause(ctx, l.o.Timeout, ErrTimeout)
	defer end()
	began, err := l.reconcile(ctx, c, intents)
	if err != nil && errors.Is(context.Cause(ctx), ErrTimeout) {
		return began, ErrTimeout
	}
	return began, err
}

// destroysByItself reports that the rules of every stack let a loop delete and replace.
func destroysByItself(intents []resource.Intent) bool {
	return len(intents) > 0 &&
		!slices.ContainsFunc(intents, func(in resource.Intent) bool { return !in.Rules.DestroyAuto })
}

// reconcile plans, and begins to apply if it should.
func (l *stackLoop) reconcile(ctx context.Context, c *Cycle, intents []resource.Intent) (_ *work, err error) {
	if !c.Led {
		if agree, err := l.agrees(ctx, c, intents); !agree || err != nil {
			return nil, err
		}
	}
	if err := l.obey(ctx, c); err != nil {
		return nil, err
	}
	o := l.o.Plan
	if o.SkipDestructive && destroysByItself(intents) {
		o.SkipDestructive = false
	}
	if l.o.Rules != nil {
		if o.Rules, err = l.o.Rules(ctx); err != nil {
			c.Alerts = append(c.Alerts, Alert{Type: PolicyUnread, Text: err.Error()})
		}
	}
	o.Observe = l.async
	l.async.assisting = !c.Led
	if o.Mode = event.ForPlan; l.o.Apply {
		o.Mode = event.ForApply
	}
	if o.BackOff == nil {
		o.BackOff = &decider.BackOff{}
	}
	switch {
	case c.Why == reportedWake || c.Why == endedWake: // only what reported or has an open action is read again
		o.MaxAge = l.o.Interval
	case c.Led:
		o.AllKinds = l.led%l.o.InventoryEvery == 0
		l.led++
	}
	if !c.Led { // the leader has just observed
		o.MaxAge = 2*l.o.Interval + clockSkew
	}
	o.Busy = l.busy()
	if c.Planned, err = l.engine.Plan(ctx, intents, o); err != nil {
		return nil, err
	}
	l.endWaits(c.Planned)
	l.await(c.Planned)
	if c.Led {
		l.awaitOthers(c.Planned)
	}
	l.waker.reads(c.Planned.Observations)
	for _, k := range c.Planned.Observations { // its own observations need no help
		if k.Err == nil && !k.Recorded {
			l.helped[k.Scope] = k.At
		}
	}
	c.Alerts = append(c.Alerts, l.alerts(c.Planned)...)
	slow, err := l.usual.slow(ctx, l.engine, c.Planned)
	if err != nil {
		return nil, err
	}
	c.Alerts = append(c.Alerts, slow...)
	if err := l.engine.Ledger().Cosign(ctx, false); err != nil {
		return nil, fmt.Errorf("record how far the logs of other instances reached: %w", err)
	}
	for _, recorded := range []func(context.Context) ([]Alert, error){l.pins, l.recovery, l.contradictions, l.alarms} {
		found, err := recorded(ctx)
		if err != nil {
			return nil, err
		}
		c.Alerts = append(c.Alerts, found...)
	}
	if !l.o.Apply || !executes(c.Planned) || l.blockedAsBefore(c.Planned) {
		return nil, nil
	}
	fence, err := l.fenceOf(ctx, intents)
	if err != nil {
		return nil, err
	}
	return l.begin(c, intents, fence), nil
}

// obey records the orders for the stack. Orders that are older than the recorded ones are an alert.
func (l *stackLoop) obey(ctx context.Context, c *Cycle) error {
	if l.o.Orders == nil || !c.Led {
		return nil
	}
	if o := l.o.Orders(l.stack.Name); o.Number != l.order {
		err := l.engine.Obey(ctx, l.stack.Name, o)
		if errors.Is(err, engine.ErrOlderOrders) {
			c.Alerts = append(c.Alerts, Alert{Type: Alarmed, About: l.stack.Name, Text: err.Error()})
			return nil
		}
		if err != nil {
			return err
		}
		l.order = o.Number
		l.yieldAll() // what is running was planned without these orders
	}
	c.Order = l.order
	return nil
}

// blockedAsBefore reports whether all of a plan is blocked, and was so in the cycle before, which
// recorded that.
func (l *stackLoop) blockedAsBefore(p *engine.Planned) bool {
	before := l.blocked
	l.blocked = p.Hash
	// A plan that acts or records outputs is carried out in any case.
	acts := func(d decider.Decision) bool { return d.Action.Executes() }
	if len(p.Plan.Outputs) > 0 || slices.ContainsFunc(p.Plan.Decisions, acts) {
		l.blocked = ""
	}
	return l.blocked != "" && l.blocked == before
}

// clockSkew is the difference that the clocks of two hosts may have before an instance that helps observes
// for itself. That costs calls, and no decision is wrong.
const clockSkew = time.Minute

// help applies the leader's newest observation in parallel with it: claims make sure that each
// action is done once. It reports whether that observation could be read.
func (l *stackLoop) help(ctx context.Context) bool {
	if !l.o.Apply {
		return true
	}
	scans, err := l.engine.Ledger().Scans(ctx, 0)
	if err != nil {
		l.o.Tell(Cycle{Stack: l.stack.Name, Why: "help", At: l.engine.Clock(), Err: err})
		return false
	}
	if l.hasNewScans(scans) {
		for _, s := range scans {
			// A cycle that fails is repeated with the next observation, and not with this one.
			l.helped[s.Scope] = s.Confirmed
		}
		l.whileLed(ctx, func(ctx context.Context) { _, _ = l.cycle(ctx, "help", false) })
	}
	return true
}

// hasNewScans reports whether a scope has an observation that this instance has not helped with.
// Times identify observations and do not order them: each is by the clock of its own host.
func (l *stackLoop) hasNewScans(scans []ledger.Scan) bool {
	for _, s := range scans {
		if s.Complete && !s.Confirmed.Equal(l.helped[s.Scope]) {
			return true
		}
	}
	return false
}

// agrees reports whether this instance has loaded the same configuration as the leader. If not,
// only the leader applies, because the two would revert each other's changes. It is an alert only
// if it lasts: a change of the source reaches two hosts at different times.
func (l *stackLoop) agrees(ctx context.Context, c *Cycle, intents []resource.Intent) (bool, error) {
	for _, in := range intents {
		if in.Unread != "" {
			continue // the record that all share says what it was
		}
		version, err := l.engine.Ledger().LedVersion(ctx, in.Stack)
		if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return false, err
		}
		if err == nil && version == in.Version {
			continue
		}
		l.yieldAll() // the leader has loaded another version than they apply, or will
		if l.mismatchSince.IsZero() {
			l.mismatchSince = time.Now()
		} else if time.Since(l.mismatchSince) >= l.o.Interval/2 {
			c.Alerts = append(c.Alerts, Alert{Type: ConfigurationMismatch, Text: fmt.Sprintf(
				"the leader of stack %s has read another version of the source than this instance, which stands by", in.Stack)})
		}
		return false, nil
	}
	l.mismatchSince = time.Time{}
	return true, nil
}
