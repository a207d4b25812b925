package loop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// work is an apply that a cycle started. It does not delay later cycles.
type work struct {
	cycle    Cycle             // that started it, told when it ends
	versions map[string]string // of the configurations that it applies, by stack
	control  *engine.ApplyControl
	result   *engine.Result
	err      error
}

// endedRoom is the number of applies that may end before the loop notices.
const endedRoom = 64

// begin starts to apply a plan. The apply outlives its cycle and the claim of the lead: what it has started goes on
// under the claims of the resources.
func (l *stackLoop) begin(c *Cycle, intents []resource.Intent, fence map[string]string) *work {
	w := &work{versions: versionsOf(intents), control: &engine.ApplyControl{Ended: l.stepEnded}}
	do := l.o.Do
	do.Hard, do.Control, do.Limit, do.Versions = l.hard, w.control, l.o.Timeout, fence
	do.Approved = &event.Approved{
		Plan: c.Planned.ID, Hash: c.Planned.Hash, Who: l.engine.Ledger().User(), How: "ovi run --auto-approve",
	}
	planned := c.Planned
	l.works = append(l.works, w)
	l.flying.Add(1)
	l.flights.Go(func() {
		w.result, w.err = l.engine.Apply(l.life, planned, do)
		l.flying.Add(-1)
		l.ended <- w
	})
	return w
}

// versionsOf returns the versions of configurations by stack.
func versionsOf(intents []resource.Intent) map[string]string {
	out := map[string]string{}
	for _, in := range intents {
		out[in.Stack] = in.Version
	}
	return out
}

// recordLed records, under the claim of the lead, the versions that this loop has loaded. Once that is recorded, no
// instance starts an action of another version.
func (l *stackLoop) recordLed(ctx context.Context, intents []resource.Intent) error {
	records := l.engine.Ledger()
	for _, in := range intents {
		if in.Unread != "" {
			continue // no newer configuration is known
		}
		was, err := records.LedVersion(ctx, in.Stack)
		// An unchanged version is recorded once, and not in each cycle.
		if err == nil && was == in.Version {
			continue
		}
		if err == nil || errors.Is(err, ledger.ErrNotFound) {
			// An instance that has lost the lead cannot record a version any more.
			_, err = records.RecordUnder(ctx, coordinator.Guard(l.claim.Ref, l.claim.Token),
				event.Led{Stack: in.Stack, Version: in.Version})
		}
		if err != nil {
			return fmt.Errorf("record the loaded version of stack %s: %w", in.Stack, err)
		}
	}
	return nil
}

// fenceOf returns the versions that an apply of the configurations belongs to, by stack. For a configuration that
// could not be read, this is the version that a loop has loaded last.
func (l *stackLoop) fenceOf(ctx context.Context, intents []resource.Intent) (map[string]string, error) {
	out := map[string]string{}
	for _, in := range intents {
		out[in.Stack] = in.Version
		if in.Unread == "" {
			continue
		}
		version, err := l.engine.Ledger().LedVersion(ctx, in.Stack)
		switch {
		case errors.Is(err, ledger.ErrNotFound):
			// No loop has loaded a version, so there is none that could be outdated.
			delete(out, in.Stack)
		case err != nil:
			return nil, fmt.Errorf("read the loaded version of stack %s: %w", in.Stack, err)
		default:
			out[in.Stack] = version
		}
	}
	return out, nil
}

// yieldTo lets the applies of other configurations yield. After it, no action of another configuration starts in
// this process, but for those that are owed.
func (l *stackLoop) yieldTo(intents []resource.Intent) {
	if slices.ContainsFunc(intents, func(in resource.Intent) bool { return in.Unread != "" }) {
		return // no newer configuration is known
	}
	now := versionsOf(intents)
	for _, w := range l.works {
		if !maps.Equal(w.versions, now) {
			w.control.Yield()
		}
	}
}

// yieldAll lets all applies yield.
func (l *stackLoop) yieldAll() {
	for _, w := range l.works {
		w.control.Yield()
	}
}

// busy returns what the running applies have not ended.
func (l *stackLoop) busy() (out []engine.Busy) {
	for _, w := range l.works {
		out = append(out, w.control.Busy()...)
	}
	return out
}

