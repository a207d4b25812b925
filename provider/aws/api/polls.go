package api

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Polls are the reads that many actions may wait for at the same time, by call.
type Polls struct {
	mu     sync.Mutex
	byCall map[string]any // each is a *Gather
}

// ReadMany reads resources by ID. A resource that does not exist is not in the result, and is no error.
type ReadMany[T any] func(ctx context.Context, ids []string) (map[string]T, error)

// gatherOf returns the read of a call, with the pauses of a Gather when it is new. All callers of
// one op must pass the same type and an equal read, because the read of the first caller is kept.
func gatherOf[T any](p *Polls, op string, step, most time.Duration, read ReadMany[T]) *Gather[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.byCall[op].(*Gather[T]); ok {
		return known
	}
	made := &Gather[T]{Step: step, Most: most, Read: read}
	if p.byCall == nil {
		p.byCall = map[string]any{}
	}
	p.byCall[op] = made
	return made
}

// InChunks reads with calls that take at most a number of IDs.
func InChunks[T any](most int, list func(context.Context, []string) ([]T, error), id func(T) *string) ReadMany[T] {
	return func(ctx context.Context, ids []string) (map[string]T, error) {
		out := make(map[string]T, len(ids))
		for some := range slices.Chunk(ids, most) {
			all, err := list(ctx, some)
			if err != nil {
				return nil, err
			}
			for _, x := range all {
				out[aws.ToString(id(x))] = x
			}
		}
		return out, nil
	}
}
