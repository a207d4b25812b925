// Package budget bounds the work and the memory that an input of someone else may cost: the templates of a chart,
// a table, a frame of another host. An input that exceeds its budget ends with an error, and never the process.
package budget

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrSpent is wrapped by each error of a budget.
var ErrSpent = errors.New("more than its budget")

// Limits are the limits of an input. Zero means no limit.
type Limits struct {
	Steps int64         // units of work; one is about a nanosecond
	Bytes int64         // bytes that are made in total
	Time  time.Duration // time of all work
}

// Budget counts the work for one input. It is not safe for several goroutines.
type Budget struct {
	ctx    context.Context //nolint:containedctx // a budget lives as long as the reading of one input
	what   string
	limits Limits
	steps  int64
	bytes  int64
	since  int64 // steps since the context was checked
}

// checkEvery is the number of steps, about a millisecond, after which the context is checked.
const checkEvery = 1 << 20

// New returns a budget, and a context that ends with its time. The name appears in its errors.
func New(ctx context.Context, what string, l Limits) (*Budget, context.Context, context.CancelFunc) {
	cancel := context.CancelFunc(func() {})
	if l.Time > 0 {
		cause := fmt.Errorf("%s takes longer than %s: %w", what, l.Time, ErrSpent)
		ctx, cancel = context.WithTimeoutCause(ctx, l.Time, cause)
	}
	return &Budget{ctx: ctx, what: what, limits: l}, ctx, cancel
}

// Step spends steps. It returns an error if too many are spent, or if the context has ended.
func (b *Budget) Step(n int64) error {
	b.steps += n
	if b.limits.Steps > 0 && b.steps > b.limits.Steps {
		return fmt.Errorf("%s takes too much work: %w", b.what, ErrSpent)
	}
	if b.since += n; b.since < checkEvery {
		return nil
	}
	b.since = 0
	return Ended(b.ctx)
}

// Grow spends bytes.
func (b *Budget) Grow(n int64) error {
	if b.bytes += n; b.limits.Bytes > 0 && b.bytes > b.limits.Bytes {
		return fmt.Errorf("%s takes more than %d MiB of memory: %w", b.what, b.limits.Bytes>>20, ErrSpent)
	}
	return nil
}

// Ended returns why a context has ended, or nil.
func Ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
