package apply

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// Control steers an apply from outside. One Control serves one apply; its methods may be called from any
// goroutine, also before the apply starts and after it has ended. The zero Control is ready to use.
//
// To yield is to leave the rest to a plan of a newer configuration: no further step starts, and steps that run
// go on to their end under their claims. Owed steps still start: a create for which this apply has
// started to delete the old resource, and everything that this create waits for. Otherwise a newer plan would
// leave a resource down that this apply took down.
type Control struct {
	// Ended, if set before the apply starts, is called when a step has ended, from the goroutine of the apply. It
	// must return soon.
	Ended func(ref resource.Ref)

	mu      sync.RWMutex // held for reading while a start is recorded, for writing to yield
	yielded bool
	owed    map[phaseOf]bool // that start although the apply yielded
	steps   map[phaseOf]*stepState
	order   []decider.Step
	plan    *plan.Planned
	end     context.CancelCauseFunc // of waits before a start

	notifies map[phaseOf]chan struct{} // closed when the start of a step is recorded

	starts sync.Mutex // guards the fields of the step states, and notifies
	clock  func() time.Time
}

// phaseOf is one phase of the decision on a resource.
type phaseOf struct {
	ref   resource.Ref
	phase decider.Phase
}

// stepState is the progress of a step.
type stepState struct {
	started time.Time // zero: its start is not recorded
	ended   bool
	waits   bool   // it only waits for a state of its resource
	endWait func() // ends the wait
}

// errYielded is the cause of the end of a wait for something that may no longer start.
var errYielded = errors.New("left to a newer configuration")

// Yield returns once no further step of the apply can start, but for those that are owed. It waits
// for starts that are being recorded, so that its caller may plan on the record afterwards.
// Repeated calls do nothing.
func (c *Control) Yield() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.yielded {
		return
	}
	c.yielded = true
	if c.plan == nil { // it has not started, and no step will
		return
	}
	// No start is being recorded under the write lock, so the steps that took something down are all known.
	c.owed = c.owes()
	c.end(errYielded)
}

// attach connects the control to the steps of a plan. The context that it returns ends with soft,
// and when the apply yields. It is called once, before the first step. A Control that has yielded
// already lets no step start.
func (c *Control) attach(
	soft context.Context, p *plan.Planned, steps []decider.Step, clock func() time.Time,
) (toStart context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plan, c.order, c.clock = p, steps, clock
	c.steps = make(map[phaseOf]*stepState, len(steps))
	for _, s := range steps {
		c.steps[c.keyOf(s)] = &stepState{}
	}
	toStart, c.end = context.WithCancelCause(soft)
	if c.yielded {
		c.end(errYielded)
	}
	return toStart
}

// firstPhase is the phase of a decision that is performed first.
func firstPhase(d *decider.Decision) decider.Phase {
	switch {
	case d.Action == decider.Delete, d.Action == decider.Replace && !d.Strategy.KeepsOld():
		return decider.DeletePhase
	}
	return decider.CreatePhase
}

// keyOf returns the resource and the phase of a step, which identify it in a plan.
func (c *Control) keyOf(s decider.Step) phaseOf {
	return phaseOf{c.plan.Plan.Decisions[s.Decision].Ref, s.Phase}
}

// owes returns the steps that start although the apply yields. A step that is owed may take down
// another resource, whose successor is then owed as well. The loop ends because each round adds a
// step or is the last one.
func (c *Control) owes() map[phaseOf]bool {
	c.starts.Lock()
	defer c.starts.Unlock()
	out := map[phaseOf]bool{}
	for before := -1; before < len(out); {
		before = len(out)
		c.addOwed(out)
	}
	return out
}

// addOwed adds the steps that put up what the started and the owed steps take down, and the steps that those wait for.
func (c *Control) addOwed(out map[phaseOf]bool) {
	var owe func(step int)
	owe = func(step int) {
		key := c.keyOf(c.order[step])
		if out[key] {
			return
		}
		out[key] = true
		for _, before := range c.order[step].After {
			owe(before)
		}
	}
	// A delete counts from the record of its start, since its call may have succeeded.
	takesDown := func(ref resource.Ref) bool {
		key := phaseOf{ref, decider.DeletePhase}
		state, is := c.steps[key]
		return is && (!state.started.IsZero() || out[key])
	}
	for i, s := range c.order {
		d := &c.plan.Plan.Decisions[s.Decision]
		if s.Phase != decider.CreatePhase {
			continue
		}
		// A destroy-first replace owes its own create. Any other create is owed if it takes a thing that a deleted
		// resource gave up.
		replaces := d.Action == decider.Replace && firstPhase(d) == decider.DeletePhase && takesDown(d.Ref)
		succeeds := slices.ContainsFunc(d.Takes, func(t comparator.Take) bool { return t.Leaves && takesDown(t.By) })
		if replaces || succeeds {
			owe(i)
		}
	}
}