// finish reports an apply that has ended, with the cycle that started it. The time of the cycle includes the apply.
func (l *stackLoop) finish(w *work) {
	l.works = slices.DeleteFunc(l.works, func(x *work) bool { return x == w })
	c := w.cycle
	c.Result, c.Took = w.result, max(l.engine.Clock().Sub(c.At), 0)
	c.Err = errors.Join(c.Err, w.err)
	l.o.Tell(c)
}

// collect reports the applies that have ended.
func (l *stackLoop) collect() {
	for {
		select {
		case w := <-l.ended:
			l.finish(w)
		default:
			return
		}
	}
}

// reportUntil reports applies as they end, until ctx ends.
func (l *stackLoop) reportUntil(ctx context.Context) {
	for {
		select {
		case w := <-l.ended:
			l.finish(w)
		case <-ctx.Done():
			return
		}
	}
}

// drain waits until all applies have ended. After RunOptions.StopGrace it cancels their calls: the results are unknown,
// and the next start observes them.
func (l *stackLoop) drain(cut context.CancelCauseFunc) {
	l.yieldAll()
	if l.o.StopGrace > 0 {
		defer time.AfterFunc(l.o.StopGrace, func() { cut(ErrStopGrace) }).Stop()
	}
	for len(l.works) > 0 {
		l.finish(<-l.ended)
	}
	l.flights.Wait()
}

// ErrStopGrace is the cause that cancels the calls of a loop that was stopped.
var ErrStopGrace = fmt.Errorf("the loop was stopped, and the time for running actions to end is over: %w",
	context.Canceled)

// executes reports whether a plan has something to do or to record now. It ignores decisions that are left to
// running applies.
func executes(p *engine.Planned) bool {
	busy := func(b decider.Blocker) bool { return b.Policy == engine.BusyPolicy }
	return len(p.Plan.Outputs) > 0 || slices.ContainsFunc(p.Plan.Decisions, func(d decider.Decision) bool {
		return d.Action.Executes() || d.Proposed.Executes() && !slices.ContainsFunc(d.Blockers, busy)
	})
}

// stepEnded wakes the loop if a decision of the last plan waits for a resource whose action has ended. It is called
// from the goroutine of an apply.
func (l *stackLoop) stepEnded(ref resource.Ref) {
	l.awaiting.Lock()
	awaited := l.awaited[ref]
	l.awaiting.Unlock()
	if awaited {
		l.waker.start(endedWake)
	}
}

// endWaits ends the actions that only wait and whose resources have another configuration now.
func (l *stackLoop) endWaits(p *engine.Planned) {
	for ref := range p.Changed {
		for _, w := range l.works {
			w.control.EndWait(ref)
		}
	}
}

// mostAwaited bounds the claims of other instances that a loop waits for at the same time. The end of any other action
// is noticed after the interval.
const mostAwaited = 100

// awaitOthers wakes the loop when an action of another instance has ended for which a decision of the last plan
// waits: its claim is free then. It replaces the waits for the plan before.
func (l *stackLoop) awaitOthers(p *engine.Planned) {
	// The plan before may wait for claims that no decision needs any more.
	if l.endAwaits != nil {
		l.endAwaits()
	}
	ctx, cancel := context.WithCancel(l.life)
	l.endAwaits = cancel
	for i, ref := range slices.SortedFunc(maps.Keys(p.AwaitsOthers), resource.Ref.Compare) {
		// The order of the refs is fixed, so that the same waits are kept from plan to plan.
		if i == mostAwaited {
			return
		}
		l.awaits.Go(func() {
			if l.engine.Claims().Await(ctx, ref.String()) == nil {
				l.waker.start(endedWake)
			}
		})
	}
}

// forgetOthers ends the waits for actions of other instances, and returns when they have ended.
func (l *stackLoop) forgetOthers() {
	if l.endAwaits != nil {
		l.endAwaits()
	}
	l.awaits.Wait()
}

// await notes the resources that a plan waits for. If one has ended meanwhile, the loop wakes at once.
func (l *stackLoop) await(p *engine.Planned) {
	l.awaiting.Lock()
	l.awaited = p.Awaits
	l.awaiting.Unlock()
	if len(p.Awaits) == 0 {
		return
	}
	still := map[resource.Ref]bool{}
	// A step may have ended after the plan was made and before it was noted here. Without this check, its end would be
	// noticed after the interval.
	for _, b := range l.busy() {
		still[b.Decision.Ref] = true
	}
	for ref := range p.Awaits {
		if !still[ref] {
			l.waker.start(endedWake)
			return
		}
	}
}
