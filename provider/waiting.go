package provider

import (
	"context"
	"sync"
	"time"
)

type waitsKey struct{}

// waits tracks the waits of one call. Waits inside a wait are a part of it.
type waits struct {
	mu    sync.Mutex
	depth int
	begin func() (resume func())
	end   func()
}

// WithWaits returns a context in which a call of Waiting calls begin. At the end of the wait the function that begin
// returned is called.
func WithWaits(ctx context.Context, begin func() (resume func())) context.Context {
	return context.WithValue(ctx, waitsKey{}, &waits{begin: begin})
}

// Waiting tells the engine that a call only waits for a state that the system reaches without further calls: a database
// that starts, a health check, a drain. Until the returned function is called, the action takes no slot of the
// parallelism, and reads of that state are not counted either. If the configuration of the resource changes meanwhile,
// the engine ends the context: then the call returns, and the next observation finds the result.
func Waiting(ctx context.Context) (ended func()) {
	w, is := ctx.Value(waitsKey{}).(*waits)
	if !is {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.depth++; w.depth == 1 {
		w.end = w.begin()
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.depth--; w.depth == 0 {
			w.end()
		}
	})
}

// WaitingAfter is Waiting for a call that takes longer than a time, such as the pull of a large image: until then the
// call counts against the parallelism, and after it the call delays no other action. If the configuration of the
// resource changes after that time, the engine ends the context.
func WaitingAfter(ctx context.Context, d time.Duration) (ended func()) {
	var mu sync.Mutex
	over, end := false, func() {}
	late := time.AfterFunc(d, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			end = Waiting(ctx)
		}
	})
	return func() {
		late.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
		end()
	}
}
