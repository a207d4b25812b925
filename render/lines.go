package render

import (
	"sync"

	"github.com/ovi-project/ovi/event"
)

// Lines turns the events of an apply into records as they come. It may be told of events
// from many goroutines.
type Lines struct {
	to Encoder

	mu    sync.Mutex
	steps *steps
	err   error
}

// NewLines makes one.
func NewLines(to Encoder, names Names) *Lines { return &Lines{to: to, steps: newSteps(names)} }

// Record writes what an event gives.
func (l *Lines) Record(r event.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	step, ok := l.steps.see(r)
	if !ok {
		return
	}
	if err := l.to.Encode(step); err != nil && l.err == nil {
		l.err = err
	}
}

// Close says whether a write failed.
func (l *Lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
