package storage

import (
	"context"
	"time"
)

// Pauses between the attempts of Retry. They double from the first to the last.
const (
	firstPause = 25 * time.Millisecond
	lastPause  = 1600 * time.Millisecond
)

// Retry repeats do for about three seconds while passes reports that its error may be gone later. Every other error is
// final and returned at once, because others may wait for the caller. Use it for a request that certainly did
// nothing, or that may be applied twice.
func Retry(ctx context.Context, passes func(error) bool, do func() error) error {
	return retry(ctx, lastPause, passes, do)
}

// RetryShort is Retry for about a second and a half, for a request whose caller may retry as well.
func RetryShort(ctx context.Context, passes func(error) bool, do func() error) error {
	return retry(ctx, lastPause/2, passes, do)
}

func retry(ctx context.Context, last time.Duration, passes func(error) bool, do func() error) error {
	for pause := firstPause; ; pause *= 2 {
		err := do()
		if err == nil || !passes(err) || ctx.Err() != nil || pause > last {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
