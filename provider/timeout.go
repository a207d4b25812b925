package provider

import (
	"context"
	"time"
)

type timeoutKey struct{}

// WithTimeout bounds the calls of one action by the timeout that a configuration sets for it. A provider
// whose own limit is shorter waits this long; see Timeout.
func WithTimeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithValue(ctx, timeoutKey{}, d), d, cause)
}

// Timeout returns the timeout that a configuration sets for the action of a call. If it returns false,
// there is none, and the provider's own limits apply.
func Timeout(ctx context.Context) (time.Duration, bool) {
	d, ok := ctx.Value(timeoutKey{}).(time.Duration)
	return d, ok
}
