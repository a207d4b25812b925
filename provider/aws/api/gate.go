package api

import "context"

// Gate is a lock that one stops waiting for when one's context ends.
type Gate chan struct{}

func NewGate() Gate { return make(Gate, 1) }

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

func (g Gate) Leave() { <-g }