// mayStart reports whether a step may start.
func (c *Control) mayStart(key phaseOf) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return !c.yielded || c.owed[key]
}

// isOwed reports whether a step starts although the apply yielded.
func (c *Control) isOwed(key phaseOf) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.owed[key]
}

// begin records the start of a step, unless the apply has yielded: a step whose start is recorded
// was started before Yield returned. If the record says that another instance has loaded a newer
// configuration, the apply yields here. The read lock is held during the record: Yield then waits
// for it, and no start is recorded after Yield has returned.
func (c *Control) begin(key phaseOf, record func(fenced bool) error) error {
	return c.gate(key, func(fenced bool) error {
		if err := record(fenced); err != nil {
			return err
		}
		c.starts.Lock()
		defer c.starts.Unlock()
		if s := c.steps[key]; s != nil && s.started.IsZero() {
			s.started = c.clock()
		}
		// The claim of the turn that was taken for this step is released now; see takeAndAct.
		if told := c.notifies[key]; told != nil {
			close(told)
			delete(c.notifies, key)
		}
		return nil
	})
}

// notify returns a channel that is closed when the start of a step is recorded. One caller at a
// time may wait for the same step.
func (c *Control) notify(key phaseOf) <-chan struct{} {
	c.starts.Lock()
	defer c.starts.Unlock()
	if c.notifies == nil {
		c.notifies = map[phaseOf]chan struct{}{}
	}
	c.notifies[key] = make(chan struct{})
	return c.notifies[key]
}

// gate calls do, which records something of a step or its start, unless the apply has yielded. Owed steps are not
// fenced. The second attempt succeeds only for an owed step, which runs without the fence.
func (c *Control) gate(key phaseOf, do func(fenced bool) error) error {
	try := func() error {
		c.mu.RLock()
		defer c.mu.RUnlock()
		if c.yielded && !c.owed[key] {
			return errYielded
		}
		return do(!c.owed[key])
	}
	// do may be called twice. A call that returns ErrOutdated has recorded nothing.
	err := try()
	if errors.Is(err, ledger.ErrOutdated) {
		// The read lock is free again here: Yield needs the write lock.
		c.Yield()
		err = try()
	}
	return err
}

// ended notes that a step has its outcome. It calls Ended without a lock, so that the callback may
// use the Control.
func (c *Control) ended(s decider.Step) {
	c.starts.Lock()
	c.steps[c.keyOf(s)].ended = true
	c.starts.Unlock()
	if c.Ended != nil {
		c.Ended(c.keyOf(s).ref)
	}
}

// Busy returns what the apply has not ended: decisions that it has started, and those that it will
// still begin. A plan must not decide about these resources: their record changes at any moment.
func (c *Control) Busy() []plan.Busy {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.starts.Lock()
	defer c.starts.Unlock()
	busy := map[int]*plan.Busy{}
	for _, s := range c.order {
		state := c.steps[c.keyOf(s)]
		// A step that is left to a newer plan keeps no resource busy.
		if state.ended || state.started.IsZero() && c.yielded && !c.owed[c.keyOf(s)] {
			continue
		}
		b := busy[s.Decision]
		if b == nil {
			d := &c.plan.Plan.Decisions[s.Decision]
			b = &plan.Busy{Decision: d}
			busy[s.Decision] = b
		}
		b.Waits = b.Waits || state.waits
		if !state.started.IsZero() && (b.Since.IsZero() || state.started.Before(b.Since)) {
			b.Since = state.started
		}
	}
	// A replace whose first phase has ended and whose second has not started is in progress as well.
	for _, s := range c.order {
		if b, state := busy[s.Decision], c.steps[c.keyOf(s)]; b != nil && b.Since.IsZero() && !state.started.IsZero() {
			b.Since = state.started
		}
	}
	out := make([]plan.Busy, 0, len(busy))
	for _, b := range busy {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(a, b plan.Busy) int { return a.Decision.Ref.Compare(b.Decision.Ref) })
	return out
}
