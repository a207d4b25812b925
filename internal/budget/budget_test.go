package budget_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

// TestWorkEndsWithItsContext: an interrupt ends work long before its steps are spent, and the error is the interrupt.
func TestWorkEndsWithItsContext(t *testing.T) {
	interrupted := errors.New("interrupted")
	ctx, interrupt := context.WithCancelCause(t.Context())
	b, _, done := budget.New(ctx, "the work", budget.Limits{Steps: 1 << 40})
	defer done()
	if err := b.Step(1 << 30); err != nil {
		t.Fatal(err)
	}
	interrupt(interrupted)
	var err error
	steps := 0
	for ; err == nil && steps < 1<<21; steps += 1000 {
		err = b.Step(1000)
	}
	if !errors.Is(err, interrupted) || errors.Is(err, budget.ErrSpent) {
		t.Errorf("after %d steps: %v", steps, err)
	}
}

// TestWorkEndsWithItsBudget: of steps, of bytes and of time.
func TestWorkEndsWithItsBudget(t *testing.T) {
	b, ctx, done := budget.New(t.Context(), "the work", budget.Limits{Steps: 10, Bytes: 10, Time: time.Nanosecond})
	defer done()
	<-ctx.Done()
	for name, err := range map[string]error{"steps": b.Step(11), "bytes": b.Grow(11), "time": budget.Ended(ctx)} {
		if !errors.Is(err, budget.ErrSpent) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
