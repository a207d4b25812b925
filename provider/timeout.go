package provider

import (
	"context"
	"time"
)

type timeoutKey struct{}

// WithTimeout bounds the calls of one action by the timeout that a configuration sets for it. A provider
// with a limit of its own waits this long instead; see Patience.
func WithTimeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithValue(ctx, timeoutKey{}, d), d, cause)
}

// Patience returns how long a provider waits in a call: the timeout that the configuration sets for the action,
// whatever its size, or else the provider's own limit.
func Patience(ctx context.Context, own time.Duration) time.Duration {
	if configured, ok := ctx.Value(timeoutKey{}).(time.Duration); ok {
		return configured
	}
	return own
}
