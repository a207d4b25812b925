package apply

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/resource"
)

// TestAnInterruptEndsTheWaitOfAStepThatBecameOwed: a yield lets such a step wait on for its claim, and the first Ctrl-C
// after it ends the wait, as it ends that of any other step. Work under the claim goes on.
func TestAnInterruptEndsTheWaitOfAStepThatBecameOwed(t *testing.T) {
	t.Parallel()
	ref := resource.Ref{Provider: "aws", Kind: "ec2", Name: "web"}
	for name, owed := range map[string]bool{"owed": true, "left": false} {
		for _, works := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				interrupted := errors.New("interrupted")
				soft, interrupt := context.WithCancelCause(t.Context())
				c := &Control{}
				key := phaseOf{ref, decider.CreatePhase}
				a := &apply{o: Options{Control: c}, hard: t.Context(), soft: soft}
				a.toStart = c.attach(soft, &plan.Planned{}, nil, nil)
				ctx, acquired, stop := a.untilAcquired(key)
				defer stop()
				if works {
					acquired()
				}
				c.mu.Lock()
				c.yielded, c.owed = true, map[phaseOf]bool{key: owed}
				c.mu.Unlock()
				c.end(errYielded)
				synctest.Wait()
				if ended := ctx.Err() != nil; ended != (!owed && !works) {
					t.Errorf("%s, works %v: after a yield its context ended: %v", name, works, ended)
				}
				interrupt(interrupted)
				synctest.Wait()
				if ended := ctx.Err() != nil; ended != !works {
					t.Errorf("%s, works %v: after an interrupt its context ended: %v", name, works, ended)
				}
				if owed && !works && !errors.Is(context.Cause(ctx), interrupted) {
					t.Errorf("the cause is %v", context.Cause(ctx))
				}
			})
		}
	}
}
