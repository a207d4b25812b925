package apply

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/decider"
)

// slowCheck is the time after which a check no longer counts against the parallelism: a check that hangs delays no
// other check for longer.
const slowCheck = time.Second

// places limits the checks that run at a time. After slowCheck a check has no place any more.
type places chan struct{}

func newPlaces(n int) places { return make(places, n) }

// enter waits for a place or the end of ctx. The returned function leaves it.
func (p places) enter(ctx context.Context) (leave func()) {
	select {
	case p <- struct{}{}:
	case <-ctx.Done():
		// The check runs without a place. It ends soon, because its context has ended.
		return func() {}
	}
	// The goroutine frees the place once: at the end of the check, or after slowCheck.
	ended := make(chan struct{})
	go func() {
		late := time.NewTimer(slowCheck)
		defer late.Stop()
		select {
		case <-late.C:
		case <-ended:
		}
		<-p
	}()
	return func() { close(ended) }
}

// firstChecks asks the providers to check the creates of the kinds that say CheckFirst, and the creates that something
// makes room for. No check writes. A check can take long, for example if a registry does not answer. Meanwhile only the
// steps wait that its answer matters to:
//
//   - the create itself, and what waits for it;
//   - the deletes that make room for one of these;
//   - a create that so far only such steps need. If they are refused, it is not needed.
//
// Only the goroutine of the walk uses its fields.
type firstChecks struct {
	plan    decider.Plan
	steps   []decider.Step
	needers [][]int // the steps that wait for each, other than for their turn
	answers chan answer
	asked   map[int]bool // decisions whose check has not ended
	unsure  []bool       // the steps that wait for an answer; nil if no check runs
	parked  []int        // the steps that would be ready otherwise
	quit    func()       // cancels the checks, and returns when they have ended
}

// answer is the result of a check; nil means that the create is not refused.
type answer struct {
	of      int // the decision
	refused *Outcome
}

// start starts the checks of decisions, up to parallelism at a time. They end with ctx.
func (c *firstChecks) start(
	ctx context.Context, decisions []int, parallelism int, check func(ctx context.Context, decision int) *Outcome,
) {
	// The channel has room for every answer, so that no check blocks once the walk takes no more of them.
	c.asked, c.answers = map[int]bool{}, make(chan answer, len(decisions))
	for _, k := range decisions {
		c.asked[k] = true
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	// The places are awaited here and not in the walk, which a slow check must not stop.
	running.Go(func() {
		free := newPlaces(parallelism)
		for _, k := range decisions {
			leave := free.enter(ctx)
			running.Go(func() {
				defer leave()
				c.answers <- answer{k, check(ctx, k)}
			})
		}
	})
	c.quit = func() {
		cancel()
		running.Wait()
	}
}

// admits reports whether a step waits for no answer.
func (c *firstChecks) admits(step int) bool { return c.unsure == nil || !c.unsure[step] }

// take takes an answer and all others that are there.
func (c *firstChecks) take(first answer) (refused map[int]Outcome) {
	refused = map[int]Outcome{}
	for a, more := first, true; more; {
		delete(c.asked, a.of)
		if a.refused != nil {
			refused[a.of] = *a.refused
		}
		select {
		case a = <-c.answers:
		default:
			more = false
		}
	}
	return refused
}

// sort finds the steps that wait for an answer. over are the steps that were started or skipped, skipped the latter.
func (c *firstChecks) sort(over, skipped func(step int) bool) {
	if c.unsure = nil; len(c.asked) == 0 {
		return
	}
	waits := decider.Withheld(c.plan, c.steps, func(d int) bool { return c.asked[d] }, over)
	c.unsure = make([]bool, len(c.steps))
	for i := len(c.steps) - 1; i >= 0; i-- { // each step is after those that it waits for
		creates := c.plan.Decisions[c.steps[i].Decision].Action == decider.Create
		c.unsure[i] = waits[i] || creates && c.needless(i, skipped)
	}
}

// needless reports whether only steps need a step that wait for an answer. A step that no other step needs is not
// needless: it has a purpose of its own.
func (c *firstChecks) needless(step int, skipped func(step int) bool) bool {
	needed := slices.DeleteFunc(slices.Clone(c.needers[step]), skipped)
	return len(needed) > 0 && !slices.ContainsFunc(needed, func(n int) bool { return !c.unsure[n] })
}
