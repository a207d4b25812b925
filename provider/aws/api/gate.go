package api

import "context"

// Gate is a lock that one stops waiting for when one's context ends. The zero Gate never opens.
type Gate chan struct{}

// NewGate returns an open gate.
func NewGate() Gate { return make(Gate, 1) }

// Enter waits until no other goroutine is inside, or until the context ends.
func (g Gate) Enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Leave lets the next goroutine enter.
func (g Gate) Leave() { <-g }
