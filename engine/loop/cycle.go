package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// cycle reads, looks, plans and, if so told, applies, and tells of it.
func (l *loop) cycle(ctx context.Context, why string, leads bool) Cycle {
	c := Cycle{Stack: l.stack.Name, Why: why, Led: leads, At: l.engine.Clock()}
	if l.stack.Mark != nil {
		l.mark = l.stack.Mark()
	}
	intents, err := l.stack.Load(ctx)
	if err == nil {
		l.unread = ""
		err = l.turn(ctx, &c, intents)
	} else {
		c.Alerts = append(c.Alerts, Alert{Type: SourceUnread, Text: err.Error()})
		if text := err.Error(); text != l.unread { // once, not in each cycle
			l.unread = text
			l.engine.LoadFailed(ctx, l.stack.Name, err)
		}
	}
	c.Err, c.Took = err, l.engine.Clock().Sub(c.At)
	if ctx.Err() == nil || c.Result != nil {
		l.o.Tell(c)
	}
	return c
}

func (l *loop) turn(ctx context.Context, c *Cycle, intents []resource.Intent) (err error) {
	if !c.Led {
		if agree, err := l.agrees(ctx, c, intents); !agree || err != nil {
			return err
		}
	}
	o := l.o.Plan
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
	if !c.Led { // the one that leads has just looked
		o.MaxAge = 2*l.o.Interval + clockRoom
	}
	if c.Planned, err = l.engine.Plan(ctx, intents, o); err != nil {
		return err
	}
	for _, k := range c.Planned.Observations { // its own need no help
		if k.Err == nil && !k.Recorded {
			l.helped[k.Scope] = k.At
		}
	}
	c.Alerts = append(c.Alerts, l.alerts(c.Planned)...)
	if !l.o.Apply || c.Planned.Plan.Empty() {
		return nil
	}
	do := l.o.Do
	do.Approved = &event.Approved{Plan: c.Planned.ID, Hash: c.Planned.Hash, Who: l.engine.Ledger().User(), How: "ovi run --auto-approve"}
	c.Result, err = l.engine.Apply(ctx, c.Planned, do)
	return err
}

// clockRoom is how far apart the clocks of two hosts may be before one that helps looks
// itself. It looks too often then; nothing is decided wrongly.
const clockRoom = time.Minute

// help does what the leader's newest look calls for, side by side with it: the claims see to
// it that each thing is done once. It says whether that look could be read.
func (l *loop) help(ctx context.Context) bool {
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
			l.helped[s.Scope] = s.Confirmed
		}
		l.whileLed(ctx, func(ctx context.Context) { l.cycle(ctx, "help", false) })
	}
	return true
}

// awaitObservation waits for a look that this instance has not helped with, if it helps at all.
func (l *loop) awaitObservation(ctx context.Context) error {
	if !l.o.Apply {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return l.engine.Ledger().AwaitScans(ctx, l.hasNewScans)
}

// hasNewScans says that a scope was seen that this instance has not helped with. Looks are told apart
// by their times and not ordered by them: each is by the clock of the host that looked.
func (l *loop) hasNewScans(scans []ledger.Scan) bool {
	for _, s := range scans {
		if s.Complete && !s.Confirmed.Equal(l.helped[s.Scope]) {
			return true
		}
	}
	return false
}

// agrees says that this instance wants what the one that leads has read. Two that want
// different things would undo each other's work for ever: the one that leads has its way. It is
// a concern when it lasts: a change of the source reaches two hosts at two moments.
func (l *loop) agrees(ctx context.Context, c *Cycle, intents []resource.Intent) (bool, error) {
	for _, in := range intents {
		version, err := l.engine.Ledger().LoadedVersion(ctx, in.Stack)
		if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return false, err
		}
		if err == nil && version == in.Version {
			continue
		}
		if l.mismatchSince.IsZero() {
			l.mismatchSince = time.Now()
		} else if time.Since(l.mismatchSince) >= l.o.Interval/2 {
			c.Alerts = append(c.Alerts, Alert{Type: ConfigurationMismatch, Text: fmt.Sprintf(
				"the instance that leads stack %s has read another version of the source than this one: this one stands by", in.Stack)})
		}
		return false, nil
	}
	l.mismatchSince = time.Time{}
	return true, nil
}
